//! The procedural macro behind `millicron::schedule!`.
//!
//! The macro reads a string literal, compiles it with the runtime, and quotes the plan. Use it
//! through `millicron`, whose `schedule!` passes the path to the crate.

mod calendar;
mod input;
mod literal;
mod quote_plan;
mod quote_rule;
#[cfg(test)]
mod tests;
mod zone;

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Error, LitStr, Result};

use input::{Text, argument, example_argument, expand_input};
use literal::Literal;
use millicron_runtime::Planned;

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

/// Expands `zone!($crate "name")` to an expression of type `$crate::StaticZone`.
#[doc(hidden)]
#[proc_macro]
pub fn zone(tokens: proc_macro::TokenStream) -> proc_macro::TokenStream {
    zone::expand(tokens.into()).into()
}

/// Returns the expansion of `schedule!`.
fn expand(tokens: TokenStream) -> TokenStream {
    // Of the type that is expected there: with a zone or without.
    let fallback = quote!(Fallback::FALLBACK);
    expand_input(tokens, &fallback, |root, text| expand_text(root, &text?))
}

/// Returns the expansion of a literal.
fn expand_text(root: &TokenStream, text: &Text) -> Result<TokenStream> {
    text.check_calendars()?;
    if let (Some(_), [calendar, ..]) = (text.dialect, &text.calendars[..]) {
        let message = "a dialect has no calendars: write the schedule in the language of millicron, or \
                       pass the calendar to `Schedule::on`";
        return Err(Error::new(calendar.span, message));
    }
    let Literal { text: written, planned, zone } = literal::read(text, zone::DATABASE)?;
    let schedule = quote_schedule(root, text, &written, &planned)?;
    let Some(zone) = zone else { return Ok(schedule) };
    let (zone, repeats) = (zone::compiled(&zone), planned.repeats());
    Ok(quote! {
        #root::__private::zoned_schedule(
            #schedule,
            {
                use #root::__private as private;
                private::static_zone(const { &#zone })
            },
            #repeats,
        )
    })
}

/// Returns an expression of type `Schedule`. `written` is its text.
fn quote_schedule(
    root: &TokenStream,
    Text { literal, calendars, .. }: &Text,
    written: &str,
    planned: &Planned,
) -> Result<TokenStream> {
    let names = quote_rule::names(planned, written);
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
    Ok(match planned {
        Planned::Plan(plan) => quote_plan::schedule(root, written, plan),
        planned => quote_rule::schedule(root, written, planned, calendars),
    })
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
