// schedule!("22-23,0-6:*:0.*/250")
//
// The same, with the milliseconds as several words.

pub(super) const SCHEDULE: millicron::Schedule = {
    use millicron::__private as private;
    enum This {}
    impl private::Compiled for This {
        type Date = private::EveryDay;
        type Time = private::FieldProduct<private::MillisecondSet>;
        const TEXT: private::StaticRef<private::Str> = "22-23,0-6:*:0.*/250";
        const PLAN: private::StaticRef<private::Plan<Self::Date, Self::Time>> = &private::Plan {
            date: private::EveryDay,
            time: private::FieldProduct::new(
                0xc0_007f,
                0xfff_ffff_ffff_ffff,
                1,
                private::MillisecondSet::new([
                    1, 0, 0, 0x400_0000_0000_0000, 0, 0, 0, 0x10_0000_0000_0000, 0, 0, 0,
                    0x4000_0000_0000, 0, 0, 0, 0,
                ]),
            ),
            times: [0, 86_340_750],
            bounds: private::Bounds {
                first: 0,
                last: 3_187_295_940_750,
                count: 79_682_400,
            },
        };
    }
    private::schedule::<This>()
};
