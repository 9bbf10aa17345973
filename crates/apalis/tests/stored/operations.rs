//! Operations on the table.

use millicron::Recurrence as _;
use millicron_apalis::stored::{
    Filter, InvalidSchedule, Schedules, Selection, StoredError, StoredSchedule,
};
use millicron_apalis::{Missed, Source};
use sqlx::pool::PoolOptions;

use super::changes::{get, often, pause, push_due};
use super::{Database, TestTable, on_both};
use crate::support::{MIDNIGHT, soon};

on_both! {
    what_is_put_is_got
    versions_are_checked
    wrong_texts_are_refused
    lists_are_filtered_and_paged
    changes_by_tag_are_counted
    operations_by_tag
    schedules_are_counted
    schedules_are_read_and_described
    tasks_are_pushed_with_few_connections
    instants_may_be_any_integers
    texts_with_nul_select_nothing
}

async fn what_is_put_is_got<DB: TestTable>() {
    let Some(database) = DB::database("a row").await else { return };
    let Database { pool, schedules, .. } = &database;
    let schedule = StoredSchedule::new("report/7", "0 9 * * MON-FRI")
        .zone("Europe/Berlin")
        .payload(7)
        .missed(Missed::All { max: 12 })
        .catch_up(std::time::Duration::from_millis(90_001))
        .between(Some(1_795_219_200_001), Some(1_895_219_200_002))
        .tag("customer")
        .tag("it's a \"tag\"");
    assert_eq!(schedules.put(pool, &schedule).await.expect("a valid schedule"), 1);
    let got = schedules.get(pool, "report/7").await.expect("a row").expect("a schedule");
    let mut expected = schedule.clone();
    (expected.version, expected.next_at) = (Some(1), got.next_at.filter(|next| *next > 0));
    assert_eq!(got, expected);
    // The same again is no change.
    assert_eq!(schedules.put(pool, &schedule).await.expect("a valid schedule"), 1);
    assert_eq!(schedules.put(pool, &schedule.tag("more")).await.expect("a valid schedule"), 2);
    assert_eq!(schedules.get(pool, "report").await.expect("no row"), None);
}

async fn versions_are_checked<DB: TestTable>() {
    let Some(database) = DB::database("versions").await else { return };
    let Database { pool, schedules, .. } = &database;
    let mut new = StoredSchedule::new("a", "*:00:00");
    new.version = Some(0);
    assert_eq!(schedules.put(pool, &new).await.expect("a new schedule"), 1);
    let conflict = schedules.put(pool, &new).await.expect_err("a conflict").to_string();
    assert_eq!(conflict, "the schedule `a` has changed: expected no schedule, found version 1");
    let mut a = schedules.get(pool, "a").await.expect("a row").expect("a schedule");
    "*:30:00".clone_into(&mut a.schedule);
    assert_eq!(schedules.put(pool, &a).await.expect("the current version"), 2);
    let all = [StoredSchedule::new("b", "*:00:00"), a];
    let conflict = schedules.put_all(pool, &all).await.expect_err("a conflict").to_string();
    assert_eq!(conflict, "the schedule `a` has changed: expected version 1, found version 2");
    assert_eq!(schedules.get(pool, "b").await.expect("no row"), None);
}

async fn wrong_texts_are_refused<DB: TestTable>() {
    let Some(database) = DB::database("refusals").await else { return };
    let Database { pool, schedules, .. } = &database;
    let texts = [
        ("25:00:00", "hour `25` is out of range: expected 0-23"),
        ("*:00:00 Europe/Berlinn", "`Europe/Berlinn` is not a time zone: expected `Europe/Berlin`"),
        ("12:00:00 @nyse", "`nyse` is not a known calendar: expected `lse`"),
        (
            "0 30 9 * * 1-5",
            "the text has a different meaning in crontab and cron crate: name its language",
        ),
    ];
    for (text, message) in texts {
        let result = schedules.put(pool, &StoredSchedule::new("a", text)).await;
        let Err(StoredError::Invalid { error, .. }) = result else { panic!("{text}: {result:?}") };
        assert_eq!(error.to_string(), message, "{text}");
    }
    let twice = [StoredSchedule::new("a", "*:00:00"), StoredSchedule::new("a", "*:30:00")];
    let error = schedules.put_all(pool, &twice).await.expect_err("an error");
    assert_eq!(error.to_string(), "two schedules are named `a`");
    let reversed = StoredSchedule::new("a", "*:00:00").between(Some(2), Some(1));
    let error = schedules.put(pool, &reversed).await.expect_err("an error");
    let StoredError::Invalid { error, .. } = error else { panic!("{error:?}") };
    assert_eq!(*error, InvalidSchedule::EndsBeforeStart);
    let page = schedules.list(pool, &Filter::default()).await.expect("a page");
    assert_eq!(page.schedules, []);
}

