//! Draws the graph as SVG.

use svg::node::element::path::Data;
use svg::node::element::{Group, Path};

use super::place::{ArrowPath, Places};
use super::{Graph, GraphJob, GraphRuns};
use crate::drawing::{Anchor, Drawing, FONT, MARGIN, fit, length, mark, rectangle, round, text};

/// The widest box of a job.
const WIDEST: f64 = 320.0;
const LINE: f64 = 18.0;
const PADDING: f64 = 12.0;

/// The smallest scale at which text is still readable.
const SMALLEST: f64 = 0.7;

pub(super) fn draw(graph: &Graph, width: u32) -> String {
    let mut drawing = Drawing::new(width, graph);
    let lines = (0..graph.jobs.len()).map(|job| lines(graph, job)).collect::<Vec<_>>();
    let sizes = lines.iter().map(|lines| size(lines)).collect::<Vec<_>>();
    let inner = drawing.inner_width();
    let mut places = Places::new(graph, &sizes, true);
    if places.size.0 > inner {
        let tall = Places::new(graph, &sizes, false);
        if tall.size.0 < places.size.0 {
            places = tall;
        }
    }
    let scale = (inner / places.size.0.max(1.0)).clamp(SMALLEST, 1.0);
    drawing.widen(places.size.0 * scale + 2.0 * MARGIN);
    let place = format!("translate({MARGIN} {}) scale({})", round(drawing.y()), round(scale));
    let mut content = Group::new().set("transform", place);
    for arrow in &places.arrows {
        content = draw_arrow(content, arrow);
    }
    for ((x, y), label) in &places.labels {
        let label = text(label, *x, y + 4.0, FONT, Anchor::Middle).set("class", "label");
        content = content.add(label);
    }
    for (job, lines) in lines.iter().enumerate() {
        content = content.add(draw_job(graph, job, lines, places.jobs[job], sizes[job]));
    }
    drawing.add(content);
    drawing.advance(places.size.1 * scale);
    if graph.needs.iter().any(|need| need.is_alternative) {
        drawing.advance(12.0);
        drawing.note("Dashed arrows are alternatives: one of them is enough.");
    }
    drawing.finish()
}

/// Returns the text in the box of a job.
fn lines(graph: &Graph, job: usize) -> Vec<String> {
    let GraphJob { name, schedule, runs } = &graph.jobs[job];
    let mut lines = vec![name.clone(), schedule.clone()];
    lines.extend(graph.own_need(job).map(|need| format!("own runs: {}", need.label)));
    lines.extend(runs.map(GraphRuns::sentence));
    lines.iter().map(|line| fit(line, WIDEST, FONT)).collect()
}

/// Returns the size of a box.
fn size(lines: &[String]) -> (f64, f64) {
    let widest = lines.iter().map(|line| length(line, FONT)).fold(60.0, f64::max);
    (widest + 2.0 * PADDING, LINE * lines.len() as f64 + PADDING)
}

fn draw_job(
    graph: &Graph,
    index: usize,
    lines: &[String],
    at: (f64, f64),
    size: (f64, f64),
) -> Group {
    let job = &graph.jobs[index];
    let outline = rectangle(at.0, at.1, size.0, size.1).set("rx", 5).set("class", "box");
    let mut group = mark(&graph.details(index)).add(outline);
    if let Some(runs) = job.runs {
        let stripe = rectangle(at.0, at.1 + 4.0, 6.0, size.1 - 8.0);
        group = group.add(stripe.set("class", runs.state().class()));
    }
    for (index, line) in lines.iter().enumerate() {
        let y = at.1 + PADDING / 2.0 + LINE * (index as f64 + 0.75);
        let class = if index == 0 { "strong" } else { "faint" };
        group = group.add(text(line, at.0 + PADDING, y, FONT, Anchor::Start).set("class", class));
    }
    group
}

/// Draws a curve with an arrowhead.
fn draw_arrow(content: Group, arrow: &ArrowPath) -> Group {
    let [[start, leaves], [arrives, end], rest @ ..] = &arrow.points[..] else { return content };
    let at = |(x, y): &(f64, f64)| (round(*x), round(*y));
    let mut data = Data::new().move_to(at(start));
    data = data.cubic_curve_to((at(leaves), at(arrives), at(end)));
    for [control, end] in rest {
        data = data.smooth_cubic_curve_to((at(control), at(end)));
    }
    let mut path = Path::new().set("d", data).set("class", "line");
    if arrow.is_dashed {
        path = path.set("stroke-dasharray", "5 4");
    }
    let [before, end] = rest.last().copied().unwrap_or([*arrives, *end]);
    content.add(path).add(arrow_head(before, end))
}

fn arrow_head(from: (f64, f64), to: (f64, f64)) -> Path {
    let (x, y) = (to.0 - from.0, to.1 - from.1);
    let length = x.hypot(y).max(0.001);
    let (x, y) = (x / length, y / length);
    let corner = |along: f64, across: f64| {
        (round(to.0 - x * along - y * across), round(to.1 - y * along + x * across))
    };
    let data = Data::new()
        .move_to(corner(0.0, 0.0))
        .line_to(corner(9.0, 4.0))
        .line_to(corner(9.0, -4.0))
        .close();
    Path::new().set("d", data).set("class", "arrow")
}
