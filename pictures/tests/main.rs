//! Tests of the pictures: what they show is compared with events visited one by one, in dates by jiff.

mod calendar;
mod changes;
mod day;
mod drawings;
mod graph;
mod hours;
mod support;
mod timeline;
