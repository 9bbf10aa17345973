//! Expands `zone!`, and quotes the zones of schedules.

#[cfg(feature = "zones")]
mod database;

use millicron_runtime::{Zones, find_zone};
use proc_macro2::{Literal, Span, TokenStream};
use quote::quote;
use syn::{Error, Result};

use crate::input::{Text, expand_input};

/// A zone of the IANA database.
pub(crate) struct ZoneData {
    /// The name that was looked up, in its usual case.
    pub(crate) name: &'static str,
    /// The version of the database.
    pub(crate) version: &'static str,
    /// The offset before the first change, in milliseconds.
    pub(crate) offset: i32,
    /// The changes from 2000 to 2100: the first instant with the new offset, and the new offset.
    pub(crate) changes: Vec<(i64, i32)>,
}

/// A database of zones.
pub(crate) type Database = dyn Zones<Zone = ZoneData>;

/// The IANA database, with which this crate was compiled.
#[cfg(feature = "zones")]
pub(crate) const DATABASE: Option<&Database> = Some(&database::Iana);
/// The IANA database, with which this crate was not compiled.
#[cfg(not(feature = "zones"))]
pub(crate) const DATABASE: Option<&Database> = None;

/// Returns the expansion of `zone!`.
pub(crate) fn expand(tokens: TokenStream) -> TokenStream {
    expand_input(tokens, &quote!(FALLBACK_ZONE), |root, text| {
        quoted(root, &text.map_err(|error| not_a_name(error.span()))?)
    })
}

fn not_a_name(span: Span) -> Error {
    Error::new(
        span,
        "`zone!` takes one string literal, the name of a time zone, such as `zone!(\"Europe/Berlin\")`",
    )
}

/// Returns the expansion of a name.
fn quoted(root: &TokenStream, text: &Text) -> Result<TokenStream> {
    let Text { dialect, literal, calendars } = text;
    if dialect.is_some() || !calendars.is_empty() {
        return Err(not_a_name(literal.span()));
    }
    let Some(database) = DATABASE else {
        let message = "`zone!` needs the feature `zones` of the crate `millicron`, which brings the time \
                       zone database";
        return Err(Error::new(literal.span(), message));
    };
    let name = literal.value();
    if name.trim().is_empty() {
        return Err(not_a_name(literal.span()));
    }
    let zone = find_zone(&name, database).map_err(|it| Error::new(literal.span(), it))?;
    let zone = compiled(&zone);
    Ok(quote! {{
        use #root::__private as private;
        // Not a constant, so that it is in the program once.
        static ZONE: private::CompiledZone = #zone;
        private::static_zone(&ZONE)
    }})
}

/// Returns an expression of type `CompiledZone`, which refers to constants only.
pub(crate) fn compiled(zone: &ZoneData) -> TokenStream {
    let ZoneData { name, version, offset, changes } = zone;
    let mut offsets = vec![*offset];
    let mut starts = Vec::new();
    for (at, offset) in changes {
        let place = offsets.iter().position(|it| it == offset).unwrap_or(offsets.len());
        if place == offsets.len() {
            offsets.push(*offset);
        }
        let (at, place) = (Literal::i64_unsuffixed(*at), Literal::usize_unsuffixed(place));
        starts.push(quote!(private::Start::new(#at, #place)));
    }
    let offsets = offsets.into_iter().map(Literal::i32_unsuffixed);
    quote! {
        private::CompiledZone::new(#name, #version, const {
            &private::CompiledSpans::new(
                const {
                    &[
                        private::Start::FIRST, #(#starts,)*
                        private::Start::END, private::Start::END
                    ]
                },
                &[#(#offsets),*],
            )
        })
    }
}
