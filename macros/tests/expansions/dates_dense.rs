// schedule!("*.*.*/2 12:00:00")
//
// A bitmap of the common year and one of the leap year: no loop over days or months.

pub(super) const SCHEDULE: millicron::Schedule = {
    use millicron::__private::{
        At, Bounds, Compiled, Plan, Static, Text, YearRows, schedule,
    };
    enum This {}
    impl Compiled for This {
        type Date = YearRows<2, 3>;
        type Time = At;
        const TEXT: Static<Text> = "*.*.*/2 12:00:00";
        const PLAN: Static<Plan<Self::Date, Self::Time>> = &Plan {
            date: YearRows::new(
                [
                    0xaaaa_aaaa_d555_5555, 0x5555_5555_56aa_aaaa, 0xaaaa_aaaa_aad5_5555,
                    0xaaad_5555_555a_aaaa, 0x5555_aaaa_aaaa_aaaa, 0x1555_5555_5555,
                    0x5aaa_aaaa_d555_5555, 0xaaaa_aaaa_ad55_5555, 0x5555_5555_55aa_aaaa,
                    0x555a_aaaa_aab5_5555, 0xaaab_5555_5555_5555, 0x2aaa_aaaa_aaaa,
                ],
                0x7f,
                [0xffff_ffff_ffff_ffff, 0x1f_ffff_ffff],
            ),
            time: At(43_200_000),
            bounds: Bounds {
                first: 43_200_000,
                last: 3_187_252_800_000,
                count: 18_811,
            },
        };
    }
    schedule::<This>()
};
