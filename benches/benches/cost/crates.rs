//! Generated crates, and running cargo on them.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs, io};

/// A directory of generated crates. They use the lock file of this workspace, so nothing is
/// downloaded.
pub(crate) struct Crates {
    root: PathBuf,
    target: PathBuf,
}

/// A crate to write.
pub(crate) struct Source<'a> {
    pub(crate) name: &'a str,
    /// The lines of its `[dependencies]`.
    pub(crate) dependencies: &'a str,
    pub(crate) lib: String,
}

impl Crates {
    /// Writes the crates as one workspace, and replaces an earlier one.
    pub(crate) fn new(name: &str, sources: &[Source<'_>]) -> io::Result<Self> {
        let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        if root.exists() {
            fs::remove_dir_all(&root)?;
        }
        let mut members = String::new();
        for source in sources {
            let dir = root.join(source.name);
            fs::create_dir_all(dir.join("src"))?;
            fs::write(dir.join("src/lib.rs"), &source.lib)?;
            fs::write(dir.join("Cargo.toml"), manifest(source))?;
            write!(members, "{:?}, ", source.name).map_err(io::Error::other)?;
        }
        fs::write(
            root.join("Cargo.toml"),
            format!(
                "[workspace]\nmembers = [{members}]\nresolver = \"3\"\n\n\
                 [workspace.dependencies]\nmillicron = {{ path = '{}' }}\n",
                workspace().display(),
            ),
        )?;
        fs::copy(workspace().join("Cargo.lock"), root.join("Cargo.lock"))?;
        let target = root.join("target");
        Ok(Self { root, target })
    }

    /// Returns the target directory.
    pub(crate) fn target(&self) -> &Path {
        &self.target
    }

    /// Runs cargo, and fails if it fails.
    pub(crate) fn cargo(&self, arguments: &[&str]) -> io::Result<()> {
        let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let status = Command::new(cargo)
            .current_dir(&self.root)
            .args(arguments)
            .args(["--offline", "--quiet", "--target-dir"])
            .arg(&self.target)
            // Measure the default flags.
            .env_remove("RUSTFLAGS")
            .env_remove("CARGO_ENCODED_RUSTFLAGS")
            .env_remove("CARGO_INCREMENTAL")
            .stdout(Stdio::null())
            .status()?;
        if status.success() {
            Ok(())
        } else {
            let arguments = arguments.join(" ");
            Err(io::Error::other(format!("cargo {arguments}: {status}")))
        }
    }
}

fn manifest(source: &Source<'_>) -> String {
    let Source { name, dependencies, .. } = source;
    format!(
        "[package]\nname = {name:?}\nversion = \"0.0.0\"\nedition = \"2024\"\npublish = false\n\n\
         [dependencies]\n{dependencies}\n",
    )
}

/// The workspace of `millicron`.
fn workspace() -> &'static Path {
    let benches = Path::new(env!("CARGO_MANIFEST_DIR"));
    benches.parent().unwrap_or(benches)
}
