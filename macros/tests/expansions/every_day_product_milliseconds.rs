// schedule!("22-23,0-6:*:0.*/250")
//
// The same, with the milliseconds as several words.

pub(super) const SCHEDULE: millicron::Schedule = {
    use millicron::__private::{
        Bounds, Compiled, DayMinutes, EveryDay, FieldProduct, MillisecondSet, Plan,
        StaticRef, Str, schedule,
    };
    enum This {}
    impl Compiled for This {
        type Date = EveryDay;
        type Time = FieldProduct<MillisecondSet>;
        const TEXT: StaticRef<Str> = "22-23,0-6:*:0.*/250";
        const PLAN: StaticRef<Plan<Self::Date, Self::Time>> = &Plan {
            date: EveryDay,
            time: FieldProduct::new(
                DayMinutes::new(0xc0_007f, 0xfff_ffff_ffff_ffff),
                1,
                MillisecondSet::new([
                    1, 0, 0, 0x400_0000_0000_0000, 0, 0, 0, 0x10_0000_0000_0000, 0, 0, 0,
                    0x4000_0000_0000, 0, 0, 0, 0,
                ]),
            ),
            times: [0, 86_340_750],
            bounds: Bounds {
                first: 0,
                last: 3_187_295_940_750,
                count: 79_682_400,
            },
        };
    }
    schedule::<This>()
};
