//! Diagrams, and the accessors of jobs.

use std::time::Duration;

use millicron::{IntoRecurrence as _, Unit, every, schedule};
use millicron_pipeline::{
    AgeLimit, History as _, MemoryHistory, Need, Pipeline, QueryError, Rule, RunState,
};

use crate::support::{DAY, HOUR, SATURDAY, build, builder, parse, two_jobs};

fn sources() -> Pipeline {
    const EITHER: Need<'_> = Need::any_of(&[
        Need::last("bank").within_unit(Unit::Day),
        Need::all_of(&[Need::latest("exchange"), Need::at_least(3, "load")]),
    ]);
    build(
        builder()
            .job("load", parse("*:01:04"), [])
            .job("bank", parse("2:30:00"), [])
            .job("exchange", every(6).hours().from(SATURDAY).into_recurrence(SATURDAY).unwrap(), [])
            .job("rates", parse("3:00:00"), [EITHER])
            .job(
                "report",
                parse("4:00:00"),
                [
                    Need::all("load").period(Unit::Day).periods_back(2),
                    Need::last("rates").ended(),
                    Need::self_previous().events_back(1),
                    Need::all_data("load", Unit::Day).time_back(Duration::from_secs(90)),
                ],
            ),
    )
}

#[test]
fn dot_has_jobs_and_needs() {
    assert_eq!(
        sources().diagram().to_dot(),
        r##"digraph {
    rankdir=LR;
    node [shape=box, style="rounded,filled", fillcolor="#ffffff"];
    job0 [label="load\n*:01:04"];
    job1 [label="bank\n2:30:00"];
    job2 [label="exchange\n4 times a day"];
    job3 [label="rates\n3:00:00"];
    job4 [label="report\n4:00:00"];
    job1 -> job3 [label="last, in the same day", style=dashed];
    job2 -> job3 [label="latest", style=dashed];
    job0 -> job3 [label="at least 3", style=dashed];
    job0 -> job4 [label="all, 2 days back"];
    job3 -> job4 [label="last, ended"];
    job4 -> job4 [label="previous, 1 run back"];
    job0 -> job4 [label="all data of the day before, 1m 30s back"];
}
"##,
    );
}

#[test]
fn mermaid_has_jobs_and_needs() {
    assert_eq!(
        sources().diagram().to_mermaid(),
        r#"flowchart LR
    job0["load<br>#42;#58;01#58;04"]
    job1["bank<br>2#58;30#58;00"]
    job2["exchange<br>4 times a day"]
    job3["rates<br>3#58;00#58;00"]
    job4["report<br>4#58;00#58;00"]
    job1 -.->|"last, in the same day"| job3
    job2 -.->|"latest"| job3
    job0 -.->|"at least 3"| job3
    job0 -->|"all, 2 days back"| job4
    job3 -->|"last, ended"| job4
    job4 -->|"previous, 1 run back"| job4
    job0 -->|"all data of the day before, 1m 30s back"| job4
"#,
    );
}

