// schedule!("*.Sep.*/2 Mon-Fri 10:00:00")
//
// A word for each of the 14 shapes that a year can have: one of them is looked at.

pub(super) const SCHEDULE: millicron::Schedule = {
    use millicron::__private::{
        At, Bounds, Compiled, Plan, Season, Static, Text, schedule,
    };
    enum This {}
    impl Compiled for This {
        type Date = Season;
        type Time = At;
        const TEXT: Static<Text> = "*.Sep.*/2 Mon-Fri 10:00:00";
        const PLAN: Static<Plan<Self::Date, Self::Time>> = &Plan {
            date: Season::new(243, [0x1555_5555, 0x2aaa_aaaa], 0x3e).unwrap(),
            time: At(36_000_000),
            bounds: Bounds {
                first: 21_117_600_000,
                last: 3_179_210_400_000,
                count: 1082,
            },
        };
    }
    schedule::<This>()
};
