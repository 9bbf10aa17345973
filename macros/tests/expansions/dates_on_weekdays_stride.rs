// schedule!("*.Mar-Oct.*/2 Mon-Fri *:*/15:00")
//
// The same bitmaps, ANDed with weekdays; the time of day is chosen apart: arithmetic.

pub(super) const SCHEDULE: millicron::Schedule = {
    use millicron::__private::{
        Bounds, Compiled, Plan, Static, Stride, Text, YearRows, schedule,
    };
    enum This {}
    impl Compiled for This {
        type Date = YearRows<14, 21>;
        type Time = Stride;
        const TEXT: Static<Text> = "*.Mar-Oct.*/2 Mon-Fri *:*/15:00";
        const PLAN: Static<Plan<Self::Date, Self::Time>> = &Plan {
            date: YearRows::new(
                [
                    0xa800_0000_0000_0000, 0x5555_5555_56aa_aaaa, 0xaaaa_aaaa_aad5_5555,
                    0xaaad_5555_555a_aaaa, 0xaaaa_aaaa_aaaa, 0, 0x5000_0000_0000_0000,
                    0xaaaa_aaaa_ad55_5555, 0x5555_5555_55aa_aaaa, 0x555a_aaaa_aab5_5555,
                    0x1_5555_5555_5555, 0,
                ],
                0x3e,
                [0xffff_ffff_ffff_ffff, 0x1f_ffff_ffff],
            ),
            time: Stride::new(900_000, 0),
            bounds: Bounds {
                first: 5_184_000_000,
                last: 3_181_851_900_000,
                count: 865_632,
            },
        };
    }
    schedule::<This>()
};
