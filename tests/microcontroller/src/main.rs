//! Prints a report on standard output: of a microcontroller, over semihosting, or of the host.
#![cfg_attr(target_os = "none", no_std, no_main)]
#![forbid(unsafe_code)]

#[cfg(target_os = "none")]
mod device;
mod report;

#[cfg(not(target_os = "none"))]
fn main() {
    let mut out = String::new();
    report::report(&mut out).expect("a string");
    print!("{out}");
}
