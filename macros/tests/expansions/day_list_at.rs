// schedule!("*.2.29 Sat 12:00:00")
//
// A list of days, counted from 2000-01-01: no calendar arithmetic.

pub(super) const SCHEDULE: millicron::Schedule = {
    use millicron::__private as private;
    enum This {}
    impl private::Compiled for This {
        type Date = private::DayList<32, 101>;
        type Time = private::FixedTime;
        const TEXT: private::StaticRef<private::Str> = "*.2.29 Sat 12:00:00";
        const PLAN: private::StaticRef<private::Plan<Self::Date, Self::Time>> = &private::Plan {
            date: private::DayList::new(&[7364, 17_591, 27_818], &[]).unwrap(),
            time: private::FixedTime(43_200_000),
            times: [43_200_000, 43_200_000],
            bounds: private::Bounds {
                first: 636_292_800_000,
                last: 2_403_518_400_000,
                count: 3,
            },
        };
    }
    private::schedule::<This>()
};
