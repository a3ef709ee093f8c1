//! What a provider's `main` sees: register, then serve.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::Write as _;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use tf_provider::{DataSource, Diagnostics, Function, Provider, Resource};
use tokio::runtime::Handle;

use crate::diagnostic::{BUG, error};
use crate::dynamic::{DynDataSource as _, DynFunction as _};
use crate::dynamic::{TypedDataSource, TypedFunction, TypedProvider};
use crate::handshake::{self, Environment, Refusal, Request};
use crate::lifecycle::{Exit, Lifecycle, Signals};
use crate::listen::{Cleanup, Listener, Network};
use crate::log;
use crate::provider_service::ProviderService;
use crate::registry::{
    DataSourceEntry, FunctionEntry, ProviderEntry, Registration, Registry, compiled, report,
    take_schema,
};
use crate::schema::{Extras, check_function, check_names, is_identifier};
use crate::tls::Tls;
use crate::transport::{self, Services};
use crate::wire::Type;

/// How long what is left may hold up the process once everything has been said.
const LAST_CALL: Duration = Duration::from_millis(200);
/// How long the process lives after `Shutdown` at most: the host kills it after 2 s, and waits.
const WATCHDOG: Duration = Duration::from_millis(1_400);

/// Collects what a provider serves. Made by [`Server::builder`].
pub struct Builder {
    server: Server,
}

/// A provider, ready to be served.
pub struct Server {
    name: String,
    version: String,
    address: String,
    documentation: Option<String>,
    network: Network,
    plaintext_tcp: bool,
    registry: Registry,
}

impl Server {
    /// Begins with the provider itself.
    ///
    /// `name` is the provider's name, such as `pantry`: resource types and data sources get it and
    /// an underscore as prefix. tf-provider's own `get_resources`, `get_data_sources` and
    /// `get_functions` must be left as they are, since nobody else can call what they hold.
    pub fn builder<P: Provider>(name: &str, provider: P) -> Builder {
        let mut problems = Diagnostics::default();
        let provider = ProviderEntry::compile(Box::new(TypedProvider(provider)), &mut problems);
        let registry = Registry {
            provider: Arc::new(provider),
            resources: BTreeMap::new(),
            data_sources: BTreeMap::new(),
            functions: BTreeMap::new(),
            problems,
        };
        Builder {
            server: Self {
                name: name.to_owned(),
                version: String::new(),
                address: format!("registry.terraform.io/{name}/{name}"),
                documentation: None,
                network: Network::Auto,
                plaintext_tcp: false,
                registry,
            },
        }
    }

    /// What is wrong with the schemas, as a host would show it. Empty is what a provider's own
    /// tests should ask for.
    #[must_use]
    pub fn problems(&self) -> &Diagnostics {
        &self.registry.problems
    }
}

impl Builder {
    /// The version that `--version` prints.
    #[must_use]
    pub fn version(mut self, version: &str) -> Self {
        version.clone_into(&mut self.server.version);
        self
    }

    /// The provider's source address, such as `registry.terraform.io/acme/pantry`, which `--debug`
    /// needs.
    #[must_use]
    pub fn address(mut self, address: &str) -> Self {
        address.clone_into(&mut self.server.address);
        self
    }

    /// Sets the address of the provider's documentation, which `--help` prints.
    #[must_use]
    pub fn documentation(mut self, address: &str) -> Self {
        self.server.documentation = Some(address.to_owned());
        self
    }

    /// How hosts reach the provider, where the default will not do.
    #[must_use]
    pub fn network(mut self, network: Network) -> Self {
        self.server.network = network;
        self
    }

    /// Serves without encryption over TCP as well, when the host asks for none
    /// (`TF_DISABLE_PLUGIN_TLS`). Any user of the machine can then use the provider, with the
    /// credentials it was configured with.
    #[must_use]
    pub fn allow_plaintext_tcp(mut self, allow: bool) -> Self {
        self.server.plaintext_tcp = allow;
        self
    }

