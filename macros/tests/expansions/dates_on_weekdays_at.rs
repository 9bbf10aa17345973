// schedule!("*.*.13 Fri 12:00:00")
//
// The same two bitmaps; the compiler ANDs them with the weekdays of the 14 kinds of year.

pub(super) const SCHEDULE: millicron::Schedule = {
    use millicron::__private::{
        At, Bounds, Code, Compiled, Fields, Plan, Static, Text, YearRows, schedule,
    };
    enum This {}
    impl Compiled for This {
        type Date = YearRows<14>;
        type Time = At;
        const TEXT: Static<Text> = "*.*.13 Fri 12:00:00";
        const FIELDS: Static<Fields> = &Fields {
            year: [0xffff_ffff_ffff_ffff, 0x1f_ffff_ffff],
            month: 0xfff,
            day: 0x1000,
            weekday: 0x20,
            hour: 0x1000,
            minute: 1,
            second: 1,
        };
        const PLAN: Static<Plan<Self::Date, Self::Time>> = &Plan {
            date: YearRows::new(
                [
                    0x800_0000_1000, 0x40_0000_0080, 0x8_0000_0010,
                    0x8000_0001_0000_0002, 0x1000_0000_2000_0000, 0x400_0000,
                    0x800_0000_1000, 0x80_0000_0100, 0x10_0000_0020, 0x2_0000_0004,
                    0x2000_0000_4000_0001, 0x800_0000,
                ],
                0x20,
                [0xffff_ffff_ffff_ffff, 0x1f_ffff_ffff],
            ),
            time: At(43_200_000),
            bounds: Bounds {
                first: 24_753_600_000,
                last: 3_175_156_800_000,
                count: 173,
            },
            opens: 43_200_000,
            closes: 43_200_000,
            per_day: 1,
        };
    }
    schedule(const { &Code::of::<This>() })
};
