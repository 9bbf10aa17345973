//! Names and outputs that try to break out of the page.

use millicron_board::RunState;
use millicron_browser_tests::Page;
use serde_json::json;

use crate::demo::{Demo, HOSTILE, hostile_output, now};
use crate::{Server, click_on, texts, wait_for_text};

#[test]
fn hostile_names_and_outputs_execute_nothing() {
    let Some(page) = Page::blank("hostile jobs") else { return };
    let demo = Demo::default();
    for name in HOSTILE {
        demo.add(name, "0 2 * * *", "", &["<b>tag</b>"]).expect("a schedule");
        demo.start(name, now(), now());
        if HOSTILE.ends_with(&[name]) {
            demo.write(name, &hostile_output());
        }
        demo.end(name, now(), RunState::Failed, Some("<script>document.title='hacked'</script>"));
    }
    demo.need(HOSTILE[0], HOSTILE[1], "<i>label</i>");
    let server = Server::new(demo, None);
    server.open(&page, "");
    assert_eq!(texts(&page, ".jobs .name").len(), HOSTILE.len());
    assert!(
        texts(&page, ".jobs .name")
            .iter()
            .any(|it| it == "\u{fffd}reversed\u{fffd} \u{fffd}[31mred")
    );
    for name in HOSTILE {
        let hash = page.evaluate(&format!("'#/job/' + encodeURIComponent({})", json!(name)));
        server.open(&page, hash.as_str().expect("a hash"));
        wait_for_text(&page, ".message", "<script>");
    }
    click_on(&page, "Output");
    wait_for_text(&page, ".output", "the end");
    wait_for_text(&page, ".output-panel", "Earlier output is not kept.");
    let output = page.text(".output");
    for part in ["<img src=x onerror", "link", "invalid \u{fffd}(", "\n100 %"] {
        assert!(output.contains(part), "{part}");
    }
    assert!(!output.contains("javascript:") && !output.contains('\u{1b}') && output.len() < 70_000);
    for view in ["", "#/day"] {
        server.open(&page, view);
    }
    page.wait_for("document.querySelector('.picture > div') !== null");
    let injected =
        "document.querySelectorAll('img, main script, main i, main b, [onerror]').length";
    assert_eq!(page.evaluate(injected), json!(0));
    assert!(!page.evaluate("document.title").as_str().is_some_and(|it| it.contains("hacked")));
    assert_eq!(page.complaints(), Vec::<String>::new());
    // Nothing is loaded from elsewhere.
    let origin = format!("http://{}/", server.address);
    let others = page.requests().into_iter().filter(|it| {
        // The browser draws its own icons from data.
        !it.starts_with(&origin) && it != "about:blank" && !it.starts_with("data:")
    });
    assert_eq!(others.collect::<Vec<_>>(), Vec::<String>::new());
}
