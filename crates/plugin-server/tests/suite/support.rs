//! The binaries of the examples, and calls that several tests use.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use plugin_server::testkit::proto::tfplugin6 as pb;
use plugin_server::testkit::{Client, Launch, Plugin, decode, encode};
use serde_json::{Value as Json, json};

/// Returns the binary of the probe, which `cargo test` builds as an example of this crate.
pub(crate) fn probe_binary() -> PathBuf {
    let own = std::env::current_exe().unwrap();
    let target = own.parent().and_then(Path::parent).unwrap();
    let name = format!("terraform-provider-probe{}", std::env::consts::EXE_SUFFIX);
    let path = target.join("examples").join(name);
    assert!(
        built_after(&path, newest_source()),
        "{} is missing or stale: `cargo test --package plugin-server` without `--test` builds it",
        path.display()
    );
    path
}

fn built_after(path: &Path, source: SystemTime) -> bool {
    path.metadata().and_then(|metadata| metadata.modified()).is_ok_and(|built| built >= source)
}

/// Returns when the sources of the probe were last changed.
fn newest_source() -> SystemTime {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut directories = vec![root.join("src"), root.join("tests/probe")];
    let mut newest = SystemTime::UNIX_EPOCH;
    while let Some(directory) = directories.pop() {
        for entry in std::fs::read_dir(directory).unwrap().flatten() {
            let metadata = entry.metadata().unwrap();
            if metadata.is_dir() {
                directories.push(entry.path());
            } else {
                newest = newest.max(metadata.modified().unwrap());
            }
        }
    }
    newest
}

/// Prints why a test does not run to the standard error of the process, which the test runner does
/// not capture: it must not look like a test that passed.
#[cfg(target_os = "linux")]
pub(crate) fn announce_untested(reason: &str) {
    use std::io::Write as _;
    let line = format!("NOT TESTED {reason}\n");
    std::io::stderr().write_all(line.as_bytes()).unwrap();
}

pub(crate) fn probe() -> Launch {
    Launch::new(probe_binary())
}

pub(crate) async fn start_probe() -> (Plugin, Client) {
    let plugin = Plugin::start(probe()).await;
    let client = plugin.connect().await;
    (plugin, client)
}

/// Serves the probe in this process.
pub(crate) async fn probe_client() -> Client {
    plugin_server::testkit::connect(super::probe::server()).await
}

/// Serves the things of the probe in this process.
pub(crate) async fn probe_things() -> Calls {
    things(&probe_client().await)
}

/// Polls until the condition holds.
pub(crate) async fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < Duration::from_secs(60), "not in 60 s: {what}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Returns a process ID in nix's form.
#[cfg(unix)]
pub(crate) fn process(id: u32) -> nix::unistd::Pid {
    nix::unistd::Pid::from_raw(i32::try_from(id).unwrap())
}

/// Sends a signal to one process.
#[cfg(unix)]
pub(crate) fn signal(id: u32, signal: nix::sys::signal::Signal) {
    nix::sys::signal::kill(process(id), signal).unwrap();
}

/// Returns whether a process has exited. A zombie has exited, too, which only Linux shows in
/// `/proc`.
#[cfg(unix)]
pub(crate) fn has_exited(id: u32) -> bool {
    let is_absent = nix::sys::signal::kill(process(id), None) == Err(nix::errno::Errno::ESRCH);
    let is_zombie = || {
        let stat = std::fs::read_to_string(format!("/proc/{id}/stat"));
        stat.is_ok_and(|stat| stat.contains(") Z "))
    };
    is_absent || cfg!(target_os = "linux") && is_zombie()
}

/// Returns a thing with the given members; all others are null.
pub(crate) fn thing(members: Json) -> Json {
    let mut all = json!({
        "command": null, "value": null, "replaced_by": null, "made": null, "tags": null, "rules": null,
    });
    for (name, value) in members.as_object().unwrap() {
        all[name] = value.clone();
    }
    all
}

