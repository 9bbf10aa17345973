//! The overview of all jobs.

use millicron_board::{JobState, RunState};
use millicron_browser_tests::Page;
use serde_json::json;

use crate::demo::{Demo, now};
use crate::{
    Server, choose_times, click_on, control_time, demo, set_server_time, texts, wait_for_text,
};

#[test]
fn each_state_is_shown() {
    let Some(page) = Page::blank("states") else { return };
    let server = Server::new(demo(), None);
    page.set_width(1200);
    server.open(&page, "");
    assert_eq!(page.text("h1"), "Shop");
    assert_eq!(texts(&page, ".jobs .name"), ["backup", "import", "index", "report", "vacuum"]);
    let badges = texts(&page, ".badges");
    assert_eq!(badges, ["Running", "Failed", "Paused", "Overdue"]);
    let counts = ["All 5", "Overdue 1", "Failed 1", "Running 1", "Paused 1"];
    assert_eq!(texts(&page, ".state"), counts);
    let rows = texts(&page, ".jobs tbody tr");
    for (row, parts) in [
        (
            0,
            &[
                "nightly, database",
                "30 2 * * *",
                "Europe/Berlin",
                "02:30",
                "in ",
                "Succeeded",
                "500 ms",
            ][..],
        ),
        (2, &["Failed", "1 h ago", "1 min 30 s"]),
        (3, &["Paused", "Never", "No runs yet"]),
    ] {
        for part in parts {
            assert!(rows[row].contains(part), "{part} in {}", rows[row]);
        }
    }
    let strip = page.evaluate("document.querySelector('.strip').getAttribute('aria-label')");
    assert_eq!(strip, json!("29 of 30 succeeded, the last succeeded"));
}

#[test]
fn rare_outcomes_and_ends_are_shown() {
    let Some(page) = Page::blank("rare states") else { return };
    let demo = Demo::default();
    for (name, state) in
        [("a", RunState::Retrying), ("b", RunState::Skipped), ("c", RunState::Queued)]
    {
        demo.add(name, "0 2 * * *", "", &[]).expect("a schedule");
        demo.start(name, now(), now());
        demo.end(name, now(), state, None);
    }
    demo.change("c", |job| (job.state, job.next) = (JobState::Ended, None));
    let server = Server::new(demo, None);
    server.open(&page, "");
    let rows = texts(&page, ".jobs tbody tr");
    for (row, word) in rows.iter().zip(["Retrying", "Skipped", "Queued"]) {
        assert!(row.contains(word), "{word} in {row}");
    }
    assert_eq!(texts(&page, ".badges"), ["Ended"]);
    assert_eq!(texts(&page, ".state"), ["All 3", "Ended 1"]);
}

#[test]
fn filters_and_order_are_kept_in_the_address() {
    let Some(page) = Page::blank("filters") else { return };
    let server = Server::new(demo(), None);
    server.open(&page, "#/");
    click_on(&page, "Overdue");
    page.wait_for("location.hash === '#/?state=overdue'");
    assert_eq!(texts(&page, ".jobs .name"), ["vacuum"]);
    click_on(&page, "All");
    page.evaluate(
        "(it => { it.value = 'web'; it.dispatchEvent(new Event('change')); })(document.getElementById('tag'))",
    );
    click_on(&page, "Job");
    assert_eq!(texts(&page, ".jobs .name"), ["index", "import"]);
    let order = "document.querySelector('[aria-sort]').ariaSort";
    assert_eq!(page.evaluate(order), json!("descending"));
    page.click("#search");
    page.type_text("IMP");
    page.wait_for("location.hash.includes('search=IMP')");
    assert_eq!(texts(&page, ".jobs .name"), ["import"]);
    assert_eq!(page.text(".count"), "1 of 5 jobs.");

    // The filters are there again after another view, and after loading the page again.
    click_on(&page, "import");
    wait_for_text(&page, "h2", "import");
    page.evaluate("history.back()");
    page.wait_for("document.getElementById('search')?.value === 'IMP'");
    let address = page.evaluate("location.hash");
    server.open(&page, address.as_str().expect("a hash"));
    assert_eq!(texts(&page, ".jobs .name"), ["import"]);
    page.evaluate("document.getElementById('search').select()");
    page.type_text("nothing like it");
    wait_for_text(&page, ".count", "No job matches.");
}

#[test]
fn times_are_in_the_zone_of_the_visitor_or_of_the_job() {
    let Some(page) = Page::blank("zones") else { return };
    let demo = Demo::default();
    demo.add("tokyo", "0 9 * * *", "Asia/Tokyo", &[]).expect("a schedule");
    let server = Server::new(demo, None);
    server.open(&page, "");
    let next = || page.text(".jobs time").split(' ').next_back().map(str::to_owned);
    assert_eq!(next().as_deref(), Some("00:00"));
    choose_times(&page, "job");
    wait_for_text(&page, ".jobs time", "09:00");
    // The choice is remembered.
    server.open(&page, "");
    assert_eq!(next().as_deref(), Some("09:00"));
}

#[test]
fn names_of_days_change_at_midnight() {
    let Some(page) = Page::blank("midnight") else { return };
    let demo = Demo::default();
    demo.add("tokyo", "0 9 * * *", "Asia/Tokyo", &[]).expect("a schedule");
    // 2026-11-27 00:00 in UTC, and 09:00 in Tokyo.
    demo.change("tokyo", |job| (job.next, job.overdue_at) = (Some(1_795_737_600_000), None));
    let server = Server::new(demo, None);
    control_time(&page);
    server.open(&page, "");
    let shows = |text: &str| {
        page.wait_for(&format!("document.querySelector('.jobs time').innerText === '{text}'"));
    };
    for (zone, before, midnight, clock) in [
        ("own", "2026-11-26T23:59:59Z", "2026-11-27T00:00:00Z", "00:00"),
        ("job", "2026-11-26T14:59:59Z", "2026-11-26T15:00:00Z", "09:00"),
    ] {
        set_server_time(&page, before);
        choose_times(&page, zone);
        shows(&format!("Tomorrow, {clock}"));
        set_server_time(&page, midnight);
        shows(clock);
    }
}