async fn changes_by_tag_are_counted<DB: TestTable>() {
    let Some(database) = DB::database("counts").await else { return };
    let Database { pool, schedules, .. } = &database;
    let tagged = ["a", "b", "c"].map(|name| StoredSchedule::new(name, "*:00:00").tag("x"));
    let other = StoredSchedule::new("d", "*:00:00").tag("y");
    schedules.put_all(pool, &[&tagged[..], &[other]].concat()).await.expect("valid schedules");
    schedules.pause(pool, Selection::Name("b")).await.expect("a pause");
    let x = Selection::Tag("x");
    // The triggers of the tables change rows, too.
    assert_eq!(schedules.pause(pool, x).await.expect("a pause"), 2);
    assert_eq!(schedules.pause(pool, x).await.expect("a pause"), 0);
    assert_eq!(schedules.trigger(pool, x).await.expect("a trigger"), 3);
    assert_eq!(schedules.resume(pool, x).await.expect("a resumption"), 3);
    assert_eq!(schedules.remove(pool, x).await.expect("a removal"), 3);
    assert_eq!(schedules.remove(pool, x).await.expect("a removal"), 0);
    assert_eq!(schedules.count(pool, &Filter::default()).await.expect("a count"), 1);
}

async fn lists_are_filtered_and_paged<DB: TestTable>() {
    let Some(database) = DB::database("lists").await else { return };
    let Database { pool, schedules, .. } = &database;
    let all: Vec<_> = (0..25)
        .map(|n| {
            let name = format!("{}/{n:02}", if n % 2 == 0 { "even" } else { "odd" });
            let schedule = StoredSchedule::new(name, format!("2099.01.{:02} 00:00:00", n + 1));
            if n % 5 == 0 { schedule.tag("five") } else { schedule }
        })
        .collect();
    schedules.put_all(pool, &all).await.expect("valid schedules");
    schedules.pause(pool, Selection::Name("even/04")).await.expect("a pause");
    let names = async |mut filter: Filter| {
        let mut pages = Vec::new();
        loop {
            let page = schedules.list(pool, &filter).await.expect("a page");
            pages.push(page.schedules.into_iter().map(|it| it.name).collect::<Vec<_>>());
            match page.next {
                Some(next) => filter = next,
                None => return pages,
            }
        }
    };
    assert_eq!(names(Filter::default()).await.concat().len(), 25);
    let odd = names(Filter::default().prefix("odd/").limit(5)).await;
    assert_eq!(odd.iter().map(Vec::len).collect::<Vec<_>>(), [5, 5, 2]);
    assert!(odd.concat().iter().is_sorted());
    assert_eq!(names(Filter::default().paused()).await, [["even/04"]]);
    let five = names(Filter::default().tag("five").limit(3)).await;
    assert_eq!(five, [vec!["even/00", "even/10", "even/20"], vec!["odd/05", "odd/15"]]);
    let due = Filter::default().due_before(4_070_908_800_000 + 6 * 86_400_000).limit(4);
    let due = names(due).await;
    assert_eq!(due, [vec!["even/00", "odd/01", "even/02", "odd/03"], vec!["odd/05"]]);
    assert_eq!(names(Filter::default().failed()).await, [Vec::<String>::new()]);
    assert_eq!(names(Filter::default().prefix("nothing")).await, [Vec::<String>::new()]);
}

