//! The picture: for each process, each measure over time.

use std::error::Error;
use std::path::Path;
use std::time::Duration;

use plotters::prelude::*;

use crate::subject::{Sample, Subject};

const SIZE: (u32, u32) = (1200, 900);
const INK: RGBColor = RGBColor(0x20, 0x60, 0xa0);

pub(crate) fn draw(
    path: &Path,
    subjects: &[Subject; 3],
    length: Duration,
) -> Result<(), Box<dyn Error>> {
    let area = SVGBackend::new(path, SIZE).into_drawing_area();
    area.fill(&WHITE)?;
    let cells = area.split_evenly((Sample::MEASURES.len(), subjects.len()));
    let minutes = length.as_secs_f64() / 60.0;
    let (rows, columns) = (Sample::MEASURES.len(), subjects.len());
    for row in 0..rows {
        for column in 0..columns {
            let (measure, subject) = (&Sample::MEASURES[row], &subjects[column]);
            let values: Vec<f64> = subject.samples.iter().map(measure.value).collect();
            let highest = values.iter().copied().fold(0.0, f64::max);
            let mut chart = ChartBuilder::on(&cells[row * columns + column])
                .caption(format!("{}: {}", subject.name, measure.name), ("sans-serif", 15))
                .margin(8)
                .x_label_area_size(36)
                .y_label_area_size(44)
                .build_cartesian_2d(0.0..minutes, 0.0..1.2 * highest)?;
            chart.configure_mesh().x_labels(6).y_labels(4).x_desc("minutes").draw()?;
            let step = minutes / f64::from(u32::try_from(values.len())?);
            let times = (1..).map(|index| f64::from(index) * step);
            chart.draw_series(LineSeries::new(times.zip(values), &INK))?;
        }
    }
    area.present()?;
    Ok(())
}
