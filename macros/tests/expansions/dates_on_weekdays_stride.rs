// schedule!("*.Mar-Oct.*/2 Mon-Fri *:*/15:00")
//
// The same bitmaps, combined with weekdays by AND; the time is arithmetic.

pub(super) const SCHEDULE: millicron::Schedule = {
    use millicron::__private::{
        Bounds, Compiled, Plan, StaticRef, Str, Stride, YearRows, schedule,
    };
    enum This {}
    impl Compiled for This {
        type Date = YearRows;
        type Time = Stride;
        const TEXT: StaticRef<Str> = "*.Mar-Oct.*/2 Mon-Fri *:*/15:00";
        const PLAN: StaticRef<Plan<Self::Date, Self::Time>> = &Plan {
            date: YearRows {
                rows: [
                    0xa800_0000_0000_0000, 0x5555_5555_56aa_aaaa, 0xaaaa_aaaa_aad5_5555,
                    0xaaad_5555_555a_aaaa, 0xaaaa_aaaa_aaaa, 0, 0x5000_0000_0000_0000,
                    0xaaaa_aaaa_ad55_5555, 0x5555_5555_55aa_aaaa, 0x555a_aaaa_aab5_5555,
                    0x1_5555_5555_5555, 0,
                ],
                nexts: [
                    0x6a1_a840_4c12_0041, 0x6a1_a840_cc12_0041, 0x6a9_aa40_cc32_0041,
                    0x6a9_aa40_4c32_0041, 0x6a1_a840_4c12_0843, 0x6a1_a840_4c12_0843,
                    0x6a1_a840_4c12_0041, 0x6a5_a940_4c12_0041, 0x6ad_ab40_cc12_0041,
                    0x6ad_ab40_cc32_0041, 0x6a5_a940_4c32_0041, 0x6a5_a940_4c12_0843,
                    0x6a5_a940_4c12_0843, 0x6a5_a940_4c12_0041, 0x6a5_a940_0c02_0440,
                    0x6ad_ab40_0c02_0440, 0x6ad_ab40_8c02_0440, 0x6a5_a940_8c22_0c40,
                    0x6a5_a940_0c22_0c40, 0x6a5_a940_0c02_0442, 0x6a5_a940_0c02_0442,
                ],
                prevs: [
                    0xa76_6d8b_5ea6_ad30, 0xa76_6d8b_5ec6_b530, 0xa76_6d8b_5ec6_b530,
                    0xa76_6b8b_5ec6_b530, 0xa6e_6b8a_dec6_b530, 0xa6e_6d8a_dec6_b52e,
                    0xa76_6d8b_5ea6_ad2e, 0xa76_6d8b_5ea6_ad30, 0xa76_6d8b_5ec6_b530,
                    0xa76_6d8b_5ec6_b530, 0xa76_6b8b_5ec6_b530, 0xa6e_6b8a_dec6_b530,
                    0xa6e_6d8a_dec6_b52e, 0xa76_6d8b_5ea6_ad2e, 0xa7a_6c8b_1ed6_a930,
                    0xa7a_6c8b_1ed6_a930, 0xa7a_6c8b_1ed6_b130, 0xa72_6c8b_1ed6_b130,
                    0xa72_6a8b_1ed6_b130, 0xa7a_6a8a_9eb6_b12e, 0xa7a_6c8a_9eb6_b12e,
                ],
                ranks: [
                    0x168_5a12_4310_6402, 0x164_5912_0300_6002, 0x164_5912_0310_6402,
                    0x164_5911_c300_6402, 0x164_5912_0300_6402, 0x164_5912_0310_6803,
                    0x168_5a12_4310_6402, 0x164_5911_c2f0_6001, 0x164_5911_c300_6401,
                    0x164_5911_c2f0_6401, 0x164_5912_0300_6401, 0x164_5911_c310_6802,
                    0x168_5a12_0300_6402, 0x168_5a12_0300_6402,
                ],
                years: [0xffff_ffff_ffff_ffff, 0x1f_ffff_ffff],
                before: [
                    0, 90, 179, 268, 357, 446, 536, 626, 715, 804, 893, 982, 1072, 1161,
                    1250, 1339, 1428, 1518, 1608, 1697, 1786, 1875, 1964, 2054, 2144,
                    2233, 2322, 2411, 2500, 2590, 2679, 2768, 2857, 2946, 3036, 3126,
                    3215, 3304, 3393, 3482, 3572, 3661, 3750, 3839, 3928, 4018, 4108,
                    4197, 4286, 4375, 4464, 4554, 4644, 4733, 4822, 4911, 5000, 5090,
                    5179, 5268, 5357, 5446, 5536, 5626, 5715, 5804, 5893, 5982, 6072,
                    6161, 6250, 6339, 6428, 6518, 6608, 6697, 6786, 6875, 6964, 7054,
                    7144, 7233, 7322, 7411, 7500, 7590, 7679, 7768, 7857, 7946, 8036,
                    8126, 8215, 8304, 8393, 8482, 8572, 8661, 8750, 8839, 8928, 9017,
                ],
                weekdays: 0x3e,
                is_every_year: true,
            },
            time: Stride::new(900_000, 0),
            bounds: Bounds {
                first: 5_184_000_000,
                last: 3_181_851_900_000,
                count: 865_632,
            },
        };
    }
    schedule::<This>()
};
