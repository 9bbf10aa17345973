//! SARIF, the static analysis results interchange format of OASIS, version 2.1.0.

use std::fmt::Write;

use serde_json::{Value, json};

use super::LINTS;
use super::checked::Placed;

/// Returns a log of one run.
pub(super) fn sarif(problems: &[Placed<'_>]) -> Value {
    let mut ids: Vec<&str> = LINTS.iter().map(|lint| lint.name).collect();
    for problem in problems {
        if !ids.contains(&problem.rule) {
            ids.push(problem.rule);
        }
    }
    let rule = |id: &&str| match LINTS.iter().find(|lint| lint.name == *id) {
        Some(lint) => json!({
            "id": id,
            "shortDescription": { "text": lint.summary },
            "defaultConfiguration": { "level": "warning" },
        }),
        None => json!({ "id": id }),
    };
    let result = |problem: &Placed<'_>| {
        json!({
            "ruleId": problem.rule,
            "ruleIndex": ids.iter().position(|id| *id == problem.rule),
            "level": problem.level,
            "message": { "text": problem.sentence() },
            "locations": [{
                "physicalLocation": {
                    "artifactLocation": { "uri": uri(problem.file) },
                    "region": {
                        "startLine": problem.line,
                        "startColumn": problem.column,
                        "endLine": problem.end_line,
                        "endColumn": problem.end_column,
                    },
                },
            }],
        })
    };
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {
                "driver": {
                    "name": "millicron",
                    "version": env!("CARGO_PKG_VERSION"),
                    "rules": ids.iter().map(rule).collect::<Vec<_>>(),
                },
            },
            "columnKind": "unicodeCodePoints",
            "results": problems.iter().map(result).collect::<Vec<_>>(),
        }],
    })
}

/// Returns a path as a relative reference of a URI.
fn uri(path: &str) -> String {
    let mut uri = String::new();
    for byte in path.replace('\\', "/").bytes() {
        if byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            let _ = write!(uri, "%{byte:02X}");
        }
    }
    if path.starts_with('/') { format!("file://{uri}") } else { uri }
}