#[test]
fn diagram_of_runs_shows_how_they_ended() {
    let pipeline = build(
        builder()
            .job("done", parse("*/12:00:00"), [])
            .job("failed", parse("*/8:00:00"), [Need::all("done")])
            .job("skipped", parse("1:00:00"), [])
            .job("to do", parse("2:00:00"), [])
            .job("weekly", parse("*.*.* Mon 2:00:00"), []),
    );
    let mut history = MemoryHistory::new();
    let states = [
        ("done", 0, RunState::Succeeded),
        ("done", 12, RunState::Succeeded),
        ("done", 24, RunState::Failed),
        ("failed", 0, RunState::Failed),
        ("failed", 8, RunState::Succeeded),
        ("skipped", 1, RunState::Skipped),
        // Not an event.
        ("to do", 3, RunState::Succeeded),
    ];
    for (job, hour, state) in states {
        let Ok(()) = history.record_state(job, SATURDAY + hour * HOUR, state);
    }
    let diagram = pipeline.diagram_of_runs(&history, SATURDAY..SATURDAY + DAY).expect("a diagram");
    assert_eq!(
        diagram.to_mermaid(),
        r#"flowchart LR
    job0["done<br>#42;/12#58;00#58;00<br>2 succeeded"]
    job1["failed<br>#42;/8#58;00#58;00<br>1 failed, 1 succeeded, 1 not recorded"]
    job2["skipped<br>1#58;00#58;00<br>1 skipped"]
    job3["to do<br>2#58;00#58;00<br>1 not recorded"]
    job4["weekly<br>#42;#46;#42;#46;#42; Mon 2#58;00#58;00<br>no runs"]
    job0 -->|"all"| job1
    classDef failed fill:#f8d0d0,color:#000000
    class job1 failed
    classDef incomplete fill:#d3e5f8,color:#000000
    class job3 incomplete
    classDef skipped fill:#f7ecc3,color:#000000
    class job2 skipped
    classDef succeeded fill:#d0ecd3,color:#000000
    class job0 succeeded
    classDef noRuns fill:#eeeeee,color:#000000
    class job4 noRuns
"#,
    );
    let counts = diagram.run_counts();
    let failed = (counts[1].succeeded, counts[1].failed, counts[1].skipped, counts[1].not_recorded);
    assert_eq!((counts.len(), failed), (5, (1, 1, 0, 1)));
    assert_eq!(counts[1].to_string(), "1 failed, 1 succeeded, 1 not recorded");
    assert!(pipeline.diagram().run_counts().is_empty());
    let dot = diagram.to_dot();
    assert!(dot.contains(
        "    job0 [label=\"done\\n*/12:00:00\\n2 succeeded\", fillcolor=\"#d0ecd3\"];\n"
    ));
    assert!(dot.contains("\\n1 failed, 1 succeeded, 1 not recorded\", fillcolor=\"#f8d0d0\"];\n"));
}

/// Names with a special meaning in Mermaid or DOT.
const NAMES: [&str; 13] = [
    "end",
    "",
    "a \"quoted\" name",
    "[brackets] (and) {braces} |bars|",
    "two\nlines\r\n\tand a tab",
    "back\\slash \\n \\N",
    "<b>bold</b> &amp; #35; &",
    "`code` **bold** _it_",
    "1. list",
    "Müller 日本語 🚀",
    "style: x; %% --> subgraph classDef:#a;",
    "nul \0, right to left \u{202e}",
    "hidden \u{61c}\u{200b}\u{2060}\u{feff}",
];

fn named() -> Pipeline {
    let jobs = NAMES.iter().zip(std::iter::once(None).chain(NAMES.iter().map(Some)));
    let builder = jobs.fold(builder(), |builder, (name, before)| {
        builder.job(name, parse("*:00:00"), before.map(|before| Need::last(before)))
    });
    build(builder)
}

#[test]
fn names_are_escaped_in_dot() {
    let dot = named().diagram().to_dot();
    let labels: Vec<&str> = dot
        .lines()
        .filter_map(|line| line.split_once(" [label=\"")?.1.strip_suffix("\\n*:00:00\"];"))
        .collect();
    assert_eq!(
        labels,
        [
            "end",
            "",
            r#"a \"quoted\" name"#,
            "[brackets] (and) {braces} |bars|",
            r"two\\nlines\\r\\n\\tand a tab",
            r"back\\slash \\n \\N",
            "<b>bold</b> &amp;amp; #35; &amp;",
            "`code` **bold** _it_",
            "1. list",
            "Müller 日本語 🚀",
            "style: x; %% --> subgraph classDef:#a;",
            r"nul \\u{0}, right to left \\u{202e}",
            r"hidden \\u{61c}\\u{200b}\\u{2060}\\u{feff}",
        ],
    );
}

