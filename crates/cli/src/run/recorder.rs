//! [`Recorder`]: records metrics for Prometheus.

use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};

use crate::error::Error;

/// The upper bounds of the buckets of all histograms, in seconds.
const BUCKETS: [f64; 12] =
    [0.001, 0.005, 0.025, 0.1, 0.5, 1.0, 5.0, 30.0, 60.0, 300.0, 1800.0, 7200.0];

/// Records all metrics of the process.
pub(super) struct Recorder(PrometheusHandle);

impl Recorder {
    /// Records metrics from now on.
    pub(super) fn install() -> Result<Self, Error> {
        let builder = PrometheusBuilder::new().set_buckets(&BUCKETS).map_err(Error::of)?;
        builder.install_recorder().map(Self).map_err(Error::of)
    }

    /// Empties the buffers. Call it regularly.
    pub(super) fn run_upkeep(&self) {
        self.0.run_upkeep();
    }

    /// Returns all metrics in the text format of Prometheus.
    pub(super) fn render(&self) -> String {
        self.0.render()
    }
}
