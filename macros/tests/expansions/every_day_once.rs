// schedule!("09:30:00")
//
// Once a day is a stride of a day.

pub(super) const SCHEDULE: millicron::Schedule = {
    use millicron::__private as private;
    enum This {}
    impl private::Compiled for This {
        type Date = private::EveryDay;
        type Time = private::Stride;
        const TEXT: private::StaticRef<private::Str> = "09:30:00";
        const PLAN: private::StaticRef<private::Plan<Self::Date, Self::Time>> = &private::Plan {
            date: private::EveryDay,
            time: private::Stride::new(86_400_000, 34_200_000),
            times: [34_200_000, 34_200_000],
            bounds: private::Bounds {
                first: 34_200_000,
                last: 3_187_243_800_000,
                count: 36_890,
            },
        };
    }
    private::schedule::<This>()
};
