//! Creates and changes schedules.

use millicron_browser_tests::Page;
use serde_json::json;

use crate::demo::Demo;
use crate::{Server, click_on, demo, wait_for_text};

#[test]
fn schedules_are_created_changed_and_removed() {
    let Some(page) = Page::blank("editing") else { return };
    let server = Server::new(demo().editable(), Some("secret"));
    server.open(&page, "#/");
    click_on(&page, "New schedule");
    page.wait_for("document.getElementById('session').open");
    page.press("Escape");
    wait_for_text(&page, "form .problem", "those who have signed in");
    page.evaluate("document.querySelector('main .problem button').click()");
    page.wait_for("document.getElementById('session').open");
    page.type_text("secret");
    page.press("Enter");
    page.wait_for("!document.getElementById('sign-out').hidden");
    page.click("#name");
    page.type_text("digest");
    page.press("Tab");
    page.type_text("0 25 * * *");
    page.wait_for("document.getElementById('schedule').ariaInvalid === 'true'");
    page.evaluate("document.getElementById('schedule').select()");
    page.type_text("30 2 * * *");
    wait_for_text(&page, ".description", "02:30");
    page.wait_for("document.getElementById('schedule').ariaInvalid !== 'true'");
    page.press("Tab");
    page.type_text("Europe/Berlin");
    wait_for_text(&page, "[aria-labelledby=meaning-title]", "Clock changes");
    page.press("Enter");
    wait_for_text(&page, "#note", "digest is saved.");
    wait_for_text(&page, "h2", "digest");

    // Somebody else changes it in the meantime.
    click_on(&page, "Change");
    page.wait_for("document.getElementById('zone')?.value === 'Europe/Berlin'");
    server.demo.change("digest", |job| job.schedule = "0 5 * * *".to_owned());
    page.evaluate(
        "document.getElementById('schedule').select(), document.getElementById('schedule').focus()",
    );
    page.type_text("0 4 * * *");
    click_on(&page, "Save");
    wait_for_text(&page, "form .problem", "Somebody else has changed this job");
    click_on(&page, "Show their version");
    page.wait_for("document.getElementById('schedule').value === '0 5 * * *'");
    click_on(&page, "Save");
    wait_for_text(&page, "#note", "digest is saved.");

    click_on(&page, "Change");
    click_on(&page, "Remove this job");
    page.wait_for("document.getElementById('confirm').open");
    click_on(&page, "Remove it");
    wait_for_text(&page, "#note", "digest is removed.");
    page.wait_for(
        "(names => names.length > 0 && names.every(it => it.innerText !== 'digest'))\
         ([...document.querySelectorAll('.jobs .name')])",
    );
    assert_eq!(page.evaluate("location.hash"), json!("#/"));
}

#[test]
fn name_that_begins_with_a_space_is_kept() {
    let Some(page) = Page::blank("a name with a space") else { return };
    let demo = Demo::default();
    demo.add(" a", "30 2 * * *", "", &[]).expect("a schedule");
    let server = Server::new(demo.editable(), Some("secret"));
    server.open(&page, "#/job/%20a");
    click_on(&page, "Change");
    page.wait_for("document.getElementById('session').open");
    page.type_text("secret");
    page.press("Enter");
    page.wait_for("document.getElementById('schedule')?.value === '30 2 * * *'");
    click_on(&page, "Save");
    wait_for_text(&page, "#note", "is saved.");
    server.open(&page, "");
    assert_eq!(page.text(".count"), "");
    assert_eq!(page.evaluate("document.querySelectorAll('.jobs .name').length"), json!(1));
}
