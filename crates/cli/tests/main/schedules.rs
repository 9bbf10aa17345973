//! `millicron schedules` lists and changes the schedules in a database.

use millicron_test_support::directory::Directory;
#[cfg(unix)]
use millicron_test_support::servers::PostgresServer;
use serde_json::Value;

use super::command::shown_in;

const SQLITE: &str = "sqlite:schedules.db";

/// A directory with a database, and commands for it.
struct Schedules {
    directory: Directory,
    url: String,
}

impl Schedules {
    fn in_sqlite(name: &str) -> Self {
        Self { directory: Directory::new(&format!("schedules-{name}")), url: SQLITE.to_owned() }
    }

    /// Runs a command, and returns its output.
    fn run(&self, arguments: &[&str]) -> String {
        let database = ["schedules", "--database", &self.url];
        shown_in(self.directory.path(), &[&database, arguments].concat())
    }

    /// Runs commands, and returns each with its output.
    fn transcript(&self, commands: &[&[&str]]) -> String {
        let shown = |command: &&[&str]| format!("$ {}\n{}\n", command.join(" "), self.run(command));
        commands.iter().map(shown).collect()
    }

    /// Runs a command that writes lines of JSON.
    fn json(&self, arguments: &[&str]) -> Vec<Value> {
        let shown = self.run(&[arguments, &["--json"]].concat());
        let lines = shown.lines().filter(|line| !line.starts_with("note: "));
        lines.map(|line| serde_json::from_str(line).expect(line)).collect()
    }

    /// Creates schedules whose next event does not depend on the database's clock.
    fn fill(&self, names: &[&str]) {
        for name in names {
            let shown = self.run(&["put", name, "2099.01.05 09:00:00", "--tag", &name[..1]]);
            assert!(shown.starts_with(&format!("{name}: created, version 1\n")), "{shown}");
        }
    }

    /// Executes a statement in SQLite.
    fn execute(&self, sql: &'static str) {
        use sqlx::{Connection as _, SqliteConnection};
        let path = self.directory.join("schedules.db");
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        runtime.expect("a runtime").block_on(async {
            let url = format!("sqlite:{}", path.display());
            let mut database = SqliteConnection::connect(&url).await.expect("a database");
            sqlx::raw_sql(sql).execute(&mut database).await.expect("a valid statement");
        });
    }
}

/// Runs all commands on a new database.
fn tour(schedules: &Schedules) -> String {
    let report = ["put", "report/7", "0 9 * * MON-FRI", "--zone", "Europe/Berlin"];
    let settings = [
        "--payload",
        "{\"customer\": 7}",
        "--missed",
        "all=5",
        "--catch-up",
        "90m",
        "--starts",
        "2099-01-05",
        "--ends",
        "2099-01-07 12:00",
        "--tag",
        "customer-7",
        "--tag",
        "daily",
    ];
    schedules.transcript(&[
        &report,
        &report,
        &[&report[..], &settings].concat(),
        &["put", "cleanup", "2099.*.* 04:30:00 Asia/Tokyo", "--tag", "daily"],
        &["list"],
        &["list", "--zone", "UTC", "--due-before", "2099-01-01", "--width", "120"],
        &["show", "report/7"],
        &["show", "report/7", "--zone", "UTC", "-n", "1", "--json"],
        &["pause", "--tag", "daily"],
        &["pause", "report/7"],
        &["list", "--paused"],
        &[&report[..], &settings].concat(),
        &["show", "cleanup"],
        &["resume", "--tag", "daily"],
        &["resume", "cleanup"],
        &["trigger", "report/7"],
        &["trigger", "--tag", "daily", "--json"],
        &["remove", "cleanup"],
        &["remove", "--tag", "customer-7"],
        &["remove", "--tag", "customer-7"],
        &["list"],
    ])
}

#[test]
fn all_commands_in_sqlite() {
    insta::assert_snapshot!(tour(&Schedules::in_sqlite("tour")));
}

#[cfg(unix)]
#[test]
fn all_commands_do_the_same_in_postgres() {
    let Some(server) = PostgresServer::shared("the command `schedules`") else { return };
    let directory = Directory::new("schedules-postgres");
    let schedules = Schedules { directory, url: server.new_database() };
    assert_eq!(tour(&schedules), tour(&Schedules::in_sqlite("like-postgres")));
    // Another schema has its own schedules.
    schedules.fill(&["a"]);
    assert!(schedules.run(&["list"]).contains("2099-01-05 09:00:00"));
    let other = schedules.run(&["list", "--schema", "other"]);
    assert_eq!(other, "note: there is no such schedule\n");
    // The error is the server's, which knows the password.
    let missing = server.connection_string().replace("/postgres?", "/missing?password=secret&");
    let schedules = Schedules { url: missing, ..schedules };
    let error = schedules.run(&["list"]);
    assert!(error.contains("cannot connect to PostgreSQL in "), "{error}");
    assert!(error.contains("database \"missing\" does not exist"), "{error}");
    assert!(!error.contains("secret"), "{error}");
}

