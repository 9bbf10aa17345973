//! The arguments of `schedule!`: the path to `millicron`, an optional dialect, and a string literal.

use millicron_runtime::Dialect;
use proc_macro2::{Delimiter, Ident, TokenStream, TokenTree};
use syn::ext::IdentExt as _;
use syn::parse::{Parse, ParseStream, Parser};
use syn::{Error, LitStr, Result, Token};

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
        let tokens: TokenStream = input.parse()?;
        let text = match arguments.parse2(tokens.clone()) {
            Err(_) => Err(not_a_literal(tokens)),
            Ok((None, literal)) => Ok((None, literal)),
            Ok((Some(name), literal)) => match Dialect::with_keyword(&name.to_string()) {
                Some(dialect) => Ok((Some(dialect), literal)),
                None => Err(unknown_dialect(&name)),
            },
        };
        Ok(Self { root: root.into(), text })
    }
}

/// Reads an optional name, a string literal and an optional comma.
fn arguments(input: ParseStream<'_>) -> Result<(Option<Ident>, LitStr)> {
    let name = if input.peek(Ident::peek_any) { Some(input.call(Ident::parse_any)?) } else { None };
    let literal: LitStr = input.parse()?;
    input.parse::<Option<Token![,]>>()?;
    // The compiler leaves it to the macro to reject suffixes.
    if literal.suffix().is_empty() { Ok((name, literal)) } else { Err(input.error("a suffix")) }
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

/// Returns the error for arguments other than a string literal, which points at all of them, within
/// the invisible groups that `macro_rules!` puts around an expression that it forwards.
fn not_a_literal(tokens: TokenStream) -> Error {
    const MESSAGE: &str = "`schedule!` takes one string literal, such as `schedule!(\"*:00:00\")`; \
                           `concat!` and constants are not evaluated yet when the macro expands; \
                           to parse any text at run time, use `text.parse::<Schedule>()`";
    let mut trees = tokens.clone().into_iter();
    match (trees.next(), trees.next()) {
        (Some(TokenTree::Group(group)), None) if group.delimiter() == Delimiter::None => {
            not_a_literal(group.stream())
        }
        _ => Error::new_spanned(tokens, MESSAGE),
    }
}
