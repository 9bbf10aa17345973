// schedule!("*:*:*.*/5")
//
// A step that divides its second is a stride over all days.

pub(super) const SCHEDULE: millicron::Schedule = {
    use millicron::__private::{
        Bounds, Code, Compiled, EveryDay, Fields, Milliseconds, Plan, Static, Stride,
        Text, schedule,
    };
    enum This {}
    impl Compiled for This {
        type Date = EveryDay;
        type Time = Stride;
        const TEXT: Static<Text> = "*:*:*.*/5";
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
            0x1084_2108_4210_8421, 0x2108_4210_8421_0842, 0x4210_8421_0842_1084,
            0x8421_0842_1084_2108, 0x842_1084_2108_4210, 0x1084_2108_4210_8421,
            0x2108_4210_8421_0842, 0x4210_8421_0842_1084, 0x8421_0842_1084_2108,
            0x842_1084_2108_4210, 0x1084_2108_4210_8421, 0x2108_4210_8421_0842,
            0x4210_8421_0842_1084, 0x8421_0842_1084_2108, 0x842_1084_2108_4210,
            0x8_4210_8421,
        ];
        const PLAN: Static<Plan<Self::Date, Self::Time>> = &Plan {
            date: EveryDay,
            time: Stride::new(5, 0),
            bounds: Bounds {
                first: 0,
                last: 3_187_295_999_995,
                count: 637_459_200_000,
            },
            opens: 0,
            closes: 86_399_995,
            per_day: 17_280_000,
        };
    }
    schedule(const { &Code::of::<This>() })
};
