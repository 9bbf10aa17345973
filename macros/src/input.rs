//! The arguments of the macros: the path to `millicron`, an optional dialect, a string literal, and
//! calendars.

use millicron_runtime::Dialect;
use proc_macro2::{Delimiter, Ident, Span, TokenStream, TokenTree};
use quote::{quote, quote_spanned};
use syn::ext::IdentExt as _;
use syn::parse::{Parse, ParseStream, Parser};
use syn::{Error, LitStr, Result, Token};

/// The arguments of the macro.
pub(crate) struct Input {
    /// The path to `millicron`, from `$crate`.
    pub(crate) root: TokenStream,
    /// The dialect, if any, the literal and the calendars; an error if the literal is missing or the
    /// dialect is unknown.
    pub(crate) text: Result<Text>,
}

/// Expands a macro with these arguments. Even after an error, the expansion contains a value, so that each error causes
/// one message. `fallback` is that value, in the hidden module of `millicron`.
pub(crate) fn expand_input(
    tokens: TokenStream,
    fallback: &TokenStream,
    expand: impl FnOnce(&TokenStream, Result<Text>) -> Result<TokenStream>,
) -> TokenStream {
    let Input { root, text } = match syn::parse2::<Input>(tokens) {
        Ok(input) => input,
        Err(error) => return error.into_compile_error(),
    };
    expand(&root, text).unwrap_or_else(|error| {
        let error = error.to_compile_error();
        quote!({ #error; #root::__private::#fallback })
    })
}

/// A literal with its calendars.
pub(crate) struct Text {
    /// The dialect; `None` for the language of this crate.
    pub(crate) dialect: Option<Dialect>,
    pub(crate) literal: LitStr,
    pub(crate) calendars: Vec<NamedCalendar>,
}

impl Text {
    /// Checks the constants that follow the literal.
    pub(crate) fn check_calendars(&self) -> Result<()> {
        for (place, calendar) in self.calendars.iter().enumerate() {
            if let Some(argument) = calendar.quoted_argument() {
                let message = format!("a name with `-` is a string: write `{argument}`");
                return Err(Error::new(calendar.span, message));
            }
            if self.calendars[..place].iter().any(|it| it.name == calendar.name) {
                let message =
                    format!("the calendar `{}` is passed twice: leave one out", calendar.name);
                return Err(Error::new(calendar.span, message));
            }
        }
        Ok(())
    }
}

/// Returns the argument that passes a constant as the calendar with a name.
pub(crate) fn argument(name: &str, constant: &str) -> String {
    match name {
        _ if name == constant => name.to_owned(),
        _ if name.contains('-') => format!("\"{name}\" = {constant}"),
        _ => format!("{name} = {constant}"),
    }
}

/// Returns the argument that passes a constant with the usual name as the calendar with a name.
pub(crate) fn example_argument(name: &str) -> String {
    argument(name, &name.replace('-', "_").to_uppercase())
}

/// A constant that is a calendar, by its name in a text: `nyse = path::TO_NYSE`, or `NYSE`.
pub(crate) struct NamedCalendar {
    pub(crate) name: String,
    pub(crate) span: Span,
    /// The path to the constant.
    pub(crate) path: TokenStream,
}

impl NamedCalendar {
    /// Returns how to write `to-x = WEEK`, which is read as a path as a whole.
    fn quoted_argument(&self) -> Option<String> {
        let is_equals =
            |tree: &TokenTree| matches!(tree, TokenTree::Punct(it) if it.as_char() == '=');
        let trees: Vec<_> = self.path.clone().into_iter().collect();
        let place = trees.iter().position(is_equals)?;
        let is_part = |tree: &TokenTree| match tree {
            TokenTree::Punct(it) => it.as_char() == '-',
            TokenTree::Group(_) => false,
            TokenTree::Ident(_) | TokenTree::Literal(_) => true,
        };
        let (name, constant) = (&trees[..place], trees[place + 1..].iter().cloned());
        let is_name = name.iter().all(is_part);
        let name: String = name.iter().map(ToString::to_string).collect();
        let constant: TokenStream = constant.collect();
        is_name.then(|| argument(&name, &constant.to_string()))
    }

    /// Returns the path to the constant as text.
    pub(crate) fn path(&self) -> String {
        self.path.to_string().replace(" :: ", "::")
    }

    /// Returns a reference to the constant.
    pub(crate) fn reference(&self) -> TokenStream {
        let path = &self.path;
        quote_spanned!(self.span=> &#path)
    }
}

impl Parse for Input {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let root: TokenTree = input.parse()?;
        let tokens: TokenStream = input.parse()?;
        let text = match arguments.parse2(tokens.clone()) {
            Err(_) => Err(not_a_literal(tokens)),
            Ok((None, literal, calendars)) => Ok(Text { dialect: None, literal, calendars }),
            Ok((Some(name), literal, calendars)) => {
                match Dialect::with_keyword(&name.to_string()) {
                    Some(dialect) => Ok(Text { dialect: Some(dialect), literal, calendars }),
                    None => Err(unknown_dialect(&name)),
                }
            }
        };
        Ok(Self { root: root.into(), text })
    }
}

/// Reads an optional name, a string literal, calendars, and an optional comma.
fn arguments(input: ParseStream<'_>) -> Result<(Option<Ident>, LitStr, Vec<NamedCalendar>)> {
    let name = if input.peek(Ident::peek_any) { Some(input.call(Ident::parse_any)?) } else { None };
    let literal: LitStr = input.parse()?;
    // The compiler leaves it to the macro to reject suffixes.
    if !literal.suffix().is_empty() {
        return Err(input.error("a suffix"));
    }
    let mut calendars = Vec::new();
    while input.parse::<Option<Token![,]>>()?.is_some() && !input.is_empty() {
        calendars.push(named_calendar(input)?);
    }
    if input.is_empty() { Ok((name, literal, calendars)) } else { Err(input.error("a comma")) }
}

/// Reads `name = path`, `"name" = path` or a path whose last part is the name.
fn named_calendar(input: ParseStream<'_>) -> Result<NamedCalendar> {
    let named = if input.peek(LitStr) {
        let name: LitStr = input.parse()?;
        input.parse::<Token![=]>()?;
        Some((name.value(), name.span()))
    } else if input.peek(Ident::peek_any) && input.peek2(Token![=]) {
        let name = input.call(Ident::parse_any)?;
        input.parse::<Token![=]>()?;
        Some((name.unraw().to_string(), name.span()))
    } else {
        None
    };
    let mut path = TokenStream::new();
    let mut last = None;
    while !input.is_empty() && !input.peek(Token![,]) {
        let tree: TokenTree = input.parse()?;
        last = last_name(&tree);
        path.extend([tree]);
    }
    match named.or_else(|| last.map(|name| (name.unraw().to_string(), name.span()))) {
        Some((name, span)) if !path.is_empty() => Ok(NamedCalendar { name, span, path }),
        _ => Err(input.error("a path to a calendar")),
    }
}

/// Returns the name with which a path ends, also within the invisible groups that `macro_rules!` puts around a path that
/// it forwards.
fn last_name(tree: &TokenTree) -> Option<Ident> {
    match tree {
        TokenTree::Ident(name) => Some(name.clone()),
        TokenTree::Group(group) if group.delimiter() == Delimiter::None => {
            last_name(&group.stream().into_iter().last()?)
        }
        _ => None,
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
