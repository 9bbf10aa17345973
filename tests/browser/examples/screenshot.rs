//! Draws a page once it has a table: `screenshot URL FILE`.

use std::error::Error;
use std::{env, fs};

use millicron_browser_tests::Page;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let (Some(url), Some(file)) = (arguments.next(), arguments.next()) else {
        return Err("usage: screenshot URL FILE".into());
    };
    let page = Page::blank("a screenshot").ok_or("neither Chromium nor Chrome is installed")?;
    page.set_width(1000);
    page.set_zone("Europe/Berlin");
    page.visit(&url);
    page.wait_for("document.querySelector('table') !== null");
    fs::write(file, page.screenshot(1000))?;
    Ok(())
}
