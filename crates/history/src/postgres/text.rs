//! Encodes strings for `PostgreSQL`, which cannot store U+0000.

/// Replaces U+0000 and U+0001 by U+0001 and a digit, which preserves the order. Most names contain
/// neither.
pub(super) fn encode(text: &str) -> String {
    if text.contains(['\0', '\u{1}']) {
        text.replace('\u{1}', "\u{1}1").replace('\0', "\u{1}0")
    } else {
        text.to_owned()
    }
}

pub(super) fn decode(text: &str) -> String {
    text.replace("\u{1}0", "\0").replace("\u{1}1", "\u{1}")
}

#[cfg(test)]
mod tests {
    use super::{decode, encode};

    #[test]
    fn encoding_is_reversible_and_keeps_the_order() {
        let texts = [
            "",
            "\0",
            "\0\0",
            "\0\u{1}",
            "\x000",
            "\u{1}",
            "\u{1}\0",
            "\u{1}\u{1}",
            "\u{1}0",
            "0",
            "a\0b",
            "ab",
        ];
        for (index, text) in texts.into_iter().enumerate() {
            assert_eq!(decode(&encode(text)), text);
            for other in &texts[index + 1..] {
                assert_eq!(encode(text).cmp(&encode(other)), text.cmp(other), "{text:?} {other:?}");
            }
        }
    }
}