#[test]
fn filters_keep_the_focus() {
    let Some(page) = Page::blank("focus of filters") else { return };
    let server = Server::new(demo(), None);
    server.open(&page, "");
    page.evaluate("document.querySelector('.state.failed').focus()");
    page.press("Enter");
    page.wait_for("location.hash === '#/?state=failed'");
    let focused = "document.activeElement.value";
    assert_eq!(page.evaluate(focused), json!("failed"));
    // Another state before it is no longer offered.
    server.demo.change("vacuum", |job| job.overdue_at = None);
    page.wait_for("!document.querySelector('.state.overdue')");
    assert_eq!(page.evaluate(focused), json!("failed"));
}

#[test]
fn filters_work_if_the_address_cannot_change() {
    let Some(page) = Page::blank("too many changes of the address") else { return };
    let server = Server::new(demo(), None);
    server.open(&page, "#/");
    page.evaluate(
        "history.replaceState = () => { throw new DOMException('too often', 'SecurityError'); }, 0",
    );
    click_on(&page, "Overdue");
    assert_eq!(texts(&page, ".jobs .name"), ["vacuum"]);
    assert_eq!(page.evaluate("location.hash"), json!("#/"));
    // It changes as soon as it can.
    page.evaluate("delete history.replaceState");
    page.wait_for("location.hash === '#/?state=overdue'");
    assert_eq!(page.complaints(), Vec::<String>::new());
}

#[test]
fn address_with_unknown_filters_shows_all_jobs() {
    let Some(page) = Page::blank("unknown filters") else { return };
    let server = Server::new(demo(), None);
    server.open(&page, "#/?state=__proto__&sort=toString");
    page.wait_for("document.querySelectorAll('.jobs .name').length === 5");
    assert_eq!(page.complaints(), Vec::<String>::new());
}

/// In Berlin, 2026-03-29 has 23 hours, and 2026-10-25 has 25.
#[test]
fn days_next_to_today_are_named_when_clocks_change() {
    let Some(page) = Page::blank("days next to today") else { return };
    let server = Server::new(demo(), None);
    server.open(&page, "");
    let shown = |now: &str, instant: &str| {
        let shown = page.evaluate(&format!(
            "import('/page/times.js').then(times => {{
                times.setServerTime(Date.parse('{now}'));
                return times.moment(Date.parse('{instant}'), 'Europe/Berlin').textContent;
            }})"
        ));
        shown.as_str().unwrap_or_default().to_owned()
    };
    // 23:30 on the day before the change.
    assert_eq!(shown("2026-03-28T22:30Z", "2026-03-29T10:00Z"), "Tomorrow, 12:00");
    assert!(!shown("2026-03-28T22:30Z", "2026-03-29T22:30Z").contains("Tomorrow"));
    // 00:30 on the day after it.
    assert_eq!(shown("2026-03-29T22:30Z", "2026-03-29T10:00Z"), "Yesterday, 12:00");
    // 00:30 and 23:30 on the day of the other change.
    assert_eq!(shown("2026-10-24T22:30Z", "2026-10-26T11:00Z"), "Tomorrow, 12:00");
    assert_eq!(shown("2026-10-25T22:30Z", "2026-10-24T10:00Z"), "Yesterday, 12:00");
}

#[test]
fn ten_thousand_jobs_are_shown_in_pieces() {
    let Some(page) = Page::blank("10,000 jobs") else { return };
    let demo = Demo::default();
    for number in 1..=10_000 {
        let schedule = format!("{} {} * * *", number % 60, number % 24);
        demo.add(&format!("job-{number}"), &schedule, "", &["many"]).expect("a schedule");
    }
    let server = Server::new(demo, None);
    server.open(&page, "");
    let count = "document.querySelectorAll('*').length";
    let rows = "document.querySelector('.jobs').ariaRowCount ?? document.querySelector('.jobs').getAttribute('aria-rowcount')";
    assert_eq!(page.evaluate(rows), json!("10001"));
    let at_first = page.evaluate(count).as_u64().expect("a number");
    assert!(at_first < 6000, "{at_first}");
    // Whoever scrolls sees rows, and the ones left behind are dropped.
    page.evaluate("scrollTo(0, document.documentElement.scrollHeight)");
    page.wait_for(
        "(scrollTo(0, document.documentElement.scrollHeight), [...document.querySelectorAll('.jobs .name')].at(-1).innerText === 'job-10000')",
    );
    let at_last = page.evaluate(count).as_u64().expect("a number");
    assert!(at_last < 10_000, "{at_last}");
    page.evaluate("scrollTo(0, 0)");
    page.click("#search");
    page.type_text("job-9999");
    wait_for_text(&page, ".count", "1 of 10,000 jobs.");
    assert_eq!(texts(&page, ".jobs .name"), ["job-9999"]);
    // A change of one row leaves the others as they are.
    page.evaluate("document.querySelector('.jobs .schedule').kept = true");
    server.demo.start("job-9999", 0, 0);
    wait_for_text(&page, ".badge", "Running");
    assert_eq!(page.evaluate("document.querySelector('.jobs .schedule').kept"), json!(true));
}
