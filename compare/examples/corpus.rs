//! Prints the expressions that are tested in a dialect, one on each line.

fn main() {
    let dialect = std::env::args().nth(1).unwrap_or_default();
    for expression in millicron_compare::corpus::corpus(&dialect) {
        println!("{expression}");
    }
}
