//! Draws the graph for a terminal, as a list in which each job follows the jobs that it needs.

use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};

use super::{Graph, State};
use crate::Picture as _;
use crate::text::{FAINT, HEADING, cut, fill, heading, paragraph, styled, width};

pub(super) fn draw(graph: &Graph, columns: usize) -> String {
    let mut out = String::new();
    heading(&mut out, &graph.title(), columns);
    paragraph(&mut out, &graph.description(), columns);
    out.push('\n');
    let longest = graph.jobs.iter().map(|job| width(&job.name)).max().unwrap_or(0);
    let name_width = longest.min(columns / 3);
    for job in graph.in_order() {
        draw_job(&mut out, graph, job, name_width, columns);
    }
    out
}

fn draw_job(out: &mut String, graph: &Graph, index: usize, name_width: usize, columns: usize) {
    let job = &graph.jobs[index];
    let name = styled(HEADING, &fill(&job.name, name_width));
    let schedule = cut(&job.schedule, columns.saturating_sub(name_width + 2));
    let _ = writeln!(out, "{name}  {}", styled(FAINT, &schedule));
    if let Some(runs) = job.runs {
        let runs_text = cut(&runs.sentence(), columns.saturating_sub(2));
        let _ = writeln!(out, "  {}", styled(style(runs.state()), &runs_text));
    }
    let own = graph.own_need(index).map(|need| format!("its own runs: {}", need.label));
    let needs = graph.needs_of(index).map(|need| {
        let or = if need.is_alternative { ", or another need" } else { "" };
        format!("{}: {}{or}", graph.jobs[need.from].name, need.label)
    });
    for need in needs.chain(own) {
        let _ = writeln!(out, "  ← {}", cut(&need, columns.saturating_sub(4)));
    }
}

fn style(state: State) -> Style {
    match state {
        State::Failed => AnsiColor::Red.on_default(),
        State::Incomplete => AnsiColor::Blue.on_default(),
        State::Skipped => AnsiColor::Yellow.on_default(),
        State::Succeeded => AnsiColor::Green.on_default(),
        State::NoRuns => FAINT,
    }
}
