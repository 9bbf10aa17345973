//! The graph of a pipeline.

use millicron_pictures::{Graph, GraphJob, GraphNeed, GraphRuns, Picture as _};
use proptest::prelude::*;

use crate::support::plain;

fn job(name: &str) -> GraphJob {
    GraphJob { name: name.to_owned(), schedule: "*:00:00".to_owned(), runs: None }
}

fn need(from: usize, to: usize, label: &str) -> GraphNeed {
    GraphNeed { from, to, label: label.to_owned(), is_alternative: false }
}

fn jobs(count: usize) -> Vec<GraphJob> {
    (0..count).map(|index| job(&format!("job {index}"))).collect()
}

type Corners = (f64, f64, f64, f64);

/// Returns the corners of the boxes, and the number of arrows.
fn boxes(svg: &str) -> (Vec<Corners>, usize) {
    let document = roxmltree::Document::parse(svg).expect("XML");
    let of_class =
        |class| document.descendants().filter(move |node| node.attribute("class") == Some(class));
    let corners = of_class("box").map(|node| {
        let number =
            |name| node.attribute(name).expect("an attribute").parse::<f64>().expect("a number");
        let (x, y) = (number("x"), number("y"));
        (x, y, x + number("width"), y + number("height"))
    });
    (corners.collect(), of_class("arrow").count())
}

