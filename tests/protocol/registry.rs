//! One plan: the resources that create, keep and destroy one object, in either order.

use serde_json::{Value, json};

use super::cases::*;
use super::{Host, errors, pb};
use crate::support::Service;

/// What a resource plans with the object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// A new resource.
    Create,
    /// Another new resource.
    CreateAnother,
    /// A new resource with `adopt_existing`.
    Adopt,
    /// A resource of the state without a change.
    Keep,
    /// A resource of the state with a change of what is not the object's name.
    Change,
    /// A resource of the state that is destroyed, or a deposed object.
    Destroy,
    /// The same, which leaves the object.
    Abandon,
    /// A resource of the state that is replaced by itself.
    Replace,
    /// A tainted resource: Terraform reads it and plans a create.
    Tainted,
}
use Step::{Abandon, Adopt, Change, Create, CreateAnother, Destroy, Keep, Replace, Tainted};

/// The steps of one plan, and whether the last one is an error. The others are none.
const PLANS: [(&[Step], bool); 27] = [
    (&[Create, CreateAnother], true),
    (&[Create, Adopt], true),
    (&[Adopt, Create], true),
    (&[Create, Keep], true),
    (&[Keep, Create], true),
    (&[Adopt, Keep], true),
    (&[Keep, Adopt], true),
    (&[Create, Destroy], true),
    (&[Destroy, Create], true),
    (&[Adopt, Destroy], true),
    (&[Destroy, Adopt], true),
    (&[Keep, Destroy], true),
    (&[Destroy, Keep], true),
    (&[Change, Destroy], true),
    (&[Destroy, Change], true),
    // `abandon` contradicts only a create that would be refused.
    (&[Create, Abandon], true),
    (&[Abandon, Create], true),
    (&[Adopt, Abandon], false),
    (&[Abandon, Adopt], false),
    (&[Keep, Abandon], false),
    (&[Abandon, Keep], false),
    // A resource that is planned twice, or replaced by itself, does not contradict itself.
    (&[Keep, Keep], false),
    (&[Change, Change], false),
    (&[Destroy, Destroy], false),
    (&[Replace, Replace], false),
    (&[Tainted, Tainted], false),
    (&[Keep, Replace, Replace], false),
];

/// An object of a state, with the configuration of its resource.
struct Managed {
    entity: Entity,
    config: Value,
    state: Value,
    private: Vec<u8>,
}

impl Managed {
    async fn create(service: &Service, entity: Entity) -> Self {
        let host = Host::start(service).await;
        let config = creating(entity);
        let (state, private) = host.create(entity.type_name(), &config).await;
        host.end().await;
        Self { entity, config, state, private }
    }

    async fn plan(
        &self,
        host: &Host,
        prior: Option<&Value>,
        config: &Value,
        private: &[u8],
    ) -> pb::plan_resource_change::Response {
        host.plan_as(self.entity.type_name(), prior, config, private).await
    }

    async fn read(&self, host: &Host) {
        let read = host.read_as(self.entity.type_name(), &self.state, &self.private).await;
        assert_eq!(errors(&read.diagnostics), [""; 0]);
    }

    /// Takes one step, and returns the summaries of the errors.
    async fn step(&self, host: &Host, step: Step) -> Vec<String> {
        let state = Some(&self.state);
        let response = match step {
            Create => self.plan(host, None, &self.config, b"").await,
            CreateAnother => {
                let mut other = self.config.clone();
                let name =
                    if self.entity == Role { "display_name" } else { "integration_owner_id" };
                other[name] = json!("other");
                self.plan(host, None, &other, b"").await
            }
            Adopt => {
                let mut adopting = self.config.clone();
                adopting["adopt_existing"] = json!(true);
                self.plan(host, None, &adopting, b"").await
            }
            Keep => {
                self.read(host).await;
                self.plan(host, state, &self.config, &self.private).await
            }
            Change => {
                self.read(host).await;
                let mut changed = self.config.clone();
                changed["adopt_existing"] = json!(false);
                self.plan(host, state, &changed, &self.private).await
            }
            Destroy | Abandon => {
                let mut state = self.state.clone();
                if step == Abandon {
                    state["deletion_policy"] = json!("abandon");
                }
                let read = host.read_as(self.entity.type_name(), &state, &self.private).await;
                assert_eq!(errors(&read.diagnostics), [""; 0]);
                host.plan_destroy(self.entity.type_name(), &state, &self.private).await
            }
            Replace => {
                self.read(host).await;
                let first = self.plan(host, state, &self.config, &self.private).await;
                assert_eq!(errors(&first.diagnostics), [""; 0]);
                self.plan(host, None, &self.config, &first.planned_private).await
            }
            Tainted => {
                self.read(host).await;
                self.plan(host, None, &self.config, b"").await
            }
        };
        errors(&response.diagnostics).into_iter().map(str::to_owned).collect()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn resources_of_one_plan_contradict_each_other_as_in_the_table() {
    for entity in [Role, Owner] {
        let service = Service::full();
        let object = Managed::create(&service, entity).await;
        service.clear_requests();
        for (steps, is_error) in PLANS {
            let case = format!("{entity:?} {steps:?}");
            let host = Host::start(&service).await;
            for (number, step) in steps.iter().enumerate() {
                let found = object.step(&host, *step).await;
                let expected = usize::from(is_error && number + 1 == steps.len());
                assert_eq!(found.len(), expected, "{case}, {step:?}: {found:?}");
            }
            host.end().await;
        }
        assert_eq!(service.writes().len(), 0);
    }
}

/// Inside an apply, hosts plan and write in turns.
#[tokio::test(flavor = "multi_thread")]
async fn plans_are_not_compared_after_the_first_apply_call() {
    for entity in [Role, Owner] {
        let service = Service::full();
        let object = Managed::create(&service, entity).await;
        let host = Host::start(&service).await;
        let mut other = creating(Role);
        other["role"] = json!("other");
        host.create(Role.type_name(), &other).await;
        for step in [Destroy, Create, Keep] {
            let found = object.step(&host, step).await;
            assert_eq!(found, [""; 0], "{entity:?} {step:?}");
        }
        host.end().await;
    }
}
