//! A real terraform against the local service: what users see.

mod drift;
mod examples;
mod identity;
mod import;
mod integration_owner;
mod interrupts;
mod kills;
mod listing_role;
mod logs;
mod moves;
mod neighbours;
mod provider;
mod query;
mod repository;
mod take_over;
mod under_fire;
mod upgrade;
mod without_reads;
