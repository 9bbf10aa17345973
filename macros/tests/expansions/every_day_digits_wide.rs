// schedule!("22-23,0-6:*:0.*/250")
//
// As with seconds alone, and the milliseconds as a set of words.

pub(super) const SCHEDULE: millicron::Schedule = {
    use millicron::__private::{
        Bounds, Code, Compiled, Digits, EveryDay, Fields, Milliseconds, Plan, Static,
        Text, Wide, schedule,
    };
    enum This {}
    impl Compiled for This {
        type Date = EveryDay;
        type Time = Digits<Wide<Static<Milliseconds>>>;
        const TEXT: Static<Text> = "22-23,0-6:*:0.*/250";
        const FIELDS: Static<Fields> = &Fields {
            year: [0xffff_ffff_ffff_ffff, 0x1f_ffff_ffff],
            month: 0xfff,
            day: 0x7fff_ffff,
            weekday: 0x7f,
            hour: 0xc0_007f,
            minute: 0xfff_ffff_ffff_ffff,
            second: 1,
        };
        const MILLISECONDS: Static<Milliseconds> = &[
            1, 0, 0, 0x400_0000_0000_0000, 0, 0, 0, 0x10_0000_0000_0000, 0, 0, 0,
            0x4000_0000_0000, 0, 0, 0, 0,
        ];
        const PLAN: Static<Plan<Self::Date, Self::Time>> = &Plan {
            date: EveryDay,
            time: Digits {
                hours: 0xc0_007f,
                minutes: 0xfff_ffff_ffff_ffff,
                seconds: 1,
                millis: Wide::of(Self::MILLISECONDS),
            },
            bounds: Bounds {
                first: 0,
                last: 3_187_295_940_750,
                count: 79_682_400,
            },
            opens: 0,
            closes: 86_340_750,
            per_day: 2160,
        };
    }
    schedule(const { &Code::of::<This>() })
};
