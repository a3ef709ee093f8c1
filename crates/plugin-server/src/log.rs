//! The log, which hosts read from standard error.
//!
//! Each line is a JSON object of hclog, as go-plugin expects. The level is that of the first of
//! these environment variables that is set: `TF_LOG_PROVIDER_<NAME>`, `TF_LOG_PROVIDER` and
//! `TF_LOG`. If none is set, only panics are written.

use std::fmt::{Debug, Write as _};
use std::io::Write as _;
use std::time::SystemTime;

use serde_json::{Map, Value as Json};
use time::OffsetDateTime;
use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::span::{Attributes, Id};
use tracing::{Event, Level, Metadata, Subscriber};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt as _};
use tracing_subscriber::registry::LookupSpan;

/// The longest text of one field, in bytes. Hosts read lines of at most 64 KiB.
const MAX_TEXT: usize = 16 << 10;

/// The crates whose debug logs are omitted, because they can contain headers and bodies.
const QUIET: [&str; 7] =
    ["h2", "hyper", "hyper_util", "rustls", "tokio_rustls", "tonic", "reqwest"];

/// Installs the log of the process, and a panic hook in the form that hosts expect.
///
/// `name` is the provider's name in lower case. [`serve`](crate::serve()) calls this;
/// call it earlier to log earlier events. A second call has no effect. Neither does a call after
/// another subscriber was installed.
pub fn install(name: &str) {
    let layer = HclogLayer { level: level(name), write: write_line };
    let subscriber = tracing_subscriber::registry().with(layer);
    if tracing::subscriber::set_global_default(subscriber).is_ok() {
        std::panic::set_hook(Box::new(|panic| {
            let backtrace = std::backtrace::Backtrace::force_capture();
            // Terraform shows the text after this prefix to the user as the plugin's crash.
            write_line(&format!("panic: {panic}\n{backtrace}"));
        }));
    }
}

/// Writes a line to standard error. A failure is ignored: the host has closed the pipe.
pub(crate) fn write_line(line: &str) {
    let _ = std::io::stderr().lock().write_all(format!("{line}\n").as_bytes());
}

fn level(name: &str) -> LevelFilter {
    let own = format!("TF_LOG_PROVIDER_{}", name.to_uppercase().replace('-', "_"));
    level_of(
        [own.as_str(), "TF_LOG_PROVIDER", "TF_LOG"].into_iter().map(|key| std::env::var(key).ok()),
    )
}

/// Returns the level of the first variable that is set.
fn level_of(values: impl Iterator<Item = Option<String>>) -> LevelFilter {
    let Some(value) = values.flatten().find(|value| !value.is_empty()) else {
        return LevelFilter::OFF;
    };
    match value.to_ascii_uppercase().as_str() {
        "DEBUG" => LevelFilter::DEBUG,
        "INFO" => LevelFilter::INFO,
        "WARN" => LevelFilter::WARN,
        "ERROR" => LevelFilter::ERROR,
        "OFF" => LevelFilter::OFF,
        // TRACE and JSON. Terraform treats every other value as TRACE, too.
        _ => LevelFilter::TRACE,
    }
}

/// A layer that passes each event to `write` as a line.
struct HclogLayer<W> {
    level: LevelFilter,
    write: W,
}

/// The fields of a span, which are added to each line within the span.
struct Fields(Map<String, Json>);

impl<S, W> Layer<S> for HclogLayer<W>
where
    S: Subscriber + for<'l> LookupSpan<'l>,
    W: Fn(&str) + 'static,
{
    fn enabled(&self, metadata: &Metadata<'_>, _: Context<'_, S>) -> bool {
        let source = metadata.target().split("::").next().unwrap_or_default();
        let level =
            if QUIET.contains(&source) { self.level.min(LevelFilter::WARN) } else { self.level };
        *metadata.level() <= level
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(self.level)
    }

    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let mut fields = Fields(Map::new());
        attributes.record(&mut fields);
        if let Some(span) = context.span(id) {
            span.extensions_mut().insert(fields);
        }
    }

    fn on_event(&self, event: &Event<'_>, context: Context<'_, S>) {
        let mut fields = Fields(Map::new());
        if let Some(scope) = context.event_scope(event) {
            for span in scope.from_root() {
                if let Some(of_span) = span.extensions().get::<Fields>() {
                    fields.0.extend(of_span.0.clone());
                }
            }
        }
        event.record(&mut fields);
        (self.write)(&line(event.metadata(), fields.0, SystemTime::now()));
    }
}