#[test]
fn names_are_escaped_in_mermaid() {
    let mermaid = named().diagram().to_mermaid();
    let labels: Vec<&str> = mermaid
        .lines()
        .filter_map(|line| line.split_once("[\"")?.1.strip_suffix("<br>#42;#58;00#58;00\"]"))
        .collect();
    assert_eq!(labels.len(), NAMES.len());
    for (label, name) in labels.iter().zip(NAMES) {
        let is_safe = |c: char| c.is_alphanumeric() || " ,/#;".contains(c);
        assert!(label.chars().all(is_safe), "{label}");
        assert_eq!(decode(label), visible(name));
    }
    assert_eq!(labels[2], "a #34;quoted#34; name");
    assert_eq!(labels[4], "two#92;nlines#92;r#92;n#92;tand a tab");
}

/// Replaces entities as Mermaid does.
fn decode(label: &str) -> String {
    let mut parts = label.split('#');
    let mut text = parts.next().expect("a first part").to_owned();
    for part in parts {
        let (code, rest) = part.split_once(';').expect("the end of an entity");
        let code: u32 = code.parse().expect("a number");
        text.push(char::from_u32(code).expect("a character"));
        text.push_str(rest);
    }
    text
}

fn visible(name: &str) -> String {
    let replacements = [
        ("\n", "\\n"),
        ("\r", "\\r"),
        ("\t", "\\t"),
        ("\0", "\\u{0}"),
        ("\u{202e}", "\\u{202e}"),
        ("\u{61c}", "\\u{61c}"),
        ("\u{200b}", "\\u{200b}"),
        ("\u{2060}", "\\u{2060}"),
        ("\u{feff}", "\\u{feff}"),
    ];
    let mut name = name.to_owned();
    for (hidden, shown) in replacements {
        name = name.replace(hidden, shown);
    }
    name
}

#[test]
fn diagrams_are_deterministic() {
    let [first, second] = [named(), named()];
    assert_eq!(first.diagram().to_dot(), second.diagram().to_dot());
    assert_eq!(first.diagram().to_mermaid(), second.diagram().to_mermaid());
}

#[test]
fn jobs_have_schedules_needs_and_neighbors() {
    let pipeline = sources();
    let rates = pipeline.job("rates").expect("a job");
    assert_eq!(rates.name(), "rates");
    assert_eq!(rates.recurrence().schedule(), Some(&schedule!("3:00:00")));
    assert_eq!(rates.recurrence().next_event(SATURDAY), Some(SATURDAY + 3 * HOUR));
    assert!(rates.upstream().eq(["load", "bank", "exchange"]));
    assert!(rates.downstream().eq(["report"]));
    let report = pipeline.job("report").expect("a job");
    assert!(report.upstream().eq(["load", "rates", "report"]));
    assert!(report.downstream().eq(["report"]));
    assert!(pipeline.job("exchange").expect("a job").recurrence().schedule().is_none());
    let unknown = pipeline.job("other").map(|_| ());
    assert_eq!(unknown, Err(QueryError::UnknownJob { job: "other".into() }));
}

#[test]
fn needs_can_be_matched() {
    let pipeline = sources();
    let needs: Vec<_> = pipeline.job("rates").expect("a job").needs().collect();
    assert_eq!((needs[0].upstream, needs[0].rule), ("bank", Rule::Last));
    assert_eq!(needs[0].age_limit, Some(AgeLimit::SameUnit(Unit::Day)));
    assert_eq!(needs.len(), 3);
    assert!(needs.iter().all(|need| need.is_alternative));
    let needs: Vec<_> = pipeline.job("report").expect("a job").needs().collect();
    assert!(!needs.iter().any(|need| need.is_alternative));
    assert_eq!((needs[0].period, needs[0].periods_back), (Some(Unit::Day), 2));
    let latest = [Need::latest("up").period(Unit::Day)];
    let per_day = two_jobs("*:00:00", "6:00:00", Need::any_of(&latest));
    let need = per_day.job("job").expect("a job").needs().next().expect("a need");
    assert_eq!((need.to_string().as_str(), need.is_alternative), ("latest, per day", false));
    assert!(needs[1].accepts_ended && !needs[0].accepts_ended);
    assert_eq!((needs[2].upstream, needs[2].events_back), ("report", 1));
    assert_eq!(needs[3].time_back, Duration::from_secs(90));
}
