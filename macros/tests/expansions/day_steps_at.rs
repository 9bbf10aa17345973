// schedule!("2026.01.05/2w Mon,Thu 09:00:00")
//
// Cycles of two weeks, and the days of one week as bits.

pub(super) const SCHEDULE: millicron::Schedule = {
    use millicron::__private::{
        Bounds, Compiled, DaySteps, FixedTime, Plan, StaticRef, Str, schedule,
    };
    enum This {}
    impl Compiled for This {
        type Date = DaySteps;
        type Time = FixedTime;
        const TEXT: StaticRef<Str> = "2026.01.05/2w Mon,Thu 09:00:00";
        const PLAN: StaticRef<Plan<Self::Date, Self::Time>> = &Plan {
            date: DaySteps::new(9501, 14, 1, 9),
            time: FixedTime(32_400_000),
            times: [32_400_000, 32_400_000],
            bounds: Bounds {
                first: 820_918_800_000,
                last: 3_187_155_600_000,
                count: 3914,
            },
        };
    }
    schedule::<This>()
};
