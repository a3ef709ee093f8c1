//! Paged lists. The API document does not show a list: the parameters and fields are assumed.

use std::fmt;

use reqwest::Method;
use serde::de::{DeserializeSeed, Deserializer as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use time::OffsetDateTime;

use crate::client::{Client, query};
use crate::error::{Error, Failure};
use crate::exchange::{RawResponse, Request};
use crate::json::{self, BodyError};

/// The page size to request, which is the usual limit of services.
const MAX_PAGE_SIZE: usize = 1000;
/// The smallest page size to which requests are reduced if a page is too large.
const MIN_PAGE_SIZE: usize = 10;
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

/// The reason why an item of a list is skipped.
#[derive(Debug)]
pub(crate) struct SkippedItem {
    pub(crate) reason: String,
}

impl From<BodyError> for SkippedItem {
    fn from(error: BodyError) -> Self {
        Self { reason: error.reason }
    }
}

/// A function that parses an item of a list.
pub(crate) type ReadItem<'c, T> =
    Box<dyn Fn(&RawValue) -> Result<T, SkippedItem> + Send + Sync + 'c>;

/// A list that is read page by page, each page on request.
pub struct Pages<'c, T> {
    client: &'c Client,
    path: String,
    fields: &'static [&'static str],
    read: ReadItem<'c, T>,
    tokens: Vec<String>,
    /// The page size to request. It is reduced after a page that was too large.
    size: usize,
    ended: bool,
    optional: bool,
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
        Self { client, path, fields, read, tokens, size, ended: false, optional: false }
    }

    /// Makes the list optional: the caller goes on without it. After a failure of the service
    /// or the connection, a page is not requested again, and the failure does not count towards an
    /// outage, which would delay other calls. A 429 is retried, because it delays all calls anyway.
    #[must_use]
    pub fn optional(self) -> Self {
        Self { optional: true, ..self }
    }

    /// Returns the next page; `None` after the last. Requests at most `at_most` objects; a service
    /// may return more. A page may be empty although others follow. A page that is too large is
    /// requested again with a smaller size, which also applies to the following pages.
    ///
    /// # Errors
    ///
    /// [`Error`], by its kind. A list that repeats a page token, or does not end, is an error,
    /// because a partial list must not be used as a complete one.
    pub async fn next(&mut self, at_most: usize) -> Result<Option<Page<T>>, Error> {
        if self.ended {
            return Ok(None);
        }
        let (page, token) = loop {
            let size = at_most.clamp(1, self.size);
            match self.request(size).await {
                Err(error) if error.is_too_large() && size > MIN_PAGE_SIZE => {
                    self.size = (size / 4).max(MIN_PAGE_SIZE);
                    tracing::debug!(path = self.path, size = self.size, "smaller pages");
                }
                result => break result?,
            }
        };
        if token.is_empty() {
            self.ended = true;
        } else if self.tokens.contains(&token) || self.tokens.len() >= MAX_PAGES {
            return Err(self.endless());
        } else {
            self.tokens.push(token);
        }
        Ok(Some(page))
    }

    async fn request(&self, size: usize) -> Result<(Page<T>, String), Error> {
        let size = size.to_string();
        let mut parameters = vec![("pageSize", size.as_str())];
        parameters.extend(self.tokens.last().map(|token| ("pageToken", token.as_str())));
        let optional = self.optional;
        let request =
            Request { query: query(&parameters), optional, ..Request::get(self.path.clone()) };
        let read = |response: &RawResponse| read_page(response, self.fields, &self.read);
        let (mut page, token) = self.client.call(request, read).await?;
        for reason in &mut page.skipped {
            *reason = self.client.presentable(reason);
        }
        Ok((page, token))
    }

    fn endless(&self) -> Error {
        let reason = "its pages do not end".to_owned();
        let failure = Failure::Unreadable { status: 200, reason, too_large: false };
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
    read: &dyn Fn(&RawValue) -> Result<T, SkippedItem>,
) -> Result<(Page<T>, String), BodyError> {
    if !response.body.trim_ascii_start().starts_with(b"{") {
        return Err(BodyError::new("its body is not a JSON object"));
    }
    let mut deserializer = serde_json::Deserializer::from_slice(&response.body);
    let parts = deserializer
        .deserialize_map(PartsVisitor { fields })
        .and_then(|parts| deserializer.end().map(|()| parts))
        .map_err(|error| json::body_error(&error))?;
    let page = Page { items: Vec::new(), skipped: Vec::new(), date: response.date };
    let page = match parts.items {
        Some(items) if items.get() != "null" => {
            let mut deserializer = serde_json::Deserializer::from_str(items.get());
            if !items.get().starts_with('[') {
                return Err(BodyError::new("it does not contain a list where one was expected"));
            }
            ItemsSeed { page, read }
                .deserialize(&mut deserializer)
                .map_err(|error| json::body_error(&error))?
        }
        // proto3 omits an empty list. An object with other fields is not a page.
        _ if !parts.others => page,
        _ => return Err(BodyError::new("it does not contain a list where one was expected")),
    };
    Ok((page, parts.token.unwrap_or_default()))
}

/// The parts of a page.
#[derive(Default)]
struct Parts<'b> {
    token: Option<String>,
    items: Option<&'b RawValue>,
    /// The index of the name of `items` in the list of fields.
    rank: usize,
    others: bool,
}

struct PartsVisitor<'f> {
    fields: &'f [&'f str],
}

impl<'de> Visitor<'de> for PartsVisitor<'_> {
    type Value = Parts<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a page of a list")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut parts = Parts::default();
        while let Some(name) = map.next_key::<String>()? {
            let rank = self.fields.iter().position(|field| *field == name);
            if name == "nextPageToken" {
                parts.token = map.next_value()?;
            } else if let Some(rank) = rank {
                let items = map.next_value()?;
                if parts.items.is_none() || rank < parts.rank {
                    (parts.items, parts.rank) = (Some(items), rank);
                }
            } else {
                map.next_value::<IgnoredAny>()?;
                parts.others = true;
            }
        }
        Ok(parts)
    }
}

/// Parses the items one by one, so that a page does not take more memory than its objects.
struct ItemsSeed<'r, T> {
    page: Page<T>,
    read: &'r dyn Fn(&RawValue) -> Result<T, SkippedItem>,
}

impl<'de, T> DeserializeSeed<'de> for ItemsSeed<'_, T> {
    type Value = Page<T>;

    fn deserialize<D: serde::Deserializer<'de>>(self, items: D) -> Result<Page<T>, D::Error> {
        items.deserialize_seq(self)
    }
}

impl<'de, T> Visitor<'de> for ItemsSeed<'_, T> {
    type Value = Page<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of objects")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut items: A) -> Result<Page<T>, A::Error> {
        let mut count = 0;
        while let Some(item) = items.next_element::<&RawValue>()? {
            count += 1;
            if count > MAX_ITEMS {
                return Err(json::too_many());
            }
            match (self.read)(item) {
                Ok(object) => self.page.items.push(object),
                Err(skipped) if self.page.skipped.len() < MAX_REASONS => {
                    self.page.skipped.push(skipped.reason);
                }
                Err(_) => {}
            }
        }
        Ok(self.page)
    }
}
