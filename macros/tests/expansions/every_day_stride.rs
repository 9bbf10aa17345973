// schedule!("*:00:00")
//
// The events are the multiples of one constant: no date, no table.

pub(super) const SCHEDULE: millicron::Schedule = {
    use millicron::__private as private;
    enum This {}
    impl private::Compiled for This {
        type Date = private::EveryDay;
        type Time = private::Stride;
        const TEXT: private::StaticRef<private::Str> = "*:00:00";
        const PLAN: private::StaticRef<private::Plan<Self::Date, Self::Time>> = &private::Plan {
            date: private::EveryDay,
            time: private::Stride::new(3_600_000, 0),
            times: [0, 82_800_000],
            bounds: private::Bounds {
                first: 0,
                last: 3_187_292_400_000,
                count: 885_360,
            },
        };
    }
    private::schedule::<This>()
};
