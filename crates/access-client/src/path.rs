//! Paths and queries of requests.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// The characters to encode in a path segment: all but the unreserved characters of RFC 3986.
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The characters to encode in a query value. Commas separate the fields of a mask and stay.
const VALUE: &AsciiSet = &SEGMENT.remove(b',');

/// Returns the path of these segments, each percent-encoded.
pub(crate) fn path(segments: &[&str]) -> String {
    let mut path = "/api/v1".to_owned();
    for segment in segments {
        path.push('/');
        path.extend(utf8_percent_encode(segment, SEGMENT));
    }
    path
}

/// Returns the query string of these parameters, with percent-encoded values; empty without
/// parameters.
pub(crate) fn query(parameters: &[(&str, &str)]) -> String {
    let mut query = String::new();
    for (name, value) in parameters {
        query.push(if query.is_empty() { '?' } else { '&' });
        query.push_str(name);
        query.push('=');
        query.extend(utf8_percent_encode(value, VALUE));
    }
    query
}
