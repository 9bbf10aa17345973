// schedule!("*:00:00")
//
// The events are the multiples of one constant: no date, no table.

pub(super) const SCHEDULE: millicron::Schedule = {
    use millicron::__private::{
        Bounds, Compiled, EveryDay, Plan, StaticRef, Str, Stride, schedule,
    };
    enum This {}
    impl Compiled for This {
        type Date = EveryDay;
        type Time = Stride;
        const TEXT: StaticRef<Str> = "*:00:00";
        const PLAN: StaticRef<Plan<Self::Date, Self::Time>> = &Plan {
            date: EveryDay,
            time: Stride::new(3_600_000, 0),
            times: [0, 82_800_000],
            bounds: Bounds {
                first: 0,
                last: 3_187_292_400_000,
                count: 885_360,
            },
        };
    }
    schedule::<This>()
};
