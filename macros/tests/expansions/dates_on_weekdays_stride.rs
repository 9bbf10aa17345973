// schedule!("*.Sep.*/2 Mon-Fri *:*/15:00")
//
// The same bitmaps, ANDed with weekdays; the time of day is chosen apart: arithmetic.

pub(super) const SCHEDULE: millicron::Schedule = {
    use millicron::__private::{
        Bounds, Code, Compiled, Plan, Static, Stride, Text, YearRows, schedule,
    };
    enum This {}
    impl Compiled for This {
        type Date = YearRows<14, 21>;
        type Time = Stride;
        const TEXT: Static<Text> = "*.Sep.*/2 Mon-Fri *:*/15:00";
        const PLAN: Static<Plan<Self::Date, Self::Time>> = &Plan {
            date: YearRows::new(
                [
                    0, 0, 0, 0xaaa8_0000_0000_0000, 0xaaaa, 0, 0, 0, 0,
                    0x5550_0000_0000_0000, 0x1_5555, 0,
                ],
                0x3e,
                [0xffff_ffff_ffff_ffff, 0x1f_ffff_ffff],
            ),
            time: Stride::new(900_000, 0),
            bounds: Bounds {
                first: 21_081_600_000,
                last: 3_179_259_900_000,
                count: 103_872,
            },
        };
    }
    schedule(const { &Code::of::<This>() })
};
