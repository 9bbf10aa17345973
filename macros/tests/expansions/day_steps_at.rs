// schedule!("2026.01.05/2w Mon,Thu 09:00:00")
//
// Cycles of two weeks, and the days of one week as bits.

pub(super) const SCHEDULE: millicron::Schedule = {
    use millicron::__private as private;
    enum This {}
    impl private::Compiled for This {
        type Date = private::DaySteps;
        type Time = private::FixedTime;
        const TEXT: private::StaticRef<private::Str> = "2026.01.05/2w Mon,Thu 09:00:00";
        const PLAN: private::StaticRef<private::Plan<Self::Date, Self::Time>> = &private::Plan {
            date: private::DaySteps::new(9501, 14, 1, 9),
            time: private::FixedTime(32_400_000),
            times: [32_400_000, 32_400_000],
            bounds: private::Bounds {
                first: 820_918_800_000,
                last: 3_187_155_600_000,
                count: 3914,
            },
        };
    }
    private::schedule::<This>()
};
