//! Prints the tested expressions of a dialect, one per line.

fn main() {
    let dialect = std::env::args().nth(1).unwrap_or_default();
    for expression in millicron_compare::corpus::corpus(&dialect) {
        println!("{expression}");
    }
}
