//! A real terraform against the local service: what users see.

mod drift;
mod examples;
mod import;
mod installed;
mod integration_owner;
mod interrupts;
mod kills;
mod listing_role;
mod logs;
mod neighbours;
mod network;
mod pipelines;
mod provider;
mod repository;
mod secrets;
mod take_over;
mod transport;
mod under_fire;
mod without_reads;
