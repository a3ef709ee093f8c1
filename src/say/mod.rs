//! What the provider says: one function a message, with its fact, its step and its attribute. Messages
//! about one entity alone are in the `say.rs` of that entity.
//!
//! To find the code behind a printed sentence, search for three or four of its words in `src`: names of
//! objects are inserted, and long texts break over lines.

pub(crate) mod blocks;
pub(crate) mod call;
pub(crate) mod claims;
pub(crate) mod conflicts;
pub(crate) mod create;
pub(crate) mod delete;
mod message;
pub(crate) mod read;
pub(crate) mod requests;
mod said;
mod words;

pub(crate) use message::{Advice, Message, Reported};
pub(crate) use said::{About, Said};
pub(crate) use words::{Words, with_article};
