//! One test for each claim of `COMPARE.md`.

mod language;
mod packages;
mod schedulers;
mod search;
mod systemd;
mod zones;

/// A Sunday.
const SUNDAY: &str = "2026-11-22T00:00:00+00:00[UTC]";

/// Midnights in UTC.
#[expect(clippy::unnecessary_wraps, reason = "compared with what a library returns")]
fn midnights<const N: usize>(days: [&str; N]) -> millicron_compare::Events {
    Ok(days.iter().map(|day| format!("{day} 00:00:00 +0000")).collect())
}
