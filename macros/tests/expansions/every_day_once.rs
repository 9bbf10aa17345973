// schedule!("09:30:00")
//
// Once a day is a stride, too: of a whole day.

pub(super) const SCHEDULE: millicron::Schedule = {
    use millicron::__private::{
        Bounds, Compiled, EveryDay, Plan, Static, Stride, Text, schedule,
    };
    enum This {}
    impl Compiled for This {
        type Date = EveryDay;
        type Time = Stride;
        const TEXT: Static<Text> = "09:30:00";
        const PLAN: Static<Plan<Self::Date, Self::Time>> = &Plan {
            date: EveryDay,
            time: Stride::new(86_400_000, 34_200_000),
            bounds: Bounds {
                first: 34_200_000,
                last: 3_187_243_800_000,
                count: 36_890,
            },
        };
    }
    schedule::<This>()
};