fn check(graph: &Graph, width: u32) -> Result<(), TestCaseError> {
    let (boxes, arrows) = boxes(&graph.to_svg(width));
    prop_assert_eq!(boxes.len(), graph.jobs().len());
    prop_assert_eq!(arrows, graph.needs().iter().filter(|need| need.from != need.to).count());
    for (index, one) in boxes.iter().enumerate() {
        prop_assert!(one.0 >= 0.0 && one.1 >= 0.0);
        for other in &boxes[..index] {
            let is_apart =
                one.0 >= other.2 || other.0 >= one.2 || one.1 >= other.3 || other.1 >= one.3;
            prop_assert!(is_apart, "{one:?} overlaps {other:?}");
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn boxes_of_random_graphs_are_apart(
        count in 1..30_usize,
        edges in proptest::collection::vec((0..30_usize, 0..30_usize, "[a-z ,]{0,20}"), 0..60),
        width in prop::sample::select(vec![300_u32, 400, 900, 1600]),
    ) {
        // Upstream jobs have lower indices, so that there are no cycles.
        let edges = edges.into_iter().map(|(one, other, label)| {
            need(one.min(other) % count, one.max(other) % count, &label)
        });
        let edges = edges.filter(|need| need.from <= need.to).collect();
        check(&Graph::new("random", jobs(count), edges), width)?;
    }

    #[test]
    fn graphs_with_cycles_are_drawn(
        count in 1..12_usize,
        edges in proptest::collection::vec((0..14_usize, 0..14_usize), 0..24),
    ) {
        let edges = edges.into_iter().map(|(one, other)| need(one, other, "all")).collect();
        let graph = Graph::new("cycles", jobs(count), edges);
        prop_assert_eq!(boxes(&graph.to_svg(900)).0.len(), count);
        prop_assert!(graph.to_text(80).contains("job 0"));
    }
}

#[test]
fn jobs_follow_those_that_they_need() {
    let graph = Graph::new(
        "order",
        jobs(4),
        vec![need(3, 0, "last"), need(2, 3, "all"), need(1, 2, "last")],
    );
    let text = plain(&graph, 80);
    let place = |name: &str| text.find(&format!("\n{name}  ")).expect("a job");
    assert!(
        place("job 1") < place("job 2")
            && place("job 2") < place("job 3")
            && place("job 3") < place("job 0")
    );
}

#[test]
fn needs_between_two_jobs_are_one_arrow() {
    let needs =
        vec![need(0, 1, "all"), need(0, 1, "last"), need(1, 1, "previous"), need(0, 7, "unknown")];
    let graph = Graph::new("merged", jobs(2), needs);
    assert_eq!(graph.needs().len(), 2);
    let svg = graph.to_svg(900);
    assert_eq!(boxes(&svg).1, 1);
    assert!(svg.contains("all; last") && svg.contains("own runs: previous"));
    let text = plain(&graph, 80);
    assert!(text.contains("  ← job 0: all; last\n  ← its own runs: previous\n"), "{text}");
}

#[test]
fn details_of_a_job_have_a_line_for_each_need() {
    let mut jobs = jobs(2);
    jobs[1].runs = Some(GraphRuns { succeeded: 3, ..GraphRuns::default() });
    let needs = vec![need(0, 1, "last"), need(1, 1, "previous")];
    let svg = Graph::new("details", jobs, needs).to_svg(900);
    let document = roxmltree::Document::parse(&svg).expect("XML");
    let titles = document.descendants().filter(|node| node.has_tag_name("title"));
    let titles = titles.filter_map(|node| node.text()).collect::<Vec<_>>();
    let details = "job 1: *:00:00\n✓ 3 succeeded\nneeds job 0: last\nneeds its own runs: previous";
    assert_eq!(titles, ["details", "job 0: *:00:00", details]);
}

#[test]
fn runs_show_the_worst_first() {
    let runs = GraphRuns { succeeded: 1200, failed: 1, skipped: 0, not_recorded: 2 };
    let mut jobs = jobs(2);
    jobs[0].runs = Some(runs);
    jobs[1].runs = Some(GraphRuns::default());
    let graph = Graph::new("runs", jobs, Vec::new());
    let text = plain(&graph, 80);
    assert!(text.contains("  ✗ 1 failed, 2 not recorded, 1,200 succeeded\n"), "{text}");
    assert!(text.contains("  no runs\n"), "{text}");
    assert!(graph.to_svg(900).contains("class=\"failed\""));
}

#[test]
fn graph_without_jobs_is_drawn() {
    let graph = Graph::new("empty", Vec::new(), Vec::new());
    assert_eq!(graph.description(), "No jobs, no needs.");
    assert_eq!(boxes(&graph.to_svg(900)), (Vec::new(), 0));
}

#[test]
fn boxes_of_large_graphs_are_apart() {
    // Rows of four jobs that each need the one before, and jobs without needs.
    let needs = (0..160).filter(|job| job % 4 > 0).map(|job| need(job - 1, job, "last"));
    let graph = Graph::new("large", jobs(240), needs.collect());
    check(&graph, 900).expect("boxes that are apart");
    // In columns, each job is to the right of the jobs that it needs.
    let (boxes, _) = boxes(&graph.to_svg(900));
    assert!(graph.needs().iter().all(|need| boxes[need.from].2 < boxes[need.to].0));
}

#[test]
fn graphs_that_cannot_be_arranged_well_are_drawn() {
    // The crate `layout` panics on these needs.
    let needs = [
        (1, 25, "   a,  ,,a     a,"),
        (0, 26, ""),
        (1, 17, ","),
        (1, 3, ","),
        (21, 24, ","),
        (10, 22, ""),
        (18, 25, ",ia,e"),
        (8, 22, "n ,,   na,,,rr"),
        (12, 23, " c,,g,yi, "),
        (5, 27, " rv,o wm sm wx"),
        (16, 23, ",cw e"),
        (9, 14, " ,r asq,,w"),
        (14, 22, ",k"),
        (4, 15, ",,,,"),
        (6, 21, "yx  l  ,n h "),
        (11, 12, " ,"),
        (4, 18, " , ,ux , h, ju n,"),
        (0, 14, "l, ,t, i jah, hv,"),
        (18, 22, "rv"),
        (13, 14, "  "),
        (6, 18, "l ,k b,j,k itzpph o"),
        (16, 20, ",, a,u ,,     c,"),
        (12, 22, "jh"),
        (0, 16, ",,v,, , ,,b  f "),
        (11, 23, "hw ,,v,zl ,, qs"),
        (24, 26, "   cb,,,sd , ,z,"),
        (19, 26, " ,e,,,"),
        (20, 27, ",r"),
        (9, 17, "h"),
        (15, 24, ""),
        (1, 18, ", us ,, ruodtss "),
        (0, 1, "xhcyaayrle  gqh,"),
        (9, 11, ",  d d ,  co, ,brco,"),
        (10, 12, ",b,   m  ,gs,d  "),
        (19, 23, " c, "),
        (4, 5, "c,pw,  ,"),
        (15, 25, ",k r m,fm,"),
        (2, 6, "p,"),
    ];
    let needs = needs.map(|(from, to, label)| need(from, to, label));
    let graph = Graph::new("columns", jobs(28), needs.to_vec());
    check(&graph, 400).expect("boxes that are apart");
}
