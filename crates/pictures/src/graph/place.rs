//! [`Places`]: the layout of jobs and arrows, as computed by the crate `layout`.

use std::panic::{AssertUnwindSafe, catch_unwind};

use layout::core::base::Orientation;
use layout::core::color::Color;
use layout::core::format::{ClipHandle, RenderBackend};
use layout::core::geometry::Point;
use layout::core::style::{LineStyleKind, StyleAttr};
use layout::std_shapes::shapes::{Arrow, Element, LineEndKind, ShapeKind};
use layout::topo::layout::VisualGraph;

use super::Graph;
use crate::drawing::FONT;

/// The layout of jobs and arrows.
#[derive(Debug, Default)]
pub(super) struct Places {
    /// The upper left corner of each job.
    pub(super) jobs: Vec<(f64, f64)>,
    pub(super) arrows: Vec<ArrowPath>,
    /// The middle of each label.
    pub(super) labels: Vec<((f64, f64), String)>,
    /// The overall size.
    pub(super) size: (f64, f64),
}

/// A curve: the start and its control point, then the control point and the end of each segment.
#[derive(Debug)]
pub(super) struct ArrowPath {
    pub(super) points: Vec<[(f64, f64); 2]>,
    pub(super) is_dashed: bool,
}

impl Places {
    /// Lays out the jobs, given their sizes, from left to right or from top to bottom.
    pub(super) fn new(graph: &Graph, sizes: &[(f64, f64)], is_wide: bool) -> Self {
        // The crate panics on some graphs, as it compares rounded coordinates. Where a panic would end the program, it is
        // not used.
        if is_large(graph) || cfg!(panic = "abort") {
            return Self::in_columns(graph, sizes);
        }
        let arranged = catch_unwind(AssertUnwindSafe(|| Self::arranged(graph, sizes, is_wide)));
        arranged.unwrap_or_else(|_| Self::in_columns(graph, sizes))
    }

    fn arranged(graph: &Graph, sizes: &[(f64, f64)], is_wide: bool) -> Self {
        let orientation = if is_wide { Orientation::LeftToRight } else { Orientation::TopToBottom };
        let mut visual = VisualGraph::new(orientation);
        // Validation takes quadratic time.
        visual.dag.set_validate(false);
        let handles = sizes.iter().enumerate().map(|(index, (width, height))| {
            let (shape, look) = (ShapeKind::new_box(""), look());
            let (size, index) = (Point::new(*width, *height), index.to_string());
            visual.add_node(Element::create_with_properties(shape, look, orientation, size, index))
        });
        let handles = handles.collect::<Vec<_>>();
        for need in graph.needs.iter().filter(|need| need.from != need.to) {
            let line =
                if need.is_alternative { LineStyleKind::Dashed } else { LineStyleKind::Normal };
            let (none, arrow) = (LineEndKind::None, LineEndKind::Arrow);
            let label = crate::text::cut(&need.label, LABEL);
            let arrow = Arrow::new(none, arrow, line, &label, &look(), &None, &None);
            visual.add_edge(arrow, handles[need.from], handles[need.to]);
        }
        let mut places = Self { jobs: vec![(0.0, 0.0); sizes.len()], ..Self::default() };
        if !sizes.is_empty() {
            visual.do_it(false, false, false, &mut places);
        }
        places.normalize(sizes);
        places
    }

    /// Lays out jobs in a column for each rank, with arrows between them.
    fn in_columns(graph: &Graph, sizes: &[(f64, f64)]) -> Self {
        let mut places = Self { jobs: vec![(0.0, 0.0); sizes.len()], ..Self::default() };
        let mut left = 0.0;
        for mut rank in graph.ranks() {
            // Put jobs at about the height of the jobs that they need, so that fewer arrows cross.
            let height = |job: &usize| {
                let tops = graph.needs_of(*job).map(|need| places.jobs[need.from].1);
                let (count, sum) =
                    tops.fold((0.0, 0.0), |(count, sum), top| (count + 1.0, sum + top));
                sum / f64::max(count, 1.0)
            };
            rank.sort_by(|one, other| height(one).total_cmp(&height(other)));
            let (mut top, mut widest) = (0.0, 0.0_f64);
            for job in rank {
                places.jobs[job] = (left, top);
                top += sizes[job].1 + BETWEEN;
                widest = widest.max(sizes[job].0);
            }
            left += widest + COLUMNS_APART;
        }
        for need in graph.needs.iter().filter(|need| need.from != need.to) {
            let middle = |job: usize| places.jobs[job].1 + sizes[job].1 / 2.0;
            let start = (places.jobs[need.from].0 + sizes[need.from].0, middle(need.from));
            let end = (places.jobs[need.to].0, middle(need.to));
            let bend = COLUMNS_APART / 2.0;
            let (leaves, arrives) = ((start.0 + bend, start.1), (end.0 - bend, end.1));
            let points = vec![[start, leaves], [arrives, end]];
            places.arrows.push(ArrowPath { points, is_dashed: need.is_alternative });
        }
        places.normalize(sizes);
        places
    }

