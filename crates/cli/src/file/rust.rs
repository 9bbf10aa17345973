//! Schedules in Rust sources: string literals that are parsed at run time, and `schedule!`.

use std::collections::HashMap;
use std::ops::Range;

use jiff::tz::TimeZone;
use millicron::{
    Dialect, Language, ParseError, Schedule, ZonedParseError, ZonedParseErrorKind, ZonedSchedule,
};
use proc_macro2::{Span, TokenStream, TokenTree};
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::visit::Visit;
use syn::{Expr, Lit, LitStr, Path, Token, Type, UseTree};

use super::names::Names;
use super::problem::Problem;
use super::{JobEntry, schedule};

/// Reads the schedules of Rust sources.
pub(super) fn read(
    text: &str,
    zone: &TimeZone,
    jobs: &mut Vec<JobEntry>,
    problems: &mut Vec<Problem>,
) {
    let start = prefix(text);
    let file = match syn::parse_str::<syn::File>(&text[start..]) {
        Ok(file) => file,
        Err(error) => {
            let span = place(error.span(), start, text);
            // Of an unclosed bracket or quote, only the place is known.
            let message = match error.to_string() {
                it if it.contains("token stream") => "not valid Rust".to_owned(),
                it => it,
            };
            let hint = "`cargo check` says more about errors in Rust";
            problems.push(Problem::error("rust", span, message).hint(hint));
            return;
        }
    };
    let mut finder = Finder {
        imports: HashMap::new(),
        names_millicron: text.contains("millicron"),
        around: Vec::new(),
        found: Vec::new(),
    };
    finder.visit_file(&file);
    let mut names = Names::default();
    for found in finder.found {
        let (span, is_verbatim) = content(text, start, &found.literal);
        let value = found.literal.value();
        let read = found.reader.check(&value);
        let read = match read.and_then(|()| schedule::read(&value, found.reader.language, zone)) {
            Ok(read) => read,
            Err(_) if found.reader.zone == ZoneRule::Checked => continue,
            Err(problem) => {
                problems.push(schedule::shift(problem, &span, is_verbatim));
                continue;
            }
        };
        let name = names.unique(&found.name);
        jobs.push(JobEntry::new(name, span, value, read.language, read.schedule));
    }
}

/// Returns the length of a byte order mark and a shebang, which are not tokens.
fn prefix(text: &str) -> usize {
    let mark = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let rest = &text[mark..];
    let is_attribute = |rest: &str| rest.trim_start().starts_with('[');
    match rest.strip_prefix("#!").filter(|rest| !is_attribute(rest)) {
        Some(_) => mark + rest.find('\n').unwrap_or(rest.len()),
        None => mark,
    }
}

/// Returns the byte range of a span in a text that was parsed from byte `start` on.
fn place(span: Span, start: usize, text: &str) -> Range<usize> {
    let Range { start: from, end } = span.byte_range();
    let from = text.floor_char_boundary(start + from);
    from..text.ceil_char_boundary(start + end).max(from)
}

/// Returns the span of a literal's content, and whether it is written without escapes.
fn content(text: &str, start: usize, literal: &LitStr) -> (Range<usize>, bool) {
    let span = place(literal.span(), start, text);
    let value = literal.value();
    match text[span.clone()].find(&value) {
        Some(start) if !value.is_empty() => {
            (span.start + start..span.start + start + value.len(), true)
        }
        _ => (span, false),
    }
}

/// How the program reads a text.
#[derive(Clone, Copy, Debug)]
struct TextReader {
    /// The language; `None` to recognise it.
    language: Option<Language>,
    zone: ZoneRule,
}

/// Whether a text has a time zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ZoneRule {
    /// It may have one.
    Optional,
    /// It must have one: `ZonedSchedule`.
    Required,
    /// It must not have one: `Schedule`.
    Refused,
    /// The compiler checks the text.
    Checked,
}

impl TextReader {
    /// Reads the text as the program does, which may be an error for a text that is a schedule.
    fn check(self, text: &str) -> Result<(), Problem> {
        let zoned = |result: Result<ZonedSchedule<TimeZone>, ZonedParseError>| {
            result.map(drop).map_err(|error| {
                let is_schedule = matches!(error.kind(), ZonedParseErrorKind::Schedule(_));
                Problem::error(if is_schedule { "schedule" } else { "zone" }, error.span(), error)
            })
        };
        let plain = |result: Result<Schedule, ParseError>| {
            result
                .map(drop)
                .map_err(|error| Problem::error("schedule", error.span(), error.plain()))
        };
        match (self.zone, self.language) {
            (ZoneRule::Required, Some(Language::Dialect(it))) => zoned(it.parse_zoned(text)),
            (ZoneRule::Required, _) => zoned(ZonedSchedule::parse(text)),
            (ZoneRule::Refused, Some(Language::Dialect(it))) => plain(it.parse(text)),
            // This message names the types and calls of the library.
            (ZoneRule::Refused, _) => Schedule::parse(text)
                .map(drop)
                .map_err(|error| Problem::error("schedule", error.span(), error)),
            _ => Ok(()),
        }
    }
}

