//! Paged lists. The names of the parameters and the form of the tokens are assumptions.

use serde_json::{Value, json};

use crate::request::ApiRequest;
use crate::response::{ApiError, ApiResponse};
use crate::role::omit_defaults;
use crate::rules::OddList;
use crate::state::State;

const DEFAULT_PAGE_SIZE: usize = 100;
const LARGEST_PAGE_SIZE: usize = 1000;

/// The part of a list that a call requests.
pub(super) struct Page {
    size: Option<usize>,
    position: Position,
}

/// The beginning of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Position {
    /// The first page is 1.
    page: u32,
    /// The last ID of the page before, so that a list that changes between pages neither skips nor
    /// repeats an entry. Empty for the first page.
    after: String,
}

impl Page {
    pub(super) fn read(request: &ApiRequest) -> Result<Self, ApiError> {
        let parameters = request.parameters(&["pageSize", "pageToken"])?;
        let text = |name: &str| parameters.get(name).filter(|value| !value.is_empty());
        let size: Option<usize> = match text("pageSize") {
            None => None,
            Some(size) => Some(size.parse().map_err(|_| {
                ApiError::bad_request(format!("pageSize must be a whole number, not {size:?}"))
            })?),
        };
        let position = match text("pageToken") {
            None => Position { page: 1, after: String::new() },
            Some(token) => Position::of_token(token)?,
        };
        Ok(Self { size: size.filter(|size| *size > 0), position })
    }

    /// Returns the page of objects, which are sorted by their IDs.
    pub(super) fn response(
        &self,
        field: &str,
        collection: &str,
        objects: Vec<(String, Value)>,
        state: &mut State,
    ) -> Result<ApiResponse, ApiError> {
        state.pages += 1;
        let world = &state.world;
        let usual = OddList::default();
        let odd = world.odd_list(collection).unwrap_or(&usual);
        if odd.fail_page == Some(self.position.page) {
            return Err(ApiError::new(odd.fail_status.unwrap_or(500), "the list cannot be read"));
        }
        let size = self
            .size
            .unwrap_or(odd.default_page_size.unwrap_or(DEFAULT_PAGE_SIZE))
            .min(odd.largest_page_size.unwrap_or(LARGEST_PAGE_SIZE));
        let mut rest = objects
            .into_iter()
            .skip_while(|(id, _)| match id.cmp(&self.position.after) {
                std::cmp::Ordering::Less => true,
                std::cmp::Ordering::Equal => !odd.overlap,
                std::cmp::Ordering::Greater => false,
            })
            .peekable();
        let overlap = usize::from(rest.peek().is_some_and(|(id, _)| *id == self.position.after));
        let entries: Vec<(String, Value)> = rest.by_ref().take(size + overlap).collect();
        let next = match entries.last().filter(|_| rest.peek().is_some()) {
            Some((id, _)) => Position { page: self.position.page + 1, after: id.clone() }.token(),
            None if odd.loop_tokens => self.position.token(),
            None => String::new(),
        };
        let mut random = fastrand::Rng::with_seed(odd.seed.wrapping_add(state.pages));
        let mut entries = odd.disturb(entries, &mut random);
        if self.position.page == 1 {
            entries.splice(0..0, odd.insert.iter().cloned());
        }
        let mut response = json!({field: entries, "nextPageToken": next});
        if world.omit_defaults {
            omit_defaults(&mut response);
        }
        let response = ApiResponse::json(200, &response);
        if odd.refuse_over_bytes.is_some_and(|largest| response.body.len() > largest) {
            return Err(ApiError::new(413, "the page is too large"));
        }
        Ok(response)
    }
}

impl OddList {
    /// Drops, repeats and edits entries.
    fn disturb(&self, entries: Vec<(String, Value)>, random: &mut fastrand::Rng) -> Vec<Value> {
        let mut disturbed = Vec::with_capacity(entries.len());
        for (id, mut entry) in entries {
            let (drop, repeat) = (random.f64(), random.f64());
            if self.drop.contains(&id) || drop < self.drop_probability {
                continue;
            }
            for edit in &self.edit {
                if edit.id.as_ref().is_none_or(|edited| *edited == id) {
                    edit.apply(&mut entry);
                }
            }
            if self.repeat.contains(&id) || repeat < self.repeat_probability {
                disturbed.push(entry.clone());
            }
            disturbed.push(entry);
        }
        disturbed
    }
}

impl Position {
    /// Returns an opaque token in hexadecimal digits. It contains letters, so that it cannot be
    /// parsed as a number.
    fn token(&self) -> String {
        let start = format!("t{}p", self.page);
        self.after.bytes().fold(start, |token, byte| format!("{token}{byte:02x}"))
    }

    fn of_token(token: &str) -> Result<Self, ApiError> {
        let decoded = token.strip_prefix('t').and_then(|rest| rest.split_once('p')).and_then(
            |(page, digits)| {
                let bytes: Option<Vec<u8>> = (0..digits.len())
                    .step_by(2)
                    .map(|at| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok())
                    .collect();
                let after = String::from_utf8(bytes?).ok()?;
                Some(Self { page: page.parse().ok()?, after })
            },
        );
        decoded.ok_or_else(|| {
            ApiError::bad_request(format!("pageToken {token:?} was not issued by this service"))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn token_carries_a_position() {
        let position = Position { page: 3, after: "grün-1".to_owned() };
        assert_eq!(Position::of_token(&position.token()).unwrap(), position);
        for bad in ["", "61", "t61", "t2p6", "t2pzz", "t2pff", "txp61"] {
            assert!(Position::of_token(bad).is_err(), "{bad}");
        }
    }
}