async fn operations_by_tag<DB: TestTable>() {
    let Some(database) = DB::database("tags").await else { return };
    let Database { pool, schedules, .. } = &database;
    let tagged = |name| StoredSchedule::new(name, "*:00:00").tag("customer-7");
    let all = [tagged("a"), StoredSchedule::new("b", "*:00:00"), tagged("c")];
    schedules.put_all(pool, &all).await.expect("valid schedules");
    let tag = Selection::Tag("customer-7");
    assert_eq!(schedules.pause(pool, tag).await.expect("a pause"), 2);
    assert_eq!(schedules.pause(pool, tag).await.expect("no pause"), 0);
    let a = schedules.get(pool, "a").await.expect("a row").expect("a schedule");
    assert_eq!((a.paused, a.version, a.next_at), (true, Some(2), None));
    assert_eq!(schedules.resume(pool, tag).await.expect("a resumption"), 2);
    assert_eq!(schedules.trigger(pool, tag).await.expect("a trigger"), 2);
    // Everything in one transaction of the caller, or nothing.
    let mut transaction = pool.begin().await.expect("a transaction");
    assert_eq!(schedules.remove(&mut transaction, tag).await.expect("a removal"), 2);
    schedules.put(&mut transaction, &tagged("d")).await.expect("a valid schedule");
    transaction.rollback().await.expect("a rollback");
    let page = schedules.list(pool, &Filter::default()).await.expect("a page");
    assert_eq!(page.schedules.iter().map(|it| &it.name).collect::<Vec<_>>(), ["a", "b", "c"]);
    assert_eq!(schedules.remove(pool, tag).await.expect("a removal"), 2);
    assert_eq!(schedules.remove(pool, tag).await.expect("no removal"), 0);
}

#[test]
fn events_are_on_days_of_all_calendars() {
    let calendar = |text| millicron::Calendar::parse(text).expect("a calendar");
    let calendars = [("week", calendar("*.*.* Mon-Fri")), ("even", calendar("*.*.*/2"))];
    let schedule = StoredSchedule::new("a", "12:00:00").calendar("week").calendar("even");
    let schedule = schedule.read(&calendars).expect("a valid schedule");
    let both = calendar("*.*.* Mon-Fri") & calendar("*.*.*/2");
    let expected = millicron::schedule!("12:00:00").on(&both).expect("a valid schedule");
    assert_eq!(schedule.schedule(), &expected);
    // The error has the names of the row, and not the name that `Schedule::on` writes.
    let never = StoredSchedule::new("a", "*.*.2,4 12:00:00").calendar("week").calendar("even");
    let error = never.read(&calendars).expect_err("no events");
    assert_eq!(error.to_string(), "none of its days is a day of `week` and `even`");
}

async fn schedules_are_counted<DB: TestTable>() {
    let Some(database) = DB::database("counts").await else { return };
    let Database { pool, schedules, .. } = &database;
    assert_eq!(schedules.count(pool, &Filter::default()).await.expect("a count"), 0);
    let all: Vec<_> = (0..7).map(|it| StoredSchedule::new(format!("a{it}"), "*:00:00")).collect();
    schedules.put_all(pool, &all).await.expect("valid schedules");
    schedules.pause(pool, Selection::Name("a6")).await.expect("a schedule");
    assert_eq!(schedules.count(pool, &Filter::default().limit(2)).await.expect("a count"), 7);
    assert_eq!(schedules.count(pool, &Filter::default().paused()).await.expect("a count"), 1);
    let page = schedules.list(pool, &Filter::default().limit(2)).await.expect("a page");
    let rest = page.next.expect("more pages");
    assert_eq!(schedules.count(pool, &rest).await.expect("a count"), 5);
}

