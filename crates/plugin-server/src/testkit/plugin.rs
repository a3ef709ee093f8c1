//! The process of a provider, started in the same way as by go-plugin.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use rustls::SupportedProtocolVersion;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, AsyncWrite, BufReader};
use tokio::process::{Child, Command};

use super::certificate::HostCertificate;
use super::client::Client;
use super::connect::{over_plain, over_tls};

/// The time after which the test fails if a plugin has not printed its handshake line.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(60);
/// The time within which a process exits after `Shutdown` even on a busy machine.
const EXIT_TIMEOUT: Duration = Duration::from_secs(30);

/// The command that starts a plugin.
#[derive(Clone, Debug)]
pub struct Launch {
    program: PathBuf,
    arguments: Vec<OsString>,
    environment: Vec<(OsString, Option<OsString>)>,
    directory: Option<PathBuf>,
    certificate: Option<HostCertificate>,
}

impl Launch {
    /// Starts the plugin like Terraform: with the cookie, the versions, the ports and a
    /// certificate, and without the variables of the test's own environment that a host would set.
    ///
    /// go-plugin generates a certificate for each plugin. Here one serves the whole process, which is
    /// as strange to each plugin, and half of the handshake's work.
    pub fn new(program: impl Into<PathBuf>) -> Self {
        static CERTIFICATE: LazyLock<HostCertificate> = LazyLock::new(HostCertificate::new);
        let certificate = CERTIFICATE.clone();
        let pem = certificate.pem();
        let launch = Self {
            program: program.into(),
            arguments: Vec::new(),
            environment: Vec::new(),
            directory: None,
            certificate: Some(certificate),
        };
        launch
            .env(
                "TF_PLUGIN_MAGIC_COOKIE",
                "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2",
            )
            .env("PLUGIN_PROTOCOL_VERSIONS", "5,6")
            .env("PLUGIN_MIN_PORT", "10000")
            .env("PLUGIN_MAX_PORT", "25000")
            .env("PLUGIN_CLIENT_CERT", pem)
    }

    /// Turns encryption off, as `TF_DISABLE_PLUGIN_TLS` does.
    #[must_use]
    pub fn plain(mut self) -> Self {
        self.certificate = None;
        self.without("PLUGIN_CLIENT_CERT")
    }

    /// Adds an argument.
    #[must_use]
    pub fn arg(mut self, argument: impl Into<OsString>) -> Self {
        self.arguments.push(argument.into());
        self
    }

    /// Sets the working directory, which is otherwise that of the test.
    #[must_use]
    pub fn directory(mut self, directory: impl Into<PathBuf>) -> Self {
        self.directory = Some(directory.into());
        self
    }

    /// Sets an environment variable.
    #[must_use]
    pub fn env(mut self, key: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.environment.push((key.into(), Some(value.into())));
        self
    }

    /// Removes an environment variable.
    #[must_use]
    pub fn without(mut self, key: impl Into<OsString>) -> Self {
        self.environment.push((key.into(), None));
        self
    }

    /// Returns the command, for tests of a process that does not serve.
    #[must_use]
    pub fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).kill_on_drop(true);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        for (key, _) in std::env::vars_os() {
            let is_set_by_hosts = |key: &OsStr| {
                let key = key.to_string_lossy();
                key.starts_with("TF_") || key.starts_with("PLUGIN_") || key == "RUST_BACKTRACE"
            };
            if is_set_by_hosts(&key) {
                command.env_remove(key);
            }
        }
        for (key, value) in &self.environment {
            match value {
                Some(value) => command.env(key, value),
                None => command.env_remove(key),
            };
        }
        if let Some(directory) = &self.directory {
            command.current_dir(directory);
        }
        command
    }
}

/// The handshake line of a plugin.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Handshake {
    /// The line, without its end.
    pub line: String,
    /// `unix` or `tcp`.
    pub network: String,
    /// A path, or an address with a port.
    pub address: String,
    /// The plugin's certificate.
    pub certificate: Option<Vec<u8>>,
}

impl Handshake {
    /// Reads the fields of a handshake line, as go-plugin does.
    fn parse(line: &str) -> Self {
        let fields: Vec<&str> = line.split('|').collect();
        let [core, protocol, network, address, kind, certificate, ..] = fields.as_slice() else {
            panic!("a handshake of fewer than six fields: {line}")
        };
        assert_eq!((*core, *protocol, *kind), ("1", "6", "grpc"), "{line}");
        // go-plugin treats a short field as no certificate.
        let certificate = (certificate.len() > 50)
            .then(|| STANDARD_NO_PAD.decode(certificate).expect("base64 without padding"));
        Self {
            line: line.to_owned(),
            network: (*network).to_owned(),
            address: (*address).to_owned(),
            certificate,
        }
    }
}

/// A running provider. It is killed when it is dropped.
#[derive(Debug)]
pub struct Plugin {
    /// The handshake.
    pub handshake: Handshake,
    child: Child,
    certificate: Option<HostCertificate>,
    stdout: Arc<Mutex<Vec<u8>>>,
    stderr: Arc<Mutex<Vec<u8>>>,
}

