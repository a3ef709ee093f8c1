//! Paged lists. The API document does not show a list: the parameters and fields are assumed.

use std::collections::HashMap;
use std::fmt;

use http::Method;
use serde_json::value::RawValue;
use time::OffsetDateTime;

use crate::client::Client;
use crate::error::{Error, Failure};
use crate::exchange::{RawResponse, Request};
use crate::json::{self, BodyError, Defect};
use crate::path::query;

/// The page size to request, which is the usual limit of services.
const MAX_PAGE_SIZE: usize = 1000;
/// The smallest page size to which requests are reduced if a page is too large or refused.
const MIN_PAGE_SIZE: usize = 10;
/// The factor by which the page size is reduced. 1000, 100 and 10 are three requests for a list that
/// is refused for another reason, and 100 is within the limit of nearly every service.
const REDUCTION: usize = 10;
/// The largest number of items read of one page. A service that ignores `pageSize` may return more
/// than requested.
const MAX_ITEMS: usize = 20_000;
/// The largest number of pages read of one list, so that a list without an end does not block a
/// call forever.
const MAX_PAGES: usize = 10_000;
/// The largest number of reasons for skipped items that are stored for one page.
const MAX_REASONS: usize = 100;

/// A page of a list.
#[derive(Clone, Debug)]
pub struct Page<T> {
    /// The objects that are well formed and belong to the parent.
    pub items: Vec<T>,
    /// The reasons why other items were skipped: sanitized, redacted, at most 100. Empty only if no
    /// item was skipped.
    pub skipped: Vec<String>,
    /// The `Date` of the response.
    pub date: Option<OffsetDateTime>,
}

/// A function that parses an item of a list, or returns the reason to skip it.
pub(crate) type ReadItem<'c, T> = Box<dyn Fn(&RawValue) -> Result<T, String> + Send + Sync + 'c>;

/// A list that is read page by page, each page on request.
pub struct Pages<'c, T> {
    client: &'c Client,
    path: String,
    fields: &'static [&'static str],
    read: ReadItem<'c, T>,
    tokens: Vec<String>,
    /// The page size to request. It is reduced after a page that was too large or refused.
    size: usize,
    state: State,
}

/// The state of a list after the pages that were returned.
#[derive(Clone, Copy, PartialEq)]
enum State {
    MorePages,
    Complete,
    /// The service returned a token for the second time, or too many pages.
    Endless,
}

impl<'c, T> Pages<'c, T> {
    /// Creates the list at `path`, whose items are in the first of `fields` that a page has.
    pub(crate) fn new(
        client: &'c Client,
        path: String,
        fields: &'static [&'static str],
        read: ReadItem<'c, T>,
    ) -> Self {
        let (tokens, size) = (Vec::new(), MAX_PAGE_SIZE);
        Self { client, path, fields, read, tokens, size, state: State::MorePages }
    }

    /// Returns the next page; `None` after the last. Requests at most `at_most` objects; a service
    /// may return more. A page may be empty although others follow. A page that is too large, or
    /// refused with 400, is requested again with a smaller size, which also applies to the following
    /// pages.
    ///
    /// # Errors
    ///
    /// [`Error`], by its kind. A list that repeats a page token, or does not end, is an error of the
    /// kind [`Unreadable`](crate::ErrorKind::Unreadable) after its last page, because a partial list
    /// must not be used as a complete one. The pages before an error remain true: the objects on
    /// them exist.
    pub async fn next(&mut self, at_most: usize) -> Result<Option<Page<T>>, Error> {
        match self.state {
            State::MorePages => {}
            State::Complete => return Ok(None),
            State::Endless => return Err(self.endless()),
        }
        let (page, token) = loop {
            let size = at_most.clamp(1, self.size);
            match self.request(size).await {
                Err(error) if error.may_accept_fewer_entries() && size > MIN_PAGE_SIZE => {
                    self.size = (size / REDUCTION).max(MIN_PAGE_SIZE);
                    tracing::debug!(path = self.path, size = self.size, "smaller pages");
                }
                result => break result?,
            }
        };
        if token.is_empty() {
            self.state = State::Complete;
        } else if self.tokens.contains(&token) || self.tokens.len() >= MAX_PAGES {
            self.state = State::Endless;
        } else {
            self.tokens.push(token);
        }
        Ok(Some(page))
    }

    async fn request(&self, size: usize) -> Result<(Page<T>, String), Error> {
        let size = size.to_string();
        let mut parameters = vec![("pageSize", size.as_str())];
        parameters.extend(self.tokens.last().map(|token| ("pageToken", token.as_str())));
        let request = Request { query: query(&parameters), ..Request::get(self.path.clone()) };
        let read = |response: &RawResponse| read_page(response, self.fields, &self.read);
        let (mut page, token) = self.client.call(request, read).await?;
        for reason in &mut page.skipped {
            *reason = self.client.presentable(reason);
        }
        Ok((page, token))
    }

    fn endless(&self) -> Error {
        let reason = "its pages do not end".to_owned();
        let failure = Failure::Unreadable { status: 200, reason, defect: Defect::Other };
        self.client.error(&Method::GET, &self.path, failure)
    }
}

impl<T> fmt::Debug for Pages<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pages").field("path", &self.path).finish_non_exhaustive()
    }
}

/// Reads a page and the token of the next one.
pub(crate) fn read_page<T>(
    response: &RawResponse,
    fields: &[&str],
    read: &dyn Fn(&RawValue) -> Result<T, String>,
) -> Result<(Page<T>, String), BodyError> {
    let not_a_list = || BodyError::new("it does not contain a list where one was expected");
    let parts: HashMap<String, &RawValue> = json::object(&response.body)?;
    let token = parts.get("nextPageToken").map(|token| json::value(token)).transpose()?.flatten();
    let items = fields.iter().find_map(|field| parts.get(*field));
    let items: Option<Vec<&RawValue>> =
        items.map(|items| json::value(items)).transpose()?.flatten();
    // proto3 omits an empty list. An object with other fields is not a page.
    let is_known = |name: &String| name == "nextPageToken" || fields.contains(&name.as_str());
    if items.is_none() && !parts.keys().all(is_known) {
        return Err(not_a_list());
    }
    let items = items.unwrap_or_default();
    if items.len() > MAX_ITEMS {
        let reason = format!("its body contains more than {MAX_ITEMS} items");
        return Err(BodyError { reason, defect: Defect::TooLarge });
    }
    let mut page = Page { items: Vec::new(), skipped: Vec::new(), date: response.date };
    for item in items {
        match read(item) {
            Ok(object) => page.items.push(object),
            Err(skipped) if page.skipped.len() < MAX_REASONS => page.skipped.push(skipped),
            Err(_) => {}
        }
    }
    Ok((page, token.unwrap_or_default()))
}
