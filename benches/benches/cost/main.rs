//! What does not show in the time of an answer: memory, machine code, and what
//! the compiler takes.
//!
//! It writes small crates and has them compiled, in a directory for temporary
//! files beneath the target directory.

mod builds;
mod crates;
mod footprint;
mod schedules;

use std::io;

use millicron_benches::is_bench;

fn main() -> io::Result<()> {
    if !is_bench() {
        return Ok(());
    }
    println!("{}", footprint::table()?);
    println!("{}", footprint::allocations());
    for table in builds::tables()? {
        println!("{table}");
    }
    Ok(())
}
