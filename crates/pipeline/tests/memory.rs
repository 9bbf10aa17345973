//! Memory use: plans and missing runs do not list runs.
use allocation_counter::measure;
use millicron::schedule;
use millicron_pipeline::{MemoryHistory, Need, Pipeline};

/// 2026-01-01 00:00:00.
const START: i64 = 1_767_225_600_000;
const DAY: i64 = 86_400_000;

/// Returns a pipeline with needs for earlier and later runs.
fn pipeline() -> Pipeline {
    let pipeline = Pipeline::builder()
        .job("minutely", schedule!("*:*:00"), [Need::latest("daily"), Need::self_previous()])
        .job("hourly", schedule!("*:30:00"), [Need::all("minutely")])
        .job("daily", schedule!("3:01:03"), [])
        .job("weekly", schedule!("*.*.* 1 4:00:00"), [Need::all("daily"), Need::all("hourly")]);
    pipeline.build().expect("valid pipeline")
}

#[test]
fn plan_of_years_takes_no_more_memory_than_plan_of_a_week() {
    let pipeline = pipeline();
    let most = |days: i64| {
        let mut runs = 0;
        let used =
            measure(|| runs = pipeline.plan(START..START + days * DAY).expect("a plan").count());
        assert!(runs > 1_400 * usize::try_from(days).expect("positive"));
        used.bytes_max
    };
    let (week, years) = (most(7), most(3 * 365));
    assert_eq!(week, years);
    assert!(years < 10_000, "{years} bytes for four jobs");
}

/// A day of missing milliseconds takes a single range.
#[test]
fn consecutive_missing_runs_take_constant_memory() {
    let pipeline = Pipeline::builder()
        .job("each", schedule!("*:*:*.*"), [])
        .job("daily", schedule!("00:00:00"), [Need::all("each")])
        .build()
        .expect("valid pipeline");
    let used = measure(|| {
        let answer = pipeline.ready("daily", START, &MemoryHistory::new()).expect("existing run");
        let waiting = answer.waiting().expect("nothing has succeeded");
        assert_eq!(waiting.runs().take(3).count(), 3);
    });
    assert!(used.bytes_max < 1000, "{} bytes", used.bytes_max);
}
