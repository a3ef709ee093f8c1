//! A real terraform against the local service, by the steps of a life cycle.
//!
//! What the hosts do differently is in `conflicts`, `create`, `delete`, `import`, `mirror`,
//! `missing_values`, `query`, `refresh`, `rename`, `replace`, `testing` and `update`: these are run
//! with every host, the others with one.

mod adversary;
mod advice;
mod configure;
mod conflicts;
mod create;
mod data_sources;
mod delete;
mod errors;
mod examples;
mod export;
mod import;
#[cfg(unix)]
mod installed;
mod integration_owners;
mod interrupts;
#[cfg(target_os = "linux")]
mod mirror;
mod missing_values;
mod network;
mod pipelines;
mod query;
mod refresh;
mod rename;
mod replace;
mod report;
mod repository;
mod requests;
mod secrets;
mod states;
mod team;
mod testing;
mod update;
mod walkthrough;
mod workflows;