    /// Registers a resource as `<provider>_<name>`.
    #[must_use]
    pub fn resource<R: Resource + 'static>(self, name: &str, resource: R) -> Self {
        self.resource_with(name, resource, |registration| registration)
    }

    /// Registers a resource along with what it can do beyond tf-provider's trait, such as
    /// `|jar| jar.upgrade_state().identity()`.
    #[must_use]
    pub fn resource_with<R: Resource + 'static>(
        mut self,
        name: &str,
        resource: R,
        with: impl FnOnce(Registration<R>) -> Registration<R>,
    ) -> Self {
        let name = self.full(name);
        let registry = &mut self.server.registry;
        let entry = with(Registration::new(resource)).compile(&name, &mut registry.problems);
        if let Some(entry) = entry
            && registry.resources.insert(name.clone(), Arc::new(entry)).is_some()
        {
            twice(&mut registry.problems, "resource", &name);
        }
        self
    }

    /// Registers a data source as `<provider>_<name>`.
    #[must_use]
    pub fn data_source<D: DataSource + 'static>(mut self, name: &str, data_source: D) -> Self {
        let name = self.full(name);
        let data_source = Box::new(TypedDataSource(data_source));
        let Registry { problems, data_sources, .. } = &mut self.server.registry;
        if let Some(schema) = take_schema(&name, problems, |diags| data_source.schema(diags)) {
            let schema = compiled(&name, &schema, &Extras::default(), problems);
            let entry = DataSourceEntry { schema, data_source };
            if data_sources.insert(name.clone(), Arc::new(entry)).is_some() {
                twice(problems, "data source", &name);
            }
        }
        self
    }

    /// Registers a function, as `provider::<provider>::<name>`.
    #[must_use]
    pub fn function<F: Function + 'static>(mut self, name: &str, function: F) -> Self {
        let function = Box::new(TypedFunction(function));
        let Registry { problems, functions, .. } = &mut self.server.registry;
        if let Some(schema) = take_schema(name, problems, |diags| function.schema(diags)) {
            let mut wrong = Vec::new();
            if !is_identifier(name) {
                wrong.push("it is no valid name of a function".to_owned());
            }
            check_function(&schema, &mut wrong);
            report(name, wrong, problems);
            let entry = FunctionEntry {
                name: name.to_owned(),
                message: crate::schema::function(&schema),
                returns: Type::of_function(&schema.return_type),
                schema,
                function,
            };
            if functions.insert(name.to_owned(), Arc::new(entry)).is_some() {
                twice(problems, "function", name);
            }
        }
        self
    }

    fn full(&self, name: &str) -> String {
        format!("{}_{name}", self.server.name)
    }

    /// Ends the registration. What is wrong with the schemas is in [`Server::problems`], and is
    /// what hosts get instead of them.
    #[must_use]
    pub fn build(mut self) -> Server {
        let Registry { resources, data_sources, problems, .. } = &mut self.server.registry;
        let mut wrong = Vec::new();
        check_names(resources.keys().chain(data_sources.keys()), &mut wrong);
        report(&self.server.name, wrong, problems);
        self.server
    }

    /// Ends the registration and serves: see [`Server::serve`].
    pub async fn serve(self, arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
        self.build().serve(arguments).await
    }
}

fn twice(problems: &mut Diagnostics, what: &str, name: &str) {
    error(problems, "Registered twice", format!("The {what} {name} is registered twice. {BUG}"));
}

impl Server {
    /// Serves the host that started this process, until it is done.
    ///
    /// `arguments` are those of the process, its own name first: `--help` and `--version` print and
    /// exit, `--debug` waits for hosts that `TF_REATTACH_PROVIDERS` leads here. Return the code from
    /// `main`: if something keeps the process from ending then, it is ended shortly after.
    ///
    /// Standard output belongs to the handshake from here on, and standard error to the
    /// [log](mod@crate::log).
    pub async fn serve(self, arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
        log::install(&self.name);
        let mut arguments = arguments.into_iter().skip(1);
        let (argument, more) = (arguments.next(), arguments.next());
        if more.is_some() {
            return self.refuse_arguments();
        }
        match argument.as_deref().map(|argument| argument.to_str().unwrap_or_default()) {
            None => {
                let environment: Environment = std::env::vars_os().collect();
                apart(|work| self.serve_host(environment, work)).await
            }
            Some("--version" | "-version") => {
                write_stdout(&format!("terraform-provider-{} {}\n", self.name, self.version));
                ExitCode::SUCCESS
            }
            Some("--help" | "-help" | "-h") => {
                write_stdout(&self.help());
                ExitCode::SUCCESS
            }
            Some("--debug" | "-debug") => apart(|work| self.serve_debugger(work)).await,
            Some(_) => self.refuse_arguments(),
        }
    }

