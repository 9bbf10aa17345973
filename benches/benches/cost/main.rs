//! Costs other than query time: memory, machine code, and build time.
//!
//! The program writes small crates to the target directory, and compiles them.

mod builds;
mod crates;
mod footprint;
mod schedules;
mod unions;

use std::io;

use millicron_benches::is_bench;

fn main() -> io::Result<()> {
    if !is_bench() {
        return Ok(());
    }
    println!("{}", footprint::table()?);
    println!("{}", unions::table()?);
    println!("{}", footprint::allocations());
    for table in builds::tables()? {
        println!("{table}");
    }
    Ok(())
}
