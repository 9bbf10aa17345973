// schedule!("*.2.29 Sat 12:00:00")
//
// The days themselves, 2000-01-01 being 0: no calendar at all.

pub(super) const SCHEDULE: millicron::Schedule = {
    use millicron::__private::{
        At, Bounds, Compiled, FewDays, Plan, Static, Text, schedule,
    };
    enum This {}
    impl Compiled for This {
        type Date = FewDays<32, 101>;
        type Time = At;
        const TEXT: Static<Text> = "*.2.29 Sat 12:00:00";
        const PLAN: Static<Plan<Self::Date, Self::Time>> = &Plan {
            date: FewDays::new(&[7364, 17_591, 27_818], &[]).unwrap(),
            time: At(43_200_000),
            bounds: Bounds {
                first: 636_292_800_000,
                last: 2_403_518_400_000,
                count: 3,
            },
        };
    }
    schedule::<This>()
};