    fn refuse_arguments(&self) -> ExitCode {
        log::write_error(&format!(
            "Unknown arguments. Run \"terraform-provider-{} --help\" for the ones it has.",
            self.name
        ));
        ExitCode::from(2)
    }

    /// The text of `--help`, and of a start by hand.
    fn help(&self) -> String {
        let Self { name, address, .. } = self;
        // Configurations leave out the registry that is the default.
        let source = address.strip_prefix("registry.terraform.io/").unwrap_or(address);
        let documentation = match &self.documentation {
            Some(address) => format!("\nDocumentation: {address}\n"),
            None => String::new(),
        };
        format!(
            "terraform-provider-{name} is a provider for Terraform and OpenTofu, which start it. To \
             install it,\n\
             add it to a configuration and run \"terraform init\":\n\
             \n\
             \x20 terraform {{\n\
             \x20   required_providers {{\n\
             \x20     {name} = {{\n\
             \x20       source = \"{source}\"\n\
             \x20     }}\n\
             \x20   }}\n\
             \x20 }}\n\
             \n\
             Options:\n\
             \x20 --help     Print this text and exit.\n\
             \x20 --version  Print the version and exit.\n\
             \x20 --debug    Serve until interrupted, and print the environment variable with \
             which Terraform\n\
             \x20            connects to this process.\n\
             {documentation}"
        )
    }

    async fn serve_host(self, environment: Environment, work: Handle) -> ExitCode {
        let request = match Request::read(&environment) {
            Ok(request) => request,
            Err(Refusal::ByHand) => {
                log::write_error(self.help().trim_end());
                return ExitCode::FAILURE;
            }
            Err(Refusal::Environment(reason)) => return fail(&reason),
        };
        for version in &request.odd_versions {
            tracing::warn!(version, "the host offers a protocol version that is no number");
        }
        if !request.common_version {
            tracing::warn!("the host does not offer protocol 6");
        }
        let tls = match request.client_certificate.as_deref().map(Tls::new).transpose() {
            Ok(tls) => tls,
            Err(reason) => return fail(&reason),
        };
        // Before the line, since the host may signal as soon as it has read it.
        let signals = match Signals::install() {
            Ok(signals) => signals,
            Err(reason) => return fail(&format!("no signal handler: {reason}")),
        };
        let listener = match Listener::bind(&request, self.network).await {
            Ok(listener) => listener,
            Err(reason) => return fail(&format!("no socket: {reason}")),
        };
        if tls.is_none() && listener.network() == "tcp" && !self.plaintext_tcp {
            return fail(
                "the host wants no encryption (TF_DISABLE_PLUGIN_TLS), and without a unix socket \
                 every user of this machine could use the provider",
            );
        }
        let certificate = tls.as_ref().map(|tls| tls.certificate.as_ref());
        let line = request.line(listener.network(), &listener.address(), certificate);
        let acceptor = tls.as_ref().map(|tls| tls.acceptor.clone());
        write_stdout(&line);
        let lifecycle = Lifecycle::new();
        let watched = (Arc::clone(&lifecycle), listener.cleanup());
        tokio::spawn(async move { watch_shutdown(&watched.0, &watched.1).await });
        let services = self.services(&lifecycle, work);
        let exit = {
            let accepting = transport::serve(&listener, acceptor, services, &lifecycle);
            let exiting = signals.until_exit(&lifecycle);
            finish(accepting, exiting, &lifecycle).await
        };
        drop(listener);
        leave(exit)
    }

