// schedule!("*.*.* Mon-Fri 09:30:00")
//
// A table of the distance from each weekday to the next day; the time is a constant.

pub(super) const SCHEDULE: millicron::Schedule = {
    use millicron::__private as private;
    enum This {}
    impl private::Compiled for This {
        type Date = private::Weekdays;
        type Time = private::FixedTime;
        const TEXT: private::StaticRef<private::Str> = "*.*.* Mon-Fri 09:30:00";
        const PLAN: private::StaticRef<private::Plan<Self::Date, Self::Time>> = &private::Plan {
            date: private::Weekdays::new(0x3e),
            time: private::FixedTime(34_200_000),
            times: [34_200_000, 34_200_000],
            bounds: private::Bounds {
                first: 207_000_000,
                last: 3_187_243_800_000,
                count: 26_350,
            },
        };
    }
    private::schedule::<This>()
};
