// schedule!("*.*.* Fri 22:00:00..06:00:00/30m")
//
// The days begin with the window, so that no window lasts over their end.

pub(super) const SCHEDULE: millicron::Schedule = {
    use millicron::__private::{
        Bounds, Compiled, Plan, StaticRef, Str, Weekdays, WindowSteps, schedule,
    };
    enum This {}
    impl Compiled for This {
        type Date = Weekdays;
        type Time = WindowSteps;
        const TEXT: StaticRef<Str> = "*.*.* Fri 22:00:00..06:00:00/30m";
        const PLAN: StaticRef<Plan<Self::Date, Self::Time>> = &Plan {
            date: Weekdays::new(0x20),
            time: WindowSteps::new(79_200_000, 1_800_000, 16),
            times: [0, 27_000_000],
            bounds: Bounds {
                first: 597_600_000,
                last: 3_187_294_200_000,
                count: 84_308,
            },
        };
    }
    schedule::<This>()
};
