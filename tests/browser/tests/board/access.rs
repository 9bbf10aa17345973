//! The page on phones, by keyboard, and for readers of the screen.

use std::{env, fs};

use millicron_browser_tests::Page;
use serde_json::json;

use crate::{Server, demo, texts, wait_for_text};

const VIEWS: [(&str, &str); 5] = [
    ("#/", "Jobs"),
    ("#/day", "20"),
    ("#/job/backup", "backup"),
    ("#/new", "New schedule"),
    ("#/edit/import", "Change import"),
];

#[test]
fn views_fit_on_phones_and_have_contrast_names_and_landmarks() {
    let Some(page) = Page::blank("phones") else { return };
    let server = Server::new(demo().editable().with_actions(), Some("secret"));
    let unnamed = "[...document.querySelectorAll('input, select, textarea, button, section, [role=group], [role=region], svg')]\
        .filter(it => it.checkVisibility() && !(it.labels?.length || it.getAttribute('aria-label') || it.tagName === 'BUTTON' && it.textContent.trim() \
        || document.getElementById(it.getAttribute('aria-labelledby'))?.textContent)).map(it => it.outerHTML)";
    let dangling = "[...document.querySelectorAll('[for], [aria-labelledby], [aria-describedby]')].flatMap(it => \
        ['for', 'aria-labelledby', 'aria-describedby'].map(name => it.getAttribute(name)).filter(Boolean))\
        .filter(id => !document.getElementById(id))";
    let levels = "[...document.querySelectorAll('body > :not(dialog) :is(h1, h2, h3, h4), main :is(h2, h3, h4)')]\
        .map(it => +it.tagName[1]).filter((level, index, all) => level > (all[index - 1] ?? 0) + 1)";
    // What <https://github.com/dequelabs/axe-core> finds, if its `axe.min.js` is there.
    let axe = env::var_os("MILLICRON_AXE").map(|path| fs::read_to_string(path).expect("a script"));
    for width in [360, 1000, 1800] {
        page.set_width(width);
        for (view, heading) in VIEWS {
            server.open(&page, view);
            wait_for_text(&page, "h2", heading);
            page.wait_for("!document.querySelector('main').innerText.includes('Loading')");
            let overflow = page.evaluate("document.documentElement.scrollWidth > innerWidth");
            assert_eq!(overflow, json!(false), "{view} at {width}");
            for (what, check) in [("names", unnamed), ("references", dangling), ("levels", levels)]
            {
                assert_eq!(page.evaluate(check), json!([]), "{what} of {view}");
            }
            for is_dark in [false, true] {
                page.set_dark(is_dark);
                assert_eq!(page.pale_texts("script"), json!([]), "{view}, dark: {is_dark}");
                if let Some(axe) = &axe {
                    page.evaluate(axe);
                    let found =
                        page.evaluate("axe.run().then(it => it.violations.map(it => it.id))");
                    assert_eq!(found, json!([]), "{view} at {width}, dark: {is_dark}");
                }
            }
        }
    }
}

#[test]
fn the_keyboard_reaches_and_operates_everything() {
    let Some(page) = Page::blank("keyboard") else { return };
    let server = Server::new(demo(), None);
    server.open(&page, "");
    let focused = "(it => it.id || it.innerText)(document.activeElement)";
    let tab_to = |target: &str| {
        for _ in 0..40 {
            page.press("Tab");
            let has_ring = "getComputedStyle(document.activeElement).outlineStyle !== 'none'";
            assert_eq!(page.evaluate(has_ring), json!(true), "{}", page.evaluate(focused));
            if page.evaluate(focused).as_str().is_some_and(|it| it.starts_with(target)) {
                return;
            }
        }
        panic!("Tab does not reach {target}");
    };
    // The first is the link to the content.
    page.press("Tab");
    assert_eq!(page.evaluate(focused), json!("skip"));
    page.press("Enter");
    tab_to("search");
    page.type_text("ba");
    tab_to("Next run");
    page.press("Enter");
    page.wait_for("location.hash === '#/?search=ba&sort=next'");
    assert_eq!(page.evaluate(focused), json!("Next run"));
    tab_to("backup");
    page.press("Enter");
    // The heading of the new view has the focus, so that it is read.
    page.wait_for(
        "document.activeElement.innerText === 'backup' && document.activeElement.tagName === 'H2'",
    );
    wait_for_text(&page, ".runs tbody", "Output");
    tab_to("Output");
    page.press(" ");
    wait_for_text(&page, ".output", "run 59");
    assert_eq!(page.evaluate("document.activeElement.ariaExpanded"), json!("true"));
    page.press(" ");
    page.wait_for("document.querySelector('.output') === null");
    assert_eq!(texts(&page, ".runs tbody tr").len(), 12);
}
