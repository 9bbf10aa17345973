//! `millicron schema`, the examples of job files, and their documentation.

use std::fs;

use regex::Regex;
use serde_json::Value;

use super::command::{millicron, shown};
use super::files::TextFile;

const EXAMPLES: [&str; 3] =
    ["examples/market.toml", "examples/server.toml", "examples/warehouse.toml"];

const DOCUMENT: &str = "docs/jobs.md";

fn schema() -> Value {
    serde_json::from_str(&shown(&["schema"])).expect("JSON")
}

/// Validates a value against the subset of JSON Schema draft 7 that our schema uses.
/// Other keywords panic, so nothing is left unchecked.
fn is_valid(value: &Value, schema: &Value, root: &Value) -> bool {
    let Value::Object(keywords) = schema else { return schema == true };
    keywords.iter().all(|(keyword, content)| match keyword.as_str() {
        "$schema" | "title" | "description" | "default" | "examples" | "definitions" => true,
        "type" => match content.as_str().expect("one type") {
            "object" => value.is_object(),
            "array" => value.is_array(),
            "string" => value.is_string(),
            "boolean" => value.is_boolean(),
            "integer" => value.is_i64() || value.is_u64(),
            other => panic!("the type {other}"),
        },
        "properties" => object(value).all(|(key, value)| {
            content.get(key).is_none_or(|schema| is_valid(value, schema, root))
        }),
        "additionalProperties" => {
            let known =
                |key: &str| keywords.get("properties").is_some_and(|it| it.get(key).is_some());
            object(value).all(|(key, value)| known(key) || is_valid(value, content, root))
        }
        "required" => list(content).all(|key| value.get(key.as_str().expect("a key")).is_some()),
        "propertyNames" => {
            object(value).all(|(key, _)| is_valid(&Value::String(key.clone()), content, root))
        }
        "dependencies" => object(content).all(|(key, needed)| {
            let is_met = |needed: &Value| match needed {
                Value::Array(keys) => {
                    keys.iter().all(|key| value.get(key.as_str().expect("a key")).is_some())
                }
                schema => is_valid(value, schema, root),
            };
            value.get(key).is_none() || is_met(needed)
        }),
        "items" => match content {
            Value::Array(first) => {
                list(value).zip(first).all(|(value, schema)| is_valid(value, schema, root))
            }
            schema => list(value).all(|value| is_valid(value, schema, root)),
        },
        "additionalItems" => {
            let first = keywords["items"].as_array().map_or(0, Vec::len);
            list(value).skip(first).all(|value| is_valid(value, content, root))
        }
        "minItems" => {
            value.as_array().is_none_or(|it| it.len() as u64 >= content.as_u64().expect("a number"))
        }
        "minLength" => {
            value.as_str().is_none_or(|it| it.len() as u64 >= content.as_u64().expect("a number"))
        }
        "pattern" => value.as_str().is_none_or(|it| {
            Regex::new(content.as_str().expect("a pattern")).expect("a pattern").is_match(it)
        }),
        "maximum" => value.as_i64().is_none_or(|it| it <= content.as_i64().expect("a number")),
        "minimum" => value.as_i64().is_none_or(|it| it >= content.as_i64().expect("a number")),
        "const" => value == content,
        "enum" => list(content).any(|choice| value == choice),
        "not" => !is_valid(value, content, root),
        "anyOf" => list(content).any(|schema| is_valid(value, schema, root)),
        "allOf" => list(content).all(|schema| is_valid(value, schema, root)),
        "oneOf" => list(content).filter(|schema| is_valid(value, schema, root)).count() == 1,
        "$ref" => {
            let pointer = content.as_str().expect("a pointer").trim_start_matches('#');
            is_valid(value, root.pointer(pointer).expect("a definition"), root)
        }
        other => panic!("the keyword {other}"),
    })
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn object(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flatten()
}

fn is_valid_file(text: &str) -> bool {
    let schema = schema();
    let value: Value = toml::from_str(text).expect("TOML");
    is_valid(&value, &schema, &schema)
}

/// Returns what `check` finds in a TOML file.
fn checked(text: &str) -> String {
    let file = TextFile::new("jobs.toml", text);
    let output = millicron(&["check", "--deny", "warnings", file.path()]);
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    if output.status.success() { String::new() } else { text }
}

#[test]
fn the_schema_in_the_repository_is_current() {
    let path = "jobs.schema.json";
    let written = fs::read_to_string(path).expect("the schema");
    assert_eq!(written, shown(&["schema"]), "run `millicron schema > crates/cli/{path}`");
}

#[test]
fn the_examples_are_valid_and_surprise_nobody() {
    for path in EXAMPLES {
        let text = fs::read_to_string(path).expect("the example");
        assert_eq!(checked(&text), "", "{path}");
        assert!(is_valid_file(&text), "{path}");
        assert!(text.starts_with("#:schema ../jobs.schema.json\n"), "{path}");
    }
    let names = fs::read_dir("examples").expect("the examples").count();
    assert_eq!(names, EXAMPLES.len());
}

/// Lines of a job that are right.
const ACCEPTED: &[&str] = &[
    "",
    "dialect = 'millicron'",
    "overlap = 'skip'",
    "overlap = { queue = 2 }",
    "missed = { all = 3 }",
    "retries = { most = 3, wait = '1s', longest = '1m', jitter = '1s', until-next-event = true }",
    "needs = 'b'",
    "needs = ['b', { last = 'b', within = 'day' }]",
    "needs = { all-data = 'b', unit = 'day' }",
    "needs = { at-least = 'b', count = 1 }",
    "needs = { any-of = ['b', { all-of = ['b', { previous = true }] }] }",
    "needs = { all = 'b', periods-back = 1, period = 'week', ended = true }",
    "needs = []",
    "needs = { all-of = [] }",
    "needs = { any-of = ['b'], within = '36h' }",
    "needs = { any-of = [{ latest = 'b' }], period = 'day' }",
    "needs = { latest = 'b', period = 'day' }",
    "needs = { previous = true, period = 'day', periods-back = 1 }",
    "command = ['a', 'b', '']",
    "environment = { A = 'b', 'a b' = '' }",
    "retries = { most = 4294967295 }",
    "timeout = '10 ms'",
    "timeout = '00:00:01'",
    "zone = 'UTC'",
    "grace = '90s'",
    "grace = '1h 30m'",
    "grace = '1 hour, 30 minutes'",
    "grace = '01:30:00'",
    "grace = 'PT1H30M'",
    "grace = '+PT1H'",
    "grace = '1.5h'",
    "grace = '250µs'",
    "grace = '0s'",
    "grace = '1hour30minutes'",
    "grace = '2 wks, 1 day 01:02:03,5 '",
    "grace = '1w 2d 3h 4m 5s 6ms 7us 8ns'",
    "grace = '1 week 2 days 3 hrs 4 mins 5 secs 6 millis 7 micros 8 nanos'",
    "grace = '1 wk 1 hr 1 min 1 sec 1 milli 1 micro 1 nano'",
    "grace = '3 msecs 3 usecs 3 nsecs'",
    "grace = '2 hours 1 second 3 milliseconds 3 microseconds 3 nanoseconds'",
    "grace = 'p1w2dt1h2.5m'",
    "grace = 'PT1,5S'",
];

/// Lines of a job that are wrong.
const REFUSED: &[&str] = &[
    "shedule = '1'",
    "dialect = 'cron'",
    "overlap = 'queue'",
    "overlap = { queue = 2, allow = 3 }",
    "overlap = { queue = -1 }",
    "missed = 3",
    "retries = 3",
    "retries = { wait = '1s' }",
    "needs = { within = 'day' }",
    "needs = { last = 'b', all = 'b' }",
    "needs = { previous = false }",
    "needs = { all = 'b', unit = 'day' }",
    "needs = { all = 'b', count = 1 }",
    "needs = { all = 'b', period = 'fortnight' }",
    "command = []",
    "command = ''",
    "command = [1]",
    "environment = { A = 1 }",
    "duration = 90",
    "duration = '90'",
    "duration = ''",
    "duration = '-1s'",
    "duration = 'soon'",
    "duration = '1 month'",
    "duration = '1y'",
    "duration = '1:30'",
    "duration = '1 hour ago'",
    "duration = '1H'",
    "duration = 'P1M'",
    "duration = 'PT'",
    "duration = '1h x'",
    "timeout = '0s'",
    "timeout = 'PT0.0S'",
    "retries = { most = 4294967296 }",
    "retries = { most = -1 }",
    "command = ['']",
    "command = [' ', 1]",
    "command = ' '",
    "environment = { '' = 'b' }",
    "environment = { 'A=B' = 'b' }",
    "zone = ''",
    "needs = ''",
    "needs = ['']",
    "needs = { any-of = [] }",
    "needs = { any-of = [''] }",
    "needs = { last = 'b', within = 'days' }",
    "needs = { all = 'b', within = 'day' }",
    "needs = { all = 'b', period = 'day' }",
    "needs = { classic = 'b', period = 'day' }",
    "needs = { latest = 'b', periods-back = 4294967296 }",
    "missed = { all = 0 }",
    "overlap = { allow = 0 }",
];

#[test]
fn the_schema_refuses_what_the_reader_refuses() {
    let job = |line: &str| {
        format!("[jobs.a]\nschedule = '12:00:00'\n{line}\n[jobs.b]\nschedule = '11:00:00'\n")
    };
    for line in ACCEPTED {
        assert_eq!(checked(&job(line)), "", "{line}");
        assert!(is_valid_file(&job(line)), "{line}");
    }
    for line in REFUSED {
        assert_ne!(checked(&job(line)), "", "{line}");
        assert!(!is_valid_file(&job(line)), "{line}");
    }
    let job = "schedule = '12:00:00'\n";
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/files/holidays.list");
    let calendars = format!("a-1 = '*.1.1'\n_b = \"*.*.*\\n- @a-1\"\nc = {{ file = '{file}' }}\n");
    let text = format!("[calendars]\n{calendars}[jobs.a]\n{job}");
    assert_eq!(checked(&text), "");
    assert!(is_valid_file(&text));
    for text in [
        "[jobs.a]\nschedule = ''\n".to_owned(),
        format!("zone = ''\n[jobs.a]\n{job}"),
        format!("environment = {{ '' = '' }}\n[jobs.a]\n{job}"),
        format!("calendars = {{ a = '' }}\n[jobs.a]\n{job}"),
        format!("calendars = {{ a = 3 }}\n[jobs.a]\n{job}"),
        format!("calendars = {{ a = ['*.1.1'] }}\n[jobs.a]\n{job}"),
        format!("calendars = {{ a = {{ path = 'a.txt' }} }}\n[jobs.a]\n{job}"),
        format!("calendars = {{ 'a b' = '*.1.1' }}\n[jobs.a]\n{job}"),
        format!("calendars = {{ 1a = '*.1.1' }}\n[jobs.a]\n{job}"),
        format!("[jobs.'']\n{job}"),
        format!("[jobs.\"\\t\"]\n{job}"),
    ] {
        assert_ne!(checked(&text), "", "{text}");
        assert!(!is_valid_file(&text), "{text}");
    }
    for key in ["last", "all", "all-data", "at-least", "latest", "classic"] {
        let text =
            |name: &str| format!("[jobs.a]\n{job}needs = {{ {key} = '{name}' }}\n[jobs.b]\n{job}");
        assert!(is_valid_file(&text("b")), "{key}");
        assert_ne!(checked(&text("")), "", "{key}");
        assert!(!is_valid_file(&text("")), "{key}");
    }
}

#[test]
fn the_blocks_of_the_documentation_surprise_nobody() {
    let document = fs::read_to_string(DOCUMENT).expect("the document");
    let blocks: Vec<&str> = document
        .split("```toml\n")
        .skip(1)
        .map(|rest| rest.split("```").next().expect("a block"))
        .collect();
    assert_eq!(blocks.len(), 3);
    for block in blocks {
        assert_eq!(checked(block), "");
        assert!(is_valid_file(block));
    }
}

#[test]
fn all_keys_and_lints_are_documented() {
    let document = fs::read_to_string(DOCUMENT).expect("the document");
    let schema = schema();
    for definition in [
        "/properties",
        "/definitions/JobTable/properties",
        "/definitions/RetryTable/properties",
        "/definitions/NeedTable/properties",
    ] {
        for (key, _) in object(schema.pointer(definition).expect("a table")) {
            let is_documented = [format!("`{key}`"), format!("`{key} = "), format!("`{key}.")];
            assert!(is_documented.iter().any(|text| document.contains(text)), "{key}");
        }
    }
    let lints = shown(&["check", "--lints"]);
    let listed = lints.lines().map(|line| line.split(' ').next().expect("a name"));
    let rows = document.split("| lint |").nth(1).expect("the table").lines().skip(2);
    let documented = rows.map_while(|row| row.strip_prefix("| `")?.split('`').next());
    assert!(listed.eq(documented));
}
