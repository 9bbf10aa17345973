//! Errors in expansions.

use proc_macro2::{Span, TokenStream, TokenTree};
use syn::Error;

/// Returns an expansion that is an error.
///
/// The path that `syn` writes, `::core::compile_error`, is looked up here and not where the error is: in a crate of the
/// edition 2015, it would be in that crate.
pub(crate) fn compile_error(error: &Error) -> TokenStream {
    let located = |mut token: TokenTree| {
        token.set_span(Span::call_site().located_at(token.span()));
        token
    };
    error.to_compile_error().into_iter().map(located).collect()
}