#[test]
fn schedules_are_json() {
    let schedules = Schedules::in_sqlite("json");
    schedules.fill(&["b", "a"]);
    let put = schedules.json(&["put", "a", "2099.01.06 09:00:00", "--payload", "[1]"]);
    assert_eq!((&put[0]["change"], &put[0]["version"]), (&"changed".into(), &2.into()));
    assert_eq!(put[0]["description"], "On 6 January 2099 at 09:00");
    assert_eq!(put[0]["next"][0]["time"], "2099-01-06T09:00:00.000+00:00");
    let list = schedules.json(&["list"]);
    assert_eq!(list.iter().map(|it| &it["name"]).collect::<Vec<_>>(), ["a", "b"]);
    assert_eq!((&list[0]["payload"], &list[0]["tags"]), (&[1].into(), &Value::Array(vec![])));
    let show = schedules.json(&["show", "a"]);
    for (field, value) in list[0].as_object().expect("an object") {
        assert_eq!(&show[0][field], value, "{field}");
    }
    assert!(show[0]["next"].as_array().is_some_and(|next| !next.is_empty()));
    assert_eq!(schedules.json(&["pause", "a"])[0]["count"], 1);
    // As in the text.
    assert_eq!(schedules.json(&["show", "a"])[0]["next"], Value::Array(vec![]));
    assert_eq!(schedules.json(&["list", "--tag", "x"]), [] as [Value; 0]);
}

