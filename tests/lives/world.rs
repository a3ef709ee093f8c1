//! The service of a life, in memory.

use std::collections::BTreeSet;
use std::time::{Duration, UNIX_EPOCH};

use access_fake::{Rank, Service};
use fastrand::Rng;
use serde_json::{Value, json};

use crate::configuration::{Kind, Object};
use crate::host::Instance;
use crate::life::{Event, Outside};
use crate::odds::{Odds, odd};

/// The beginning of every life: October 2001.
const BEGINNING: Duration = Duration::from_secs(1_003_000_000);

odd! {
    /// What is unusual about the service during a whole life.
    pub(crate) enum Oddity {
        Faults: 2, "with faults";
        Reads404: 36, "which return 404";
        Reads405: 24, "which return 405";
        Reads501: 24, "which return 501";
        NoLists: 12, "without lists";
        Forbidden: 24, "which do not show every parent";
        OnlyLists: 24, "which are only lists";
        NoDelete: 24, "without DELETE";
        RateLimit: 12, "with a rate limit";
        ReadsOmit: 12, "which omit who manages a role";
        OddEntries: 12, "with lists that contain more than objects";
        RespellsUris: 12, "with its own spellings of repositories";
        ReturnsDeleted: 5, "which return deleted roles";
        DuplicateOwners: 3, "with duplicate owners";
        OmitsDefaults: 4, "without default values";
        IgnoresCaller: 10, "without the manager";
        SmallPages: 8, "in pages of two";
        /// The pages of lists lack entries at random.
        PatchyLists: 12, "with lists that lack entries";
        /// The response to a POST of a principal that is an owner is 200 with this owner.
        AnswersExisting: 8, "which answer a POST with the owner that there is";
        /// The response to a PATCH of a role that exists is 200 with this role, unchanged.
        KeepsRoles: 32, "which answer a PATCH with the role that there is";
        /// Not of the service: its users leave values empty.
        Blanks: 6, "whose users leave values empty";
    }
}

pub(crate) type World = Odds<Oddity>;

impl World {
    /// Draws a world. What a page lacks and what a list lacks cannot be told apart, so a list that
    /// lacks entries has one page.
    pub(crate) fn of_seed(random: &mut Rng) -> Self {
        let mut world = Self::draw(random);
        if world.has(Oddity::PatchyLists) {
            world.remove(Oddity::SmallPages);
        }
        world
    }

    /// Returns whether single reads are not offered, or not allowed below every parent.
    pub(crate) fn lacks_reads(&self) -> bool {
        let all = [Oddity::Reads404, Oddity::Reads405, Oddity::Reads501];
        self.has_any(&all) || self.has_any(&[Oddity::OnlyLists, Oddity::Forbidden])
    }

    /// Returns whether nothing shows that an object does not exist.
    pub(crate) fn hides_absence(&self) -> bool {
        self.lacks_reads() || self.has(Oddity::NoLists)
    }

    /// Returns whether reads show what is there, and writes change it.
    pub(crate) fn is_truthful(&self) -> bool {
        let reads_lie = self.has_any(&[Oddity::PatchyLists, Oddity::OddEntries]);
        let lacks_writes = self.has_any(&[Oddity::NoDelete, Oddity::KeepsRoles]);
        !self.hides_absence() && !reads_lie && !lacks_writes
    }

    /// Returns the settings of the service. Of oddities that set the same, the last one counts.
    pub(crate) fn settings(&self) -> access_fake::World {
        let change = |world: access_fake::World, oddity| world.changed(setting(oddity));
        self.iter().try_fold(access_fake::World::default(), change).expect("settings")
    }
}

/// Returns what an oddity changes in the settings of the service.
fn setting(oddity: Oddity) -> Value {
    let absent = |how: &str| json!({"absent": how});
    let both =
        |operations: Value| json!({"operations": {"roles": operations, "owners": operations}});
    let without = |operation: &str, how| both(json!({operation: absent(how)}));
    let without_reads =
        |how| both(json!({"get": absent(how), "list": absent(how), "delete": absent(how)}));
    let omit = |responses: &[&str], fields: &[&str]| json!({"omitted_fields": [{"responses": responses, "fields": fields}]});
    let manager = ["manager", "repoUri", "repoDir"];
    match oddity {
        // These are of the users, or of the network.
        Oddity::Faults | Oddity::KeepsRoles | Oddity::Blanks => json!({}),
        Oddity::AnswersExisting => json!({"returns_existing_owner": true}),
        Oddity::Reads404 => without_reads("not_found"),
        Oddity::Reads405 => without_reads("method_not_allowed"),
        Oddity::Reads501 => without_reads("not_implemented"),
        Oddity::NoLists => without("list", "method_not_allowed"),
        Oddity::OnlyLists => without("get", "method_not_allowed"),
        Oddity::NoDelete => without("delete", "not_implemented"),
        Oddity::Forbidden => json!({"hidden": [
            {"object": "listings/listing-0/roles/*", "get": 403},
            {"object": "integrations/integration-0/owners", "list": 403},
        ]}),
        Oddity::RateLimit => json!({"rate_limit": {"per_second": 4.0, "burst": 4}}),
        Oddity::ReadsOmit => omit(&["get", "list"], &manager),
        Oddity::OddEntries => json!({"lists": [{"insert": [null, 7, {"owner": "users/user-1"}]}]}),
        Oddity::SmallPages => json!({"lists": [{"largest_page_size": 2}]}),
        Oddity::PatchyLists => json!({"lists": [{"drop_probability": 0.3}]}),
        Oddity::RespellsUris => json!({"repo_uri_git_suffix": true, "repo_uri_upper_host": true}),
        Oddity::ReturnsDeleted => json!({"returns_deleted_roles": true}),
        Oddity::DuplicateOwners => json!({"duplicate_owners": true}),
        Oddity::OmitsDefaults => json!({"omit_defaults": true}),
        Oddity::IgnoresCaller => json!({"ignores_caller": true}),
    }
}

