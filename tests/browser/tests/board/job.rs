//! A job, and a day.

use millicron_board::RunState;
use millicron_browser_tests::Page;
use serde_json::json;

use crate::demo::now;
use crate::{
    Server, choose_times, click_on, control_time, demo, hold_back, set_server_time, texts,
    wait_for_text,
};

#[test]
fn a_job_shows_its_runs_and_pictures() {
    let Some(page) = Page::blank("a job") else { return };
    page.set_width(1200);
    let server = Server::new(demo(), None);
    server.open(&page, "#/job/backup");
    page.wait_for("document.querySelectorAll('.runs tbody tr').length === 12");
    assert_eq!(
        texts(&page, ".runs thead th")[..5],
        ["Outcome", "Started", "Late by", "Took", "Attempts"]
    );
    let first = texts(&page, ".runs tbody tr:first-child td");
    assert_eq!(
        [&*first[0], &first[2], &first[3], &first[4]],
        ["✓ Succeeded", "20 ms", "500 ms", "1"]
    );
    assert!(texts(&page, ".runs tbody tr")[9].contains("Failed"));
    click_on(&page, "Earlier runs");
    page.wait_for("document.querySelectorAll('.runs tbody tr').length === 60");
    page.wait_for("document.querySelectorAll('.upcoming li').length === 10");
    assert!(texts(&page, "section").iter().any(|it| it.starts_with("Clock changes")));

    let year = "document.querySelector('.picture > div')?.shadowRoot.querySelector('svg title').textContent";
    page.wait_for(&format!("{year} !== undefined"));
    let shown: i32 = page.text(".turned").parse().expect("a year");
    page.click("[aria-label='Year after']");
    page.wait_for(&format!("{year}.includes('{}')", shown + 1));

    // The year that was asked for last is shown, even if the one before arrives later.
    hold_back(&page, &format!("year={}", shown + 2));
    page.click("[aria-label='Year after']");
    page.click("[aria-label='Year after']");
    page.wait_for(&format!("{year}.includes('{}')", shown + 3));
    page.evaluate("release(), fetch(location.href).then(it => it.text())");
    assert_eq!(page.evaluate(&format!("{year}.includes('{}')", shown + 3)), json!(true));
    assert_eq!(page.complaints(), Vec::<String>::new());
}

#[test]
fn output_is_followed_while_it_is_written() {
    let Some(page) = Page::blank("output") else { return };
    let server = Server::new(demo(), None);
    server.open(&page, "#/job/import");
    click_on(&page, "Output");
    wait_for_text(&page, ".output", "first line");
    wait_for_text(&page, ".output-panel", "Still writing");
    server.demo.write("import", b"10 %\r20 %\r\x1b[1;31m30 %\x1b[0m\r");
    wait_for_text(&page, ".output .bold.ink1", "30 %");
    server.demo.write("import", b"done \xc3\xa4 \xff\n");
    server.demo.end("import", now(), RunState::Succeeded, None);
    wait_for_text(&page, ".output", "first line\ndone ä \u{fffd}");
    page.wait_for("document.querySelector('.output-panel p').innerText === ''");
    wait_for_text(&page, ".runs tbody tr:first-child", "Succeeded");
    assert!(!page.text(".output").contains("30 %"));
}

#[test]
fn a_job_shows_why_it_waits_and_what_it_needs() {
    let Some(page) = Page::blank("needs") else { return };
    let server = Server::new(demo(), None);
    server.open(&page, "#/job/report");
    wait_for_text(&page, ".waits", "It waits for index ");
    wait_for_text(&page, ".waits", ", which has not succeeded");
    // In the visitor's time zone, or the job's.
    assert_eq!(texts(&page, ".waits time").len(), 1);
    // What is above may still grow, so a click could miss it.
    page.evaluate("document.querySelector('summary').click()");
    page.wait_for(
        "document.querySelector('details .picture > div')?.shadowRoot.querySelector('svg') != null",
    );
    page.click("[aria-labelledby=needs-title] li a");
    wait_for_text(&page, "h2", "index");
    wait_for_text(&page, "[aria-labelledby=needs-title]", "report");
    page.evaluate("history.back()");
    wait_for_text(&page, "h2", "report");
    server.open(&page, "#/job/missing");
    wait_for_text(&page, "main", "There is no job of this name.");
}

