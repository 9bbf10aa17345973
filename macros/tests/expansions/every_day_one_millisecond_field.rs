// schedule!("*:*:*.1,2,3-5,10-20/3")
//
// The same with milliseconds: a scan of one word, or its neighbor from a table.

pub(super) const SCHEDULE: millicron::Schedule = {
    use millicron::__private as private;
    enum This {}
    impl private::Compiled for This {
        type Date = private::EveryDay;
        type Time = private::OneField<private::MillisecondSet>;
        const TEXT: private::StaticRef<private::Str> = "*:*:*.1,2,3-5,10-20/3";
        const PLAN: private::StaticRef<private::Plan<Self::Date, Self::Time>> = &private::Plan {
            date: private::EveryDay,
            time: private::OneField::new(
                1,
                1000,
                0,
                private::MillisecondSet::new([
                    0x9_243e, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                ]),
            ),
            times: [1, 86_399_019],
            bounds: private::Bounds {
                first: 1,
                last: 3_187_295_999_019,
                count: 28_685_664_000,
            },
        };
    }
    private::schedule::<This>()
};