/// Returns the summaries of the errors.
pub(crate) fn errors(diagnostics: &[pb::Diagnostic]) -> Vec<&str> {
    let errors = diagnostics
        .iter()
        .filter(|diagnostic| diagnostic.severity() == pb::diagnostic::Severity::Error);
    errors.map(|error| error.summary.as_str()).collect()
}

/// Returns the path of a diagnostic; "" if it has none.
pub(crate) fn at(diagnostic: &pb::Diagnostic) -> String {
    diagnostic.attribute.as_ref().map_or_else(String::new, path)
}

/// Returns a path as `a.b[0]["k"]`.
pub(crate) fn path(path: &pb::AttributePath) -> String {
    use pb::attribute_path::step::Selector;
    let steps = path.steps.iter().map(|step| match step.selector.as_ref().unwrap() {
        Selector::AttributeName(name) => format!(".{name}"),
        Selector::ElementKeyString(key) => format!("[{key:?}]"),
        Selector::ElementKeyInt(index) => format!("[{index}]"),
    });
    steps.collect::<String>().trim_start_matches('.').to_owned()
}

pub(crate) fn state(value: &Option<pb::DynamicValue>) -> Json {
    decode(value.as_ref().expect("a value, even if it is null"))
}

/// The calls for one resource type, with values in JSON and the private data of a thing.
pub(crate) struct Calls {
    pub(crate) client: Client,
    type_name: &'static str,
}

impl Calls {
    pub(crate) fn of(type_name: &'static str, client: Client) -> Self {
        Self { client, type_name }
    }

    /// Validates a configuration.
    pub(crate) async fn validate(&self, config: &Json) -> Vec<pb::Diagnostic> {
        let request = pb::validate_resource_config::Request {
            type_name: self.type_name.into(),
            config: Some(encode(config)),
        };
        self.client.validate_resource_config(request).await.unwrap().diagnostics
    }

    pub(crate) fn plan_request(
        &self,
        prior: &Json,
        proposed: &Json,
    ) -> pb::plan_resource_change::Request {
        pb::plan_resource_change::Request {
            type_name: self.type_name.into(),
            prior_state: Some(encode(prior)),
            proposed_new_state: Some(encode(proposed)),
            config: Some(encode(&config_of(proposed))),
            prior_private: b"\x81\xa4note\xa5prior"[..].into(),
            ..Default::default()
        }
    }

    pub(crate) async fn plan(
        &self,
        prior: &Json,
        proposed: &Json,
    ) -> pb::plan_resource_change::Response {
        self.client.plan_resource_change(self.plan_request(prior, proposed)).await.unwrap()
    }

    pub(crate) async fn create_plan(&self, config: &Json) -> pb::plan_resource_change::Response {
        self.plan(&Json::Null, config).await
    }

    pub(crate) fn apply_request(
        &self,
        prior: &Json,
        planned: &Json,
    ) -> pb::apply_resource_change::Request {
        pb::apply_resource_change::Request {
            type_name: self.type_name.into(),
            prior_state: Some(encode(prior)),
            planned_state: Some(encode(planned)),
            config: Some(encode(&config_of(planned))),
            planned_private: b"\x81\xa4note\xa7planned"[..].into(),
            ..Default::default()
        }
    }

    pub(crate) async fn apply(
        &self,
        prior: &Json,
        planned: &Json,
    ) -> pb::apply_resource_change::Response {
        self.client.apply_resource_change(self.apply_request(prior, planned)).await.unwrap()
    }

    pub(crate) async fn read(&self, state: &Json) -> pb::read_resource::Response {
        let request = pb::read_resource::Request {
            type_name: self.type_name.into(),
            current_state: Some(encode(state)),
            private: b"\x81\xa4note\xa6stored"[..].into(),
            ..Default::default()
        };
        self.client.read_resource(request).await.unwrap()
    }
}

/// Returns the configuration of a plan.
fn config_of(planned: &Json) -> Json {
    let mut config = planned.clone();
    for name in ["made", "id"] {
        if let Some(computed) = config.get_mut(name) {
            *computed = Json::Null;
        }
    }
    config
}

/// Returns the calls for the things of a probe.
pub(crate) fn things(client: &Client) -> Calls {
    Calls::of("probe_thing", client.clone())
}