/// Returns an event as a line of JSON in the form of hclog, which hosts read.
fn line(metadata: &Metadata<'_>, mut fields: Map<String, Json>, now: SystemTime) -> String {
    let level = match *metadata.level() {
        Level::TRACE => "trace",
        Level::DEBUG => "debug",
        Level::INFO => "info",
        Level::WARN => "warn",
        Level::ERROR => "error",
    };
    // The host panics if one of these keys is not a string.
    let message = match fields.remove("message") {
        Some(Json::String(message)) => message,
        Some(other) => other.to_string(),
        None => String::new(),
    };
    let mut all = Map::new();
    all.insert("@level".into(), level.into());
    all.insert("@message".into(), shortened(message).into());
    all.insert("@module".into(), metadata.target().into());
    all.insert("@timestamp".into(), timestamp(now).into());
    let fields = fields.into_iter().filter(|(key, _)| !key.starts_with('@'));
    all.extend(fields.map(|(key, value)| match value {
        Json::String(text) => (key, shortened(text).into()),
        other => (key, other),
    }));
    Json::Object(all).to_string()
}

/// Formats a time in Go's layout `2006-01-02T15:04:05.000000Z07:00`, always in UTC.
fn timestamp(now: SystemTime) -> String {
    let now = OffsetDateTime::from(now);
    let (hour, minute, second, micros) = now.to_hms_micro();
    format!("{}T{hour:02}:{minute:02}:{second:02}.{micros:06}Z", now.date())
}

impl Fields {
    fn put(&mut self, field: &Field, value: impl Into<Json>) {
        self.0.insert(field.name().to_owned(), value.into());
    }
}

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        let mut text = String::new();
        // If the type's `Debug` fails, the text that it has written so far is kept.
        let _ = write!(text, "{value:?}");
        self.put(field, text);
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.put(field, value);
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.put(field, value);
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.put(field, value);
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.put(field, value);
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.put(field, value);
    }
}

fn shortened(mut text: String) -> String {
    if text.len() > MAX_TEXT {
        let end = (0..=MAX_TEXT).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        text.truncate(end);
        text.push('…');
    }
    text
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    #[test]
    fn level_comes_from_the_most_specific_variable() {
        let level = |values: &[Option<&str>]| {
            level_of(
                values.iter().map(|value| value.map(str::to_owned)).collect::<Vec<_>>().into_iter(),
            )
        };
        assert_eq!(level(&[None, None, None]), LevelFilter::OFF);
        assert_eq!(level(&[None, None, Some("debug")]), LevelFilter::DEBUG);
        assert_eq!(level(&[Some("OFF"), Some("TRACE"), Some("TRACE")]), LevelFilter::OFF);
        assert_eq!(level(&[Some(""), Some("WARN"), None]), LevelFilter::WARN);
        assert_eq!(level(&[None, None, Some("JSON")]), LevelFilter::TRACE);
    }

    #[test]
    fn debug_logs_of_http_libraries_are_omitted() {
        let lines = Arc::new(Mutex::new(String::new()));
        let written = Arc::clone(&lines);
        let write = move |line: &str| written.lock().unwrap().push_str(line);
        let layer = HclogLayer { level: LevelFilter::TRACE, write };
        tracing::subscriber::with_default(tracing_subscriber::registry().with(layer), || {
            tracing::debug!(target: "h2::codec", "authorization: hidden");
            tracing::trace!(target: "rustls", "hidden");
            tracing::warn!(target: "h2::codec", "shown");
            tracing::trace!(target: "provider", "shown");
        });
        let lines = lines.lock().unwrap();
        assert_eq!(lines.matches("shown").count(), 2, "{lines}");
        assert!(!lines.contains("hidden"), "{lines}");
    }

    #[test]
    fn timestamp_has_microseconds_and_a_zone() {
        let at = SystemTime::UNIX_EPOCH + std::time::Duration::new(951_782_409, 42_000);
        assert_eq!(timestamp(at), "2000-02-29T00:00:09.000042Z");
    }

    #[test]
    fn text_is_shortened_between_characters() {
        let text = shortened("ä".repeat(MAX_TEXT));
        assert!(text.ends_with("ä…") && text.len() <= MAX_TEXT + 3);
    }
}
