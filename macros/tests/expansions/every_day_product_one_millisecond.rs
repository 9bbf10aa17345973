// schedule!("8-17:*/20,59:00")
//
// A bit scan for each field, the highest first.

pub(super) const SCHEDULE: millicron::Schedule = {
    use millicron::__private as private;
    enum This {}
    impl private::Compiled for This {
        type Date = private::EveryDay;
        type Time = private::FieldProduct<private::SingleValue>;
        const TEXT: private::StaticRef<private::Str> = "8-17:*/20,59:00";
        const PLAN: private::StaticRef<private::Plan<Self::Date, Self::Time>> = &private::Plan {
            date: private::EveryDay,
            time: private::FieldProduct::new(
                0x3_ff00,
                0x800_0100_0010_0001,
                1,
                private::SingleValue(0),
            ),
            times: [28_800_000, 64_740_000],
            bounds: private::Bounds {
                first: 28_800_000,
                last: 3_187_274_340_000,
                count: 1_475_600,
            },
        };
    }
    private::schedule::<This>()
};
