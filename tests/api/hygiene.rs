//! An expansion means the same in every scope, whichever names are shadowed or missing there.
//! `tests/hygiene` contains the tests that need their own crates.

/// Without a prelude, so that not even `Option` is in scope.
#[no_implicit_prelude]
mod no_prelude {
    use ::millicron::{Schedule, schedule};

    pub(crate) const CONSTANT: Schedule = schedule!("*:00:00");
    pub(crate) static TABLES: Schedule = ::millicron::schedule!("*.*.13 Fri 8-17:*/20,59:00");

    pub(crate) fn few_days() -> Schedule {
        schedule!("*.Feb.29 Sat *:*:*.1,2,3-5,10-20/3")
    }
}

/// Modules and types with the names of crates, of primitive types and of items in the prelude.
#[allow(dead_code, non_camel_case_types, reason = "names are all that matters")]
mod shadowed {
    pub(crate) mod millicron {}
    mod core {}
    mod std {}
    mod alloc {}
    mod millicron_runtime {}
    mod __private {}

    struct bool;
    struct char;
    struct str;
    struct u8;
    struct u16;
    struct u32;
    struct u64;
    struct u128;
    struct usize;
    struct i64;

    struct Option;
    struct Some;
    struct None;
    struct Send;
    struct Sync;
    struct Sized;
    struct Copy;
    struct Fn;

    pub(crate) const CONSTANT: ::millicron::Schedule = ::millicron::schedule!("*:00:00");
    pub(crate) static TABLES: ::millicron::Schedule =
        ::millicron::schedule!("*.*.13 Fri 8-17:*/20,59:00");

    pub(crate) fn few_days() -> ::millicron::Schedule {
        ::millicron::schedule!("*.Feb.29 Sat *:*:*.1,2,3-5,10-20/3")
    }
}

/// Other items with the names that an expansion imports or defines.
#[allow(dead_code, non_upper_case_globals, reason = "names are all that matters")]
mod same_names {
    use ::millicron::{calendar as compile_days, schedule as compile};

    struct This;
    struct At;
    struct Code;
    struct Digits;
    struct EveryDay;
    struct Expression;
    struct FewDays;
    struct One;
    struct Plan;
    struct Split;
    struct Static;
    struct Stride;
    struct Text;
    struct Weekdays;
    struct Wide;
    struct Word;
    struct YearRows;
    trait Compiled {}

    /// Methods with the names that an expansion calls, for all types.
    trait Everything: Sized {
        const PLAN: () = ();
        fn of() -> Self {
            panic!("not this one")
        }
        fn new() -> Self {
            panic!("not this one")
        }
        fn unwrap(self) -> Self {
            panic!("not this one")
        }
        fn days(self) -> Self {
            panic!("not this one")
        }
        fn later(self) -> Self {
            panic!("not this one")
        }
        fn next_days(self) -> Self {
            panic!("not this one")
        }
        fn tables(self) -> Self {
            panic!("not this one")
        }
    }

    impl<T> Everything for T {}

    #[allow(unused_macros, reason = "only its name matters")]
    macro_rules! schedule {
        () => {
            compile_error!("not this one")
        };
    }

    const schedule: () = ();

    pub(crate) const CONSTANT: ::millicron::Schedule = compile!("*:00:00");
    pub(crate) static TABLES: ::millicron::Schedule = compile!("*.*.13 Fri 8-17:*/20,59:00");

    const OFFICE: ::millicron::Calendar = compile_days!("*.*.* Mon-Fri\n- *.12.25");
    pub(crate) const ON_CALENDAR: ::millicron::Schedule =
        compile!("*.*.* B#1 00:00:00../7h @OFFICE", OFFICE);
    pub(crate) const UNION: ::millicron::Schedule =
        compile!("22:00:00..4:00:00/1h; 23:00:00; *.*.* B#L 9:00:00 @OFFICE", OFFICE);

    pub(crate) fn few_days<Date, Time, const date: usize>(
        time: &Time,
        _: &Date,
    ) -> ::millicron::Schedule {
        let root = compile!("*.Feb.29 Sat *:*:*.1,2,3-5,10-20/3");
        let _ = time;
        root
    }
}

/// Several expansions in one expression must not see each other's items.
fn in_one_expression() -> [millicron::Schedule; 3] {
    [
        ::millicron::schedule!("*:00:00"),
        ::millicron::schedule!("*.*.13 Fri 8-17:*/20,59:00"),
        ::millicron::schedule!("*.Feb.29 Sat *:*:*.1,2,3-5,10-20/3"),
    ]
}

#[test]
fn expansions_do_not_depend_on_names_in_scope() {
    let all = in_one_expression();
    assert_eq!(all, [no_prelude::CONSTANT, no_prelude::TABLES.clone(), no_prelude::few_days()]);
    assert_eq!(all, [shadowed::CONSTANT, shadowed::TABLES.clone(), shadowed::few_days()]);
    assert_eq!(
        all,
        [
            same_names::CONSTANT,
            same_names::TABLES.clone(),
            same_names::few_days::<(), (), 0>(&(), &())
        ]
    );
    let after = 946_944_000_000; // 2000-01-04 00:00:00
    assert_eq!(same_names::ON_CALENDAR.prev_event(after), Some(after - 3 * 3_600_000));
    assert_eq!(same_names::UNION.count(after..=after + 24 * 3_600_000), 7);
    let starts = all.map(|schedule| schedule.next_event(0));
    assert_eq!(starts, [Some(946_684_800_000), Some(971_424_000_000), Some(1_582_934_400_001)]);
}
