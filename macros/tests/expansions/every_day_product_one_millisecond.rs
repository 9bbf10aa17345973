// schedule!("8-17:*/20,59:00")
//
// A bit scan for each field, the highest first.

pub(super) const SCHEDULE: millicron::Schedule = {
    use millicron::__private::{
        Bounds, Compiled, DayMinutes, EveryDay, FieldProduct, Plan, SingleValue,
        StaticRef, Str, schedule,
    };
    enum This {}
    impl Compiled for This {
        type Date = EveryDay;
        type Time = FieldProduct<SingleValue>;
        const TEXT: StaticRef<Str> = "8-17:*/20,59:00";
        const PLAN: StaticRef<Plan<Self::Date, Self::Time>> = &Plan {
            date: EveryDay,
            time: FieldProduct::new(
                DayMinutes::new(0x3_ff00, 0x800_0100_0010_0001),
                1,
                SingleValue(0),
            ),
            times: [28_800_000, 64_740_000],
            bounds: Bounds {
                first: 28_800_000,
                last: 3_187_274_340_000,
                count: 1_475_600,
            },
        };
    }
    schedule::<This>()
};
