//! [`JobOutput`]: what a job's closure may return.

use std::marker::PhantomData;

use crate::job::Completion;
use crate::run::{IntoOutcome, Outcome};

/// A value that a job's closure may return: `()`, a `Result` or an [`Outcome`] (see
/// [`IntoOutcome`]), or, with the feature `tokio`, a future with such an output.
///
/// `Kind` is inferred: [`Returned`] for values, `Awaited` for futures.
#[diagnostic::on_unimplemented(
    message = "a job cannot return `{Self}`",
    label = "this job returns `{Self}`",
    note = "a job returns `()`, or a `Result` whose error is a text or implements \
            `std::error::Error`; to discard another value, end the closure with `;`",
    note = "with the feature `tokio`, a job may also be async: its future must be `Send` and have \
            such an output"
)]
pub trait JobOutput<Kind>: Sized + 'static {
    /// The runtime that a future needs.
    #[doc(hidden)]
    type Runtime: Send + Sync + 'static;

    /// Returns the runtime that the output needs, if the current thread is within one.
    #[doc(hidden)]
    fn runtime() -> Option<Self::Runtime>;

    /// Returns the outcome, or `None` if a completion will report it.
    #[doc(hidden)]
    fn end(self, runtime: &Self::Runtime, completion: &dyn Fn() -> Completion) -> Option<Outcome>;
}

/// The kind of a [`JobOutput`] that is known when the closure returns.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Returned<Error>(PhantomData<Error>);

impl<Error, T: IntoOutcome<Error> + 'static> JobOutput<Returned<Error>> for T {
    type Runtime = ();

    fn runtime() -> Option<()> {
        Some(())
    }

    fn end(self, (): &(), _: &dyn Fn() -> Completion) -> Option<Outcome> {
        Some(self.into_outcome())
    }
}
