//! A real terraform against the local service: what users see.

mod drift;
mod examples;
mod import;
mod integration_owner;
mod interrupts;
mod kills;
mod listing_role;
mod logs;
mod neighbours;
mod pipelines;
mod provider;
mod repository;
mod take_over;
mod under_fire;
mod without_reads;
