// schedule!("*:00:00")
//
// The hours of all days are the multiples of one constant: no day, no table.

pub(super) const SCHEDULE: millicron::Schedule = {
    use millicron::__private::{
        Bounds, Code, Compiled, EveryDay, Fields, Plan, Static, Stride, Text, schedule,
    };
    enum This {}
    impl Compiled for This {
        type Date = EveryDay;
        type Time = Stride;
        const TEXT: Static<Text> = "*:00:00";
        const FIELDS: Static<Fields> = &Fields {
            year: [0xffff_ffff_ffff_ffff, 0x1f_ffff_ffff],
            month: 0xfff,
            day: 0x7fff_ffff,
            weekday: 0x7f,
            hour: 0xff_ffff,
            minute: 1,
            second: 1,
        };
        const PLAN: Static<Plan<Self::Date, Self::Time>> = &Plan {
            date: EveryDay,
            time: Stride::new(3_600_000, 0),
            bounds: Bounds {
                first: 0,
                last: 3_187_292_400_000,
                count: 885_360,
            },
            opens: 0,
            closes: 82_800_000,
            per_day: 24,
        };
    }
    schedule(const { &Code::of::<This>() })
};
