// schedule!("*.*.13 Fri 12:00:00")
//
// The days of 28 years, after which dates fall on the same weekdays again.

pub(super) const SCHEDULE: millicron::Schedule = {
    use millicron::__private as private;
    enum This {}
    impl private::Compiled for This {
        type Date = private::DayList<64, 28>;
        type Time = private::FixedTime;
        const TEXT: private::StaticRef<private::Str> = "*.*.13 Fri 12:00:00";
        const PLAN: private::StaticRef<private::Plan<Self::Date, Self::Time>> = &private::Plan {
            date: private::DayList::new(
                    &[
                        286, 468, 559, 986, 1077, 1259, 1504, 1686, 1959, 2204, 2477,
                        2659, 2750, 3086, 3331, 3359, 3604, 3877, 4150, 4395, 4486, 4577,
                        5004, 5095, 5277, 5522, 5550, 5795, 5977, 6222, 6495, 6677, 6768,
                        7195, 7286, 7377, 7622, 7895, 8168, 8413, 8686, 9022, 9113, 9295,
                        9540, 9568, 9813, 10_086,
                    ],
                    &[36_749],
                )
                .unwrap(),
            time: private::FixedTime(43_200_000),
            times: [43_200_000, 43_200_000],
            bounds: private::Bounds {
                first: 24_753_600_000,
                last: 3_175_156_800_000,
                count: 173,
            },
        };
    }
    private::schedule::<This>()
};
