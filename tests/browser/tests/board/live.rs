//! What changes while the page is open.

use millicron_board::RunState;
use millicron_browser_tests::Page;
use serde_json::json;

use crate::demo::now;
use crate::{Server, control_time, demo, texts, wait_for_text};

#[test]
fn changes_appear_by_themselves() {
    let Some(page) = Page::blank("changes") else { return };
    let server = Server::new(demo(), None);
    server.open(&page, "");
    server.demo.end("import", now(), RunState::Succeeded, None);
    wait_for_text(&page, ".jobs tbody tr:nth-child(2)", "Succeeded");
    server.demo.add("archive", "0 4 * * *", "", &[]).expect("a schedule");
    wait_for_text(&page, ".jobs tbody tr:first-child", "archive");
    assert_eq!(texts(&page, ".state")[0], "All 6");
    // Nothing of it is announced.
    assert_eq!(
        page.evaluate("document.querySelector('.jobs').closest('[aria-live], [role=status]')"),
        json!(null)
    );
}

#[test]
fn restarts_are_noticed_and_lost_connections_caught_up() {
    let Some(page) = Page::blank("restarts") else { return };
    let mut server = Server::new(demo(), None);
    server.open(&page, "");
    page.wait_for("document.getElementById('connection').hidden");
    server.stop();
    wait_for_text(&page, "#connection", "Trying again");
    wait_for_text(&page, "#age", "old");
    server.demo.end("import", now(), RunState::Failed, None);
    server.start();
    wait_for_text(&page, "#note", "The server was restarted");
    page.wait_for("document.getElementById('connection').hidden");
    assert!(texts(&page, ".jobs tbody tr")[1].contains("Failed"));
    // It is connected again.
    server.demo.start("import", now(), now());
    wait_for_text(&page, ".jobs tbody tr:nth-child(2)", "Running");
}

#[test]
fn restarts_are_noticed_by_those_who_must_sign_in_again() {
    let Some(page) = Page::blank("restarts with token") else { return };
    let mut server = Server::private(demo(), "open sesame");
    let sign_in = || {
        page.wait_for("document.getElementById('session').open");
        page.type_text("open sesame");
        page.press("Enter");
        wait_for_text(&page, ".jobs .name", "backup");
    };
    page.visit(&format!("http://{}/", server.address));
    sign_in();
    assert!(!page.text("#note").contains("restarted"));
    page.wait_for("document.getElementById('connection').hidden");
    server.stop();
    wait_for_text(&page, "#connection", "Trying again");
    server.start();
    sign_in();
    wait_for_text(&page, "#note", "The server was restarted");
}

#[test]
fn nothing_is_left_to_see_when_a_session_ends() {
    let Some(page) = Page::blank("end of a session") else { return };
    let server = Server::private(demo(), "open sesame");
    page.visit(&format!("http://{}/", server.address));
    page.wait_for("document.getElementById('session').open");
    page.type_text("open sesame");
    page.press("Enter");
    wait_for_text(&page, ".jobs .name", "backup");
    // The server ends the feed together with the session.
    page.evaluate("fetch('api/session', { method: 'DELETE' }).then(() => true)");
    page.wait_for("document.getElementById('session').open");
    page.wait_for("!document.querySelector('.jobs .name')");
}

#[test]
fn pages_that_were_asleep_catch_up() {
    let Some(page) = Page::blank("asleep") else { return };
    let server = Server::new(demo(), None);
    server.open(&page, "");
    let hide = |is_hidden: bool| {
        page.evaluate(&format!(
            "Object.defineProperty(document, 'hidden', {{ value: {is_hidden}, configurable: true }}),\
             document.dispatchEvent(new Event('visibilitychange'))"
        ))
    };
    hide(true);
    server.demo.end("import", now(), RunState::Failed, None);
    let requests = page.requests().len();
    hide(false);
    wait_for_text(&page, ".jobs tbody tr:nth-child(2)", "Failed");
    // Only what has changed was asked for.
    let requests = page.requests().split_off(requests);
    assert!(!requests.iter().any(|it| it.ends_with("api/jobs")), "{requests:?}");
    assert_eq!(page.evaluate("document.getElementById('note').hidden"), json!(true));
}

#[test]
fn age_counts_from_when_the_data_was_current() {
    let Some(page) = Page::blank("age of the data") else { return };
    let server = Server::new(demo(), None);
    control_time(&page);
    server.open(&page, "");
    page.wait_for("window.feed !== undefined");
    // All at once, as the page connects again a second after an error.
    let ages = page.evaluate(
        "(async () => {
            const [{ ageOfData }, { store }, { setServerTime }] =
                await Promise.all(['feed', 'jobs', 'times'].map(it => import(`/page/${it}.js`)));
            const start = Date.now(), hour = 3_600_000;
            const send = (name, data) => feed.dispatchEvent(new MessageEvent(name, { data: JSON.stringify(data) }));
            send('hello', { epoch: store.epoch, now: start });
            setServerTime(start + hour);
            send('problem', { error: 'it is locked' });
            const ages = [ageOfData()];
            setServerTime(start + 2 * hour);
            feed.dispatchEvent(new Event('error'));
            return [...ages, ageOfData()];
        })()",
    );
    assert_eq!(ages, json!([1000, 3_601_000]));
}