    async fn serve_debugger(self, work: Handle) -> ExitCode {
        let signals = match Signals::install() {
            Ok(signals) => signals,
            Err(reason) => return fail(&format!("no signal handler: {reason}")),
        };
        let request = Request::by_hand();
        let listener = match Listener::bind(&request, self.network).await {
            Ok(listener) if listener.network() == "unix" || self.plaintext_tcp => listener,
            Ok(_) => return fail("debugging needs a unix socket: there is no encryption in it"),
            Err(reason) => return fail(&format!("no socket: {reason}")),
        };
        let reattach = handshake::reattach(&self.address, listener.network(), &listener.address());
        write_stdout(&format!(
            "Serving until interrupted. In the shell that runs Terraform or OpenTofu:\n\n\
             \x20 export TF_REATTACH_PROVIDERS='{reattach}'\n"
        ));
        let lifecycle = Lifecycle::new();
        let services = self.services(&lifecycle, work);
        let exit = {
            let accepting = transport::serve(&listener, None, services, &lifecycle);
            let exiting = signals.until_stopped(&lifecycle);
            finish(accepting, exiting, &lifecycle).await
        };
        drop(listener);
        leave(exit)
    }

    /// The services; the provider's code runs on `work`.
    pub(crate) fn services(self, lifecycle: &Arc<Lifecycle>, work: Handle) -> Services {
        let service = ProviderService::new(Arc::new(self.registry), Arc::clone(lifecycle), work);
        Services::new(service, lifecycle)
    }
}

/// Runs everything but the provider's code on a thread of its own.
///
/// Provider code that blocks its worker would otherwise hold up connections, `StopProvider` and
/// `Shutdown` as well: tokio's workers share one driver, and a worker that blocks may hold it.
async fn apart<F>(serve: impl FnOnce(Handle) -> F + Send + 'static) -> ExitCode
where
    F: Future<Output = ExitCode>,
{
    let work = Handle::current();
    let (sender, receiver) = tokio::sync::oneshot::channel();
    let thread = std::thread::Builder::new().name("plugin-server".to_owned()).spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let code = match runtime {
            Ok(runtime) => runtime.block_on(serve(work)),
            Err(reason) => fail(&format!("no runtime: {reason}")),
        };
        // The receiver is only gone when the caller has stopped waiting.
        let _ = sender.send(code);
    });
    match thread {
        Ok(_) => receiver.await.unwrap_or(ExitCode::FAILURE),
        Err(reason) => fail(&format!("no thread: {reason}")),
    }
}

/// Accepts until it is time to leave, then lets running calls answer.
async fn finish(
    accepting: impl Future<Output = ()>,
    exiting: impl Future<Output = Exit>,
    lifecycle: &Lifecycle,
) -> Exit {
    let mut exiting = std::pin::pin!(exiting);
    let exit = tokio::select! {
        exit = exiting.as_mut() => exit,
        // Only a shutdown ends the accepting.
        () = accepting => exiting.as_mut().await,
    };
    lifecycle.begin_shutdown();
    if exit == Exit::Done {
        lifecycle.drain().await;
    }
    exit
}

/// Ends the process in time even if every worker is blocked by provider code.
async fn watch_shutdown(lifecycle: &Lifecycle, cleanup: &Cleanup) {
    lifecycle.shutdown_token().cancelled().await;
    let cleanup = cleanup.clone();
    std::thread::spawn(move || {
        std::thread::sleep(WATCHDOG);
        cleanup.run();
        std::process::exit(0);
    });
}

/// The code for `main` to return, and a thread that does it where a runtime waits for tasks that
/// never end.
fn leave(exit: Exit) -> ExitCode {
    let code: u8 = match exit {
        Exit::Done => 0,
        // As a shell reports SIGTERM.
        Exit::Killed => 128 + 15,
    };
    std::thread::spawn(move || {
        std::thread::sleep(LAST_CALL);
        std::process::exit(i32::from(code));
    });
    ExitCode::from(code)
}

fn fail(reason: &str) -> ExitCode {
    log::write_error(&format!("[ERROR] {reason}"));
    ExitCode::FAILURE
}

/// The one way to standard output. A host that does not read it is gone already.
fn write_stdout(text: &str) {
    let mut stdout = std::io::stdout().lock();
    let _ = stdout.write_all(text.as_bytes());
    let _ = stdout.flush();
}
