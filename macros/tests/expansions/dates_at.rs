// schedule!("*.*.32 12:00:00")
//
// A bitmap of the common year and one of the leap year: no loop over days or months.

pub(super) const SCHEDULE: millicron::Schedule = {
    use millicron::__private::{
        At, Bounds, Code, Compiled, Fields, Plan, Static, Text, YearRows, schedule,
    };
    enum This {}
    impl Compiled for This {
        type Date = YearRows<2>;
        type Time = At;
        const TEXT: Static<Text> = "*.*.32 12:00:00";
        const FIELDS: Static<Fields> = &Fields {
            year: [0xffff_ffff_ffff_ffff, 0x1f_ffff_ffff],
            month: 0xfff,
            day: 0x8000_0000,
            weekday: 0x7f,
            hour: 0x1000,
            minute: 1,
            second: 1,
        };
        const PLAN: Static<Plan<Self::Date, Self::Time>> = &Plan {
            date: YearRows::new(
                [
                    0x400_0000_4000_0000, 0x80_0000_0200_0000, 0x10_0000_0040_0000,
                    0x4_0000_0008_0000, 0x8000_0001_0000, 0x1000_0000_2000,
                    0x800_0000_4000_0000, 0x100_0000_0400_0000, 0x20_0000_0080_0000,
                    0x8_0000_0010_0000, 0x1_0000_0002_0000, 0x2000_0000_4000,
                ],
                0x7f,
                [0xffff_ffff_ffff_ffff, 0x1f_ffff_ffff],
            ),
            time: At(43_200_000),
            bounds: Bounds {
                first: 2_635_200_000,
                last: 3_187_252_800_000,
                count: 1212,
            },
            opens: 43_200_000,
            closes: 43_200_000,
            per_day: 1,
        };
    }
    schedule(const { &Code::of::<This>() })
};
