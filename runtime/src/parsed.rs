//! [`Parsed`]: the data of a schedule parsed at run time, in a single allocation unless the
//! text is unusually long.

use alloc::boxed::Box;
use alloc::string::ToString;
use alloc::sync::Arc;
use core::mem::ManuallyDrop;

use crate::compile::plan_into;
use crate::parse::{Located, parse, parse_dialect};
use crate::search::{DatePlan, Plan, TimePlan};
use crate::{Dialect, ParseError, Spans};

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
}

/// A shared [`Parsed`].
///
/// The drop glue of an `Arc` takes a reference, which would force every value that may
/// contain one into memory, even an iterator over a compiled schedule. This type passes
/// its `Arc` to [`release`] by value instead.
#[derive(Clone)]
pub(crate) struct SharedParsed(ManuallyDrop<Option<Arc<Parsed>>>);

impl SharedParsed {
    pub(crate) fn new(text: &str) -> Result<(Self, Spans), ParseError> {
        let located = parse(text)?;
        Ok((Self::plan(text, &located, || StoredText::new(text))?, located.spans))
    }

    /// Reads a text in a dialect and stores it in the language of this crate.
    pub(crate) fn of_dialect(dialect: Dialect, text: &str) -> Result<(Self, Spans), ParseError> {
        let located = parse_dialect(dialect, text)?;
        let translation = || StoredText::new(&located.expression.to_string());
        let parsed = Self::plan(text, &located, translation);
        Ok((parsed.map_err(|error| error.in_dialect(dialect))?, located.spans))
    }

    /// Plans the search of a parsed text and stores a text with it.
    #[inline(always)]
    fn plan(
        text: &str,
        located: &Located,
        stored: impl FnOnce() -> StoredText,
    ) -> Result<Self, ParseError> {
        // The plan is large, so it moves only once, into the allocation. Only schedules that have
        // events are allocated.
        let mut parsed = Parsed { plan: Plan::empty(), text: StoredText::EMPTY };
        plan_into(&mut parsed.plan, text, located)?;
        parsed.text = stored();
        Ok(Self(ManuallyDrop::new(Some(Arc::new(parsed)))))
    }

    /// Returns the data; `None` only while this is being dropped.
    #[inline(always)]
    pub(crate) fn get(&self) -> Option<&Parsed> {
        self.0.as_deref()
    }
}

impl Drop for SharedParsed {
    #[inline(always)]
    fn drop(&mut self) {
        release(self.0.take());
    }
}

#[inline(never)]
fn release(parsed: Option<Arc<Parsed>>) {
    drop(parsed);
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
