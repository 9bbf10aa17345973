// schedule!("*.*.32 12:00:00")
//
// The days of four years, and those of 2100, which is not a leap year.

pub(super) const SCHEDULE: millicron::Schedule = {
    use millicron::__private as private;
    enum This {}
    impl private::Compiled for This {
        type Date = private::DayList<96, 4>;
        type Time = private::FixedTime;
        const TEXT: private::StaticRef<private::Str> = "*.*.32 12:00:00";
        const PLAN: private::StaticRef<private::Plan<Self::Date, Self::Time>> = &private::Plan {
            date: private::DayList::new(
                    &[
                        30, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365, 396,
                        424, 455, 485, 516, 546, 577, 608, 638, 669, 699, 730, 761, 789,
                        820, 850, 881, 911, 942, 973, 1003, 1034, 1064, 1095, 1126, 1154,
                        1185, 1215, 1246, 1276, 1307, 1338, 1368, 1399, 1429, 1460,
                    ],
                    &[
                        36_555, 36_583, 36_614, 36_644, 36_675, 36_705, 36_736, 36_767,
                        36_797, 36_828, 36_858, 36_889,
                    ],
                )
                .unwrap(),
            time: private::FixedTime(43_200_000),
            times: [43_200_000, 43_200_000],
            bounds: private::Bounds {
                first: 2_635_200_000,
                last: 3_187_252_800_000,
                count: 1212,
            },
        };
    }
    private::schedule::<This>()
};
