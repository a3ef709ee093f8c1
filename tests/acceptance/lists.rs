//! Lists confirm, only GET contradicts: regardless of the contents of lists, a plan equals that of
//! a service without lists.
//!
//! `LIST_RUNS` sets the number of random runs, and `LIST_SEED` the seed of the first.

use access_fake::{Fault, LagRule, OddList, OmittedFields, Read, ResponseTo};
use fastrand::Rng;
use serde_json::json;

use crate::support::fixtures::{Block, Text, data, many_owners, role, roles, settings};
use crate::support::{Outcome, Service, Workspace, number};

const ROLES: usize = 12;
const OWNERS: usize = 6;
const FIELDS: [&str; 8] = [
    "displayName",
    "description",
    "priority",
    "resources",
    "manager",
    "createTime",
    "updateTime",
    "repoUri",
];

/// The seed of the first run unless `LIST_SEED` is set: a run of the normal suite can be repeated. The
/// schedule draws other seeds (.github/workflows/long.yml).
const SEED: u64 = 5000;

fn configuration() -> Text {
    let even =
        |modulus: usize, value: &str| format!("count.index % {modulus} == 0 ? {value} : null");
    let roles = roles(ROLES)
        .set("listing", "count.index % 3 == 0 ? \"production\" : \"github\"")
        .set("description", even(2, "\"Text\""))
        .set("resources", even(4, "[\"repo/a\"]"));
    let owners = many_owners(OWNERS)
        .text("integration", "okta")
        .text("integration_owner_id", "own-${count.index}");
    roles + owners
}

fn provider() -> Block {
    settings().text("repo_uri", "https://example.com/a/b")
}

/// Changes some objects by hand, and removes some.
fn edit(service: &Service, random: &mut Rng) {
    for index in 0..ROLES {
        let listing = if index % 3 == 0 { "production" } else { "github" };
        let role = format!("role-{index}");
        match random.u8(..8) {
            0 => service.change_role(listing, &role, json!({"displayName": "By hand"})),
            1 => service.change_role(listing, &role, json!({"description": "By hand"})),
            2 => service.change_role(listing, &role, json!({"manager": null})),
            3 => service.remove_role(listing, &role),
            _ => {}
        }
    }
    for index in 0..OWNERS {
        if random.u8(..5) == 0 {
            service.remove_owner("okta", &format!("own-{index}"));
        }
    }
}

fn random_list(random: &mut Rng) -> OddList {
    let mut chance = |odds: u8| random.u8(..odds) == 0;
    let (drops, repeats, inserts, fails) = (chance(2), chance(2), chance(3), chance(3));
    let (loops, overlap, small, stale) = (chance(5), chance(4), chance(2), chance(3));
    let mut list =
        OddList { seed: random.u64(..), overlap, loop_tokens: loops, ..OddList::default() };
    if drops {
        list.drop_probability = random.f64();
    }
    if repeats {
        list.repeat_probability = random.f64();
    }
    if inserts {
        list.insert = vec![json!(17), json!({}), json!({"name": "listings/other/roles/role-1"})];
    }
    if fails {
        // Not 403, 404 or 500: with such a list, a 404 to a GET is an error.
        list.fail_page = Some(random.u32(1..4));
        list.fail_status = random.choice([405, 501]);
    }
    if small {
        list.largest_page_size = Some(random.usize(1..4));
    }
    if stale {
        let fields = json!({"displayName": "Stale", "priority": "99"});
        list.edit = vec![access_fake::EditedEntry {
            id: Some(format!("role-{}", random.usize(..ROLES))),
            fields: fields.as_object().cloned().unwrap_or_default(),
        }];
    }
    list
}

fn make_lists_odd(service: &Service, random: &mut Rng) {
    let list = random_list(random);
    let omitted: Vec<String> =
        FIELDS.iter().filter(|_| random.u8(..6) == 0).map(|&field| field.to_owned()).collect();
    service.change_world(|world| {
        world.lists = vec![list];
        world.omitted_fields = vec![OmittedFields {
            responses: vec![ResponseTo::List],
            fields: omitted,
            ..OmittedFields::default()
        }];
    });
}

/// Returns the planned actions, in order, and the exit code.
fn plan_of(workspace: &Workspace) -> (i32, Vec<String>) {
    let outcome: Outcome = workspace.plan();
    let mut actions: Vec<String> = (0..ROLES)
        .map(|index| format!("access_listing_role.many[{index}]"))
        .chain((0..OWNERS).map(|index| format!("access_integration_owner.many[{index}]")))
        .map(|address| format!("{address}: {}", outcome.action(&address)))
        .collect();
    actions.extend(outcome.errors());
    (outcome.code, actions)
}