    /// Shifts all coordinates to start at 0.
    fn normalize(&mut self, sizes: &[(f64, f64)]) {
        let boxes = self.jobs.iter().zip(sizes);
        let boxes = boxes.flat_map(|(at, size)| [*at, (at.0 + size.0, at.1 + size.1)]);
        let curves = self.arrows.iter().flat_map(|arrow| &arrow.points).flatten().copied();
        let labels = self.labels.iter().flat_map(|((x, y), label)| {
            let half = crate::drawing::length(label, FONT) / 2.0;
            [(x - half, y - FONT), (x + half, y + FONT)]
        });
        let corners = boxes.chain(curves).chain(labels).collect::<Vec<_>>();
        let least =
            |part: fn(&(f64, f64)) -> f64| corners.iter().map(part).fold(f64::INFINITY, f64::min);
        let most = |part: fn(&(f64, f64)) -> f64| corners.iter().map(part).fold(0.0, f64::max);
        if corners.is_empty() {
            return;
        }
        let (left, top) = (least(|corner| corner.0), least(|corner| corner.1));
        self.size = (most(|corner| corner.0) - left, most(|corner| corner.1) - top);
        let shift = |point: &mut (f64, f64)| *point = (point.0 - left, point.1 - top);
        self.jobs.iter_mut().for_each(shift);
        self.arrows.iter_mut().flat_map(|arrow| &mut arrow.points).flatten().for_each(shift);
        self.labels.iter_mut().map(|(middle, _)| middle).for_each(shift);
    }
}

/// The space between two jobs of a column, and between two columns.
const BETWEEN: f64 = 16.0;
const COLUMNS_APART: f64 = 80.0;

/// Whether a graph is too large for the crate, whose time grows faster than the square of the number of jobs and of the
/// ranks that arrows cross.
fn is_large(graph: &Graph) -> bool {
    let mut ranks = vec![0_usize; graph.jobs.len()];
    for (rank, jobs) in graph.ranks().iter().enumerate() {
        for job in jobs {
            ranks[*job] = rank;
        }
    }
    let passed = graph.needs.iter().map(|need| ranks[need.to].abs_diff(ranks[need.from]));
    graph.jobs.len() + passed.sum::<usize>() > LARGE
}

const LARGE: usize = 400;

/// The longest label of an arrow, in characters; the job's tooltip has the full text.
const LABEL: usize = 32;

/// Returns a style in which only the font size matters: the crate assumes that characters are as wide as they are high.
fn look() -> StyleAttr {
    StyleAttr::new(Color::fast("black"), 1, None, 0, 8)
}

/// Collects the layout instead of drawing it.
impl RenderBackend for Places {
    fn draw_rect(
        &mut self,
        corner: Point,
        _: Point,
        _: &StyleAttr,
        properties: Option<String>,
        _: Option<ClipHandle>,
    ) {
        let job = properties.and_then(|index| index.parse::<usize>().ok());
        if let Some(place) = job.and_then(|job| self.jobs.get_mut(job)) {
            *place = (corner.x, corner.y);
        }
    }

    fn draw_line(&mut self, _: Point, _: Point, _: &StyleAttr, _: Option<String>) {}

    fn draw_circle(&mut self, _: Point, _: Point, _: &StyleAttr, _: Option<String>) {}

    fn draw_text(&mut self, middle: Point, text: &str, _: &StyleAttr) {
        if !text.is_empty() {
            self.labels.push(((middle.x, middle.y), text.to_owned()));
        }
    }

    fn draw_arrow(
        &mut self,
        path: &[(Point, Point)],
        is_dashed: bool,
        _: (bool, bool),
        _: &StyleAttr,
        _: Option<String>,
        _: &str,
    ) {
        let points = path.iter().map(|(one, other)| [(one.x, one.y), (other.x, other.y)]);
        self.arrows.push(ArrowPath { points: points.collect(), is_dashed });
    }

    fn create_clip(&mut self, _: Point, _: Point, _: usize) -> ClipHandle {
        0
    }
}
