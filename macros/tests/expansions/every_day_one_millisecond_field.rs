// schedule!("*:*:*.1,2,3-5,10-20/3")
//
// The same with milliseconds: a scan of one word, or its neighbor from a table.

pub(super) const SCHEDULE: millicron::Schedule = {
    use millicron::__private::{
        Bounds, Compiled, EveryDay, MillisecondSet, OneField, Plan, StaticRef, Str,
        schedule,
    };
    enum This {}
    impl Compiled for This {
        type Date = EveryDay;
        type Time = OneField<MillisecondSet>;
        const TEXT: StaticRef<Str> = "*:*:*.1,2,3-5,10-20/3";
        const PLAN: StaticRef<Plan<Self::Date, Self::Time>> = &Plan {
            date: EveryDay,
            time: OneField::new(
                1,
                1000,
                0,
                MillisecondSet::new([
                    0x9_243e, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                ]),
            ),
            times: [1, 86_399_019],
            bounds: Bounds {
                first: 1,
                last: 3_187_295_999_019,
                count: 28_685_664_000,
            },
        };
    }
    schedule::<This>()
};
