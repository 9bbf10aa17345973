//! What strangers may send to the ports of `--metrics` and `--page`.

use std::fs;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};

use millicron_test_support::directory::Directory;
use serde_json::Value;

use super::support::{Runner, wait_until};

const TOKEN: &str = "correct horse battery staple";

/// Jobs with a path and a variable that no response may contain.
const JOBS: &str = "
    [environment]
    PASSWORD = \"private-variable\"
    [jobs.fails]
    schedule = \"*:*:*\"
    command = [\"/private-path/program\", \"private-argument\"]
    [jobs.lost]
    schedule = \"*:*:*\"
    directory = \"/private-path\"
    command = [\"true\"]
";

/// Starts a runner, and returns the addresses of its metrics and its page.
fn start(name: &str) -> (Runner, [String; 2]) {
    let directory = Directory::new(&format!("run-{name}-token"));
    fs::write(directory.join("token"), TOKEN).expect("accessible directory");
    let token = directory.join("token").display().to_string();
    let address = "127.0.0.1:0";
    let page = ["--page", address, "--page-actions", "--page-token-file", &token];
    let arguments = [&["--metrics", address][..], &page].concat();
    let runner = Runner::start(name, "jobs.toml", JOBS, &arguments);
    let addresses = ["metrics", "page"].map(|site| {
        let start = format!("{site} at http://");
        let is_it = |record: &Value| {
            record["message"].as_str().is_some_and(|message| message.starts_with(&start))
        };
        let record = runner.wait_for(site, is_it);
        let message = record["message"].as_str().expect("a text");
        let (address, _) = message[start.len()..].split_once('/').expect("a path");
        address.to_owned()
    });
    (runner, addresses)
}

/// Sends bytes, and returns the response, which is empty if the connection is closed without one.
fn ask(address: &str, request: &[u8]) -> String {
    let mut connection = TcpStream::connect(address).expect("it listens");
    // Either may fail if the server has seen enough.
    let _ = connection.write_all(request).and_then(|()| connection.shutdown(Shutdown::Write));
    let mut response = Vec::new();
    let _ = connection.read_to_end(&mut response);
    String::from_utf8(response).expect("UTF-8")
}

/// Returns the status of a response, or 0.
fn status(response: &str) -> u16 {
    let status = response.split(' ').nth(1).and_then(|status| status.parse().ok());
    status.unwrap_or_default()
}

/// Returns a request with a method and a path, and with headers that end with a line break.
fn request(address: &str, line: &str, headers: &str) -> Vec<u8> {
    format!("{line} HTTP/1.1\r\nHost: {address}\r\n{headers}\r\n").into_bytes()
}

fn is_healthy(address: &str) -> bool {
    status(&ask(address, &request(address, "GET /health", ""))) == 200
}

/// Requests that must be refused, or answered with an error.
fn probes(address: &str) -> Vec<Vec<u8>> {
    let get = |path: &str| request(address, &format!("GET {path}"), "");
    let post = |headers: &str, body: &[u8]| {
        let origin = format!("Origin: http://{address}\r\nContent-Type: application/json\r\n");
        [&*request(address, "POST /api/session", &(origin + headers)), body].concat()
    };
    let sized = |body: &[u8]| post(&format!("Content-Length: {}\r\n", body.len()), body);
    let header = |header: &str| request(address, "GET /api/jobs", header);
    let chunk = [b"10000\r\n", &vec![b'x'; 0x10000][..], b"\r\n"].concat();
    vec![
        // Lengths.
        get(&"/x".repeat(1 << 20)),
        header(&format!("X: {}\r\n", "x".repeat(1 << 20))),
        header(&"X: x\r\n".repeat(10_000)),
        header(&format!("Cookie: {}\r\n", "a=b; ".repeat(100_000))),
        header(&format!("Authorization: Bearer {}\r\n", "x".repeat(100_000))),
        sized(&vec![b'['; 1 << 20]),
        sized(&[b"{\"token\":\"", &vec![b'x'; 1 << 20][..], b"\"}"].concat()),
        sized(&vec![b'['; 60_000]),
        post("Content-Length: 18446744073709551615\r\n", b"{"),
        post("Content-Length: 18446744073709551616\r\n", b"{"),
        post("Content-Length: -1\r\n", b"{"),
        post("Content-Length: 100\r\n", b"{"),
        post("Transfer-Encoding: chunked\r\n", &chunk.repeat(32)),
        post("Transfer-Encoding: chunked\r\n", b"FFFFFFFFFFFFFFFFF\r\n"),
        // Two requests for those who read only one of the lengths.
        post("Content-Length: 4\r\nContent-Length: 5\r\n", b"{}  "),
        post("Content-Length: 2\r\nTransfer-Encoding: chunked\r\n", b"{}0\r\n\r\n"),
        post("Transfer-Encoding: gzip\r\n", b"{}"),
        // Paths.
        get("/../../../../etc/passwd"),
        get("/page/../../../etc/passwd"),
        get("/page/..%2f..%2f..%2fetc%2fpasswd"),
        get("/page/%2e%2e/%2e%2e/etc/passwd"),
        get("/page//etc/passwd"),
        get("/page/jobs.toml"),
        get("/api/jobs/..%2f..%2fjobs.toml"),
        get("/%00"),
        get("/%ff%fe"),
        get("/%"),
        get("//private-path/"),
        get("http://[::1/"),
        request(address, "GET /\u{fd}\u{1b}[31m", ""),
        // What is no text, and no HTTP.
        [b"GET /\xff\xfe HTTP/1.1\r\nHost: ", address.as_bytes(), b"\r\n\r\n"].concat(),
        [b"GET / HTTP/1.1\r\nHost: ", address.as_bytes(), b"\r\nX\xff: x\r\n\r\n"].concat(),
        sized(b"{\"token\":\"\xff\"}"),
        sized(b"{\"token\":\"\\ud800\"}"),
        b"GET / HTTP/9.9\r\n\r\n".to_vec(),
        b"GET /\r\n\r\n".to_vec(),
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec(),
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03".to_vec(),
        [0; 10_000].to_vec(),
        vec![0xff; 100_000],
        b"\r\n".repeat(10_000),
        b"GET / HTTP/1.1\nHost: a\n b\n\n".to_vec(),
        b"GET / HTTP/1.1\r\nHost : a\r\n\r\n".to_vec(),
        b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n".to_vec(),
        b"GET / HTTP/1.1\r\nHost: \x01\r\n\r\n".to_vec(),
        b"GET / HTTP/1.1".to_vec(),
        Vec::new(),
        request(address, "TRACE /", ""),
        request(address, "CONNECT db.example:5432", ""),
        request(address, "DELETE /metrics", ""),
    ]
}

#[test]
fn probes_are_refused_and_reveal_nothing() {
    let (runner, addresses) = start("probes");
    runner.wait_for_event("fails", "failed");
    runner.wait_for_event("lost", "failed");
    let [metrics, page] = &addresses;
    assert!(!ask(metrics, &request(metrics, "GET /metrics", "")).contains("private-"));
    let bearer = format!("Authorization: Bearer {TOKEN}\r\n");
    for path in ["board", "jobs", "jobs/fails", "jobs/fails/runs", "jobs/lost", "jobs/lost/runs"] {
        let response = ask(page, &request(page, &format!("GET /api/{path}"), &bearer));
        assert!(status(&response) == 200 && !response.contains("private-"), "{response}");
    }
    let files = || {
        let files = fs::read_dir(format!("/proc/{}/fd", runner.pid()));
        files.map_or(0, Iterator::count)
    };
    let before = files();
    for address in &addresses {
        for (number, probe) in probes(address).iter().enumerate() {
            let response = ask(address, probe);
            let shown = String::from_utf8_lossy(probe);
            let status = status(&response);
            assert!(
                response.is_empty() || (400..=599).contains(&status) && status != 500,
                "{number} {shown:.200}: {response}"
            );
            let secrets = ["private-", TOKEN, "root:", "jobs.toml"];
            let is_secret = |secret: &&str| response.contains(secret);
            assert!(!secrets.iter().any(is_secret), "{number} {shown:.200}: {response}");
        }
    }
    assert!(is_healthy(&addresses[0]));
    assert_eq!(status(&ask(&addresses[1], &request(&addresses[1], "GET /", ""))), 200);
    // Commands that are starting have pipes.
    wait_until("few open files", || files() <= before);
    assert!(runner.stop().0.success());
}

#[test]
fn a_flood_of_wrong_tokens_is_slowed_down_and_ends() {
    let (_runner, [_, address]) = start("probes-tokens");
    let attempt = |token: &str| {
        let bearer = format!("Authorization: Bearer {token}\r\n");
        status(&ask(&address, &request(&address, "GET /api/jobs", &bearer)))
    };
    let wrong = (0..100).map(|guess| attempt(&guess.to_string())).collect::<Vec<_>>();
    assert!(wrong.iter().all(|status| [401, 429].contains(status)), "{wrong:?}");
    // A second has passed after a hundred guesses, or there were too many.
    wait_until("a guess that is one too many", || attempt("wrong") == 429);
    wait_until("the right token", || attempt(TOKEN) == 200);
}
