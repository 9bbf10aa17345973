// schedule!("*.*.*/2 12:00:00")
//
// Bitmaps of the 14 shapes of years: no loop over days or months.

pub(super) const SCHEDULE: millicron::Schedule = {
    use millicron::__private as private;
    enum This {}
    impl private::Compiled for This {
        type Date = private::YearRows;
        type Time = private::FixedTime;
        const TEXT: private::StaticRef<private::Str> = "*.*.*/2 12:00:00";
        const PLAN: private::StaticRef<private::Plan<Self::Date, Self::Time>> = &private::Plan {
            date: private::YearRows {
                days: private::YearDays([
                    0x5555_555a_aaaa_aaa0, 0x5555_555a_aaaa_aaa0, 0x5555_555a_aaaa_aaa0,
                    0x5555_555a_aaaa_aaa0, 0x5555_555a_aaaa_aaa0, 0x5555_555a_aaaa_aaa0,
                    0x5555_555a_aaaa_aaa0, 0xaaaa_aaad_5555_5550, 0xaaaa_aaad_5555_5550,
                    0xaaaa_aaad_5555_5550, 0xaaaa_aaad_5555_5550, 0xaaaa_aaad_5555_5550,
                    0xaaaa_aaad_5555_5550, 0xaaaa_aaad_5555_5550, 0xaaaa_aaaa_d555_5555,
                    0x5555_5555_5aaa_aaaa, 0x55aa_aaaa_ab55_5555, 0xaab5_5555_5555_5555,
                    0x2_aaaa_aaaa_aaaa, 0xaaaa_aaaa_d555_5555, 0x5555_5555_5aaa_aaaa,
                    0x55aa_aaaa_ab55_5555, 0xaab5_5555_5555_5555, 0x2_aaaa_aaaa_aaaa,
                    0xaaaa_aaaa_d555_5555, 0x5555_5555_5aaa_aaaa, 0x55aa_aaaa_ab55_5555,
                    0xaab5_5555_5555_5555, 0x2_aaaa_aaaa_aaaa, 0xaaaa_aaaa_d555_5555,
                    0x5555_5555_5aaa_aaaa, 0x55aa_aaaa_ab55_5555, 0xaab5_5555_5555_5555,
                    0x2_aaaa_aaaa_aaaa, 0xaaaa_aaaa_d555_5555, 0x5555_5555_5aaa_aaaa,
                    0x55aa_aaaa_ab55_5555, 0xaab5_5555_5555_5555, 0x2_aaaa_aaaa_aaaa,
                    0xaaaa_aaaa_d555_5555, 0x5555_5555_5aaa_aaaa, 0x55aa_aaaa_ab55_5555,
                    0xaab5_5555_5555_5555, 0x2_aaaa_aaaa_aaaa, 0xaaaa_aaaa_d555_5555,
                    0x5555_5555_5aaa_aaaa, 0x55aa_aaaa_ab55_5555, 0xaab5_5555_5555_5555,
                    0x2_aaaa_aaaa_aaaa,
                ]),
                nexts: [
                    0x5c9_4140_0c02_0440, 0x5c9_4140_0c02_0440, 0x5c9_4140_0c02_0440,
                    0x5c9_4140_0c02_0440, 0x5c9_4140_0c02_0440, 0x5c9_4140_0c02_0440,
                    0x5c9_4140_0c02_0440, 0x5c9_4140_0c02_0440, 0x5c9_4140_0c02_0440,
                    0x5c9_4140_0c02_0440, 0x5c9_4140_0c02_0440, 0x5c9_4140_0c02_0440,
                    0x5c9_4140_0c02_0440, 0x5c9_4140_0c02_0440,
                ],
                prevs: [
                    0xab6_6c8b_1ed6_b172, 0xab6_6c8b_1ed6_b172, 0xab6_6c8b_1ed6_b172,
                    0xab6_6c8b_1ed6_b172, 0xab6_6c8b_1ed6_b172, 0xab6_6c8b_1ed6_b172,
                    0xab6_6c8b_1ed6_b172, 0xab6_6c8b_1ed6_b571, 0xab6_6c8b_1ed6_b571,
                    0xab6_6c8b_1ed6_b571, 0xab6_6c8b_1ed6_b571, 0xab6_6c8b_1ed6_b571,
                    0xab6_6c8b_1ed6_b571, 0xab6_6c8b_1ed6_b571,
                ],
                ranks: [
                    0x2e8_a120_05f0_fc1e, 0x2e8_a120_05f0_fc1e, 0x2e8_a120_05f0_fc1e,
                    0x2e8_a120_05f0_fc1e, 0x2e8_a120_05f0_fc1e, 0x2e8_a120_05f0_fc1e,
                    0x2e8_a120_05f0_fc1e, 0x2ec_a220_4601_001f, 0x2ec_a220_4601_001f,
                    0x2ec_a220_4601_001f, 0x2ec_a220_4601_001f, 0x2ec_a220_4601_001f,
                    0x2ec_a220_4601_001f, 0x2ec_a220_4601_001f,
                ],
                years: [0xffff_ffff_ffff_ffff, 0x1f_ffff_ffff],
                before: [
                    0, 187, 373, 559, 745, 932, 1118, 1304, 1490, 1677, 1863, 2049, 2235,
                    2422, 2608, 2794, 2980, 3167, 3353, 3539, 3725, 3912, 4098, 4284,
                    4470, 4657, 4843, 5029, 5215, 5402, 5588, 5774, 5960, 6147, 6333,
                    6519, 6705, 6892, 7078, 7264, 7450, 7637, 7823, 8009, 8195, 8382,
                    8568, 8754, 8940, 9127, 9313, 9499, 9685, 9872, 10_058, 10_244,
                    10_430, 10_617, 10_803, 10_989, 11_175, 11_362, 11_548, 11_734,
                    11_920, 12_107, 12_293, 12_479, 12_665, 12_852, 13_038, 13_224,
                    13_410, 13_597, 13_783, 13_969, 14_155, 14_342, 14_528, 14_714,
                    14_900, 15_087, 15_273, 15_459, 15_645, 15_832, 16_018, 16_204,
                    16_390, 16_577, 16_763, 16_949, 17_135, 17_322, 17_508, 17_694,
                    17_880, 18_067, 18_253, 18_439, 18_625, 18_811,
                ],
                slope: 0,
                is_linked: true,
            },
            time: private::FixedTime(43_200_000),
            times: [43_200_000, 43_200_000],
            bounds: private::Bounds {
                first: 43_200_000,
                last: 3_187_252_800_000,
                count: 18_811,
            },
        };
    }
    private::schedule::<This>()
};
