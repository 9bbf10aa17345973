//! All arguments expand to an expression, and each error causes one message.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use syn::{Expr, Stmt};

use super::tokens;

/// Arguments other than a string literal.
const NOT_LITERALS: [&str; 30] = [
    "",
    ",",
    ";",
    "()",
    "[]",
    "{}",
    "TEXT",
    "self",
    "$crate",
    "&\"*:00:00\"",
    "(\"*:00:00\")",
    "\"*:00:00\",,",
    "\"*:00:00\" \"*:00:00\"",
    "\"*:00:00\"suffix",
    "concat!(\"*:\", \"00:00\")",
    "text = \"*:00:00\"",
    "0",
    "-1",
    "1.5e3",
    "'*'",
    "b'*'",
    "b\"*:00:00\"",
    "c\"*:00:00\"",
    "'label: loop {}",
    "crontab",
    "crontab,",
    "crontab \"*:00:00\" \"*:00:00\"",
    "crontab quartz \"* * * * *\"",
    "jenkins \"* * * * *\"",
    "\"* * * * *\" crontab",
];

/// Literals whose text is not a schedule.
const NOT_SCHEDULES: [&str; 12] = [
    r#""""#,
    r#"" \t ""#,
    r#""\0""#,
    r#""*.*.*\n*:00:00""#,
    r#""24:00:00""#,
    r#""*.2.30 00:00:00""#,
    r#""*/5 * * * *""#,
    r#""１:00:00""#,
    r#""\u{10ffff}:00:00""#,
    r##"r#""*":00:00"#"##,
    r#""*:99999999999999999999:00""#,
    r#""-""#,
];

/// Returns the number of errors in an expansion, which must be an expression even then.
fn errors(expansion: TokenStream) -> usize {
    let source = expansion.to_string();
    let Ok(Expr::Block(block)) = syn::parse2::<Expr>(expansion) else {
        panic!("not a block: {source}");
    };
    assert!(matches!(block.block.stmts.last(), Some(Stmt::Expr(_, None))), "no value: {source}");
    source.matches("compile_error").count()
}

fn expand(arguments: &str) -> TokenStream {
    crate::expand(tokens(&format!("millicron {arguments}")))
}

#[test]
fn arguments_other_than_a_literal_cause_one_error() {
    for arguments in NOT_LITERALS {
        assert_eq!(errors(expand(arguments)), 1, "{arguments}");
    }
}

#[test]
fn invalid_schedules_cause_one_error() {
    for arguments in NOT_SCHEDULES {
        assert_eq!(errors(expand(arguments)), 1, "{arguments}");
    }
}

#[test]
fn a_long_text_causes_one_short_error() {
    let long = format!("{:?}", "1,".repeat(100_000));
    let expansion = expand(&long);
    assert!(expansion.to_string().len() < 4000);
    assert_eq!(errors(expansion), 1);
}

#[test]
fn every_form_of_string_literal_is_accepted() {
    for arguments in [
        r#""*:00:00""#,
        r#"r"*:00:00""#,
        r###"r##"*:00:00"##"###,
        r#""\x2a:\u{30}0:0\
             0""#,
    ] {
        assert_eq!(errors(expand(arguments)), 0, "{arguments}");
    }
}

#[test]
fn a_dialect_may_stand_before_the_literal() {
    for (arguments, expected) in [
        (r#"crontab "* * * * *""#, 0),
        (r#"quartz "0 0 12 ? * MON","#, 0),
        (r#"cron_crate r"@daily""#, 0),
        (r#"systemd "daily""#, 0),
        (r#"crontab "60 * * * *""#, 1),
        // Only millicron has unions.
        (r#"crontab "* * * * *;""#, 1),
        (r#"systemd "daily;""#, 1),
        (r#"Crontab "* * * * *""#, 1),
    ] {
        assert_eq!(errors(expand(arguments)), expected, "{arguments}");
    }
}

/// Each `macro_rules!` that forwards an expression puts an invisible group around it.
#[test]
fn invisible_groups_are_opened() {
    for (literal, expected) in [("\"*:00:00\"", 0), ("\"24:00:00\"", 1), ("TEXT", 1)] {
        let mut arguments = tokens(literal);
        for _ in 0..100 {
            arguments = TokenTree::from(Group::new(Delimiter::None, arguments)).into();
        }
        let mut all = tokens("millicron");
        all.extend(arguments);
        assert_eq!(errors(crate::expand(all)), expected, "{literal}");
    }
}

#[test]
fn calendars_are_constants_by_their_names() {
    // Another macro may forward a path.
    for path in ["NYSE", "days::NYSE"] {
        let mut all = tokens("millicron \"12:00:00 @NYSE\",");
        all.extend([TokenTree::from(Group::new(Delimiter::None, tokens(path)))]);
        let expansion = crate::expand(all).to_string();
        assert!(!expansion.contains("compile_error"), "{expansion}");
    }
    for (arguments, expected) in [
        (r#""12:00:00 @NYSE", NYSE"#, None),
        (r#""12:00:00 @NYSE", nyse ="#, Some("takes one string literal")),
        (r#""12:00:00 @NYSE""#, Some(", NYSE)`")),
        (r#"crontab "0 12 * * *", NYSE"#, Some("a dialect has no calendars")),
    ] {
        let expansion = expand(arguments).to_string();
        match expected {
            None => assert!(!expansion.contains("compile_error"), "{expansion}"),
            Some(message) => {
                assert!(expansion.contains("compile_error"), "{expansion}");
                assert!(expansion.contains(message), "{expansion}");
            }
        }
    }
}

#[test]
fn a_calendar_has_no_dialect() {
    for (arguments, expected) in [(r#""*.*.* Mon-Fri""#, 0), (r#"crontab "*.*.* Mon-Fri""#, 1)] {
        let expansion = crate::calendar::expand(tokens(&format!("millicron {arguments}")), false);
        let errors = expansion.to_string().matches("compile_error").count();
        assert_eq!(errors, expected, "{arguments}");
    }
}

#[test]
fn a_zone_has_neither_a_dialect_nor_a_calendar() {
    for arguments in [r#"crontab "Europe/Berlin""#, r#""Europe/Berlin", NYSE"#] {
        let expansion = crate::zone::expand(tokens(&format!("millicron {arguments}")));
        let expected = "`zone!` takes one string literal";
        assert!(expansion.to_string().contains(expected), "{arguments}");
    }
}

/// It is known only when the constants are.
#[test]
fn a_calendar_that_others_empty_names_the_line() {
    let arguments = tokens(r#"millicron "*.*.* Mon-Fri\n- @ALL", ALL"#);
    let expansion = crate::calendar::expand(arguments, false).to_string();
    assert!(expansion.contains("line 2, column 3: the calendar has no days"), "{expansion}");
}

#[test]
fn a_missing_path_is_an_error() {
    let expansion = crate::expand(TokenStream::new()).to_string();
    assert_eq!(expansion.matches("compile_error").count(), 1);
}
