// schedule!("*:10,20-22:30")
//
// The hours are free: one division finds the minute, one bit scan the next one in the set.

pub(super) const SCHEDULE: millicron::Schedule = {
    use millicron::__private as private;
    enum This {}
    impl private::Compiled for This {
        type Date = private::EveryDay;
        type Time = private::OneField<private::SmallSet>;
        const TEXT: private::StaticRef<private::Str> = "*:10,20-22:30";
        const PLAN: private::StaticRef<private::Plan<Self::Date, Self::Time>> = &private::Plan {
            date: private::EveryDay,
            time: private::OneField::new(60_000, 60, 30_000, 0x70_0400),
            times: [630_000, 84_150_000],
            bounds: private::Bounds {
                first: 630_000,
                last: 3_187_293_750_000,
                count: 3_541_440,
            },
        };
    }
    private::schedule::<This>()
};
