//! Paged lists. The names of the parameters and the form of the tokens are assumptions.

use serde_json::{Value, json};

use crate::names::Target;
use crate::object::{full, omit_defaults};
use crate::request::ApiRequest;
use crate::response::{ApiError, ApiResponse, json_response};
use crate::rules::{EditedEntry, EndlessPages, OddList};
use crate::world::World;

/// The number of entries on a page if a request sets none, and the most that it can set.
const DEFAULT_PAGE_SIZE: usize = 100;
const LARGEST_PAGE_SIZE: usize = 1000;

/// The part of a list that a call requests.
pub(crate) struct Page {
    size: Option<usize>,
    /// The first page is 1.
    number: u32,
    /// The last ID of the page before, so that a list that changes between pages neither skips nor
    /// repeats an entry. Empty for the first page.
    after: String,
}

impl Page {
    /// Reads the parameters of a list.
    pub(crate) fn read(request: &ApiRequest) -> Result<Self, ApiError> {
        let parameters = request.parameters(&["pageSize", "pageToken"])?;
        let text = |name: &str| parameters.get(name).filter(|value| !value.is_empty());
        let size: Option<usize> = match text("pageSize") {
            None => None,
            Some(size) => Some(size.parse().map_err(|_| {
                ApiError::bad_request(format!("pageSize must be a whole number, not {size:?}"))
            })?),
        };
        let (number, after) = match text("pageToken") {
            None => (1, String::new()),
            Some(token) => read_token(token).ok_or_else(|| {
                ApiError::bad_request(format!("pageToken {token:?} was not issued by this service"))
            })?,
        };
        Ok(Self { size: size.filter(|size| *size > 0), number, after })
    }

    /// Returns the page of objects, which are sorted by their IDs. `seed` varies the random
    /// selection.
    pub(crate) fn response(
        &self,
        target: &Target,
        objects: Vec<(String, Value)>,
        world: &World,
        seed: u64,
    ) -> Result<ApiResponse, ApiError> {
        let usual = OddList::default();
        let odd = world.odd_list(&target.name()).unwrap_or(&usual);
        if odd.fail_page == Some(self.number) {
            return Err(ApiError::new(odd.fail_status.unwrap_or(500), "the list cannot be read"));
        }
        let size = self
            .size
            .unwrap_or(DEFAULT_PAGE_SIZE)
            .min(odd.largest_page_size.unwrap_or(LARGEST_PAGE_SIZE));
        let mut rest = objects.into_iter().skip_while(|(id, _)| *id <= self.after).peekable();
        let entries: Vec<(String, Value)> = rest.by_ref().take(size).collect();
        let last = entries.last().map_or(&self.after, |(id, _)| id);
        // The pages after the real entries.
        let endless = odd.endless.as_ref().filter(|_| rest.peek().is_none());
        let next = match endless {
            Some(endless) => endless.token(self.number + 1, last),
            None if rest.peek().is_some() => token(self.number + 1, last),
            None if odd.loop_tokens => token(self.number, &self.after),
            None => String::new(),
        };
        let mut random = fastrand::Rng::with_seed(seed);
        let mut entries = odd.disturb(entries, &mut random);
        entries.extend(endless.into_iter().flat_map(|it| it.entries(target, self.number)));
        if self.number == 1 {
            entries.splice(0..0, odd.insert.iter().cloned());
        }
        let mut response = json!({target.kind.list_field(): entries, "nextPageToken": next});
        if world.omit_defaults {
            omit_defaults(&mut response);
        }
        Ok(json_response(200, &response))
    }
}

impl OddList {
    /// Drops and edits entries.
    fn disturb(&self, entries: Vec<(String, Value)>, random: &mut fastrand::Rng) -> Vec<Value> {
        let kept = entries.into_iter().filter(|_| random.f64() >= self.drop_probability);
        let edited = kept.map(|(id, mut entry)| {
            let is_edited =
                |edit: &&EditedEntry| edit.id.as_ref().is_none_or(|edited| *edited == id);
            self.edit.iter().filter(is_edited).for_each(|edit| edit.apply(&mut entry));
            entry
        });
        edited.collect()
    }
}

impl EndlessPages {
    /// Returns the token of a page, which ends with what its requests use of it.
    fn token(&self, page: u32, after: &str) -> String {
        let token = token(page, after);
        let fill = self.token_bytes.saturating_sub(token.len());
        format!("{}{token}", "0".repeat(fill))
    }

    /// Returns the entries of a page that do not exist.
    fn entries(&self, target: &Target, page: u32) -> impl Iterator<Item = Value> {
        let name = target.name();
        (0..self.entries).map(move |number| {
            let id = format!("endless-{page}-{number}");
            full(&target.kind.made_up(&id, ""), &format!("{name}/{id}"), None)
        })
    }
}

/// Returns an opaque token, which a client must encode in a query.
fn token(page: u32, after: &str) -> String {
    format!("{page}/{after}")
}

/// Reads the number of a page and the last ID before it from a token.
fn read_token(token: &str) -> Option<(u32, String)> {
    let (page, after) = token.split_once('/')?;
    Some((page.parse().ok()?, after.to_owned()))
}
