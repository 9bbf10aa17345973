// schedule!("*.2.29 Sat 12:00:00")
//
// A list of days, counted from 2000-01-01: no calendar arithmetic.

pub(super) const SCHEDULE: millicron::Schedule = {
    use millicron::__private::{
        Bounds, Compiled, DayList, FixedTime, Plan, StaticRef, Str, schedule,
    };
    enum This {}
    impl Compiled for This {
        type Date = DayList<32, 101>;
        type Time = FixedTime;
        const TEXT: StaticRef<Str> = "*.2.29 Sat 12:00:00";
        const PLAN: StaticRef<Plan<Self::Date, Self::Time>> = &Plan {
            date: DayList::new(&[7364, 17_591, 27_818], &[]).unwrap(),
            time: FixedTime(43_200_000),
            times: [43_200_000, 43_200_000],
            bounds: Bounds {
                first: 636_292_800_000,
                last: 2_403_518_400_000,
                count: 3,
            },
        };
    }
    schedule::<This>()
};
