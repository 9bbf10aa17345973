//! [`JobName`]: the name of a job in an address.

use serde::Deserialize;

/// The name of a job in an address, which must not be empty, `.` or `..` there: browsers resolve such segments. The page
/// writes these names after `=`, and those that begin with `=`.
#[derive(Deserialize)]
#[serde(from = "String")]
pub(super) struct JobName(pub(super) String);

impl From<String> for JobName {
    fn from(segment: String) -> Self {
        match segment.strip_prefix('=') {
            Some(name) => Self(name.to_owned()),
            None => Self(segment),
        }
    }
}
