// schedule!("*.*.* Mon-Fri 09:30:00")
//
// A table of the distance from each weekday to the next day; the time is a constant.

pub(super) const SCHEDULE: millicron::Schedule = {
    use millicron::__private::{
        Bounds, Compiled, FixedTime, Plan, StaticRef, Str, Weekdays, schedule,
    };
    enum This {}
    impl Compiled for This {
        type Date = Weekdays;
        type Time = FixedTime;
        const TEXT: StaticRef<Str> = "*.*.* Mon-Fri 09:30:00";
        const PLAN: StaticRef<Plan<Self::Date, Self::Time>> = &Plan {
            date: Weekdays::new(0x3e),
            time: FixedTime(34_200_000),
            times: [34_200_000, 34_200_000],
            bounds: Bounds {
                first: 207_000_000,
                last: 3_187_243_800_000,
                count: 26_350,
            },
        };
    }
    schedule::<This>()
};
