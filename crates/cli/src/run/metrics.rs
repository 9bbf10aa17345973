//! [`Metrics`]: the metrics for Prometheus, and the health check.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

#[cfg(feature = "server")]
use axum::{
    Router,
    http::header::{CACHE_CONTROL, CONTENT_TYPE},
    http::{Method, StatusCode},
    response::{IntoResponse, Response},
    routing::get,
};
use metrics::{Unit, counter, describe_counter, describe_gauge, gauge};
use millicron_scheduler::SchedulerHandle;
#[cfg(feature = "server")]
use tokio::task::spawn_blocking;

use super::events::job_of;
use super::log::OutputThread;
use super::recorder::Recorder;
use crate::error::Error;

/// How late the timer may handle an event. It may take a while after the machine was suspended.
const LATEST: Duration = Duration::from_secs(10);

/// How long a write of the output may be blocked.
const LONGEST_WRITE: Duration = Duration::from_secs(5);

const BUILD: &str = "millicron_build_info";
const JOBS: &str = "millicron_jobs";
const NEXT: &str = "millicron_next_run_timestamp_seconds";
const SUCCESS: &str = "millicron_last_success_timestamp_seconds";
const KILLED: &str = "millicron_killed_total";
const ORPHANS: &str = "millicron_orphans_reaped_total";
const RELOADS: &str = "millicron_reloads_total";
const SKIPPED: &str = "millicron_skipped_total";
const START: &str = "process_start_time_seconds";

/// The data that the server of `--metrics` responds with.
pub(super) struct Metrics {
    recorder: Recorder,
    scheduler: SchedulerHandle,
    output: OutputThread,
    is_stopping: AtomicBool,
    /// The longest jitter of a job. It has its own lock, since the health check must not wait for metrics.
    longest_jitter: Mutex<Duration>,
    jobs: Mutex<JobSeries>,
}

/// The jobs whose metrics are recorded. The recorder never drops a metric.
#[derive(Debug, Default)]
struct JobSeries {
    /// The names of the jobs of the file.
    names: BTreeSet<String>,
    /// The names of jobs that are no longer in the file.
    removed: BTreeSet<String>,
}

/// Records metrics from now on. The scheduler describes its own when it starts.
pub(super) fn install() -> Result<Recorder, Error> {
    let recorder = Recorder::install()?;
    describe_gauge!(JOBS, "Jobs in the file");
    describe_gauge!(NEXT, Unit::Seconds, "When a job runs next, without its jitter, by job");
    describe_gauge!(
        SUCCESS,
        Unit::Seconds,
        "When a run last succeeded, or else when the job was added, by job"
    );
    describe_counter!(KILLED, "Commands that were killed because they did not end");
    describe_counter!(ORPHANS, "Orphaned processes that were reaped");
    describe_counter!(RELOADS, "Reloads of the file, by result");
    describe_counter!(SKIPPED, "Runs that were skipped, by job and reason");
    describe_gauge!(START, Unit::Seconds, "When this process started");
    describe_gauge!(BUILD, "The version of millicron");
    gauge!(BUILD, "version" => env!("CARGO_PKG_VERSION")).set(1.0);
    gauge!(START).set(seconds(SystemTime::now()));
    Ok(recorder)
}

/// Returns the seconds since 1970.
fn seconds(time: SystemTime) -> f64 {
    time.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64()
}

/// Whether the timer should have handled an event long ago, if events are delayed by up to `jitter`.
fn is_overdue(event: SystemTime, now: SystemTime, jitter: Duration) -> bool {
    now.duration_since(event).is_ok_and(|late| late > jitter.saturating_add(LATEST))
}

/// Records the end of a run.
pub(super) fn ended(job: &str, is_success: bool) {
    if is_success {
        gauge!(SUCCESS, "job" => job.to_owned()).set(seconds(SystemTime::now()));
    }
}

/// Records processes that were reaped, and process groups that were killed, since the last call.
pub(super) fn reaped(orphans: u64, killed: u64) {
    counter!(ORPHANS).increment(orphans);
    counter!(KILLED).absolute(killed);
}

/// Records a reload of the file.
pub(super) fn reloaded(is_success: bool) {
    counter!(RELOADS, "result" => if is_success { "succeeded" } else { "failed" }).increment(1);
}

impl Metrics {
    pub(super) fn new(
        recorder: Recorder,
        scheduler: SchedulerHandle,
        output: OutputThread,
    ) -> Arc<Self> {
        Arc::new(Self {
            recorder,
            scheduler,
            output,
            is_stopping: AtomicBool::new(false),
            longest_jitter: Mutex::default(),
            jobs: Mutex::default(),
        })
    }

    fn longest_jitter(&self) -> MutexGuard<'_, Duration> {
        self.longest_jitter.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets the jobs of a file that was read.
    pub(super) fn set_jobs(&self, names: BTreeSet<String>, longest_jitter: Duration) {
        gauge!(JOBS).set(f64::from(u32::try_from(names.len()).unwrap_or(u32::MAX)));
        *self.longest_jitter() = longest_jitter;
        let mut jobs = self.jobs.lock().unwrap_or_else(PoisonError::into_inner);
        for name in names.difference(&jobs.names) {
            // So an alert on the time since the last success also covers a job that never succeeds.
            gauge!(SUCCESS, "job" => name.clone()).set(seconds(SystemTime::now()));
        }
        let before = std::mem::take(&mut jobs.names);
        jobs.removed.extend(before);
        jobs.removed.retain(|name| !names.contains(name));
        jobs.names = names;
    }

