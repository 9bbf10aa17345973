// schedule!("09:30:00")
//
// Once a day is a stride, too: of a whole day.

pub(super) const SCHEDULE: millicron::Schedule = {
    use millicron::__private::{
        Bounds, Code, Compiled, EveryDay, Fields, Plan, Static, Stride, Text, schedule,
    };
    enum This {}
    impl Compiled for This {
        type Date = EveryDay;
        type Time = Stride;
        const TEXT: Static<Text> = "09:30:00";
        const FIELDS: Static<Fields> = &Fields {
            year: [0xffff_ffff_ffff_ffff, 0x1f_ffff_ffff],
            month: 0xfff,
            day: 0x7fff_ffff,
            weekday: 0x7f,
            hour: 0x200,
            minute: 0x4000_0000,
            second: 1,
        };
        const PLAN: Static<Plan<Self::Date, Self::Time>> = &Plan {
            date: EveryDay,
            time: Stride::new(86_400_000, 34_200_000),
            bounds: Bounds {
                first: 34_200_000,
                last: 3_187_243_800_000,
                count: 36_890,
            },
            opens: 34_200_000,
            closes: 34_200_000,
            per_day: 1,
        };
    }
    schedule(const { &Code::of::<This>() })
};
