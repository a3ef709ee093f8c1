//! Serving: the arguments, the handshake, and the end of the process.

use std::ffi::OsString;
use std::io::Write as _;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Handle;

use crate::handshake::{self, Environment, Refusal, Request};
use crate::lifecycle::{EXIT_GRACE, Lifecycle};
use crate::listen::{Cleanup, Listener};
use crate::log;
use crate::provider_service::ProviderService;
use crate::server::Server;
use crate::signals::{Exit, Signals};
use crate::tls::Tls;
use crate::transport::{self, Services};

/// The time by which tasks that never end may delay the exit of the process.
const EXIT_DELAY: Duration = Duration::from_millis(200);
/// The longest time for which the process runs after `Shutdown`. The host kills it after 2 s.
const SHUTDOWN_LIMIT: Duration = Duration::from_millis(1_400);
// The host kills the process 2 s after `Shutdown`.
const _: () = assert!(SHUTDOWN_LIMIT.as_millis() < 2_000);
const _: () =
    assert!((EXIT_GRACE.as_millis() + EXIT_DELAY.as_millis()) <= SHUTDOWN_LIMIT.as_millis());

/// The file descriptors that a process needs at least: those of two runtimes, of the socket and of
/// its connections, and those of the provider's own connections.
#[cfg(unix)]
const LEAST_DESCRIPTORS: usize = 32;

/// Runs `program` to its end on a single thread. `main` calls this with a future that ends in
/// [`serve`], which serves on a thread of its own.
///
/// If the process cannot run, such as without file descriptors, a sentence on standard error says
/// so. tokio would panic.
pub fn block_on(program: impl Future<Output = ExitCode>) -> ExitCode {
    let runtime = require_descriptors().and_then(|()| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        runtime.map_err(|reason| format!("no runtime: {reason}"))
    });
    match runtime {
        Ok(runtime) => runtime.block_on(program),
        Err(reason) => fail(&reason),
    }
}

/// Returns an error if the limit of the process leaves it too few file descriptors.
fn require_descriptors() -> Result<(), String> {
    #[cfg(unix)]
    {
        use std::os::fd::AsFd as _;
        let mut held = Vec::new();
        while held.len() < LEAST_DESCRIPTORS {
            held.push(std::io::stderr().as_fd().try_clone_to_owned().map_err(|error| {
                format!(
                    "The process can open {} of the {LEAST_DESCRIPTORS} files that it needs: {error}. \
                     Raise its limit, for example with `ulimit -n 1024`.",
                    held.len()
                )
            })?);
        }
    }
    Ok(())
}

/// Serves the host that started this process, until the host shuts it down.
///
/// `arguments` are those of the process and begin with its name: `--help` and `--version` print
/// and exit, `--debug` waits for hosts that connect through `TF_REATTACH_PROVIDERS`. Return the
/// code from `main`: the process exits shortly after, even if a task blocks the runtime.
///
/// `server` is called once, and with `--debug` once more for each connection: Terraform opens one
/// for each configuration of the provider. Each must get values of its own, because a `Configure`
/// of one would otherwise change the others.
///
/// `StopProvider` cancels the running calls but no later ones. Ctrl-C in the terminal is ignored,
/// because the host handles it. `Shutdown` ends the process within 1.5 s, even if a call hangs. If
/// the host exits without it, because it was killed, running calls are cancelled and may finish
/// their work: the process exits when they have ended, at the latest after 10 minutes. An idle
/// process exits at once, or after 10 s if its parent process is still running.
///
/// From this call on, standard output is reserved for the handshake and standard error for the
/// [log](mod@crate::log).
pub async fn serve(
    server: impl Fn() -> Server + Send + 'static,
    arguments: impl IntoIterator<Item = OsString>,
) -> ExitCode {
    let first = server();
    log::install(&first.name);
    let mut arguments = arguments.into_iter().skip(1);
    let argument = arguments.next();
    let more = arguments.next();
    if more.is_some() {
        return first.refuse_arguments();
    }
    match argument.as_deref().map(|argument| argument.to_str().unwrap_or_default()) {
        None => {
            let environment: Environment = std::env::vars_os().collect();
            on_own_thread(|work| first.serve_host(environment, work)).await
        }
        Some("--version" | "-version") => {
            write_stdout(&format!("terraform-provider-{} {}\n", first.name, first.version));
            ExitCode::SUCCESS
        }
        Some("--help" | "-help" | "-h") => {
            write_stdout(&first.help());
            ExitCode::SUCCESS
        }
        Some("--debug" | "-debug") => {
            on_own_thread(|work| first.serve_debugger(server, work)).await
        }
        Some(_) => first.refuse_arguments(),
    }
}

