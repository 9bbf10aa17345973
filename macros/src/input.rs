//! What `schedule!` is given: the path to `millicron`, and a string literal.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use syn::parse::{Parse, ParseStream};
use syn::{Error, LitStr, Result};

/// The arguments of the macro.
pub(crate) struct Input {
    /// The path to `millicron`, as `$crate` gave it.
    pub(crate) root: TokenStream,
    /// The text, or why it is none.
    pub(crate) literal: Result<LitStr>,
}

impl Parse for Input {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let root: TokenTree = input.parse()?;
        let literal: TokenStream = input.parse()?;
        Ok(Self { root: root.into(), literal: literal_of(literal) })
    }
}

/// The one string literal there is, taken out of the invisible groups that
/// other macros put around what they pass on.
fn literal_of(tokens: TokenStream) -> Result<LitStr> {
    let whole = tokens.clone();
    let mut trees = tokens.into_iter();
    let first = trees.next();
    let is_one = match trees.next() {
        None => true,
        Some(TokenTree::Punct(comma)) => comma.as_char() == ',' && trees.next().is_none(),
        Some(_) => false,
    };
    match first.filter(|_| is_one) {
        Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::None => {
            literal_of(group.stream())
        }
        // A suffix means nothing, and the compiler leaves it to the macro to
        // say so.
        Some(tree @ TokenTree::Literal(_)) => syn::parse2(tree.into())
            .ok()
            .filter(|literal: &LitStr| literal.suffix().is_empty())
            .ok_or_else(|| not_a_literal(whole)),
        _ => Err(not_a_literal(whole)),
    }
}

/// The error for arguments that are no string literal; it points at all of
/// them.
fn not_a_literal(tokens: TokenStream) -> Error {
    const MESSAGE: &str = "`schedule!` takes one string literal, such as `schedule!(\"*:00:00\")`; \
                           `concat!` and constants are not known yet when it is expanded, \
                           but any text can be parsed at run time: `text.parse::<Schedule>()`";
    Error::new_spanned(tokens, MESSAGE)
}
