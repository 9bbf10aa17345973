//! The procedural macro behind `millicron::schedule!`.
//!
//! The macro reads a string literal, compiles it with the runtime, and quotes the plan. Use it
//! through `millicron`, whose `schedule!` passes the path to the crate.

mod calendar;
mod input;
mod quote_plan;
mod quote_rule;
#[cfg(test)]
mod tests;

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Error, LitStr, Result};

use input::{Input, Text, argument, example_argument};
use millicron_runtime::{Planned, compile};

/// Expands `schedule!($crate "text")` or `schedule!($crate dialect "text")` to an expression of
/// type `$crate::Schedule`.
#[doc(hidden)]
#[proc_macro]
pub fn schedule(tokens: proc_macro::TokenStream) -> proc_macro::TokenStream {
    expand(tokens.into()).into()
}

/// Expands `calendar!($crate "text")` to an expression of type `$crate::Calendar`.
#[doc(hidden)]
#[proc_macro]
pub fn calendar(tokens: proc_macro::TokenStream) -> proc_macro::TokenStream {
    calendar::expand(tokens.into(), false).into()
}

/// Expands `include_calendar!($crate "path")` to an expression of type `$crate::Calendar`.
#[doc(hidden)]
#[proc_macro]
pub fn include_calendar(tokens: proc_macro::TokenStream) -> proc_macro::TokenStream {
    calendar::expand(tokens.into(), true).into()
}

/// Returns the expansion. Even after an error, it contains a schedule, so that each error causes
/// one message.
fn expand(tokens: TokenStream) -> TokenStream {
    let Input { root, text } = match syn::parse2::<Input>(tokens) {
        Ok(input) => input,
        Err(error) => return error.into_compile_error(),
    };
    text.and_then(|text| expand_text(&root, &text)).unwrap_or_else(|error| {
        let error = error.to_compile_error();
        quote!({ #error; #root::__private::FALLBACK })
    })
}

/// Returns the expansion of a literal.
fn expand_text(root: &TokenStream, text: &Text) -> Result<TokenStream> {
    let Text { dialect, literal, calendars } = text;
    text.check_calendars()?;
    let written = without_semicolon(literal.value());
    let error = |error| Error::new(literal.span(), format!("{error:#}"));
    let (planned, expression) = compile(*dialect, &written).map_err(error)?;
    let names = quote_rule::names(&planned, &written);
    let is_known = |name: &&str| calendars.iter().any(|it| it.name == *name);
    let missing: Vec<&str> = names.iter().copied().filter(|name| !is_known(name)).collect();
    if let Some(unused) = calendars.iter().find(|it| !names.contains(&&*it.name)) {
        let name = &unused.name;
        // A name that several members have is one name.
        let is_one = |name: &&&str| missing.iter().all(|it| it == *name);
        let or_renamed = missing.first().filter(is_one).map_or_else(String::new, |one| {
            format!(", or pass the constant as `{}`", argument(one, &unused.path()))
        });
        let message = format!(
            "the schedule does not name the calendar `{name}`: write `@{name}` after its \
             time{or_renamed}"
        );
        return Err(Error::new(unused.span, message));
    }
    if let [name, ..] = *missing {
        return Err(missing_calendar(literal, name));
    }
    let canonical = if dialect.is_some() { expression.to_string() } else { written };
    Ok(match planned {
        Planned::Plan(plan) => quote_plan::schedule(root, &canonical, &plan),
        planned => quote_rule::schedule(root, &canonical, &planned, calendars),
    })
}

/// Returns a text without the semicolon that may follow a single schedule.
fn without_semicolon(text: String) -> String {
    match text.trim_ascii().strip_suffix(';') {
        // Alone, the semicolon is an error, with the message that it has at run time.
        Some(alone) if !alone.contains(';') && !alone.trim_ascii().is_empty() => {
            alone.trim_ascii().to_owned()
        }
        _ => text,
    }
}

/// Returns the error for a calendar that a schedule names and no constant follows.
fn missing_calendar(literal: &LitStr, name: &str) -> Error {
    let message = format!(
        "the calendar `{name}` is missing: pass a constant after the text, as in \
         `schedule!({}, {})`",
        literal.token(),
        example_argument(name),
    );
    Error::new(literal.span(), message)
}
