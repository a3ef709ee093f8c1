//! Paged lists. The API document does not show a list: the parameters and fields are assumed.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::hash::{BuildHasher as _, RandomState};

use http::Method;
use serde_json::value::RawValue;

use crate::client::Client;
use crate::error::{Error, Failure};
use crate::exchange::{RawResponse, Request};
use crate::json::{self, BodyError, Defect};
use crate::path::query;

/// The field of a page that contains the token of the next one.
const TOKEN_FIELD: &str = "nextPageToken";
/// The page size to request, which is the usual limit of services.
const MAX_PAGE_SIZE: usize = 1000;
/// The smallest page size to which requests are reduced if a page is too large or refused.
const MIN_PAGE_SIZE: usize = 10;
/// The factor by which the page size is reduced. 1000, 100 and 10 are three requests for a list
/// that is refused for another reason, and 100 is within the limit of nearly every service.
const REDUCTION: usize = 10;
/// The largest number of items read of one page. A service that ignores `pageSize` may return more
/// than requested.
const MAX_ITEMS: usize = 20_000;
/// The largest number of reasons for skipped items that are stored for one list, and of further
/// pages one each.
const MAX_REASONS: usize = 100;

/// The largest number of pages read of one list, so that a list without an end neither blocks a
/// call forever nor takes all memory. Twenty entries a page are the smallest page that services are
/// known for.
const MAX_PAGES: usize = 2_500;
/// The largest number of entries read of one list.
const MAX_ENTRIES: usize = 50_000;
/// The largest size of all pages of one list together, in bytes.
const MAX_LIST_BYTES: usize = 32 * 1024 * 1024;
/// The largest size of a page token, in bytes. Servers limit the length of an address to 8 KiB, and
/// a token is percent-encoded.
const MAX_TOKEN_BYTES: usize = 4 * 1024;

/// A page of a list.
#[derive(Clone, Debug)]
pub struct Page<T> {
    /// The objects that are well formed and belong to the parent.
    pub items: Vec<T>,
    /// The reasons why other items were skipped: sanitized, redacted, and after a hundred of a list
    /// one a page. Empty only if no item was skipped.
    pub skipped: Vec<String>,
}

/// A function that parses an item of a list, or returns the reason to skip it.
pub(crate) type ReadItem<'c, T> = Box<dyn Fn(&RawValue) -> Result<T, String> + Send + Sync + 'c>;

/// A list that is read page by page, each page on request.
pub struct Pages<'c, T> {
    client: &'c Client,
    path: String,
    fields: &'static [&'static str],
    read: ReadItem<'c, T>,
    /// The page size to request. It is reduced after a page that was too large or refused.
    size: usize,
    read_so_far: ReadSoFar,
    state: State,
}

/// The state of a list after the pages that were returned.
enum State {
    /// The token of the next page; empty for the first.
    NextPage(String),
    Complete,
    /// The reason why no further page is read.
    Ended(BodyError),
}

/// What was read of a list.
#[derive(Default)]
struct ReadSoFar {
    pages: usize,
    entries: usize,
    bytes: usize,
    reasons: usize,
    /// The hashes of the tokens. The tokens themselves could take megabytes.
    tokens: HashSet<u64>,
    hasher: RandomState,
}

impl ReadSoFar {
    /// Adds a page, and returns the state after it.
    fn add<T>(&mut self, page: &ReadPage<T>) -> State {
        self.pages += 1;
        self.entries += page.entries;
        self.bytes += page.bytes;
        self.reasons += page.page.skipped.len();
        let token = &page.token;
        if token.is_empty() {
            return State::Complete;
        }
        let excess = if token.len() > MAX_TOKEN_BYTES {
            Some("the token of its next page is longer than 4 KiB")
        } else if self.entries >= MAX_ENTRIES {
            Some("the list has more than 50,000 entries")
        } else if self.bytes >= MAX_LIST_BYTES {
            Some("the list is larger than 32 MiB")
        } else if self.pages >= MAX_PAGES {
            Some("the list has more than 2,500 pages")
        } else {
            None
        };
        if let Some(excess) = excess {
            let reason = format!("{excess}, and the provider reads no more of one list");
            return State::Ended(BodyError { reason, defect: Defect::TooLarge });
        }
        let is_new = self.tokens.insert(self.hasher.hash_one(token));
        if is_new {
            State::NextPage(token.clone())
        } else {
            State::Ended(BodyError::new("its pages do not end: a token leads to an earlier page"))
        }
    }
}

