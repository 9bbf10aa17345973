// schedule!("*:*:*.1,2,3-5,10-20/3")
//
// As with minutes, and two bit scans: of the words, and of the word.

pub(super) const SCHEDULE: millicron::Schedule = {
    use millicron::__private::{
        Bounds, Code, Compiled, EveryDay, Fields, Milliseconds, Plan, Split, Static,
        Text, Wide, schedule,
    };
    enum This {}
    impl Compiled for This {
        type Date = EveryDay;
        type Time = Split<Wide<Static<Milliseconds>>>;
        const TEXT: Static<Text> = "*:*:*.1,2,3-5,10-20/3";
        const FIELDS: Static<Fields> = &Fields {
            year: [0xffff_ffff_ffff_ffff, 0x1f_ffff_ffff],
            month: 0xfff,
            day: 0x7fff_ffff,
            weekday: 0x7f,
            hour: 0xff_ffff,
            minute: 0xfff_ffff_ffff_ffff,
            second: 0xfff_ffff_ffff_ffff,
        };
        const MILLISECONDS: Static<Milliseconds> = &[
            0x9_243e, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        ];
        const PLAN: Static<Plan<Self::Date, Self::Time>> = &Plan {
            date: EveryDay,
            time: Split::new(1, 1000, 0, Wide::of(Self::MILLISECONDS)),
            bounds: Bounds {
                first: 1,
                last: 3_187_295_999_019,
                count: 28_685_664_000,
            },
            opens: 1,
            closes: 86_399_019,
            per_day: 777_600,
        };
    }
    schedule(const { &Code::of::<This>() })
};
