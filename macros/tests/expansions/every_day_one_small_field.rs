// schedule!("*:10,20-22:30")
//
// The hours are free: one division finds the minute, one bit scan the next one in the set.

pub(super) const SCHEDULE: millicron::Schedule = {
    use millicron::__private::{
        Bounds, Compiled, EveryDay, OneField, Plan, SmallSet, StaticRef, Str, schedule,
    };
    enum This {}
    impl Compiled for This {
        type Date = EveryDay;
        type Time = OneField<SmallSet>;
        const TEXT: StaticRef<Str> = "*:10,20-22:30";
        const PLAN: StaticRef<Plan<Self::Date, Self::Time>> = &Plan {
            date: EveryDay,
            time: OneField::new(60_000, 60, 30_000, SmallSet::new(0x70_0400)),
            times: [630_000, 84_150_000],
            bounds: Bounds {
                first: 630_000,
                last: 3_187_293_750_000,
                count: 3_541_440,
            },
        };
    }
    schedule::<This>()
};
