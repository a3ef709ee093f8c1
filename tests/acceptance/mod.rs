//! A real terraform against the local service: what users see.

mod data_sources;
mod drift;
mod examples;
mod functions;
mod import;
mod integration_owner;
mod interrupts;
mod kills;
mod listing_role;
mod logs;
mod neighbours;
mod network;
mod provider;
mod repository;
mod secrets;
mod take_over;
mod transport;
mod under_fire;
mod without_reads;
