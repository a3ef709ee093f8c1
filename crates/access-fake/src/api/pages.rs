//! Lists in pages. The names of the parameters and the tokens are our assumption.

use serde_json::{Value, json};

use crate::answer::{Answer, Refusal};
use crate::call::Call;
use crate::role::omit_defaults;
use crate::world::World;

const DEFAULT_PAGE_SIZE: usize = 100;
const LARGEST_PAGE_SIZE: usize = 1000;

/// Which part of a list a call asks for.
pub(super) struct Page {
    size: usize,
    /// The last ID of the page before: a list that changes between pages skips and repeats nothing.
    after: Option<String>,
}

impl Page {
    pub(super) fn read(call: &Call) -> Result<Self, Refusal> {
        let parameters = call.parameters(&["pageSize", "pageToken"])?;
        let text = |name: &str| parameters.get(name).filter(|value| !value.is_empty());
        let size = match text("pageSize") {
            None => 0,
            Some(size) => size.parse().map_err(|_| {
                Refusal::bad_request(format!("pageSize must be a whole number, not {size:?}"))
            })?,
        };
        let size = if size == 0 { DEFAULT_PAGE_SIZE } else { size.min(LARGEST_PAGE_SIZE) };
        let after = text("pageToken").map(|token| id_of_token(token)).transpose()?;
        Ok(Self { size, after })
    }

    /// The answer for objects that are sorted by their IDs.
    pub(super) fn answer(
        &self,
        field: &str,
        objects: Vec<(String, Value)>,
        world: &World,
    ) -> Answer {
        let mut rest = objects
            .into_iter()
            .skip_while(|(id, _)| self.after.as_ref().is_some_and(|after| id <= after))
            .peekable();
        let page: Vec<(String, Value)> = rest.by_ref().take(self.size).collect();
        let more = rest.peek().is_some();
        let token = page.last().filter(|_| more).map(|(id, _)| token_of_id(id)).unwrap_or_default();
        let objects: Vec<Value> = page.into_iter().map(|(_, object)| object).collect();
        let mut answer = json!({field: objects, "nextPageToken": token});
        if world.omit_defaults {
            omit_defaults(&mut answer);
        }
        Answer::json(200, &answer)
    }
}

/// Hexadecimal, so that clients are not tempted to read or build tokens, and with a letter before
/// that makes them no numbers.
fn token_of_id(id: &str) -> String {
    id.bytes().fold("t".to_owned(), |token, byte| format!("{token}{byte:02x}"))
}

fn id_of_token(token: &str) -> Result<String, Refusal> {
    let decoded = token.strip_prefix('t').and_then(|digits| {
        let bytes: Option<Vec<u8>> = (0..digits.len())
            .step_by(2)
            .map(|at| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok())
            .collect();
        String::from_utf8(bytes?).ok()
    });
    decoded.ok_or_else(|| Refusal::bad_request(format!("pageToken {token:?} is not ours")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn token_carries_an_id() {
        assert_eq!(id_of_token(&token_of_id("grün-1")).unwrap(), "grün-1");
        for bad in ["", "61", "t6", "tzz", "tff"] {
            assert!(id_of_token(bad).is_err(), "{bad}");
        }
    }
}
