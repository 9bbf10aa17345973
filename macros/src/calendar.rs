//! Expands `calendar!` and `include_calendar!`.

use std::env;
use std::fs;
use std::path::Path;

use millicron_runtime::{CalendarStep, compile_calendar};
use proc_macro2::TokenStream;
use quote::quote;
use syn::{Error, Result};

use crate::input::{Input, NamedCalendar, Text, example_argument};
use crate::quote_rule::{constant, day_set};

/// Returns the expansion. Even after an error, it contains a calendar, so that each error causes one
/// message.
pub(crate) fn expand(tokens: TokenStream, is_file: bool) -> TokenStream {
    let Input { root, text } = match syn::parse2::<Input>(tokens) {
        Ok(input) => input,
        Err(error) => return error.into_compile_error(),
    };
    let expanded = text
        .map_err(|error| not_a_literal(&error, is_file))
        .and_then(|text| if is_file { from_file(&root, &text) } else { from_text(&root, &text) });
    expanded.unwrap_or_else(|error| {
        let error = error.to_compile_error();
        quote!({ #error; #root::__private::FALLBACK_CALENDAR })
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
    let literal = &text.literal;
    let in_file = |message: String| match file {
        Some(file) => format!("{file}: {message}"),
        None => message,
    };
    let error = |message: String| Error::new(literal.span(), in_file(message));
    text.check_calendars()?;
    let (steps, without_days) = compile_calendar(written).map_err(|it| error(format!("{it:#}")))?;
    let mut days = quote!(private::DaySet::EMPTY);
    let mut used = Vec::new();
    let mut references = Vec::new();
    for step in &steps {
        match step {
            CalendarStep::Days { kept, added } => {
                let added = day_set(added);
                days = if *kept == millicron_runtime::days::DaySet::EMPTY {
                    added
                } else {
                    let kept = day_set(kept);
                    quote!(#days.and(&#kept).or(&#added))
                };
            }
            CalendarStep::Calendar { name, is_removed } => {
                let name = &written[name.clone()];
                let Some(place) = text.calendars.iter().position(|it| it.name == name) else {
                    return Err(error(format!(
                        "the calendar `{name}` is missing: pass a constant after the text, as in \
                         `{}`",
                        example_argument(name)
                    )));
                };
                if !used.contains(&place) {
                    used.push(place);
                    references.push(reference(root, place, &text.calendars[place]));
                }
                let constant = constant(place);
                days = if *is_removed {
                    quote!(#days.minus(&private::days_of(#constant)))
                } else {
                    quote!(#days.or(&private::days_of(#constant)))
                };
            }
        }
    }
    let all = text.calendars.iter().enumerate();
    if let Some((_, unused)) = all.into_iter().find(|(place, _)| !used.contains(place)) {
        let message = format!("the calendar does not name `{0}`: write a line `@{0}`", unused.name);
        return Err(Error::new(unused.span, message));
    }
    let message = in_file(without_days.to_string());
    let check = quote!(private::assert_days(DAYS, #message));
    Ok(quote! {{
        #(#references)*
        {
            use #root::__private as private;
            const DAYS: private::StaticRef<private::DayTables> = &private::DaySet::tables(&#days);
            const _: () = #check;
            private::calendar(DAYS)
        }
    }})
}

fn reference(root: &TokenStream, place: usize, calendar: &NamedCalendar) -> TokenStream {
    let (constant, value) = (constant(place), calendar.reference());
    quote!(const #constant: #root::__private::StaticRef<#root::Calendar> = #value;)
}