/// A schedule in the sources.
struct Found {
    name: String,
    literal: LitStr,
    reader: TextReader,
}

/// Finds schedules.
struct Finder {
    /// The crates that names are imported from.
    imports: HashMap<String, String>,
    names_millicron: bool,
    /// The names of the enclosing items and variables.
    around: Vec<String>,
    found: Vec<Found>,
}

impl Finder {
    fn push(&mut self, literal: &LitStr, reader: TextReader) {
        let name = self.around.last().cloned().unwrap_or_default();
        let literal = LitStr::new(&literal.value(), literal.span());
        self.found.push(Found { name, literal, reader });
    }

    fn within(&mut self, name: &syn::Ident, visit: impl FnOnce(&mut Self)) {
        self.around.push(name.to_string());
        visit(self);
        self.around.pop();
    }

    /// Returns how a type with this path reads a text, if it is a schedule of millicron or of the crate `cron`.
    fn reader_of(&self, path: &[String]) -> Option<TextReader> {
        let last = path.last()?;
        if last != "Schedule" && last != "ZonedSchedule" {
            return None;
        }
        let first = path.first()?;
        let origin = self.imports.get(first).unwrap_or(first);
        let language = match origin.as_str() {
            "millicron" => Some(Language::Millicron),
            "cron" => Some(Language::Dialect(Dialect::CronCrate)),
            "Schedule" | "ZonedSchedule" | "crate" | "self" | "super" if self.names_millicron => {
                Some(Language::Millicron)
            }
            _ => None,
        }?;
        let zone = if last == "Schedule" { ZoneRule::Refused } else { ZoneRule::Required };
        Some(TextReader { language: Some(language), zone })
    }

    fn reader_of_type(&self, ty: &Type) -> Option<TextReader> {
        match ty {
            Type::Path(ty) => self.reader_of(&names(&ty.path)),
            _ => None,
        }
    }

    /// Finds `"…".parse()` in the value of a variable with a type, through `?` and `unwrap`.
    fn typed_value(&mut self, ty: &Type, value: &Expr) {
        let Some(reader) = self.reader_of_type(ty) else { return };
        let mut value = value;
        loop {
            value = match value {
                Expr::Try(inner) => &inner.expr,
                Expr::MethodCall(call) if call.method == "parse" && call.turbofish.is_none() => {
                    if let Some(literal) = string(&call.receiver) {
                        self.push(literal, reader);
                    }
                    return;
                }
                Expr::MethodCall(call) => &call.receiver,
                _ => return,
            };
        }
    }

    /// Finds schedules in the arguments of a macro, if they are expressions.
    fn tokens(&mut self, tokens: &TokenStream) {
        let arguments = Punctuated::<Expr, Token![,]>::parse_terminated.parse2(tokens.clone());
        for argument in arguments.iter().flatten() {
            self.visit_expr(argument);
        }
    }
}

