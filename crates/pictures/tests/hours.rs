//! The load by hour of the day.

use millicron_pictures::{HourLoad, HourlyLoad, Picture as _};

use crate::support::plain;

/// Returns a picture with the maximum number of concurrent runs for some hours.
fn picture(most: &[(usize, u64)]) -> HourlyLoad {
    let mut hours = [HourLoad::default(); 24];
    for (hour, most) in most {
        hours[*hour] = HourLoad { starts: most * 10, most: *most };
    }
    HourlyLoad::new("jobs.toml", "UTC", "7 days", hours)
}

#[test]
fn bars_are_as_long_as_the_numbers_are_high() {
    let text = plain(&picture(&[(0, 8), (1, 4), (2, 1), (23, 0)]), 80);
    let bars: Vec<usize> =
        text.lines().map(|line| line.matches('█').count()).filter(|count| *count > 0).collect();
    let [longest, half, eighth] = bars[..] else { panic!("three bars: {text}") };
    assert_eq!((half, eighth), (longest / 2, longest / 8));

    let svg = picture(&[(0, 8), (1, 4)]).to_svg(600);
    let document = roxmltree::Document::parse(&svg).expect("XML");
    let bars = document.descendants().filter(|node| node.attribute("class") == Some("l4"));
    let widths: Vec<f64> = bars
        .map(|bar| bar.attribute("width").and_then(|width| width.parse().ok()).expect("a width"))
        .collect();
    assert_eq!(widths.len(), 24);
    assert!((widths[0] - 2.0 * widths[1]).abs() < 0.02);
    assert!(widths[2..].iter().all(|width| *width == 0.0));
}

#[test]
fn the_description_names_the_busiest_hours() {
    let described = |most: &[(usize, u64)]| picture(most).description();
    assert_eq!(described(&[]), "Nothing runs.");
    assert_eq!(described(&[(2, 1)]), "At most 1 run at once: in the hour from 02:00.");
    assert_eq!(
        described(&[(2, 3), (4, 3), (23, 3), (7, 2)]),
        "At most 3 runs at once: in the hours from 02:00, 04:00 and 23:00.",
    );
    let all: Vec<_> = (0..24).map(|hour| (hour, 1)).collect();
    assert_eq!(described(&all), "At most 1 run at once, in 24 hours of the day.");
}

#[test]
fn drawing_counts_runs_in_words() {
    let mut hours = [HourLoad::default(); 24];
    hours[8] = HourLoad { starts: 1, most: 1 };
    hours[9] = HourLoad { starts: 1200, most: 2 };
    let svg = HourlyLoad::new("jobs.toml", "UTC", "1 day", hours).to_svg(600);
    let document = roxmltree::Document::parse(&svg).expect("XML");
    let labels = document.descendants().filter(|node| node.attribute("text-anchor") == Some("end"));
    let labels = labels.filter_map(|node| node.text()).map(str::trim).collect::<Vec<_>>();
    assert_eq!((labels.len(), &labels[7..10]), (24, &["no runs", "1 run", "1,200 runs"][..]));
    let tooltips = document.descendants().filter(|node| node.has_tag_name("title"));
    let tooltips = tooltips.filter_map(|node| node.text()).collect::<Vec<_>>();
    for tooltip in [
        "07:00 to 07:59: 0 at once, no runs",
        "08:00 to 08:59: 1 at once, 1 run",
        "09:00 to 09:59: 2 at once, 1,200 runs",
    ] {
        assert!(tooltips.contains(&tooltip), "{tooltip}: {tooltips:?}");
    }
}
