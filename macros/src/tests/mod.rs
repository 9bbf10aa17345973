//! Tests of the expansion outside the compiler.

mod malformed;
mod snapshots;
mod zones;

use proc_macro2::TokenStream;

/// Parses tokens from a source text.
fn tokens(source: &str) -> TokenStream {
    source.parse().unwrap_or_else(|error| panic!("{source}: {error}"))
}
