//! Oddities of the service during a run, drawn at random.
//!
//! Some oddities last for the whole run. Others change with each apply and end before the last two,
//! because with them no client could reach agreement. GET and list never both lack an object that
//! exists, because that would be a deletion.

use std::time::Duration;

use access_fake::{
    Fault, HiddenObject, LagRule, OddList, OmittedFields, Read, ResponseTo, World, Write,
};
use fastrand::Rng;
use serde_json::json;

use super::stack::{MOST_OWNERS, MOST_ROLES, canonical_owner};
use crate::support::Service;

/// Draws what lasts for the whole run. Returns whether the service has its own spelling of owners.
pub(super) fn draw_for_the_run(service: &Service, random: &mut Rng) -> bool {
    if random.bool() {
        service.omit_defaults();
    }
    if random.bool() {
        service.return_deleted_roles();
    }
    let canonical = random.u8(..4) == 0;
    let fields: &[&str] = match random.u8(..4) {
        0 => &["manager"],
        1 => &["manager", "repoUri", "repoDir"],
        _ => &[],
    };
    let git_suffix = random.u8(..4) == 0;
    service.change_world(|world| {
        world.repo_uri_git_suffix = git_suffix;
        if canonical {
            let spelling = |number| (format!("users/user-{number}"), canonical_owner(number));
            world.canonical_owners = (0..MOST_OWNERS).map(spelling).collect();
        }
        world.omitted_fields = vec![OmittedFields {
            responses: vec![ResponseTo::Get, ResponseTo::List],
            fields: fields.iter().map(|&field| field.to_owned()).collect(),
            ..OmittedFields::default()
        }];
    });
    canonical
}

/// Draws what lasts for one apply.
pub(super) fn draw_for_an_apply(service: &Service, random: &mut Rng) {
    let hides = random.u8(..3) == 0;
    let hidden = hides.then(|| hidden(random));
    let lists = (!hides && random.bool()).then(|| odd_list(random));
    let lags = (random.u8(..3) == 0).then(|| lag(random));
    service.change_world(|world| {
        calm_world(world);
        world.hidden.extend(hidden);
        world.lists.extend(lists);
        world.lags.extend(lags);
    });
    if random.u8(..4) == 0 {
        let time = Duration::from_millis(random.u64(200..2_000));
        let outage = Fault::respond(503, "{}");
        let outage = if random.bool() { outage.header("retry-after", "1") } else { outage };
        service.fault(outage.skipping(random.u64(..20)).lasting(time));
    }
}

/// Ends what lasts for one apply.
pub(super) fn calm(service: &Service) {
    service.change_world(calm_world);
    service.local().end_lags();
}

fn calm_world(world: &mut World) {
    world.hidden.clear();
    world.lists.clear();
    world.lags.clear();
}

/// Returns an object that some calls do not find, or may not touch, and that lists contain.
fn hidden(random: &mut Rng) -> HiddenObject {
    let object = match random.u8(..3) {
        0 => "integrations/github/owners/*".to_owned(),
        _ => format!("listings/github/roles/role-{}", random.usize(..MOST_ROLES)),
    };
    let mut status = || (random.bool()).then(|| if random.bool() { 404 } else { 403 });
    HiddenObject { object, get: status(), delete: status(), write: status(), ..Default::default() }
}

fn odd_list(random: &mut Rng) -> OddList {
    let mut part = || if random.bool() { random.f64() / 2.0 } else { 0.0 };
    let (drop_probability, repeat_probability) = (part(), part());
    OddList {
        drop_probability,
        repeat_probability,
        seed: random.u64(..),
        overlap: random.bool(),
        loop_tokens: random.u8(..5) == 0,
        insert: if random.u8(..3) == 0 { vec![json!(17), json!({})] } else { Vec::new() },
        fail_page: (random.u8(..3) == 0).then(|| random.u32(1..3)),
        fail_status: random.choice([403, 404, 405, 500, 503]),
        largest_page_size: random.bool().then(|| random.usize(1..4)),
        ..OddList::default()
    }
}

fn lag(random: &mut Rng) -> LagRule {
    LagRule {
        object: None,
        after: random
            .choice([None, Some(Write::Create), Some(Write::Update), Some(Write::Delete)])
            .flatten(),
        read: random.choice([None, Some(Read::Get), Some(Read::List)]).flatten(),
        reads: random.u32(1..4),
    }
}
