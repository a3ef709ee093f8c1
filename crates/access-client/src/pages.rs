//! Lists, page by page. Their parameters and fields are assumed: the API document shows no list.

use std::fmt;

use reqwest::Method;
use serde_json::Value;

use crate::attempt::{Answer, Request};
use crate::calls::object;
use crate::client::{Client, query};
use crate::error::{Error, Failure};

/// Objects asked for on one page of a list: the common limit of services.
const MOST_ON_A_PAGE: usize = 1000;
/// The most pages read of one list, so that a service that never ends does not hold a call for ever.
const MOST_PAGES: usize = 1000;

/// Makes an object of an item of a list, or says what is wrong with it.
pub(crate) type ReadItem<'c, T> = Box<dyn Fn(Value) -> Result<T, String> + Send + Sync + 'c>;

/// A list that is read page by page, each when it is asked for.
pub struct Pages<'c, T> {
    client: &'c Client,
    path: String,
    fields: &'static [&'static str],
    read: ReadItem<'c, T>,
    tokens: Vec<String>,
    ended: bool,
}

impl<'c, T> Pages<'c, T> {
    /// The list at `path`, whose items stand in the first of `fields` that there is.
    pub(crate) fn new(
        client: &'c Client,
        path: String,
        fields: &'static [&'static str],
        read: ReadItem<'c, T>,
    ) -> Self {
        Self { client, path, fields, read, tokens: Vec::new(), ended: false }
    }

    /// The next page, with no more than `at_most` objects where the service keeps to that; `None`
    /// after the last. A page may be empty and others follow.
    ///
    /// # Errors
    ///
    /// [`Error`], by its meaning. A list that repeats a page token, or never ends, is one: a part
    /// of it must not pass for the whole.
    pub async fn next(&mut self, at_most: usize) -> Result<Option<Vec<T>>, Error> {
        if self.ended {
            return Ok(None);
        }
        let size = at_most.clamp(1, MOST_ON_A_PAGE).to_string();
        let mut parameters = vec![("pageSize", size.as_str())];
        parameters.extend(self.tokens.last().map(|token| ("pageToken", token.as_str())));
        let request = Request {
            method: Method::GET,
            path: self.path.clone(),
            query: query(&parameters),
            body: None,
            idempotent: true,
        };
        let (page, token) =
            self.client.call(request, |answer| read_page(answer, self.fields, &self.read)).await?;
        if token.is_empty() {
            self.ended = true;
        } else if self.tokens.contains(&token) || self.tokens.len() >= MOST_PAGES {
            return Err(self.endless());
        } else {
            self.tokens.push(token);
        }
        Ok(Some(page))
    }

    /// All that is left of the list.
    pub(crate) async fn all(mut self) -> Result<Vec<T>, Error> {
        let mut items = Vec::new();
        while let Some(page) = self.next(MOST_ON_A_PAGE).await? {
            items.extend(page);
        }
        Ok(items)
    }

    fn endless(&self) -> Error {
        Error {
            method: "GET",
            path: self.path.clone(),
            base_url: self.client.base_url(),
            failure: Failure::Unreadable {
                status: 200,
                reason: "its pages do not come to an end".to_owned(),
            },
            attempts: 1,
            request_id: None,
            processed: true,
        }
    }
}

impl<T> fmt::Debug for Pages<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pages").field("path", &self.path).finish_non_exhaustive()
    }
}

pub(crate) fn read_page<T>(
    answer: &Answer,
    fields: &[&str],
    read: impl Fn(Value) -> Result<T, String>,
) -> Result<(Vec<T>, String), String> {
    let mut object = object(&answer.body)?;
    let token = match object.remove("nextPageToken") {
        Some(Value::String(token)) => token,
        None | Some(Value::Null) => String::new(),
        Some(_) => return Err("its page token is no text".to_owned()),
    };
    let items = match fields.iter().find_map(|field| object.remove(*field)) {
        Some(Value::Array(items)) => items,
        // proto3 leaves an empty list out. Of any other object nothing can be told.
        None | Some(Value::Null) if object.is_empty() => Vec::new(),
        _ => return Err("it has no list where one was expected".to_owned()),
    };
    let items = items.into_iter().map(read).collect::<Result<_, _>>()?;
    Ok((items, token))
}