#[test]
fn a_day_is_a_timeline() {
    let Some(page) = Page::blank("a day") else { return };
    let server = Server::new(demo(), None);
    // A Sunday, on which all jobs run but the one that is paused.
    server.open(&page, "#/day?date=2099-03-29");
    assert!(page.text("h2").ends_with("29 March 2099"));
    let shows = |name: &str| {
        format!(
            "[...document.querySelector('.picture > div')?.shadowRoot.querySelectorAll('text') ?? []]\
             .some(it => it.textContent.trim() === '{name}')"
        )
    };
    page.wait_for(&shows("backup"));
    page.evaluate("document.querySelector('summary').click()");
    page.wait_for("document.querySelectorAll('.day-jobs a').length > 0");
    assert_eq!(texts(&page, ".day-jobs a"), ["backup", "import", "index", "vacuum"]);
    page.click("[aria-label='Day after']");
    page.wait_for("location.hash === '#/day?date=2099-03-30'");
    page.click("#day-search");
    page.type_text("import");
    page.wait_for("location.hash === '#/day?date=2099-03-30&search=import'");
    page.wait_for(&format!("{} && !{}", shows("import"), shows("backup")));
    assert_eq!(page.complaints(), Vec::<String>::new());
}

#[test]
fn today_becomes_the_next_day_at_midnight() {
    let Some(page) = Page::blank("the next day") else { return };
    let server = Server::new(demo(), None);
    control_time(&page);
    server.open(&page, "#/day");
    set_server_time(&page, "2026-11-26T23:59:59Z");
    click_on(&page, "Today");
    page.wait_for("location.hash === '#/day?date=2026-11-26'");
    set_server_time(&page, "2026-11-27T00:00:00Z");
    page.wait_for("location.hash === '#/day?date=2026-11-27'");
    assert_eq!(page.evaluate("document.getElementById('date').value"), json!("2026-11-27"));
    assert!(page.text("h2").contains("27 November 2026"));

    // Other days stay.
    page.click("[aria-label='Day before']");
    page.wait_for("location.hash === '#/day?date=2026-11-26'");
    page.evaluate(
        "(fetch => { window.fetch = (path, ...options) => {
            window.isShown ||= path.startsWith('api/day?');
            return fetch(path, ...options);
        }; })(window.fetch), 0",
    );
    set_server_time(&page, "2026-11-28T00:00:00Z");
    page.wait_for("window.isShown === true");
    assert_eq!(page.evaluate("location.hash"), json!("#/day?date=2026-11-26"));
}

#[test]
fn all_runs_are_shown_in_the_zone_that_is_chosen() {
    let Some(page) = Page::blank("zones of runs") else { return };
    let server = Server::new(demo(), None);
    server.open(&page, "#/job/backup");
    click_on(&page, "Earlier runs");
    page.wait_for("document.querySelectorAll('.runs tbody tr').length === 60");
    choose_times(&page, "job");
    page.wait_for("!document.querySelector('.runs time').title.endsWith('UTC')");
    let others = "[...document.querySelectorAll('.runs time')].filter(it => it.title.endsWith('UTC')).length";
    assert_eq!(page.evaluate(others), json!(0));
}

#[test]
fn runs_that_leave_the_table_are_found_again_without_their_output() {
    let Some(page) = Page::blank("old runs") else { return };
    let server = Server::new(demo(), None);
    server.open(&page, "#/job/backup");
    click_on(&page, "Output");
    wait_for_text(&page, ".output", "run 59");
    let run = |from: i64, until: i64| {
        for _ in from..until {
            server.demo.start("backup", now(), now());
            server.demo.write("backup", b"output\n");
            server.demo.end("backup", now(), RunState::Succeeded, None);
        }
        let latest = format!("[aria-label=\"Output of run {until}\"]");
        page.wait_for(&format!("document.querySelector('{latest}') !== null"));
    };
    run(60, 80);
    assert_eq!(page.evaluate("document.querySelector('.output')"), json!(null));
    for until in [120, 160, 200] {
        run(until - 40, until);
    }
    for shown in [62, 112, 162, 200] {
        click_on(&page, "Earlier runs");
        page.wait_for(&format!("document.querySelectorAll('.runs tbody tr').length === {shown}"));
    }
    assert_eq!(page.evaluate("document.querySelector('.output')"), json!(null));
    page.wait_for("document.querySelector('.more').hidden");
}