/// Reads a pipe to its end, as a host does.
fn collect(mut pipe: impl AsyncRead + Send + Unpin + 'static) -> Arc<Mutex<Vec<u8>>> {
    let all = Arc::new(Mutex::new(Vec::new()));
    let target = Arc::clone(&all);
    tokio::spawn(async move {
        let mut buffer = [0; 4096];
        while let Ok(count @ 1..) = pipe.read(&mut buffer).await {
            let read = buffer.get(..count).unwrap_or_default();
            target.lock().unwrap_or_else(PoisonError::into_inner).extend(read);
        }
    });
    all
}

fn text(of: &Mutex<Vec<u8>>) -> String {
    String::from_utf8_lossy(&of.lock().unwrap_or_else(PoisonError::into_inner)).into_owned()
}

impl Plugin {
    /// Starts the process and waits for its handshake.
    pub async fn start(launch: Launch) -> Self {
        let mut child = launch.command().spawn().expect("the program can be started");
        let stderr = collect(child.stderr.take().expect("a pipe"));
        let mut stdout = BufReader::new(child.stdout.take().expect("a pipe"));
        let mut line = String::new();
        let read = tokio::time::timeout(HANDSHAKE_TIMEOUT, stdout.read_line(&mut line)).await;
        read.expect("a line in time").expect("text");
        assert!(line.ends_with('\n'), "no handshake but {line:?}, and {}", text(&stderr));
        Self {
            handshake: Handshake::parse(line.trim_end_matches('\n')),
            child,
            certificate: launch.certificate,
            stdout: collect(stdout),
            stderr,
        }
    }

    /// Returns the ID of the process.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.child.id().expect("a process that runs")
    }

    /// Returns the standard output after the handshake line.
    #[must_use]
    pub fn stdout(&self) -> String {
        text(&self.stdout)
    }

    /// Returns the standard error so far.
    #[must_use]
    pub fn stderr(&self) -> String {
        text(&self.stderr)
    }

    /// Connects as the host that started it.
    pub async fn connect(&self) -> Client {
        let connected = self.connect_as(self.certificate.as_ref()).await;
        connected.unwrap_or_else(|reason| panic!("no connection: {reason}\n{}", self.stderr()))
    }

    /// Connects with another certificate, or without one; in clear text if the plugin does not
    /// encrypt.
    pub async fn connect_as(&self, own: Option<&HostCertificate>) -> Result<Client, String> {
        self.connect_with(own, rustls::DEFAULT_VERSIONS).await
    }

    /// Connects as the host, with certain versions of TLS.
    pub async fn connect_by(
        &self,
        versions: &[&'static SupportedProtocolVersion],
    ) -> Result<Client, String> {
        self.connect_with(self.certificate.as_ref(), versions).await
    }

    /// Returns the host's certificate; `None` without encryption.
    #[must_use]
    pub fn certificate(&self) -> Option<&HostCertificate> {
        self.certificate.as_ref()
    }

    /// Connects with another certificate, with certain versions of TLS.
    pub async fn connect_with(
        &self,
        own: Option<&HostCertificate>,
        versions: &[&'static SupportedProtocolVersion],
    ) -> Result<Client, String> {
        let Some(server) = &self.handshake.certificate else { return self.connect_plain().await };
        let stream = self.stream().await.map_err(|error| error.to_string())?;
        over_tls(stream, server, own, versions).await
    }

    /// Connects in clear text, even if the plugin encrypts.
    pub async fn connect_plain(&self) -> Result<Client, String> {
        let stream = self.stream().await.map_err(|error| error.to_string())?;
        over_plain(stream).await
    }

    /// Connects and sends nothing.
    pub async fn stream(
        &self,
    ) -> std::io::Result<impl AsyncRead + AsyncWrite + Send + Unpin + use<>> {
        let stream: Box<dyn crate::listen::Stream> = match self.handshake.network.as_str() {
            #[cfg(unix)]
            "unix" => Box::new(tokio::net::UnixStream::connect(&self.handshake.address).await?),
            _ => {
                let stream = tokio::net::TcpStream::connect(&self.handshake.address).await?;
                // Go sets this option on every connection.
                stream.set_nodelay(true)?;
                Box::new(stream)
            }
        };
        Ok(stream)
    }

    /// Waits for the process to exit. Returns `None` after the timeout.
    pub async fn exit(&mut self, within: Duration) -> Option<ExitStatus> {
        let exit = tokio::time::timeout(within, self.child.wait()).await.ok()?;
        Some(exit.expect("a child to wait for"))
    }

    /// Shuts the process down as go-plugin does: calls `Shutdown`, closes the connection and waits.
    /// go-plugin kills the process after 2 s. This function waits longer, because a busy machine
    /// delays the exit.
    pub async fn shutdown(&mut self, client: Client) -> ExitStatus {
        // The response is ignored, as go-plugin ignores it.
        let _ = client.shutdown().await;
        drop(client);
        let exit = self.exit(EXIT_TIMEOUT).await;
        exit.unwrap_or_else(|| panic!("it did not exit within 30 s\n{}", self.stderr()))
    }
}
