// schedule!("*:*:*.*/5")
//
// A step that divides a second is a stride.

pub(super) const SCHEDULE: millicron::Schedule = {
    use millicron::__private as private;
    enum This {}
    impl private::Compiled for This {
        type Date = private::EveryDay;
        type Time = private::Stride;
        const TEXT: private::StaticRef<private::Str> = "*:*:*.*/5";
        const PLAN: private::StaticRef<private::Plan<Self::Date, Self::Time>> = &private::Plan {
            date: private::EveryDay,
            time: private::Stride::new(5, 0),
            times: [0, 86_399_995],
            bounds: private::Bounds {
                first: 0,
                last: 3_187_295_999_995,
                count: 637_459_200_000,
            },
        };
    }
    private::schedule::<This>()
};
