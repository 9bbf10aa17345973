// schedule!("8-17:*/20,59:00")
//
// A bit scan for each digit, the highest first; one that moves resets those below.

pub(super) const SCHEDULE: millicron::Schedule = {
    use millicron::__private::{
        Bounds, Code, Compiled, Digits, EveryDay, Fields, One, Plan, Static, Text,
        schedule,
    };
    enum This {}
    impl Compiled for This {
        type Date = EveryDay;
        type Time = Digits<One>;
        const TEXT: Static<Text> = "8-17:*/20,59:00";
        const FIELDS: Static<Fields> = &Fields {
            year: [0xffff_ffff_ffff_ffff, 0x1f_ffff_ffff],
            month: 0xfff,
            day: 0x7fff_ffff,
            weekday: 0x7f,
            hour: 0x3_ff00,
            minute: 0x800_0100_0010_0001,
            second: 1,
        };
        const PLAN: Static<Plan<Self::Date, Self::Time>> = &Plan {
            date: EveryDay,
            time: Digits {
                hours: 0x3_ff00,
                minutes: 0x800_0100_0010_0001,
                seconds: 1,
                millis: One(0),
            },
            bounds: Bounds {
                first: 28_800_000,
                last: 3_187_274_340_000,
                count: 1_475_600,
            },
            opens: 28_800_000,
            closes: 64_740_000,
            per_day: 40,
        };
    }
    schedule(const { &Code::of::<This>() })
};
