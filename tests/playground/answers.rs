//! The page's answers about a text.

use serde_json::json;

use millicron_browser_tests::Page;

use crate::{choose, open, playground, texts, type_calendars, type_schedule};

#[test]
fn what_is_typed_is_explained() {
    let Some(page) = playground("an explanation", "") else { return };
    type_schedule(&page, "*.*.* 02:30:00");
    assert_eq!(page.text("#message p"), "Every day at 02:30, in Europe/Berlin.");
    assert_eq!(page.evaluate("document.title"), json!("*.*.* 02:30:00 · millicron playground"));
    assert!(
        page.text("#message p + p").starts_with("Read as millicron. Events that the clocks skip")
    );
    let events = texts(&page, "#events td");
    assert_eq!(events.len(), 20);
    let first = ["Sun 2026-03-29 03:00:00 +02:00", "in 13h", "Mon 2026-03-30 02:30:00 +02:00"];
    assert_eq!(events[..3], first);
    let changes = texts(&page, "#changes h3");
    assert_eq!(
        changes[..2],
        [
            "Sun 2026-03-29: the clocks go from 02:00 to 03:00",
            "Sun 2026-10-25: the clocks go from 03:00 to 02:00",
        ]
    );
    let affected = texts(&page, "#changes li");
    assert_eq!(affected[0], "02:30 fires at the first instant after the gap, at 03:00.");
    let described = page.evaluate("document.querySelector('#calendar svg desc').textContent");
    assert_eq!(described, json!("2026: 365 events on 365 days."));
}

#[test]
fn a_page_that_was_hidden_shows_the_present() {
    let Some(page) = playground("a later time", "#text=*.*.* 02:30:00") else { return };
    // 2027-01-02 12:00:00 UTC
    let reappear =
        "Date.now = () => 1_798_891_200_000, document.dispatchEvent(new Event('visibilitychange'))";
    page.evaluate(reappear);
    assert_eq!(texts(&page, "#events td")[0], "Sun 2027-01-03 02:30:00 +01:00");
    let changes = texts(&page, "#changes h3");
    assert_eq!(changes[0], "Sun 2027-03-28: the clocks go from 02:00 to 03:00");
    let year = "document.getElementById('year').value";
    assert_eq!(page.evaluate(year), json!("2027"));
    let described = "document.querySelector('#calendar svg desc').textContent";
    assert_eq!(page.evaluate(described), json!("2027: 365 events on 365 days."));

    // A year that was chosen stays.
    open(&page, "#text=*.*.* 02:30:00&year=2026");
    page.evaluate(reappear);
    assert_eq!(page.evaluate(year), json!("2026"));
}

#[test]
fn each_language_has_the_text_or_what_it_lacks() {
    let Some(page) = playground("the other languages", "#text=*:*:*.500") else { return };
    assert_eq!(
        texts(&page, "#writings dt"),
        ["millicron", "crontab", "Quartz", "cron crate", "systemd"]
    );
    assert_eq!(texts(&page, "#writings .missing")[0], "Not possible: crontab has no milliseconds.");
    assert_eq!(texts(&page, "#writings code"), ["*:*:*.500", "*:*:00.5..59.5"]);
}

/// Asserts that the mark is under some characters of a field, after others in the line, by measuring them in its font.
fn assert_marked(page: &Page, field: &str, before: &str, marked: &str) {
    let script = format!(
        "(() => {{\
            const field = document.getElementById({}), mark = field.nextElementSibling.querySelector('mark');\
            const style = getComputedStyle(field), pen = document.createElement('canvas').getContext('2d');\
            pen.font = `${{style.fontSize}} ${{style.fontFamily}}`;\
            const width = text => pen.measureText(text).width;\
            const [outer, box] = [field, mark].map(it => it.getBoundingClientRect());\
            const left = outer.left + parseFloat(style.borderLeftWidth) + parseFloat(style.paddingLeft) - field.scrollLeft;\
            const line = parseFloat(style.lineHeight), lines = field.value.slice(0, field.value.indexOf({marked})).split('\\n');\
            const bottom = field.tagName === 'INPUT' ? outer.bottom - 6\
                : outer.top + 1 + parseFloat(style.paddingTop) + lines.length * line - field.scrollTop;\
            const [start, end] = [{}, {marked}].map(width);\
            return [box.left - left - start, box.width - end, box.bottom - bottom];\
        }})()",
        json!(field),
        json!(before),
        marked = json!(marked),
    );
    let distances = page.evaluate(&script);
    let distances = distances.as_array().expect("distances").iter();
    let distances: Vec<_> = distances.filter_map(serde_json::Value::as_f64).collect();
    assert!(
        distances.len() == 3 && distances.iter().all(|it| it.abs() < 3.0),
        "{marked}: {distances:?}"
    );
}

