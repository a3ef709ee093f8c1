//! The registration of a provider, which its `main` begins with.

use std::collections::BTreeMap;
use std::sync::Arc;

use tf_provider::{DataSource, Diagnostics, Provider, Resource};

use crate::diagnostic::{BUG, error};
use crate::dynamic::TypedDataSource;
use crate::listen::Network;
use crate::registry::{
    DataSourceEntry, ProviderEntry, Registration, Registry, compiled, take_schema,
};

/// The registration of everything that a provider serves, from [`Server::builder`].
pub struct Builder {
    server: Server,
}

/// A provider that is ready to be served.
pub struct Server {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) address: String,
    /// Name and description of further commands.
    pub(crate) commands: Vec<(String, String)>,
    pub(crate) network: Network,
    pub(crate) registry: Registry,
}

impl Server {
    /// Begins the registration of a provider.
    ///
    /// `name` is the provider's name, such as `pantry`, which is the name of its binary without
    /// `terraform-provider-`. The names of resource types and data sources begin with it and an
    /// underscore. tf-provider's `get_resources`, `get_data_sources` and `get_functions` are not
    /// called.
    pub fn builder<P: Provider>(name: &str, provider: P) -> Builder {
        let mut problems = Diagnostics::default();
        let registry = Registry {
            provider: Arc::new(ProviderEntry::compile(provider, &mut problems)),
            resources: BTreeMap::new(),
            data_sources: BTreeMap::new(),
            problems,
        };
        Builder {
            server: Self {
                name: name.to_owned(),
                version: String::new(),
                address: format!("registry.terraform.io/{name}/{name}"),
                commands: Vec::new(),
                network: Network::Auto,
                registry,
            },
        }
    }
}

impl Server {
    /// Returns whether `--debug` is served. It does not encrypt connections, so it requires a unix
    /// socket.
    pub(crate) fn serves_debugger(&self) -> bool {
        cfg!(unix) && self.network == Network::Auto
    }
}

impl Builder {
    /// Sets the version that `--version` prints.
    #[must_use]
    pub fn version(mut self, version: &str) -> Self {
        version.clone_into(&mut self.server.version);
        self
    }

    /// Sets the provider's source address, such as `registry.terraform.io/acme/pantry`, for
    /// `--help` and `--debug`.
    #[must_use]
    pub fn address(mut self, address: &str) -> Self {
        address.clone_into(&mut self.server.address);
        self
    }

    /// Adds a command of the binary to `--help`, with a one-line description.
    ///
    /// `main` runs the command itself and does not call [`serve`](crate::serve()) for it, because
    /// that reserves standard output.
    #[must_use]
    pub fn command(mut self, name: &str, description: &str) -> Self {
        self.server.commands.push((name.to_owned(), description.to_owned()));
        self
    }

    /// Sets the network over which hosts connect to the provider.
    #[must_use]
    pub fn network(mut self, network: Network) -> Self {
        self.server.network = network;
        self
    }

    /// Registers a resource as `<provider>_<name>`.
    #[must_use]
    pub fn resource<R: Resource + 'static>(self, name: &str, resource: R) -> Self {
        self.resource_with(name, resource, |registration| registration)
    }

    /// Registers a resource with the traits that it implements in addition to tf-provider's, such
    /// as `|jar| jar.identity().generate_config()`.
    #[must_use]
    pub fn resource_with<R: Resource + 'static>(
        mut self,
        name: &str,
        resource: R,
        with: impl FnOnce(Registration<R>) -> Registration<R>,
    ) -> Self {
        let name = self.full(name);
        let Registry { problems, resources, .. } = &mut self.server.registry;
        let entry = with(Registration::new(resource)).compile(&name, problems);
        insert(resources, "resource", &name, entry, problems);
        self
    }

    /// Registers a data source as `<provider>_<name>`.
    #[must_use]
    pub fn data_source<D: DataSource + 'static>(mut self, name: &str, data_source: D) -> Self {
        let name = self.full(name);
        let Registry { problems, data_sources, .. } = &mut self.server.registry;
        let entry = take_schema(&name, problems, |diags| data_source.schema(diags)).map(|schema| {
            let schema = compiled(&name, &schema, problems);
            DataSourceEntry { schema, handler: Box::new(TypedDataSource(data_source)) }
        });
        insert(data_sources, "data source", &name, entry, problems);
        self
    }

    fn full(&self, name: &str) -> String {
        format!("{}_{name}", self.server.name)
    }

    /// Ends the registration. Pass the function that builds the server to
    /// [`serve`](crate::serve()).
    #[must_use]
    pub fn build(self) -> Server {
        self.server
    }
}

/// Inserts an entry, unless its schema is missing, which is a problem already.
fn insert<E>(
    entries: &mut BTreeMap<String, Arc<E>>,
    what: &str,
    name: &str,
    entry: Option<E>,
    problems: &mut Diagnostics,
) {
    let Some(entry) = entry else { return };
    if entries.insert(name.to_owned(), Arc::new(entry)).is_some() {
        let detail = format!("The {what} {name} is registered twice. {BUG}");
        error(problems, "Registered twice", detail);
    }
}
