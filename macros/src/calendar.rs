//! Expands `calendar!` and `include_calendar!`.

use std::env;
use std::fs;
use std::ops::Range;
use std::path::Path;

use millicron_runtime::days::DaySet;
use millicron_runtime::{CalendarStep, compile_calendar};
use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::{Error, Result};

use crate::input::{Text, example_argument, expand_input};
use crate::quote_rule::{calendar_constant, constant, day_set};

/// Returns the expansion of `include_calendar!` or of `calendar!`.
pub(crate) fn expand(tokens: TokenStream, is_file: bool) -> TokenStream {
    expand_input(tokens, &quote!(FALLBACK_CALENDAR), |root, text| {
        let text = text.map_err(|error| not_a_literal(&error, is_file))?;
        if is_file { from_file(root, &text) } else { from_text(root, &text) }
    })
}

/// Returns the error for arguments other than a string literal.
fn not_a_literal(error: &Error, is_file: bool) -> Error {
    let message = if is_file {
        "`include_calendar!` takes the path of a file as a string literal, relative to the directory \
         of the manifest, such as `include_calendar!(\"calendars/nyse.days\")`"
    } else {
        "`calendar!` takes one string literal, such as `calendar!(\"*.*.* Mon-Fri\")`, and constants \
         for the calendars that it names"
    };
    Error::new(error.span(), message)
}

fn from_text(root: &TokenStream, text: &Text) -> Result<TokenStream> {
    no_dialect(text)?;
    let written = text.literal.value();
    calendar(root, text, &written, None)
}

fn from_file(root: &TokenStream, text: &Text) -> Result<TokenStream> {
    no_dialect(text)?;
    let literal = &text.literal;
    let error = |message: String| Error::new(literal.span(), message);
    let directory = env::var_os("CARGO_MANIFEST_DIR")
        .ok_or_else(|| error("the variable CARGO_MANIFEST_DIR is not set".to_owned()))?;
    let path = Path::new(&directory).join(literal.value());
    let Some(absolute) = path.to_str() else {
        return Err(error("the path of the file is not Unicode".to_owned()));
    };
    let written = fs::read_to_string(&path)
        .map_err(|reason| error(format!("`{absolute}` cannot be read: {reason}")))?;
    let expanded = calendar(root, text, &written, Some(absolute))?;
    // A change of the file compiles the crate again.
    Ok(quote!({
        const _: #root::__private::StaticRef<[::core::primitive::u8]> =
            ::core::include_bytes!(#absolute);
        #expanded
    }))
}

fn no_dialect(text: &Text) -> Result<()> {
    match text.dialect {
        None => Ok(()),
        Some(_) => Err(Error::new(text.literal.span(), "a calendar has no dialect: leave it out")),
    }
}

/// Returns an expression of type `Calendar`.
fn calendar(
    root: &TokenStream,
    text: &Text,
    written: &str,
    file: Option<&str>,
) -> Result<TokenStream> {
    let Text { literal, calendars, .. } = text;
    let in_file = |message: String| match file {
        Some(file) => format!("{file}: {message}"),
        None => message,
    };
    let error = |message: String| Error::new(literal.span(), in_file(message));
    text.check_calendars()?;
    let (steps, without_days) = compile_calendar(written).map_err(|it| error(format!("{it:#}")))?;
    let mut used = Vec::new();
    let days = days(&steps, |name| {
        let name = &written[name];
        let Some(place) = calendars.iter().position(|it| it.name == name) else {
            return Err(error(format!(
                "the calendar `{name}` is missing: pass a constant after the text, as in `{}`",
                example_argument(name)
            )));
        };
        if !used.contains(&place) {
            used.push(place);
        }
        Ok(constant(place))
    })?;
    let all = calendars.iter().enumerate();
    if let Some((_, unused)) = all.into_iter().find(|(place, _)| !used.contains(place)) {
        let message = format!("the calendar does not name `{0}`: write a line `@{0}`", unused.name);
        return Err(Error::new(unused.span, message));
    }
    let constants = used.iter().map(|place| calendar_constant(root, *place, &calendars[*place]));
    let message = in_file(without_days.to_string());
    let check = quote!(private::assert_days(DAYS, #message));
    Ok(quote! {{
        #(#constants)*
        {
            use #root::__private as private;
            const DAYS: private::StaticRef<private::DayTables> = &private::DaySet::tables(&#days);
            const _: () = #check;
            private::calendar(DAYS)
        }
    }})
}

/// Returns an expression of type `DaySet` for the days after all steps. `constant_of` returns the constant of the
/// calendar whose name is at a place in the text.
fn days(
    steps: &[CalendarStep],
    mut constant_of: impl FnMut(Range<usize>) -> Result<Ident>,
) -> Result<TokenStream> {
    let mut days = quote!(private::DaySet::EMPTY);
    for step in steps {
        days = match step {
            CalendarStep::Days { kept, added } if *kept == DaySet::EMPTY => day_set(added),
            CalendarStep::Days { kept, added } => {
                let (kept, added) = (day_set(kept), day_set(added));
                quote!(#days.and(&#kept).or(&#added))
            }
            CalendarStep::Calendar { name, is_removed } => {
                let constant = constant_of(name.clone())?;
                if *is_removed {
                    quote!(#days.minus(&private::days_of(#constant)))
                } else {
                    quote!(#days.or(&private::days_of(#constant)))
                }
            }
        };
    }
    Ok(days)
}
