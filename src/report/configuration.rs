//! What the configuration in a plan says: which provider configuration has a resource, and which
//! service that is.

use std::collections::{BTreeSet, HashMap};

use super::members::{Members, elements, inner, is_ours, text, value};

/// What sets provider configurations, or services, apart.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Identity {
    /// A constant `base_url`.
    BaseUrl(String),
    /// A provider configuration, by its key in the plan, which contains its module.
    Provider(String),
    /// Whatever one change or one resource instance uses: its own, as far as the plan shows.
    Own(String),
}

/// Where an object is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    /// The provider configuration. The provider refuses plans that contradict themselves within
    /// one, and only within one.
    pub(super) configuration: Identity,
    /// The service. Objects of one name are one object only if their services are equal.
    pub(super) service: Identity,
}

impl Place {
    /// Returns whether two places may be the same service, though the plan does not show it.
    pub(super) fn may_be(&self, other: &Self) -> bool {
        let both = (&self.service, &other.service);
        !matches!(both, (Identity::BaseUrl(_), Identity::BaseUrl(_))) || both.0 == both.1
    }
}

/// A provider configuration.
#[derive(Default)]
struct Provider {
    /// The constant `base_url`; `None` for any other expression, and for the environment.
    base_url: Option<String>,
    /// Whether it has instances: its arguments refer to a key (OpenTofu's `for_each`).
    has_instances: bool,
}

/// A resource or data source in the configuration.
struct Block {
    /// The key of its provider configuration.
    provider: String,
    /// Whether it sets `resources`.
    sets_resources: bool,
}

/// The blocks of the configuration in a plan, and our provider configurations.
#[derive(Default)]
pub(super) struct Configuration {
    /// By address without keys.
    blocks: HashMap<String, Block>,
    /// Our provider configurations by key. The default one is listed without expressions if the
    /// configuration has none.
    providers: HashMap<String, Provider>,
    /// Whether every provider configuration has the constant `abandon`.
    pub(super) abandons: bool,
    /// Whether a provider configuration leaves the policy to the environment.
    pub(super) reads_environment: bool,
}

impl Configuration {
    /// Reads the member `configuration` of a plan. What cannot be read is passed over: objects are
    /// then on their own.
    pub(super) fn read(configuration: &Members<'_>) -> Self {
        let mut found = Self::default();
        // Addresses in a module are relative to it.
        let mut modules = vec![(String::new(), inner(configuration, "root_module"))];
        while let Some((prefix, module)) = modules.pop() {
            for block in elements(&module, "resources").unwrap_or_default() {
                let provider = text(&block, "provider_config_key");
                let address = prefix.clone() + &text(&block, "address");
                let sets_resources = sets_resources(&block);
                found.blocks.insert(address, Block { provider, sets_resources });
            }
            let calls = inner(&module, "module_calls");
            for name in calls.keys() {
                let module = inner(&inner(&calls, name), "module");
                modules.push((format!("{prefix}module.{name}."), module));
            }
        }
        let mut policies = BTreeSet::new();
        let providers = inner(configuration, "provider_config");
        for key in providers.keys() {
            let provider = inner(&providers, key);
            if !is_ours(&provider, "full_name") {
                continue;
            }
            let expressions = inner(&provider, "expressions");
            let has_instances = expressions.values().any(|it| it.get().contains("\"each."));
            let base_url = constant(&expressions, "base_url");
            found.providers.insert(key.clone(), Provider { base_url, has_instances });
            let policy = expressions.contains_key("deletion_policy");
            policies.insert(policy.then(|| constant(&expressions, "deletion_policy")));
        }
        found.reads_environment = policies.is_empty() || policies.contains(&None);
        let is_abandon =
            |policy: &Option<Option<String>>| *policy == Some(Some("abandon".to_owned()));
        found.abandons = !policies.is_empty() && policies.iter().all(is_abandon);
        found
    }

    /// Returns whether objects of one name may be in several places.
    pub(super) fn has_several_places(&self) -> bool {
        self.providers.len() > 1 || self.providers.values().any(|it| it.has_instances)
    }

    /// Returns the place of an object; `change` is what its change is known by.
    ///
    /// A plan does not contain the provider configuration of an object whose block is gone. So such
    /// an object is on its own, unless there is only one configuration.
    pub(super) fn place(&self, address: &str, change: &str) -> Place {
        if let Some(block) = self.blocks.get(&without_keys(address)) {
            return self.place_in(&block.provider, address);
        }
        let mut providers = self.providers.iter();
        match (providers.next(), self.has_several_places()) {
            (Some((key, _)), false) => self.place_in(key, address),
            (None, _) => self.place_in("", address),
            (Some((_, first)), true) => {
                let configuration = Identity::Own(change.to_owned());
                let is_same = self.providers.values().all(|it| it.base_url == first.base_url);
                let base_url = first.base_url.as_ref().filter(|_| is_same);
                let service = base_url.cloned().map_or(configuration.clone(), Identity::BaseUrl);
                Place { configuration, service }
            }
        }
    }

    /// Returns the place of a resource instance with this provider configuration.
    fn place_in(&self, key: &str, address: &str) -> Place {
        let provider = self.providers.get(key);
        let configuration = match provider {
            Some(provider) if provider.has_instances => Identity::Own(address.to_owned()),
            _ => Identity::Provider(key.to_owned()),
        };
        let base_url = provider.and_then(|it| it.base_url.clone());
        let service = base_url.map_or(configuration.clone(), Identity::BaseUrl);
        Place { configuration, service }
    }

    /// Returns whether the block of a resource sets `resources`; `None` if the plan does not
    /// contain the block.
    pub(super) fn sets_resources(&self, address: &str) -> Option<bool> {
        self.blocks.get(&without_keys(address)).map(|block| block.sets_resources)
    }
}

/// Returns the constant text of an argument.
fn constant(expressions: &Members<'_>, argument: &str) -> Option<String> {
    value(&inner(expressions, argument), "constant_value")
}

/// Returns whether a block sets `resources` to anything but a constant null. In a plan, a
/// function without references, such as `toset(["a"])`, has an expression without members.
fn sets_resources(block: &Members<'_>) -> bool {
    let expressions = inner(block, "expressions");
    let constant = inner(&expressions, "resources").remove("constant_value");
    expressions.contains_key("resources") && constant.is_none_or(|value| value.get() != "null")
}

/// Removes the instance keys from an address. A key may contain anything, also `].module.`.
fn without_keys(address: &str) -> String {
    let mut stripped = String::new();
    let (mut in_key, mut in_quotes) = (false, false);
    let mut characters = address.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' if in_quotes => _ = characters.next(),
            '"' if in_key => in_quotes = !in_quotes,
            '[' if !in_key => in_key = true,
            ']' if in_key && !in_quotes => in_key = false,
            _ if in_key => {}
            _ => stripped.push(character),
        }
    }
    stripped
}