pub(crate) struct Services {
    pub(crate) service: Service,
    pub(crate) world: World,
    pub(crate) has_planted_defect: bool,
}

impl Services {
    pub(crate) fn new(world: &World) -> Self {
        Self::of(Service::beginning_at(world.settings(), UNIX_EPOCH + BEGINNING), world)
    }

    /// Adds the parents of objects, and the keys of both workspaces.
    pub(crate) fn of(service: Service, world: &World) -> Self {
        for parent in 0..3 {
            for parents in ["listings/listing", "integrations/integration"] {
                service.put_parent(&format!("{parents}-{parent}")).expect("a parent");
            }
        }
        for workspace in 0..2 {
            service.put_key(&format!("workspace-{workspace}"), &key(workspace), Rank::Admin);
        }
        Self { service, world: world.clone(), has_planted_defect: false }
    }

    pub(crate) fn objects(&self) -> Vec<Instance> {
        let of = |parents| move |at| self.service.objects(&format!("{parents}-{at}"));
        let roles = (0..3).flat_map(of("listings/listing"));
        let owners = (0..3).flat_map(of("integrations/integration"));
        let all = roles.chain(owners);
        all.map(|value| Instance { value, ..Instance::default() }).collect()
    }

    /// Returns the objects of the service that a configuration names as `object`.
    pub(crate) fn find(&self, object: Object) -> Vec<Value> {
        let (service, parent) = (&self.service, object.parent_name());
        if object.kind == Kind::Role {
            let name = format!("listings/{parent}/roles/{}", object.own_name());
            return service.object(&name).into_iter().collect();
        }
        let mut owners = service.objects(&format!("integrations/{parent}"));
        owners.retain(|it| object.kind == Kind::Owners || it["owner"] == object.own_name());
        owners
    }

    /// Does what somebody else does. The service accepts nothing for a parent that does not exist.
    /// Returns the names of what has changed.
    pub(crate) fn happen(&self, &Outside { what, object }: &Outside) -> BTreeSet<String> {
        let before = self.find(object);
        let exists = !before.is_empty();
        match what {
            Event::Create if !exists => self.create(object),
            Event::Change if exists && object.kind == Kind::Role => {
                let change = json!({"displayName": "Changed", "manager": null});
                drop(self.service.change(text(&before[0]["name"]), &change));
            }
            Event::Delete if exists => self.delete(object),
            Event::Remake if exists => {
                self.delete(object);
                self.create(object);
            }
            _ => return BTreeSet::new(),
        }
        let changed = before.into_iter().chain(self.find(object));
        changed.map(|object| text(&object["name"]).to_owned()).collect()
    }

    fn create(&self, object: Object) {
        let (service, parent) = (&self.service, object.parent_name());
        drop(if object.kind == Kind::Role {
            // Another configuration, or nobody's.
            let fields = match object.id % 2 {
                0 => json!({"displayName": "Somebody's", "priority": "7"}),
                _ => {
                    json!({"displayName": "Another team's", "priority": "7", "manager": "TERRAFORM",
                    "repoUri": "https://git.example/another", "repoDir": "live"})
                }
            };
            service.put(&format!("listings/{parent}/roles/{}", object.own_name()), &fields)
        } else {
            let fields = json!({"owner": object.own_name()});
            service.put(&format!("integrations/{parent}/owners/theirs-{}", object.id), &fields)
        });
    }

    fn delete(&self, object: Object) {
        let keeps_deleted = object.kind == Kind::Role && self.world.has(Oddity::ReturnsDeleted);
        for found in self.find(object) {
            let (service, name) = (&self.service, text(&found["name"]));
            _ = if keeps_deleted { service.delete(name) } else { service.remove(name) };
        }
    }
}

pub(crate) fn key(workspace: usize) -> String {
    format!("secret+key/{workspace}-of-lives==")
}

/// Returns a text of a JSON value; an empty one if it is something else.
pub(crate) fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