#[test]
fn errors_are_marked_under_the_characters() {
    let Some(page) = playground("errors", "") else { return };
    type_schedule(&page, "0 25 * * *");
    assert_eq!(
        texts(&page, "#message p"),
        ["hour 25 is out of range: expected 0-23", "Read as crontab, which it resembles most."]
    );
    assert_eq!(page.evaluate("document.getElementById('text').ariaInvalid"), json!("true"));
    assert_eq!(page.evaluate("document.getElementById('explanation').hidden"), json!(true));
    assert_marked(&page, "text", "0 ", "25");
    // A text wider than the field, which scrolls to the end.
    let long = format!("*.*.* {}x 12:00:00", "1,".repeat(100));
    page.evaluate("document.getElementById('text').select()");
    page.insert_text(&long);
    page.press("End");
    page.wait_for("document.getElementById('text').scrollLeft > 0");
    page.wait_for(
        "document.querySelector('.marks div').style.translate === `-${document.getElementById('text').scrollLeft}px`",
    );
    assert_marked(&page, "text", &long[..206], "x");
    // Nothing is marked once the text is valid.
    type_schedule(&page, "0 2 * * *");
    page.wait_for("document.querySelector('.marks mark').hidden");
    assert_eq!(page.evaluate("document.getElementById('text').ariaInvalid"), json!("false"));
    assert!(!page.text("#message").contains("resembles"));
}

#[test]
fn calendars_are_used_and_their_closed_days_are_drawn() {
    let Some(page) = playground("calendars", "#text=*.*.*+09:30:00+@office") else { return };
    assert_eq!(
        texts(&page, "#message p"),
        [
            "office is not a known calendar: there are no calendars",
            "Write its days under Calendars, below a line [office]."
        ]
    );
    assert_eq!(page.evaluate("document.querySelector('form details').open"), json!(false));
    type_calendars(&page, "[office]\n*.*.* Mon-Fri\n- *.Easter+1");
    page.wait_for("!document.getElementById('explanation').hidden");
    assert_eq!(texts(&page, "#events td")[0], "Mon 2026-03-30 09:30:00 +02:00");
    let picture = "document.querySelector('#calendar svg').textContent";
    assert!(page.evaluate(picture).as_str().is_some_and(|it| it.contains("not a day of office")));
    // Closing the box lasts while the schedule is typed.
    page.evaluate("document.querySelector('form details').open = false");
    type_schedule(&page, "*.*.* B#1 09:30:00 @office");
    assert_eq!(page.evaluate("document.querySelector('form details').open"), json!(false));
    type_schedule(&page, "*.*.* 09:30:00 @offices");
    page.wait_for("document.getElementById('message').className === 'wrong'");
    assert_eq!(texts(&page, "#message p")[0], "offices is not a known calendar: expected office");
}

#[test]
fn errors_in_calendars_are_marked_under_the_characters() {
    let Some(page) = playground("errors in calendars", "#text=12:00:00") else { return };
    type_calendars(&page, "[office]\n*.*.* Mon-Fri\n- *.13.25");
    let expected =
        "calendars, line 3, column 5: month 13 is out of range: expected 1-12, or Jan-Dec";
    assert_eq!(page.text("#message"), expected);
    let invalid =
        |field: &str| page.evaluate(&format!("document.getElementById('{field}').ariaInvalid"));
    assert_eq!((invalid("text"), invalid("calendars")), (json!("false"), json!("true")));
    assert_marked(&page, "calendars", "- *.", "13");
    // More lines, and longer ones, than the box shows.
    let line = format!("- {}x.1", "2026,".repeat(60));
    type_calendars(&page, &format!("[office]\n*.*.* Mon-Fri\n{}{line}", "- *.1.1\n".repeat(30)));
    page.evaluate("document.getElementById('calendars').scrollTo(9999, 9999)");
    page.wait_for(
        "(it => it.scrollTop > 0 && it.scrollLeft > 0 && document.querySelector('.lines .marks div').style.translate \
         === `-${it.scrollLeft}px -${it.scrollTop}px`)(document.getElementById('calendars'))",
    );
    assert_marked(&page, "calendars", &line[..302], "x");
    type_calendars(&page, "[office]\n*.*.* Mon-Fri\n");
    page.wait_for("document.querySelector('.lines mark').hidden");
    assert_eq!(page.text("#message p"), "Every day at noon, in Europe/Berlin.");
    // Line breaks of other systems.
    open(&page, "#text=12:00:00&calendars=[a]%0D%0A*.13.1");
    assert_marked(&page, "calendars", "*.", "13");
}

#[test]
fn ambiguous_texts_are_decided_by_a_button() {
    let Some(page) = playground("ambiguous texts", "") else { return };
    type_schedule(&page, "0 30 9 * * 1-5");
    let choices = texts(&page, "#choices button");
    assert_eq!(
        choices,
        [
            "crontab\nAt 09:30 on Monday to Friday",
            "cron crate\nAt 09:30 on Monday to Thursday and Sunday",
        ]
    );
    page.click("#choices button:nth-child(2)");
    page.wait_for("document.getElementById('language').value === 'cron_crate'");
    assert_eq!(
        page.text("#message p"),
        "At 09:30 on Monday to Thursday and Sunday, in Europe/Berlin."
    );
    assert_eq!(page.evaluate("document.getElementById('choices').hidden"), json!(true));
}

