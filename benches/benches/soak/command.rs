//! The command `millicron run`, with a history, its metrics and its page.

use std::fmt::Write as _;
use std::fs;
use std::io::{self, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Command, Stdio};

use millicron_test_support::directory::Directory;

use crate::subject::Subject;

/// How many jobs there are. Each is due every ten seconds.
const JOBS: usize = 200;

/// Starts it. It gives the mean lateness, as its metrics do not have all values.
pub(crate) fn start(name: &'static str, command: &str) -> Subject {
    let directory = Directory::new("soak");
    let mut jobs = String::new();
    for number in 0..JOBS {
        let (second, millisecond) = (number % 10, number * 5);
        let _ =
            writeln!(jobs, "[jobs.job-{number}]\nschedule = \"*:*:{second}-59/10.{millisecond}\"");
        let _ = writeln!(jobs, "command = [\"echo\", \"job {number}\"]");
    }
    let file = directory.join("jobs.toml");
    fs::write(&file, jobs).expect("a file");
    let [metrics, page] = [(); 2].map(|()| free_address());
    let process = Command::new(command)
        .args(["run", "--quiet", "--raw", "--metrics", &metrics.to_string()])
        .args(["--page", &page.to_string(), "--history"])
        .arg(directory.join("history.sqlite"))
        .arg(file)
        .stdout(Stdio::null())
        .spawn()
        .expect("the command `millicron`");
    let (mut seconds, mut runs) = (0.0, 0.0);
    let lateness = move || {
        // What the page reads.
        get(page, "/api/jobs").expect("the page");
        let text = get(metrics, "/metrics").expect("metrics");
        let before = (seconds, runs);
        seconds = sum(&text, "millicron_lateness_seconds_sum");
        runs = sum(&text, "millicron_lateness_seconds_count");
        let _ = &directory;
        (seconds - before.0) / (runs - before.1) * 1000.0
    };
    Subject::of(name, process, Box::new(lateness))
}

fn free_address() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("an address")
}

fn get(address: SocketAddr, path: &str) -> io::Result<String> {
    let mut stream = TcpStream::connect(address)?;
    let request = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes())?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    Ok(answer)
}

/// Returns the sum of a metric over all jobs.
fn sum(metrics: &str, name: &str) -> f64 {
    let lines = metrics.lines().filter(|line| line.starts_with(name));
    lines.filter_map(|line| line.rsplit(' ').next()?.parse::<f64>().ok()).sum()
}
