//! A real terraform against the local service: what users see.

mod data_sources;
mod drift;
mod examples;
mod functions;
mod identity;
mod import;
mod installed;
mod integration_owner;
mod interrupts;
mod kills;
mod listing_role;
mod logs;
mod moves;
mod neighbours;
mod network;
mod pipelines;
mod provider;
mod query;
mod repository;
mod secrets;
mod take_over;
mod team;
mod transport;
mod under_fire;
mod upgrade;
mod without_reads;