impl<'ast> Visit<'ast> for Finder {
    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        import(&item.tree, None, &mut self.imports);
    }

    fn visit_item_const(&mut self, item: &'ast syn::ItemConst) {
        self.within(&item.ident, |finder| {
            finder.typed_value(&item.ty, &item.expr);
            syn::visit::visit_item_const(finder, item);
        });
    }

    fn visit_item_static(&mut self, item: &'ast syn::ItemStatic) {
        self.within(&item.ident, |finder| syn::visit::visit_item_static(finder, item));
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.within(&item.sig.ident, |finder| syn::visit::visit_item_fn(finder, item));
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.within(&item.sig.ident, |finder| syn::visit::visit_impl_item_fn(finder, item));
    }

    fn visit_local(&mut self, local: &'ast syn::Local) {
        let (pattern, ty) = match &local.pat {
            syn::Pat::Type(typed) => (&*typed.pat, Some(&*typed.ty)),
            pattern => (pattern, None),
        };
        if let (Some(ty), Some(init)) = (ty, &local.init) {
            self.typed_value(ty, &init.expr);
        }
        match pattern {
            syn::Pat::Ident(name) => {
                self.within(&name.ident, |finder| syn::visit::visit_local(finder, local));
            }
            _ => syn::visit::visit_local(self, local),
        }
    }

    /// `Schedule::parse("…")`, `Schedule::from_str("…")` and `Language::recognize("…")`.
    fn visit_expr_call(&mut self, call: &'ast syn::ExprCall) {
        if let (Expr::Path(function), Some(literal)) =
            (&*call.func, call.args.first().and_then(string))
            && let Some((method, ty)) = split_method(&function.path)
        {
            let reader = match method.as_str() {
                "parse" | "from_str" | "try_from" => self.reader_of(&ty),
                "recognize" if ty.last().is_some_and(|it| it == "Language") => {
                    Some(TextReader { language: None, zone: ZoneRule::Optional })
                }
                _ => None,
            };
            if let Some(reader) = reader {
                self.push(literal, reader);
            }
        }
        syn::visit::visit_expr_call(self, call);
    }

    /// `"…".parse::<Schedule>()` and `Dialect::Crontab.parse("…")`.
    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        let method = call.method.to_string();
        if let ("parse", Some(literal), Some(types)) =
            (method.as_str(), string(&call.receiver), &call.turbofish)
        {
            if let Some(syn::GenericArgument::Type(ty)) = types.args.first()
                && let Some(reader) = self.reader_of_type(ty)
            {
                self.push(literal, reader);
            }
        } else if let (Some(dialect), Some(literal)) =
            (dialect(&call.receiver), call.args.first().and_then(string))
        {
            let zone = match method.as_str() {
                "parse" => ZoneRule::Refused,
                "parse_with_zone" => ZoneRule::Optional,
                "parse_zoned" => ZoneRule::Required,
                _ => return syn::visit::visit_expr_method_call(self, call),
            };
            let language = Some(Language::Dialect(dialect));
            self.push(literal, TextReader { language, zone });
        }
        syn::visit::visit_expr_method_call(self, call);
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        if call.path.segments.last().is_some_and(|name| name.ident == "schedule") {
            if let Some((language, literal)) = schedule_macro(&call.tokens) {
                self.push(
                    &literal,
                    TextReader { language: Some(language), zone: ZoneRule::Checked },
                );
            }
        } else {
            self.tokens(&call.tokens);
        }
    }
}

/// Records which crate each imported name is from.
fn import(tree: &UseTree, root: Option<&str>, imports: &mut HashMap<String, String>) {
    match tree {
        UseTree::Path(path) => {
            let name = path.ident.to_string();
            import(&path.tree, Some(root.unwrap_or(&name)), imports);
        }
        UseTree::Name(name) => {
            if let Some(root) = root {
                imports.insert(name.ident.to_string(), root.to_owned());
            }
        }
        UseTree::Rename(renamed) => {
            let root = root.map_or_else(|| renamed.ident.to_string(), str::to_owned);
            imports.insert(renamed.rename.to_string(), root);
        }
        UseTree::Group(group) => {
            group.items.iter().for_each(|tree| import(tree, root, imports));
        }
        UseTree::Glob(_) => {}
    }
}

/// Returns the string of an expression.
fn string(expression: &Expr) -> Option<&LitStr> {
    match expression {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Str(string) => Some(string),
            _ => None,
        },
        Expr::Paren(inner) => string(&inner.expr),
        Expr::Reference(inner) => string(&inner.expr),
        _ => None,
    }
}

/// Returns the names in a path.
fn names(path: &Path) -> Vec<String> {
    path.segments.iter().map(|it| it.ident.to_string()).collect()
}

/// Splits `Schedule::parse` into its last name and those before it.
fn split_method(path: &Path) -> Option<(String, Vec<String>)> {
    let mut ty = names(path);
    let method = ty.pop()?;
    (!ty.is_empty()).then_some((method, ty))
}

/// Returns the dialect that an expression such as `Dialect::Crontab` names.
fn dialect(expression: &Expr) -> Option<Dialect> {
    let Expr::Path(path) = expression else { return None };
    let (variant, ty) = split_method(&path.path)?;
    ty.last().filter(|ty| *ty == "Dialect")?;
    match variant.as_str() {
        "Crontab" => Some(Dialect::Crontab),
        "Quartz" => Some(Dialect::Quartz),
        "CronCrate" => Some(Dialect::CronCrate),
        "Systemd" => Some(Dialect::Systemd),
        _ => None,
    }
}

/// Reads the arguments of `schedule!`: a text, or the keyword of a dialect and a text.
fn schedule_macro(tokens: &TokenStream) -> Option<(Language, LitStr)> {
    let mut tokens = tokens.clone().into_iter().peekable();
    let language = match tokens.peek()? {
        TokenTree::Ident(keyword) => {
            let language = Language::with_keyword(&keyword.to_string())?;
            tokens.next();
            language
        }
        _ => Language::Millicron,
    };
    let literal = tokens.next()?;
    match syn::parse2(TokenStream::from(literal)).ok()? {
        Lit::Str(literal) => Some((language, literal)),
        _ => None,
    }
}
