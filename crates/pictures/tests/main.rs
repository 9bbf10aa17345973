//! Tests of the pictures. Their contents are compared with events visited one by one, with dates from jiff.

mod calendar;
mod changes;
mod day;
mod drawings;
mod graph;
mod hours;
mod support;
mod timeline;
