//! The procedural macro behind `millicron::schedule!`.
//!
//! The macro reads a string literal, compiles it with the runtime, and quotes the plan. Use it
//! through `millicron`, whose `schedule!` passes the path to the crate.

mod input;
mod quote_plan;
#[cfg(test)]
mod tests;

use proc_macro2::TokenStream;
use quote::quote;

use input::Input;
use millicron_runtime::compile;

/// Expands `schedule!($crate "text")` or `schedule!($crate dialect "text")` to an expression of
/// type `$crate::Schedule`.
#[doc(hidden)]
#[proc_macro]
pub fn schedule(tokens: proc_macro::TokenStream) -> proc_macro::TokenStream {
    expand(tokens.into()).into()
}

/// Returns the expansion. Even after an error, it contains a schedule, so that each error causes
/// one message.
fn expand(tokens: TokenStream) -> TokenStream {
    let (root, text) = match syn::parse2::<Input>(tokens) {
        Ok(Input { root, text }) => (root, text),
        Err(error) => return error.into_compile_error(),
    };
    let (dialect, literal) = match text {
        Ok(text) => text,
        Err(error) => return fallback(&root, &error),
    };
    let text = literal.value();
    match compile(dialect, &text) {
        Ok((plan, expression)) => {
            let text = if dialect.is_some() { expression.to_string() } else { text };
            quote_plan::schedule(&root, &text, &plan)
        }
        Err(error) => fallback(&root, &syn::Error::new(literal.span(), format!("{error:#}"))),
    }
}

/// Returns an error followed by a schedule of the right type.
fn fallback(root: &TokenStream, error: &syn::Error) -> TokenStream {
    let error = error.to_compile_error();
    quote!({ #error; #root::__private::FALLBACK })
}