async fn schedules_are_read_and_described<DB: TestTable>() {
    let Some(database) = DB::database("descriptions").await else { return };
    let Database { schedules, .. } = &database;
    let noon = StoredSchedule::new("a", "0 0 12 * * ?").calendar("lse");
    let read = schedules.read(&noon).expect("a valid schedule");
    assert!(!read.is_bounded());
    // 2026-11-21 is a Saturday.
    let (friday, monday) = (MIDNIGHT - 43_200_000, MIDNIGHT + 2 * 86_400_000 + 43_200_000);
    assert_eq!(read.next_event(friday), Some(monday));
    let description = noon.describe(schedules.calendars()).expect("a valid schedule");
    assert_eq!(description, "Every day at noon, on the days of `lse`");

    let read = schedules.read(&noon.between(None, Some(monday - 1))).expect("a valid schedule");
    assert!(read.is_bounded());
    assert_eq!(read.next_event(friday), None);
    assert_eq!(read.unbounded().next_event(friday), Some(monday));
}

async fn tasks_are_pushed_with_few_connections<DB: TestTable>() {
    let Some(database) = DB::database("few connections").await else { return };
    let options = (*database.pool.connect_options()).clone();
    let pool = PoolOptions::new().max_connections(DB::FEWEST_CONNECTIONS);
    let pool = pool.connect_with(options).await.expect("a pool");
    let schedules = Schedules::open(&pool).await.expect("the table");
    schedules.put(&pool, &often(1)).await.expect("a valid schedule");
    let source = Source::<u32>::builder().stored(&schedules).build().expect("a source");
    let (task, storage) = (source.clone(), DB::storage(&pool));
    let task = tokio::spawn(async move { task.push_to(storage).await.expect("a storage") });
    soon(async {
        while DB::keys(&database.pool).await.len() < 50 {
            pause().await;
        }
    })
    .await;
    schedules.remove(&pool, Selection::Name("often")).await.expect("a removal");
    source.close();
    task.await.expect("no panic");
}

async fn instants_may_be_any_integers<DB: TestTable>() {
    let Some(database) = DB::database("instants").await else { return };
    let Database { pool, schedules, .. } = &database;
    let between = |name: &str, first, last| {
        StoredSchedule::new(name, "2099.01.01 00:00:00").payload(1).between(first, last)
    };
    let all = [
        between("all", Some(i64::MIN), Some(i64::MAX)),
        between("before", Some(i64::MIN), Some(i64::MIN)),
        between("after", Some(i64::MAX), Some(i64::MAX)),
    ];
    // The same again is no change.
    for _ in 0..2 {
        let versions = schedules.put_all(pool, &all).await.expect("valid schedules");
        assert_eq!(versions, [1, 1, 1]);
    }
    push_due(&database).await;
    let next = 4_070_908_800_000;
    for (name, expected) in [("all", Some(next)), ("before", None), ("after", None)] {
        let got = get(&database, name).await;
        assert_eq!((got.next_at, got.error), (expected, None), "{name}");
        assert!(got.starts_at.is_none() || got.ends_at.is_none(), "{name}");
    }
    for (instant, count) in [(i64::MIN, 0), (next, 0), (next + 1, 1), (i64::MAX, 1)] {
        let filter = Filter::default().due_before(instant);
        let page = schedules.list(pool, &filter).await.expect("a page");
        assert_eq!(page.schedules.len(), count, "{instant}");
    }
}

async fn texts_with_nul_select_nothing<DB: TestTable>() {
    let Some(database) = DB::database("selections").await else { return };
    let Database { pool, schedules, .. } = &database;
    let hourly = StoredSchedule::new("a", "*:00:00").tag("a");
    schedules.put(pool, &hourly).await.expect("a valid schedule");
    assert_eq!(schedules.get(pool, "a\0").await.expect("no row"), None);
    for filter in [Filter::default().prefix("a\0"), Filter::default().tag("a\0")] {
        assert_eq!(schedules.count(pool, &filter).await.expect("a count"), 0);
        assert_eq!(schedules.list(pool, &filter).await.expect("a page").schedules, []);
    }
    for selection in [Selection::Name("a\0"), Selection::Tag("a\0")] {
        assert_eq!(schedules.remove(pool, selection).await.expect("no removal"), 0);
    }
}
