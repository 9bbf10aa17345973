//! [`Parsed`]: what a schedule that was parsed while running keeps, all in one
//! allocation, but for a text that is longer than most.

use alloc::boxed::Box;
use alloc::sync::Arc;
use core::mem::ManuallyDrop;

use crate::search::{DatePlan, Plan, TimePlan};
use crate::{ParseError, fill};

/// A text and its plan.
pub(crate) struct Parsed {
    pub(crate) plan: Plan<DatePlan, TimePlan>,
    text: Written,
}

impl Parsed {
    pub(crate) fn text(&self) -> &str {
        match &self.text {
            Written::Short { len, bytes } => {
                str::from_utf8(&bytes[..usize::from(*len)]).unwrap_or("")
            }
            Written::Long(text) => text,
        }
    }
}

/// A shared [`Parsed`].
///
/// An `Arc` is dropped by reference, and a value that holds one is kept in
/// memory for that: also a walk over a compiled schedule, which has none, but
/// of the same type. This one hands its `Arc` over by value.
#[derive(Clone)]
pub(crate) struct Shared(ManuallyDrop<Option<Arc<Parsed>>>);

impl Shared {
    pub(crate) fn new(text: &str) -> Result<Self, ParseError> {
        // Moved just once, for a plan is large, and not before it is known that there is
        // one: a refusal does not allocate.
        let mut plan = Plan::empty();
        fill(&mut plan, text)?;
        Ok(Self(ManuallyDrop::new(Some(Arc::new(Parsed { plan, text: Written::new(text) })))))
    }

    /// It is there until the last moment.
    #[inline(always)]
    pub(crate) fn get(&self) -> Option<&Parsed> {
        self.0.as_deref()
    }
}

impl Drop for Shared {
    #[inline(always)]
    fn drop(&mut self) {
        release(self.0.take());
    }
}

#[inline(never)]
fn release(parsed: Option<Arc<Parsed>>) {
    drop(parsed);
}

/// The text as written: within the plan's allocation as long as it is of an
/// ordinary length.
enum Written {
    Short { len: u8, bytes: [u8; Self::CAPACITY] },
    Long(Box<str>),
}

impl Written {
    const CAPACITY: usize = 46;

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

// With the two counters of an `Arc`, at most 1 KiB.
const _: () = assert!(size_of::<Parsed>() + 16 <= 1024);
