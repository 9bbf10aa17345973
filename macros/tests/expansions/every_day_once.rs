// schedule!("09:30:00")
//
// Once a day is a stride of a day.

pub(super) const SCHEDULE: millicron::Schedule = {
    use millicron::__private::{
        Bounds, Compiled, EveryDay, Plan, StaticRef, Str, Stride, schedule,
    };
    enum This {}
    impl Compiled for This {
        type Date = EveryDay;
        type Time = Stride;
        const TEXT: StaticRef<Str> = "09:30:00";
        const PLAN: StaticRef<Plan<Self::Date, Self::Time>> = &Plan {
            date: EveryDay,
            time: Stride::new(86_400_000, 34_200_000),
            times: [34_200_000, 34_200_000],
            bounds: Bounds {
                first: 34_200_000,
                last: 3_187_243_800_000,
                count: 36_890,
            },
        };
    }
    schedule::<This>()
};
