//! A real terraform against the local service.

mod adoption;
mod data_sources;
mod drift;
mod examples;
mod export;
mod functions;
mod graph;
mod identity;
mod import;
#[cfg(unix)]
mod installed;
mod integration_owner;
mod integration_owners;
mod interrupts;
mod kills;
mod listing_role;
mod lists;
mod logs;
mod neighbours;
mod network;
mod pipelines;
mod provider;
mod query;
mod repository;
mod requests;
mod role_warnings;
mod secrets;
mod situations;
mod team;
mod transport;
mod under_fire;
mod upgrade;
mod walkthrough;
mod without_reads;
