//! Compiles the scheduler, and nothing else, with `--cfg shuttle`.

fn main() {
    println!("cargo::rustc-cfg=shuttle");
}
