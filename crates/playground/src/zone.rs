//! [`BrowserZone`]: the time zones of the browser.

use std::cell::RefCell;
use std::rc::Rc;

use millicron::{NamedZone, OffsetSpan, Zone, ZoneTable};
use wasm_bindgen::prelude::wasm_bindgen;

/// Functions that the page implements with `Intl`.
#[wasm_bindgen]
extern "C" {
    /// Returns the offset of a time zone at an instant, in milliseconds ahead of UTC.
    #[wasm_bindgen(js_namespace = browserZones, js_name = offsetAt)]
    fn offset_at(name: &str, instant: f64) -> i32;

    /// Returns whether a time zone with this name exists.
    #[wasm_bindgen(js_namespace = browserZones)]
    fn has(name: &str) -> bool;

    /// Returns the names of all time zones.
    #[wasm_bindgen(js_namespace = browserZones)]
    fn names() -> Vec<String>;
}

/// A time zone of the browser, whose offsets are looked up once.
#[derive(Clone)]
pub(crate) struct BrowserZone {
    name: Rc<str>,
    table: ZoneTable,
}

impl Zone for BrowserZone {
    fn offset_at(&self, instant: i64) -> i32 {
        self.table.offset_at(instant)
    }

    fn offset_span(&self, instant: i64) -> Option<OffsetSpan> {
        self.table.offset_span(instant)
    }

    fn name(&self) -> Option<&str> {
        Some(&self.name)
    }
}

impl NamedZone for BrowserZone {
    fn named(name: &str) -> Option<Self> {
        thread_local! {
            static KNOWN: RefCell<Vec<BrowserZone>> = RefCell::default();
        }
        let find = |known: &Vec<Self>| known.iter().find(|zone| &*zone.name == name).cloned();
        let known = KNOWN.with_borrow(find);
        known.or_else(|| {
            let zone = has(name).then(|| Self::listed(name))?;
            KNOWN.with_borrow_mut(|known| known.push(zone.clone()));
            Some(zone)
        })
    }

    fn names() -> impl Iterator<Item: AsRef<str>> {
        names().into_iter()
    }
}

impl BrowserZone {
    /// Looks up all offsets of a time zone.
    fn listed(name: &str) -> Self {
        Self { name: name.into(), table: ZoneTable::new(&Queried(name)) }
    }
}

/// A time zone by name, which looks up each offset.
struct Queried<'a>(&'a str);

impl Zone for Queried<'_> {
    fn offset_at(&self, instant: i64) -> i32 {
        #[expect(
            clippy::cast_precision_loss,
            reason = "the years 2000 to 2100 are far below 2^53 ms"
        )]
        let instant = instant as f64;
        offset_at(self.0, instant)
    }
}
