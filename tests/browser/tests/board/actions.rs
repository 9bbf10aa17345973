//! Actions, with and without a token.

use millicron_board::{Action, JobState};
use millicron_browser_tests::Page;
use serde_json::json;

use crate::demo::now;
use crate::{Server, click_on, demo, hold_back, texts, wait_for_text};

#[test]
fn without_a_token_nothing_can_be_done() {
    let Some(page) = Page::blank("no actions") else { return };
    let server = Server::new(demo().with_actions(), None);
    server.open(&page, "#/job/backup");
    wait_for_text(&page, "main", "About this job");
    assert_eq!(texts(&page, ".job-head button"), Vec::<String>::new());
    assert_eq!(page.evaluate("document.getElementById('sign-in').hidden"), json!(true));
}

#[test]
fn actions_ask_for_the_token_and_are_carried_out() {
    let Some(page) = Page::blank("actions") else { return };
    let server = Server::new(demo().with_actions(), Some("open sesame"));
    server.open(&page, "#/job/backup");
    click_on(&page, "Run now");
    page.wait_for("document.getElementById('session').open");
    page.type_text("wrong");
    page.press("Enter");
    wait_for_text(&page, "#session-problem", "This is not the token.");
    assert_eq!(server.demo.acts(), []);
    page.type_text("open sesame");
    page.press("Enter");
    wait_for_text(&page, "#note", "backup was asked to run.");
    wait_for_text(&page, ".badge", "Running");
    click_on(&page, "Pause");
    wait_for_text(&page, "#note", "backup is paused.");
    click_on(&page, "Resume");
    wait_for_text(&page, "#note", "backup continues.");

    click_on(&page, "Cancel");
    page.wait_for("document.getElementById('confirm').open");
    click_on(&page, "Let it run");
    click_on(&page, "Cancel");
    click_on(&page, "Cancel the run");
    wait_for_text(&page, ".runs tbody tr:first-child", "It was canceled.");
    let acts: Vec<_> = server.demo.acts().into_iter().map(|(_, action)| action).collect();
    assert_eq!(acts, [Action::Run, Action::Pause, Action::Resume, Action::Cancel { run: 61 }]);

    // Another tab signs out.
    page.evaluate(
        "fetch('api/session', { method: 'DELETE' })\
         .then(() => new BroadcastChannel('millicron-board /').postMessage(null))",
    );
    page.wait_for("document.getElementById('sign-out').hidden");
    click_on(&page, "Pause");
    page.wait_for("document.getElementById('session').open");
    page.press("Escape");
    page.wait_for("!document.getElementById('session').open");
    assert_eq!(server.demo.acts().len(), 4);
}

#[test]
fn those_who_have_just_signed_in_are_not_asked_again() {
    let Some(page) = Page::blank("signed in") else { return };
    let server = Server::new(demo().with_actions(), Some("open sesame"));
    server.open(&page, "#/job/backup");
    click_on(&page, "Run now");
    page.wait_for("document.getElementById('session').open");
    hold_back(&page, "api/board");
    page.type_text("open sesame");
    page.press("Enter");
    wait_for_text(&page, "#note", "backup was asked to run.");
    click_on(&page, "Pause");
    wait_for_text(&page, "#note", "backup is paused.");
}

#[test]
fn other_pages_cannot_act_for_a_visitor() {
    let Some(page) = Page::blank("foreign page") else { return };
    let server = Server::new(demo().with_actions(), Some("open sesame"));
    server.open(&page, "#/job/backup");
    click_on(&page, "Pause");
    page.wait_for("document.getElementById('session').open");
    page.type_text("open sesame");
    page.press("Enter");
    wait_for_text(&page, "#note", "backup is paused.");
    assert_eq!(server.demo.acts().len(), 1);

    // The browser still has the session of this server.
    page.visit("data:text/html,<h1>Attack</h1>");
    for path in ["resume", "run"] {
        let url = format!("http://{}/api/jobs/backup/{path}", server.address);
        let attack = format!(
            "fetch({}, {{ method: 'POST', mode: 'no-cors', credentials: 'include' }}).catch(() => {{}}).then(() => {{ document.title = {0} }})",
            json!(url)
        );
        page.evaluate(&attack);
        page.wait_for(&format!("document.title === {}", json!(url)));
    }
    let read = format!(
        "fetch('http://{}/api/jobs', {{ credentials: 'include' }}).then(() => 'read', () => 'refused').then(it => {{ document.title = it }})",
        server.address
    );
    page.evaluate(&read);
    page.wait_for("document.title === 'refused'");
    assert_eq!(server.demo.acts().len(), 1);
}

#[test]
fn buttons_keep_the_focus_while_the_state_changes() {
    let Some(page) = Page::blank("focus of buttons") else { return };
    let server = Server::new(demo().with_actions().editable(), Some("open sesame"));
    server.open(&page, "#/job/backup");
    wait_for_text(&page, ".job-head", "Pause");
    let focused = "document.activeElement.innerText";
    page.evaluate("document.querySelector('.job-head button').focus()");
    server.demo.start("backup", now(), now());
    wait_for_text(&page, ".badge", "Running");
    assert_eq!(page.evaluate(focused), json!("Run now"));

    // The button that undoes an action takes its place, others do not.
    page.press("Tab");
    assert_eq!(page.evaluate(focused), json!("Pause"));
    server.demo.change("backup", |job| job.state = JobState::Paused);
    wait_for_text(&page, ".job-head", "Resume");
    assert_eq!(page.evaluate(focused), json!("Resume"));
    server.demo.change("backup", |job| job.state = JobState::Ended);
    wait_for_text(&page, ".badge", "Ended");
    assert_eq!(page.evaluate("document.activeElement === document.body"), json!(true));
}

#[test]
fn only_running_runs_can_be_canceled() {
    let Some(page) = Page::blank("runs to cancel") else { return };
    let server = Server::new(demo().with_actions(), Some("open sesame"));
    server.open(&page, "");
    let offered = page.evaluate(
        "import('/page/actions.js').then(({ cancelButton }) =>
            ['running', 'retrying', 'skipped', 'queued', 'succeeded']
                .filter(state => cancelButton({ name: 'backup' }, { id: 1, ended: null, state })))",
    );
    assert_eq!(offered, json!(["running"]));
}

#[test]
fn a_failure_to_sign_out_is_reported() {
    let Some(page) = Page::blank("signing out") else { return };
    let server = Server::private(demo(), "open sesame");
    page.visit(&format!("http://{}/", server.address));
    page.wait_for("document.getElementById('session').open");
    page.type_text("open sesame");
    page.press("Enter");
    wait_for_text(&page, ".jobs .name", "backup");
    page.evaluate("window.fetch = () => Promise.reject(new TypeError('offline')), 0");
    click_on(&page, "Sign out");
    wait_for_text(&page, "#problem", "You are still signed in. The server cannot be reached.");
}
