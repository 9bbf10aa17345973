// schedule!("*.*.* Fri 22:00:00..06:00:00/30m")
//
// The days begin with the window, so that no window lasts over their end.

pub(super) const SCHEDULE: millicron::Schedule = {
    use millicron::__private as private;
    enum This {}
    impl private::Compiled for This {
        type Date = private::Weekdays;
        type Time = private::WindowSteps;
        const TEXT: private::StaticRef<private::Str> = "*.*.* Fri 22:00:00..06:00:00/30m";
        const PLAN: private::StaticRef<private::Plan<Self::Date, Self::Time>> = &private::Plan {
            date: private::Weekdays::new(0x20),
            time: private::WindowSteps::new(79_200_000, 1_800_000, 16),
            times: [0, 27_000_000],
            bounds: private::Bounds {
                first: 597_600_000,
                last: 3_187_294_200_000,
                count: 84_308,
            },
        };
    }
    private::schedule::<This>()
};
