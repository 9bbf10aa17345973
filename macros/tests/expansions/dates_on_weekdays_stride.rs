// schedule!("*.Sep.*/2 Mon-Fri *:*/15:00")
//
// The date and the time of day are chosen apart: bitmaps here, arithmetic there.

pub(super) const SCHEDULE: millicron::Schedule = {
    use millicron::__private::{
        Bounds, Code, Compiled, Fields, Plan, Static, Stride, Text, YearRows, schedule,
    };
    enum This {}
    impl Compiled for This {
        type Date = YearRows<14>;
        type Time = Stride;
        const TEXT: Static<Text> = "*.Sep.*/2 Mon-Fri *:*/15:00";
        const FIELDS: Static<Fields> = &Fields {
            year: [0xffff_ffff_ffff_ffff, 0x1f_ffff_ffff],
            month: 0x100,
            day: 0x5555_5555,
            weekday: 0x3e,
            hour: 0xff_ffff,
            minute: 0x2000_4000_8001,
            second: 1,
        };
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
            opens: 0,
            closes: 85_500_000,
            per_day: 96,
        };
    }
    schedule(const { &Code::of::<This>() })
};
