//! [`Parsed`]: the data of a schedule parsed at run time, in a single allocation unless the
//! text is unusually long.

use alloc::boxed::Box;
use alloc::string::ToString;
use alloc::sync::Arc;

use crate::compile::{plan_into, read_into};
use crate::parse::Located;
use crate::search::{DatePlan, Plan, TimePlan};
use crate::{Calendars, Dialect, ParseError};

/// A text in the language of this crate, and its plan.
pub(crate) struct Parsed {
    pub(crate) plan: Plan<DatePlan, TimePlan>,
    text: StoredText,
}

impl Parsed {
    /// Returns the text: as written, unless it was read from a dialect.
    pub(crate) fn text(&self) -> &str {
        match &self.text {
            StoredText::Short { len, bytes } => {
                let text = str::from_utf8(&bytes[..usize::from(*len)]);
                debug_assert!(text.is_ok(), "the bytes were copied from a whole text");
                text.unwrap_or_default()
            }
            StoredText::Long(text) => text,
        }
    }

    /// Parses a text, in a dialect if there is one, and stores it in the language of this crate. The
    /// meaning of the text and the places of its parts are read into `located`, which must be
    /// [`Located::MIDNIGHTS`].
    pub(crate) fn parse(
        located: &mut Located,
        dialect: Option<Dialect>,
        text: &str,
        calendars: &dyn Calendars,
    ) -> Result<Arc<Self>, ParseError> {
        read_into(located, dialect, text).map_err(|error| {
            error.or_bare_calendar(text, |name| calendars.names().iter().any(|known| known == name))
        })?;
        // The plan is large, so it moves only into the allocation. Only schedules that have events are
        // allocated.
        let mut parsed = Self { plan: Plan::empty(), text: StoredText::EMPTY };
        plan_into(&mut parsed.plan, dialect, text, located, calendars)?;
        parsed.text = match dialect {
            None => StoredText::new(text),
            Some(_) => StoredText::new(&located.expression.to_string()),
        };
        Ok(Arc::new(parsed))
    }
}

/// The text as written, stored inline if it is short enough.
enum StoredText {
    Short { len: u8, bytes: [u8; Self::CAPACITY] },
    Long(Box<str>),
}

impl StoredText {
    /// In bytes; more than most schedules take.
    const CAPACITY: usize = 46;

    const EMPTY: Self = Self::Short { len: 0, bytes: [0; Self::CAPACITY] };

    fn new(text: &str) -> Self {
        let mut bytes = [0; Self::CAPACITY];
        match (u8::try_from(text.len()), bytes.get_mut(..text.len())) {
            (Ok(len), Some(slots)) => {
                slots.copy_from_slice(text.as_bytes());
                Self::Short { len, bytes }
            }
            _ => Self::Long(text.into()),
        }
    }
}

// At most 2 KiB, including the two counters of the `Arc`.
const _: () = assert!(size_of::<Parsed>() + 16 <= 2048);