impl<'c, T> Pages<'c, T> {
    /// Creates the list at `path`, whose items are in the first of `fields` that a page has.
    pub(crate) fn new(
        client: &'c Client,
        path: String,
        fields: &'static [&'static str],
        read: ReadItem<'c, T>,
    ) -> Self {
        let state = State::NextPage(String::new());
        let read_so_far = ReadSoFar::default();
        Self { client, path, fields, read, size: MAX_PAGE_SIZE, read_so_far, state }
    }

    /// Returns the next page; `None` after the last. Requests at most `at_most` objects; a service
    /// may return more. A page may be empty although others follow. A page that is too large, or
    /// refused with 400, is requested again with a smaller size, which also applies to the
    /// following pages.
    ///
    /// # Errors
    ///
    /// [`Error`], by its kind. A list that is larger than this client reads is an error of the kind
    /// [`TooLarge`](crate::ErrorKind::TooLarge) after its last page, and one that repeats a page
    /// token of the kind [`Unreadable`](crate::ErrorKind::Unreadable), because a partial list must
    /// not be used as a complete one. The pages before an error remain true: the objects on them
    /// exist.
    pub async fn next(&mut self, at_most: usize) -> Result<Option<Page<T>>, Error> {
        let token = match &self.state {
            State::NextPage(token) => token,
            State::Complete => return Ok(None),
            State::Ended(error) => return Err(self.ended(error.clone())),
        };
        let page = loop {
            let size = at_most.clamp(1, self.size);
            match self.request(size, token).await {
                Err(error) if error.may_accept_fewer_entries() && size > MIN_PAGE_SIZE => {
                    self.size = (size / REDUCTION).max(MIN_PAGE_SIZE);
                    tracing::debug!(path = self.path, size = self.size, "smaller pages");
                }
                result => break result?,
            }
        };
        self.state = self.read_so_far.add(&page);
        Ok(Some(page.page))
    }

    /// Requests one page of at most `size` entries. An empty token requests the first page.
    async fn request(&self, size: usize, token: &str) -> Result<ReadPage<T>, Error> {
        let size = size.to_string();
        let mut parameters = vec![("pageSize", size.as_str())];
        if !token.is_empty() {
            parameters.push(("pageToken", token));
        }
        let request = Request { query: query(&parameters), ..Request::get(self.path.clone()) };
        let max_reasons = MAX_REASONS.saturating_sub(self.read_so_far.reasons).max(1);
        let read =
            |response: &RawResponse| read_page(response, self.fields, &self.read, max_reasons);
        let mut page = self.client.call(request, read).await?;
        for reason in &mut page.page.skipped {
            *reason = self.client.presentable(reason);
        }
        Ok(page)
    }

    /// Returns the error of a list that ends before its last page.
    fn ended(&self, BodyError { reason, defect }: BodyError) -> Error {
        let failure = Failure::Unreadable { status: 200, reason, defect };
        self.client.error(&Method::GET, &self.path, failure)
    }
}

impl<T> fmt::Debug for Pages<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pages").field("path", &self.path).finish_non_exhaustive()
    }
}

/// A page as it was read.
pub(crate) struct ReadPage<T> {
    pub(crate) page: Page<T>,
    /// The token of the next page; empty after the last.
    token: String,
    /// The number of all entries, those that were skipped included.
    entries: usize,
    /// The size of the body.
    bytes: usize,
}

/// Reads a page and the token of the next one. Keeps `max_reasons` reasons for skipped items.
pub(crate) fn read_page<T>(
    response: &RawResponse,
    fields: &[&str],
    read: &dyn Fn(&RawValue) -> Result<T, String>,
    max_reasons: usize,
) -> Result<ReadPage<T>, BodyError> {
    let parts: HashMap<String, &RawValue> = json::object(&response.body)?;
    let token: Option<String> = json::field(&parts, TOKEN_FIELD)?;
    let items_field = fields.iter().find(|field| parts.contains_key(**field));
    let items: Option<Vec<&RawValue>> = match items_field {
        Some(field) => json::field(&parts, field)?,
        None => None,
    };
    // proto3 omits an empty list. An object with other fields is not a page.
    let is_known = |name: &String| name == TOKEN_FIELD || fields.contains(&name.as_str());
    if items.is_none() && !parts.keys().all(is_known) {
        return Err(BodyError::new("it does not contain a list where one was expected"));
    }
    let items = items.unwrap_or_default();
    if items.len() > MAX_ITEMS {
        let reason = format!("its body contains more than {MAX_ITEMS} items");
        return Err(BodyError { reason, defect: Defect::TooLarge });
    }
    let entries = items.len();
    let mut page = Page { items: Vec::new(), skipped: Vec::new() };
    for item in items {
        match read(item) {
            Ok(object) => page.items.push(object),
            Err(skipped) if page.skipped.len() < max_reasons => page.skipped.push(skipped),
            Err(_) => {}
        }
    }
    let token = token.unwrap_or_default();
    Ok(ReadPage { page, token, entries, bytes: response.body.len() })
}
