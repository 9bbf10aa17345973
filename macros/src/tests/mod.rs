//! What the macro makes of its tokens, outside of the compiler.

mod malformed;
mod snapshots;

use proc_macro2::TokenStream;

/// The tokens of a source text.
fn tokens(source: &str) -> TokenStream {
    source.parse().unwrap_or_else(|error| panic!("{source}: {error}"))
}