#[test]
fn lists_are_filtered_and_paged() {
    let schedules = Schedules::in_sqlite("pages");
    let names: Vec<_> =
        (0..5).map(|n| format!("x{n}")).chain((0..3).map(|n| format!("y{n}"))).collect();
    schedules.fill(&names.iter().map(String::as_str).collect::<Vec<_>>());
    let list = |arguments: &[&str]| {
        let list = schedules.json(&[&["list"], arguments].concat());
        list.iter().map(|it| it["name"].as_str().expect("a name").to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(list(&["--all"]), names);
    assert_eq!(list(&["--limit", "3"]), names[..3]);
    assert_eq!(list(&["--tag", "y"]), names[5..]);
    assert_eq!(list(&["--prefix", "x", "--limit", "4"]), names[..4]);
    assert_eq!(list(&["--due-before", "2099-01-05 09:00"]), [] as [&str; 0]);
    assert_eq!(list(&["--due-before", "2099-01-05 11:00 +01:00", "--tag", "y"]), names[5..]);
    let more =
        "note: there are more schedules: list them with --all, or more of them with --limit\n";
    assert!(schedules.run(&["list", "--limit", "7"]).ends_with(more));
    assert!(!schedules.run(&["list", "--limit", "8"]).contains("note"));
    assert!(schedules.run(&["list", "--limit", "8", "--all"]).contains("cannot be used with"));
}

#[test]
fn times_in_another_zone_have_an_offset() {
    let schedules = Schedules::in_sqlite("zones");
    schedules.fill(&["a"]);
    let line = |arguments: &[&str]| {
        let shown = schedules.run(&[&["list"], arguments].concat());
        shown.lines().last().expect("a schedule").trim_end().to_owned()
    };
    assert!(line(&[]).contains("UTC  2099-01-05 09:00:00 a"), "{}", line(&[]));
    let tokyo = line(&["--zone", "Asia/Tokyo"]);
    assert!(tokyo.contains("UTC  2099-01-05 18:00:00 +09:00 a"), "{tokyo}");
}

#[test]
fn schedules_that_cannot_be_read_are_shown() {
    let schedules = Schedules::in_sqlite("failed");
    schedules.fill(&["a", "b"]);
    // As by a program that does not know this language, and by another one that has read the row.
    schedules.execute("UPDATE millicron_schedules SET schedule = 'at nine\x1b[1m', zone = 'Asia/Tokyo' WHERE name = 'a'");
    schedules.execute(
        "UPDATE millicron_schedules SET error = 'this is not a schedule' WHERE name = 'a'",
    );
    let shown = schedules.transcript(&[&["list"], &["list", "--failed"], &["show", "a"]]);
    insta::assert_snapshot!(shown);
    let json = schedules.json(&["show", "a"]);
    assert_eq!(json[0]["error"], "this is not a schedule");
    assert_eq!((&json[0]["description"], &json[0]["next"]), (&Value::Null, &Value::Null));
    // Changing it removes the error.
    schedules.run(&["put", "a", "9:00:00"]);
    assert_eq!(schedules.run(&["list", "--failed"]), "note: there is no such schedule\n");
}

#[test]
fn calendars_are_files() {
    let schedules = Schedules::in_sqlite("calendars");
    let days = "*.*.* Mon-Fri\n- 2026-11-23\n";
    std::fs::write(schedules.directory.join("nyse.days"), days).expect("accessible directory");
    let calendar = ["--calendar", "nyse.days"];
    let shown = schedules.transcript(&[
        &["put", "open", "09:30:00 @nyse America/New_York"],
        &["put", "close", "17:00:00", "--in-calendar", "nyse"],
        &[&["put", "open", "09:30:00 @nyse America/New_York"], &calendar[..]].concat(),
        &[&["put", "close", "17:00:00", "--in-calendar", "nyse"], &calendar[..]].concat(),
        &["show", "open"],
        &[&["show", "close", "-n", "1"], &calendar[..]].concat(),
    ]);
    insta::assert_snapshot!(shown);
    assert_eq!(schedules.json(&["show", "close"])[0]["next"], Value::Null);
    let unnamed = schedules.run(&[&["put", "open", "09:30:00"], &calendar[..]].concat());
    assert_eq!(
        unnamed,
        "error: the schedule does not name the calendar `nyse`\nhint: write `@nyse` after its time, \
         or add --in-calendar nyse\nexit status Some(2)\n"
    );
}

#[test]
fn errors_of_schedules_are_explained() {
    let schedules = Schedules::in_sqlite("errors");
    schedules.fill(&["report/7"]);
    let put = |arguments: &[&'static str]| [&["put", "x"], arguments].concat();
    let commands = [
        put(&["25:00:00"]),
        put(&["0 30 9 * * 1-5"]),
        put(&["every weekday at 9:30"]),
        put(&["9:00:00", "--zone", "Europe/Berln"]),
        put(&["9:00:00", "--zone", "+02:00"]),
        put(&["9:00:00", "--starts", "tomorrow", "--ends", "today"]),
        put(&["9:00:00", "--missed", "all=0"]),
        put(&["9:00:00", "--catch-up", "soon"]),
        put(&["9:00:00", "--catch-up", "-1h"]),
        put(&["9:00:00", "--payload", "text"]),
        put(&["9:00:00", "--version", "3"]),
        vec!["put", "report/7", "9:00:00", "--version", "0"],
        vec!["put", "report/7", "9:00:00", "--version", "2"],
        vec!["show", "reprt/7"],
        vec!["pause", "eport/7"],
        vec!["remove", "something else"],
        vec!["trigger", "--tag", "x"],
        vec!["trigger"],
        vec!["trigger", "x", "--tag", "x"],
        vec!["remove", "--tag", "r", "--tag", "x"],
        vec!["list", "--tag", "r", "--tag", "x"],
        put(&["9:00:00 Asia/Tokyo", "--zone", "Europe/Berlin"]),
        vec!["lst"],
    ];
    insta::assert_snapshot!(schedules.transcript(&commands.each_ref().map(|it| &it[..])));
    let unchanged =
        schedules.run(&["put", "report/7", "2099.01.05 09:00:00", "--tag", "r", "--version", "1"]);
    assert!(unchanged.starts_with("report/7: unchanged, version 1\n"), "{unchanged}");
}

#[test]
fn errors_of_databases_are_explained_without_passwords() {
    let directory = Directory::new("schedules-databases");
    std::fs::write(directory.join("text.db"), "Dear diary".repeat(1000)).expect("a file");
    let mut shown = String::new();
    let refused = ["schedules", "list", "--database", "postgres://app:secret@127.0.0.1:1/app"];
    let refused = shown_in(directory.path(), &refused);
    // The reason is the system's.
    let expected = "error: cannot connect to PostgreSQL at 127.0.0.1:1 as `app`: ";
    assert!(refused.starts_with(expected) && !refused.contains("secret"), "{refused}");
    for url in [
        "postgres://app:secret@127.0.0.1:port/app",
        "postgres://127.0.0.1:1/app?password=secret&sslmode=maybe",
        "mysql://app:secret@127.0.0.1/app",
        "schedules.db",
        "",
        "sqlite:",
        "sqlite:missing.db",
        "sqlite:schedules.db?password=secret",
        "sqlite:text.db",
    ] {
        let error = shown_in(directory.path(), &["schedules", "list", "--database", url]);
        shown.extend([&*url.replace("secret", "…"), "\n", &error, "\n"]);
    }
    let arguments = ["schedules", "put", "x", "9:00:00", "--database", "sqlite:no/schedules.db"];
    shown.push_str(&shown_in(directory.path(), &arguments));
    shown.push_str(&shown_in(directory.path(), &["schedules", "show", "x"]));
    let misplaced = ["schedules", "postgres://app:secret@127.0.0.1/app", "list"];
    shown.push_str(&shown_in(directory.path(), &misplaced));
    let name = ["schedules", "list", "--database", SQLITE, "--schema", "A B"];
    shown_in(directory.path(), &["schedules", "put", "x", "9:00:00", "--database", SQLITE]);
    shown.push_str(&shown_in(directory.path(), &name));
    assert!(!shown.contains("secret"), "{shown}");
    insta::assert_snapshot!(shown);
    assert!(!directory.join("missing.db").exists());
}
