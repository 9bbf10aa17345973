//! The procedural macro behind `millicron::schedule!`.
//!
//! It holds no semantics: it reads a string literal, has the runtime compile
//! the text, and quotes the plan that comes back. Use it through `millicron`,
//! whose `schedule!` hands over the path to itself.

mod input;
mod quote_plan;
#[cfg(test)]
mod tests;

use proc_macro2::TokenStream;
use quote::quote;

use input::Input;

/// `schedule!($crate "text")`: an expression of type `$crate::Schedule`.
#[doc(hidden)]
#[proc_macro]
pub fn schedule(tokens: proc_macro::TokenStream) -> proc_macro::TokenStream {
    expand(tokens.into()).into()
}

/// The expansion; after a mistake, the error and a schedule all the same, so
/// that one mistake gives one message.
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

/// A well-typed schedule for the code around an error.
fn fallback(root: &TokenStream, error: &syn::Error) -> TokenStream {
    let error = error.to_compile_error();
    quote!({ #error; #root::__private::FALLBACK })
}