    pub(super) fn stop(&self) {
        self.is_stopping.store(true, Ordering::Relaxed);
    }

    /// Empties the buffers of the recorder. Call it regularly.
    pub(super) fn run_upkeep(&self) {
        self.recorder.run_upkeep();
    }

    /// Returns all metrics in the text format of Prometheus.
    #[cfg_attr(not(feature = "server"), expect(dead_code, reason = "only the server asks for it"))]
    pub(super) fn render(&self) -> String {
        let jobs = self.jobs.lock().unwrap_or_else(PoisonError::into_inner);
        for name in &jobs.removed {
            // A run that was in progress may have succeeded since.
            gauge!(SUCCESS, "job" => name.clone()).set(f64::NAN);
        }
        // The scheduler does not list jobs without further events.
        for name in jobs.names.union(&jobs.removed) {
            gauge!(NEXT, "job" => name.clone()).set(f64::NAN);
        }
        for (_, job) in self.scheduler.jobs() {
            if let (Some(next), Some(name)) = (job.next, job_of(&job.name)) {
                gauge!(NEXT, "job" => name).set(seconds(next));
            }
        }
        self.recorder.render()
    }

    /// Returns why this process is unhealthy, or `None` if it is healthy.
    ///
    /// Commands cannot continue while nobody reads their output. The timer is alive as long as no job waits for an
    /// event that is long past.
    #[cfg_attr(not(feature = "server"), expect(dead_code, reason = "only the server asks for it"))]
    pub(super) fn health_problem(&self) -> Option<String> {
        if self.is_stopping.load(Ordering::Relaxed) {
            return Some("stopping".to_owned());
        }
        let blocked = self.output.blocked();
        if blocked > LONGEST_WRITE {
            let seconds = blocked.as_secs();
            return Some(format!(
                "nobody has read the output for {seconds} seconds: commands wait"
            ));
        }
        if self.output.is_losing() {
            return Some("output is lost: it cannot be written".to_owned());
        }
        let (jitter, now) = (*self.longest_jitter(), self.scheduler.now());
        // Not runs of a pipeline and those that wait for resources, which are added when they are due.
        let mut jobs =
            self.scheduler.jobs().map(|(_, job)| job).filter(|job| job.recurrence().is_some());
        let overdue =
            jobs.find(|job| job.next.is_some_and(|next| is_overdue(next, now, jitter)))?;
        Some(format!("the timer has stopped: {} is overdue", overdue.name))
    }
}

/// Returns what serves the metrics and the health check.
#[cfg(feature = "server")]
pub(super) fn router(metrics: &Arc<Metrics>) -> Router {
    // Rendered one after the other, each with a copy in memory.
    let turn = Arc::new(tokio::sync::Mutex::new(()));
    let rendering = Arc::clone(metrics);
    let render = async move || {
        let turn = Arc::clone(&turn).lock_owned().await;
        let metrics = Arc::clone(&rendering);
        let text = spawn_blocking(move || {
            // Kept until it is rendered, even if the client has gone.
            let _turn = turn;
            metrics.render()
        });
        match text.await {
            Ok(text) => response(StatusCode::OK, "text/plain; version=0.0.4; charset=utf-8", text),
            Err(_) => failed(),
        }
    };
    let metrics = Arc::clone(metrics);
    let check = async move || {
        let metrics = Arc::clone(&metrics);
        match spawn_blocking(move || metrics.health_problem()).await {
            Ok(None) => response(StatusCode::OK, TEXT, "ok\n".to_owned()),
            Ok(Some(problem)) => {
                response(StatusCode::SERVICE_UNAVAILABLE, TEXT, format!("{problem}\n"))
            }
            Err(_) => failed(),
        }
    };
    Router::new()
        .route("/metrics", get(render).fallback(not_allowed))
        .route("/health", get(check).fallback(not_allowed))
}

#[cfg(feature = "server")]
const TEXT: &str = "text/plain; charset=utf-8";

#[cfg(feature = "server")]
fn response(status: StatusCode, kind: &'static str, text: String) -> Response {
    (status, [(CONTENT_TYPE, kind), (CACHE_CONTROL, "no-store")], text).into_response()
}

/// The response after a panic, which the panic hook has reported.
#[cfg(feature = "server")]
fn failed() -> Response {
    response(StatusCode::INTERNAL_SERVER_ERROR, TEXT, "this has failed\n".to_owned())
}

#[cfg(feature = "server")]
async fn not_allowed() -> Response {
    let message = "only GET and HEAD are allowed\n".to_owned();
    response(StatusCode::METHOD_NOT_ALLOWED, TEXT, message)
}

/// Responds to other requests, if there is no page.
#[cfg(feature = "server")]
pub(super) async fn not_found(method: Method) -> Response {
    if !matches!(method, Method::GET | Method::HEAD) {
        return not_allowed().await;
    }
    response(StatusCode::NOT_FOUND, TEXT, "see /metrics and /health\n".to_owned())
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, UNIX_EPOCH};

    use super::{LATEST, is_overdue};

    #[test]
    fn an_event_is_overdue_after_ten_seconds_and_the_jitter() {
        let (event, short) = (UNIX_EPOCH + Duration::from_hours(1), Duration::from_nanos(1));
        assert!(!is_overdue(event, UNIX_EPOCH, Duration::ZERO));
        for jitter in [Duration::ZERO, Duration::from_mins(1)] {
            assert!(!is_overdue(event, event + jitter + LATEST, jitter));
            assert!(is_overdue(event, event + jitter + LATEST + short, jitter));
        }
        assert!(!is_overdue(event, event + LATEST * 2, Duration::MAX));
    }
}
