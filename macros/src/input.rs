//! The arguments of `schedule!`: the path to `millicron`, and a string literal.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use syn::parse::{Parse, ParseStream};
use syn::{Error, LitStr, Result};

/// The arguments of the macro.
pub(crate) struct Input {
    /// The path to `millicron`, from `$crate`.
    pub(crate) root: TokenStream,
    /// The literal, or the error if it is missing.
    pub(crate) literal: Result<LitStr>,
}

impl Parse for Input {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let root: TokenTree = input.parse()?;
        let literal: TokenStream = input.parse()?;
        Ok(Self { root: root.into(), literal: literal_of(literal) })
    }
}

/// Returns the single string literal of the arguments, without the invisible groups that
/// `macro_rules!` puts around an expression that it forwards.
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
        // The compiler leaves it to the macro to reject suffixes.
        Some(tree @ TokenTree::Literal(_)) => syn::parse2(tree.into())
            .ok()
            .filter(|literal: &LitStr| literal.suffix().is_empty())
            .ok_or_else(|| not_a_literal(whole)),
        _ => Err(not_a_literal(whole)),
    }
}

/// Returns the error for arguments other than a string literal, which points at all of them.
fn not_a_literal(tokens: TokenStream) -> Error {
    const MESSAGE: &str = "`schedule!` takes one string literal, such as `schedule!(\"*:00:00\")`; \
                           `concat!` and constants are not evaluated yet when the macro expands; \
                           to parse any text at run time, use `text.parse::<Schedule>()`";
    Error::new_spanned(tokens, MESSAGE)
}
