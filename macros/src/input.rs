//! The arguments of `schedule!`: the path to `millicron`, an optional dialect, and a string literal.

use millicron_runtime::Dialect;
use proc_macro2::{Delimiter, Ident, TokenStream, TokenTree};
use syn::parse::{Parse, ParseStream};
use syn::{Error, LitStr, Result};

/// The arguments of the macro.
pub(crate) struct Input {
    /// The path to `millicron`, from `$crate`.
    pub(crate) root: TokenStream,
    /// The dialect, if any, and the literal; an error if the literal is missing or the dialect is
    /// unknown.
    pub(crate) text: Result<(Option<Dialect>, LitStr)>,
}

impl Parse for Input {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let root: TokenTree = input.parse()?;
        let text: TokenStream = input.parse()?;
        Ok(Self { root: root.into(), text: text_of(text) })
    }
}

/// Returns the dialect and the string literal of the arguments.
fn text_of(tokens: TokenStream) -> Result<(Option<Dialect>, LitStr)> {
    let mut rest = tokens.clone().into_iter();
    let (Some(TokenTree::Ident(name)), Some(_)) = (rest.next(), rest.clone().next()) else {
        return Ok((None, literal_of(tokens)?));
    };
    // A name before anything but a literal is not a dialect.
    let Ok(literal) = literal_of(rest.collect()) else { return Err(not_a_literal(tokens)) };
    match Dialect::with_keyword(&name.to_string()) {
        Some(dialect) => Ok((Some(dialect), literal)),
        None => Err(unknown_dialect(&name)),
    }
}

/// Returns the error for a name before the literal that is not the name of a dialect.
fn unknown_dialect(name: &Ident) -> Error {
    let [first, second, third, fourth] = Dialect::ALL.map(Dialect::keyword);
    Error::new(
        name.span(),
        format!(
            "`{name}` is not a dialect: expected `{first}`, `{second}`, `{third}` or `{fourth}`, \
             or no name for the language of millicron"
        ),
    )
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
