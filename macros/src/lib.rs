//! The procedural macro behind `millicron::schedule!`.
//!
//! The macro reads a string literal, has the runtime compile the text, and quotes the plan. Use
//! it through `millicron`, whose `schedule!` passes the path to the crate.

mod input;
mod quote_plan;
#[cfg(test)]
mod tests;

use proc_macro2::TokenStream;
use quote::quote;

use input::Input;

/// Expands `schedule!($crate "text")` to an expression of type `$crate::Schedule`.
#[doc(hidden)]
#[proc_macro]
pub fn schedule(tokens: proc_macro::TokenStream) -> proc_macro::TokenStream {
    expand(tokens.into()).into()
}

/// Returns the expansion. After an error it still contains a schedule, so that one error
/// causes one message.
fn expand(tokens: TokenStream) -> TokenStream {
    let (root, literal) = match syn::parse2::<Input>(tokens) {
        Ok(Input { root, literal }) => (root, literal),
        Err(error) => return error.into_compile_error(),
    };
    let literal = match literal {
        Ok(literal) => literal,
        Err(error) => return fallback(&root, &error),
    };
    let text = literal.value();
    match millicron_runtime::compile(&text) {
        Ok(plan) => quote_plan::schedule(&root, &text, &plan),
        Err(error) => fallback(&root, &syn::Error::new(literal.span(), format!("{error:#}"))),
    }
}

/// Returns an error followed by a schedule of the right type.
fn fallback(root: &TokenStream, error: &syn::Error) -> TokenStream {
    let error = error.to_compile_error();
    quote!({ #error; #root::__private::FALLBACK })
}
