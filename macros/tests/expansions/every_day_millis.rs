// schedule!("*:*:*.*/5")
//
// A step that divides a second is a stride.

pub(super) const SCHEDULE: millicron::Schedule = {
    use millicron::__private::{
        Bounds, Compiled, EveryDay, Plan, StaticRef, Str, Stride, schedule,
    };
    enum This {}
    impl Compiled for This {
        type Date = EveryDay;
        type Time = Stride;
        const TEXT: StaticRef<Str> = "*:*:*.*/5";
        const PLAN: StaticRef<Plan<Self::Date, Self::Time>> = &Plan {
            date: EveryDay,
            time: Stride::new(5, 0),
            times: [0, 86_399_995],
            bounds: Bounds {
                first: 0,
                last: 3_187_295_999_995,
                count: 637_459_200_000,
            },
        };
    }
    schedule::<This>()
};