impl Server {
    fn refuse_arguments(&self) -> ExitCode {
        log::write_line(&format!(
            "Unknown arguments. Run \"terraform-provider-{} --help\" for usage.",
            self.name
        ));
        ExitCode::from(2)
    }

    /// Returns the text of `--help`, which is also printed if a user starts the binary directly.
    fn help(&self) -> String {
        let Self { name, address, .. } = self;
        // Configurations omit the default registry.
        let source = address.strip_prefix("registry.terraform.io/").unwrap_or(address);
        let commands: String = self
            .commands
            .iter()
            .map(|(name, description)| format!("\x20 {name:<9}  {description}\n"))
            .collect();
        let commands =
            if commands.is_empty() { commands } else { format!("\nCommands:\n{commands}") };
        let debug = if self.serves_debugger() {
            "\x20 --debug    Serve until interrupted, and print the environment variable with which \
             Terraform\n\
             \x20            connects to this process.\n"
        } else {
            ""
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
             {debug}{commands}"
        )
    }

    /// Serves the host that has started this process, until it asks for the shutdown or is gone.
    async fn serve_host(self, environment: Environment, work: Handle) -> ExitCode {
        let request = match Request::read(&environment) {
            Ok(request) => request,
            Err(Refusal::ByHand) => {
                log::write_line(self.help().trim_end());
                return ExitCode::FAILURE;
            }
            Err(Refusal::Environment(reason)) => return fail(&reason),
        };
        let tls = match request.client_certificate.as_deref().map(Tls::new).transpose() {
            Ok(tls) => tls,
            Err(reason) => return fail(&reason),
        };
        // Before the handshake line, because the host may send signals as soon as it has read that.
        let (signals, listener) = match self.listen(&request).await {
            Ok(listening) => listening,
            Err(reason) => return fail(&reason),
        };
        if tls.is_none() && listener.network() == "tcp" {
            return fail(
                "the host requests no encryption (TF_DISABLE_PLUGIN_TLS), and without a unix socket \
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
        let accepting = transport::serve(&listener, acceptor, &lifecycle, || services.clone());
        finish(accepting, signals.until_exit(&lifecycle), &lifecycle, &listener.cleanup()).await
    }

    /// Serves hosts that are started by hand, until a signal. Each connection has a server of its
    /// own.
    async fn serve_debugger(self, server: impl Fn() -> Self, work: Handle) -> ExitCode {
        let (signals, listener) = match self.listen(&Request::by_hand()).await {
            Ok(listening) => listening,
            Err(reason) => return fail(&reason),
        };
        if listener.network() != "unix" {
            return fail("--debug requires a unix socket, because it does not encrypt connections");
        }
        let reattach = handshake::reattach(&self.address, listener.network(), &listener.address());
        write_stdout(&format!(
            "Serving until interrupted. In the shell in which you run Terraform or OpenTofu:\n\n\
             \x20 export TF_REATTACH_PROVIDERS='{reattach}'\n"
        ));
        let lifecycle = Lifecycle::new();
        // Hosts open a connection for each configuration of the provider.
        let services = || server().services(&lifecycle.of_host(), work.clone());
        let accepting = transport::serve(&listener, None, &lifecycle, services);
        finish(accepting, signals.until_stopped(&lifecycle), &lifecycle, &listener.cleanup()).await
    }

    /// Installs the handlers of signals, and binds the socket.
    async fn listen(&self, request: &Request) -> Result<(Signals, Listener), String> {
        let signals =
            Signals::install().map_err(|reason| format!("no signal handler: {reason}"))?;
        let listener = Listener::bind(request, self.network).await;
        Ok((signals, listener.map_err(|reason| format!("no socket: {reason}"))?))
    }

    /// Returns the services. The provider's code runs on `work`.
    pub(crate) fn services(self, lifecycle: &Arc<Lifecycle>, work: Handle) -> Services {
        let service = ProviderService::new(Arc::new(self.registry), Arc::clone(lifecycle), work);
        Services::new(service, lifecycle)
    }
}

/// Runs everything except the provider's code on a separate thread.
///
/// Otherwise provider code that blocks a worker could delay connections, `StopProvider` and
/// `Shutdown`, because tokio's workers share one driver, which the blocked worker may hold. One
/// thread is faster than several: Terraform sends all calls over one connection, whose frames one
/// task reads and writes, and several threads spend their time on waking each other.
async fn on_own_thread<F>(serve: impl FnOnce(Handle) -> F + Send + 'static) -> ExitCode
where
    F: Future<Output = ExitCode>,
{
    let work = Handle::current();
    let (sender, receiver) = tokio::sync::oneshot::channel();
    let thread = std::thread::Builder::new().name("plugin-server".to_owned()).spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let code = match runtime {
            Ok(runtime) => {
                let code = runtime.block_on(serve(work));
                runtime.shutdown_background();
                code
            }
            Err(reason) => fail(&format!("no runtime: {reason}")),
        };
        // The receiver is dropped only if the caller has stopped waiting.
        let _ = sender.send(code);
    });
    match thread {
        Ok(_) => receiver.await.unwrap_or(ExitCode::FAILURE),
        Err(reason) => fail(&format!("no thread: {reason}")),
    }
}

/// Accepts connections until the process is to exit, waits for the running calls, and removes the
/// socket.
async fn finish(
    accepting: impl Future<Output = ()>,
    exiting: impl Future<Output = Exit>,
    lifecycle: &Lifecycle,
    cleanup: &Cleanup,
) -> ExitCode {
    let mut exiting = std::pin::pin!(exiting);
    let exit = tokio::select! {
        exit = exiting.as_mut() => exit,
        // Only a shutdown ends `accepting`.
        () = accepting => exiting.as_mut().await,
    };
    lifecycle.begin_shutdown();
    if exit == Exit::Done {
        lifecycle.drain().await;
    }
    cleanup.run();
    exit_soon(exit)
}

/// Exits in time even if provider code blocks every worker.
async fn watch_shutdown(lifecycle: &Lifecycle, cleanup: &Cleanup) {
    lifecycle.shutdown_token().cancelled().await;
    let cleanup = cleanup.clone();
    std::thread::spawn(move || {
        std::thread::sleep(SHUTDOWN_LIMIT);
        cleanup.run();
        std::process::exit(0);
    });
}

/// Returns the exit code for `main`, and exits with it from a thread in case the runtime of `main`
/// waits for tasks that never end.
fn exit_soon(exit: Exit) -> ExitCode {
    let code: u8 = match exit {
        Exit::Done => 0,
        // The exit code with which a shell reports SIGTERM.
        Exit::Killed => 128 + 15,
    };
    std::thread::spawn(move || {
        std::thread::sleep(EXIT_DELAY);
        std::process::exit(i32::from(code));
    });
    ExitCode::from(code)
}

fn fail(reason: &str) -> ExitCode {
    log::write_line(&format!("[ERROR] {reason}"));
    ExitCode::FAILURE
}

/// Writes to standard output. A failure is ignored: the host has exited.
fn write_stdout(text: &str) {
    let mut stdout = std::io::stdout().lock();
    let _ = stdout.write_all(text.as_bytes());
    let _ = stdout.flush();
}
