// schedule!("*.2.29 Sat 12:00:00")
//
// The days themselves, 2000-01-01 being 0: no calendar at all.

pub(super) const SCHEDULE: millicron::Schedule = {
    use millicron::__private::{
        At, Bounds, Code, Compiled, FewDays, Fields, Plan, Static, Text, schedule,
    };
    enum This {}
    impl Compiled for This {
        type Date = FewDays<7>;
        type Time = At;
        const TEXT: Static<Text> = "*.2.29 Sat 12:00:00";
        const FIELDS: Static<Fields> = &Fields {
            year: [0xffff_ffff_ffff_ffff, 0x1f_ffff_ffff],
            month: 2,
            day: 0x1000_0000,
            weekday: 0x40,
            hour: 0x1000,
            minute: 1,
            second: 1,
        };
        const PLAN: Static<Plan<Self::Date, Self::Time>> = &Plan {
            date: FewDays::new(&[7364, 17_591, 27_818]).unwrap(),
            time: At(43_200_000),
            bounds: Bounds {
                first: 636_292_800_000,
                last: 2_403_518_400_000,
                count: 3,
            },
            opens: 43_200_000,
            closes: 43_200_000,
            per_day: 1,
        };
    }
    schedule(const { &Code::of::<This>() })
};
