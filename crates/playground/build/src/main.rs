//! Combines the playground's module, script and style into one HTML file. Run by `scripts/build-playground`.

use std::path::Path;
use std::{env, fs};

use anyhow::{Context as _, Result, ensure};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};
use wasm_bindgen_cli_support::Bindgen;
use zopfli::{Format, Options};

/// The page must be smaller than this many bytes.
const LIMIT: usize = 300_000;

fn main() -> Result<()> {
    let arguments: Vec<_> = env::args_os().skip(1).collect();
    let [module, output] = &arguments[..] else {
        anyhow::bail!("usage: millicron-playground-build MODULE.wasm OUTPUT.html");
    };
    let page = page(Path::new(module))?;
    let output = Path::new(output);
    fs::create_dir_all(output.parent().context("a directory for the page")?)?;
    fs::write(output, &page)?;
    println!("{}: {} bytes of {LIMIT}", output.display(), page.len());
    ensure!(page.len() < LIMIT, "the page is too large");
    Ok(())
}

/// Assembles the page from its parts.
fn page(module: &Path) -> Result<String> {
    let mut output = Bindgen::new()
        .input_path(module)
        .no_modules(true)?
        .typescript(false)
        .remove_name_section(true)
        .remove_producers_section(true)
        .generate_output()
        .with_context(|| format!("cannot bind {}", module.display()))?;
    let module = compressed(&output.wasm_mut().emit_wasm())?;
    let script = joined(include_str!("../../page/page.js"));
    let script = fill(&script, "MODULE", &in_base_85(&module))?;
    let script = fill(&script, "LENGTH", &module.len().to_string())?;
    let script = format!("{}\n{script}", joined(output.js()));
    let mut style = joined(include_str!("../../page/page.css"));
    for (spaced, short) in [(": ", ":"), (" {", "{"), ("{ ", "{"), ("; }", "}"), ("; ", ";")] {
        style = style.replace(spaced, short);
    }
    ensure!(!script.contains("</script") && !style.contains("</style"), "a part ends its element");
    let policy = format!(
        "default-src 'none'; script-src 'wasm-unsafe-eval' {}; style-src 'unsafe-inline'; \
         base-uri 'none'; form-action 'none'",
        hash(&script),
    );
    let page = fill(&shortened(include_str!("../../page/page.html")), "POLICY", &policy)?;
    let page = fill(&page, "STYLE", &style)?;
    fill(&page, "SCRIPT", &script)
}

/// Leaves out indentation and the lines of comments. No text in the part may continue on another line.
fn shortened(part: &str) -> String {
    let mut shortened = String::new();
    let mut is_comment = false;
    for line in part.lines().map(str::trim_start) {
        is_comment |= line.starts_with("/*");
        if !is_comment && !line.starts_with("//") {
            shortened += line;
            shortened.push('\n');
        }
        is_comment &= !line.ends_with("*/");
    }
    shortened
}

/// Shortens a script or a style, and joins lines that need no break between them. No comment may follow code
/// on its line.
fn joined(part: &str) -> String {
    let mut joined = String::new();
    for line in shortened(part).lines() {
        joined += line;
        if !line.is_empty() && !line.ends_with([';', '{', '(', '[', ',']) {
            joined.push('\n');
        }
    }
    joined
}

/// Replaces a placeholder, which must occur exactly once.
fn fill(template: &str, place: &str, part: &str) -> Result<String> {
    ensure!(template.matches(place).count() == 1, "{place} does not occur exactly once");
    Ok(template.replace(place, part))
}

/// Compresses a module for the browser's `DecompressionStream`, as well as its format allows.
fn compressed(module: &[u8]) -> Result<Vec<u8>> {
    let mut compressed = Vec::new();
    zopfli::compress(Options::default(), Format::Deflate, module, &mut compressed)?;
    Ok(compressed)
}

/// Writes each four bytes as five characters, which takes a sixteenth less than base 64. The characters may
/// be in a string of a script within HTML: there is no `"`, `\` or `<`. The last bytes may be missing.
fn in_base_85(bytes: &[u8]) -> String {
    let character = |digit: u32| match u8::try_from(digit).unwrap_or_default() + b'#' {
        code if code < b'<' => char::from(code),
        code if code < b'\\' - 1 => char::from(code + 1),
        code => char::from(code + 2),
    };
    let mut text = String::new();
    for four in bytes.chunks(4) {
        let mut all = [0; 4];
        all[..four.len()].copy_from_slice(four);
        let number = u32::from_be_bytes(all);
        text.extend((0..5).rev().map(|place| character(number / 85_u32.pow(place) % 85)));
    }
    text
}

/// Returns the hash of a script as a content security policy lists it.
fn hash(script: &str) -> String {
    format!("'sha256-{}'", STANDARD.encode(Sha256::digest(script)))
}