fn run(seed: u64) {
    let mut random = Rng::with_seed(seed);
    let service = Service::full();
    let lags = random.bool();
    if lags {
        let (read, reads) = (Some(Read::List), random.u32(1..4));
        service.change_world(|world| {
            world.lags.push(LagRule { read, reads, ..LagRule::default() });
        });
    }
    let workspace = service.workspace();
    workspace.configure(provider().set("max_retries", 0) + configuration());
    workspace.apply().succeeds();
    // Edits by hand lag in lists as well: they return what the configuration had written.
    edit(&service, &mut random);
    let lists = service.local().world().roles;
    let mut without = lists;
    without.list = access_fake::Presence::Absent(access_fake::Absence::MethodNotAllowed);
    service.change_world(|world| (world.roles, world.owners) = (without, without));
    let expected = plan_of(&workspace);
    assert!(matches!(expected.0, 0 | 2), "seed {seed}: {expected:?}");
    service.change_world(|world| (world.roles, world.owners) = (lists, lists));
    for _ in 0..2 {
        make_lists_odd(&service, &mut random);
        let world = service.local().world();
        let seen = plan_of(&workspace);
        let odd = (world.lists, world.omitted_fields);
        assert_eq!(seen, expected, "seed {seed}, {odd:?}");
    }
}

#[test]
#[allow(clippy::print_stdout, reason = "the seed has to be known when a run hangs")]
fn plan_with_any_lists_equals_that_without_lists() {
    let runs = number("LIST_RUNS").unwrap_or(8);
    let first = number("LIST_SEED").unwrap_or(SEED);
    println!("{runs} runs from seed {first} on");
    let half = runs / 2;
    std::thread::scope(|scope| {
        scope.spawn(|| (0..half).for_each(|number| run(first + number)));
        scope.spawn(|| (half..runs).for_each(|number| run(first + number)));
    });
}

#[test]
fn list_that_fails_is_requested_once_and_neither_delays_nor_fails_reads() {
    let service = Service::full();
    let workspace = service.workspace();
    // The wait is short for a provider that retries the list.
    workspace.configure(provider().text("max_retry_wait", "3s") + configuration());
    workspace.apply().succeeds();
    for path in ["*/roles", "*/owners"] {
        service.fault(Fault::respond(503, "").on("GET").at(path));
    }
    service.clear_requests();
    workspace.plan_with(&["-parallelism=1"]).exits(0).without_warnings();
    let (lists, reads): (Vec<_>, Vec<_>) = service
        .requests()
        .into_iter()
        .map(|request| request.path)
        .partition(|path| path.ends_with("/roles") || path.ends_with("/owners"));
    // github, production and okta.
    assert_eq!((lists.len(), reads.len()), (3, ROLES + OWNERS), "{lists:?}");
}

/// Terraform reads these data sources after the resources, for which the run requests the lists.
#[test]
fn data_source_of_one_object_is_read_by_get_after_lists_that_omit_fields() {
    let service = Service::full();
    let viewer = json!({"displayName": "Viewer", "priority": "5", "resources": ["repo/a"]});
    service.put_role("github", "viewer", viewer);
    service.change_world(|world| {
        world.omitted_fields = vec![OmittedFields {
            responses: vec![ResponseTo::List],
            fields: vec!["resources".to_owned(), "createTime".to_owned()],
            ..OmittedFields::default()
        }];
    });
    let data = data("access_listing_role", "viewer").text("listing", "github");
    let data = data.text("role", "viewer").set("depends_on", "[access_listing_role.many]");
    let resources = "data.access_listing_role.viewer.resources";
    let workspace = service.workspace();
    workspace.configure(roles(5) + data + role("copy").set("resources", resources));
    workspace.apply().succeeds();
    assert_eq!(service.role("github", "copy").unwrap()["resources"], json!(["repo/a"]));
    workspace.plans_nothing();
}

/// 15 MB in one page of the default size: the provider reads at most 8 MiB of a response.
#[test]
fn listing_of_large_roles_is_listed_in_smaller_pages() {
    for refuse_over_bytes in [None, Some(2_000_000)] {
        let service = Service::full();
        service.change_world(|world| {
            let default_page_size = Some(1000);
            world.lists =
                vec![OddList { default_page_size, refuse_over_bytes, ..OddList::default() }];
        });
        let description = "x".repeat(150_000);
        for number in 0..100 {
            let fields = json!({"displayName": "Role", "description": description});
            service.put_role("github", &format!("role-{number}"), fields);
        }
        let output =
            "output \"count\" {\n  value = length(data.access_listing_roles.all.roles)\n}\n";
        let all = data("access_listing_roles", "all").text("listing", "github") + output;
        let workspace = service.applied(all);
        assert_eq!(workspace.state()["outputs"]["count"]["value"], 100, "{refuse_over_bytes:?}");
    }
}