#[test]
fn another_language_is_offered_if_the_one_chosen_does_not_read_the_text() {
    let Some(page) = playground("another language", "#text=30+9+*+*+MON-FRI&language=quartz")
    else {
        return;
    };
    assert_eq!(page.text("#message p + p"), "That is how Quartz reads it. Choose another:");
    assert_eq!(texts(&page, "#choices strong"), ["crontab"]);
    page.click("#choices button");
    page.wait_for("!document.getElementById('explanation').hidden");
}

#[test]
fn schedules_are_offered_for_a_phrase() {
    let text = "every+15+minutes+between+9+and+17";
    let Some(page) = playground("a phrase", &format!("#text={text}")) else { return };
    assert_eq!(
        texts(&page, "#choices button"),
        [
            "09:00:00..17:00:00/15m\nEvery 15 minutes from 09:00 until 17:00",
            "09:00:00..=17:00:00/15m\nEvery 15 minutes from 09:00 through 17:00",
        ]
    );
    page.click("#choices button:nth-child(2)");
    page.wait_for("document.getElementById('text').value === '09:00:00..=17:00:00/15m'");
    page.wait_for("!document.getElementById('explanation').hidden");
    assert_eq!(page.evaluate("document.getElementById('choices').hidden"), json!(true));
}

#[test]
fn examples_can_be_tried() {
    let Some(page) = playground("the examples", "") else { return };
    let count = texts(&page, "#examples button").len();
    assert!(count >= 8);
    for index in 1..=count {
        page.click(&format!("#examples li:nth-child({index}) button"));
        let message = page.text("#message");
        let name = page.text(&format!("#examples li:nth-child({index}) button"));
        let is_wrong = page.evaluate("document.getElementById('message').className === 'wrong'");
        assert_eq!(is_wrong, json!(name == "An error"), "{name}: {message}");
        let has_choices = page.evaluate("!document.getElementById('choices').hidden");
        assert_eq!(has_choices, json!(name == "Means two things"), "{name}: {message}");
    }
}

#[test]
fn texts_that_are_empty_or_hostile_do_no_harm() {
    let Some(page) = playground("other texts", "") else { return };
    type_schedule(&page, "");
    assert_eq!(page.text("#message"), "Type a schedule, or choose an example.");
    type_schedule(&page, "<img src=x onerror=alert(1)>");
    page.wait_for("document.getElementById('message').className === 'wrong'");
    // The subject of the picture is the text as typed.
    choose(&page, "zone", "Asia/Kathmandu");
    type_schedule(&page, "12:00:00");
    assert_eq!(page.evaluate("document.images.length"), json!(0));
    assert!(page.complaints().is_empty(), "{:?}", page.complaints());
}

#[test]
fn clock_changes_without_an_affected_event_are_named_together() {
    let Some(page) = playground("clock changes", "#text=12:00:00") else { return };
    assert_eq!(
        page.text("#changes"),
        "No event is affected when the clocks of Europe/Berlin change on \
         Sun 2026-03-29, Sun 2026-10-25, Sun 2027-03-28, Sun 2027-10-31, Sun 2028-03-26."
    );
    choose(&page, "zone", "Asia/Tokyo");
    assert_eq!(page.text("#changes"), "The clocks of Asia/Tokyo do not change within two years.");
    // In the text's zone, regardless of the reader's.
    type_schedule(&page, "2:30:00 America/New_York");
    assert_eq!(
        texts(&page, "#changes h3"),
        [
            "Sun 2027-03-14: the clocks go from 02:00 to 03:00",
            "Sun 2028-03-12: the clocks go from 02:00 to 03:00",
        ]
    );
}

#[test]
fn the_time_until_an_event_has_two_units() {
    let Some(page) = playground("durations", "#text=2026.3.28+13:00:00.500") else { return };
    assert_eq!(texts(&page, "#events td"), ["Sat 2026-03-28 13:00:00.500 +01:00", "in 500ms"]);
    for (text, expected) in [
        ("2026.3.28 13:00:01.500", "in 1s 500ms"),
        ("2026.3.28 13:01:00", "in 1m"),
        ("2026.3.28 14:01:59", "in 1h 2m"),
        ("2026.3.30 14:00:00", "in 2d"),
        ("2100.12.31 23:59:59", "in 74y 277d"),
    ] {
        type_schedule(&page, text);
        assert_eq!(texts(&page, "#events td")[1], expected, "{text}");
    }
    type_schedule(&page, "2026.3.28 13:00:00");
    assert_eq!(page.text("#events"), "There are no more events.");
}
