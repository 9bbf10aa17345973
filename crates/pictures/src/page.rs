//! Wraps an SVG document in an HTML page.

use crate::text::clean;

/// Returns a page without external resources. Each mark of the picture shows its details when it is hovered or focused.
pub(crate) fn page(title: &str, svg: &str) -> String {
    let title = clean(title).replace('&', "&amp;").replace('<', "&lt;");
    let (head, rest) = split(include_str!("page.html"), "{title}");
    let (body, end) = split(rest, "{svg}");
    [head, &title, body, svg, end].concat()
}

fn split(text: &'static str, place: &str) -> (&'static str, &'static str) {
    text.split_once(place).unwrap_or((text, ""))
}
