// schedule!("*:10,20-22:30")
//
// Hours are free: one division leads to the minute, one bit scan of a word to the next.

pub(super) const SCHEDULE: millicron::Schedule = {
    use millicron::__private::{
        Bounds, Code, Compiled, EveryDay, Fields, Plan, Split, Static, Text, Word,
        schedule,
    };
    enum This {}
    impl Compiled for This {
        type Date = EveryDay;
        type Time = Split<Word>;
        const TEXT: Static<Text> = "*:10,20-22:30";
        const FIELDS: Static<Fields> = &Fields {
            year: [0xffff_ffff_ffff_ffff, 0x1f_ffff_ffff],
            month: 0xfff,
            day: 0x7fff_ffff,
            weekday: 0x7f,
            hour: 0xff_ffff,
            minute: 0x70_0400,
            second: 0x4000_0000,
        };
        const PLAN: Static<Plan<Self::Date, Self::Time>> = &Plan {
            date: EveryDay,
            time: Split::new(60_000, 60, 30_000, Word(0x70_0400)),
            bounds: Bounds {
                first: 630_000,
                last: 3_187_293_750_000,
                count: 3_541_440,
            },
            opens: 630_000,
            closes: 84_150_000,
            per_day: 96,
        };
    }
    schedule(const { &Code::of::<This>() })
};
