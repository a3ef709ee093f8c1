//! A real terraform against the local service, by the steps of a life cycle.
//!
//! What the hosts do differently is in `conflicts`, `create`, `delete`, `import`,
//! `missing_values`, `query`, `refresh`, `rename`, `replace` and `update`: these are run
//! with every host, the others with one.

mod adversary;
mod advice;
mod configure;
mod conflicts;
mod create;
mod data_sources;
mod delete;
mod errors;
mod export;
mod import;
mod integration_owners;
mod interrupts;
mod missing_values;
mod network;
mod query;
mod refresh;
mod rename;
mod replace;
mod report;
mod repository;
mod requests;
mod secrets;
mod states;
mod update;
