//! Tests of the servers that other tests use.
#![cfg(unix)]

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::{env, thread};

use millicron_test_support::servers::{NotInstalled, PostgresServer, RedisServer, Stop};
use millicron_test_support::threads::until;

/// The common interface of all servers.
trait Server: Send + Sized + 'static {
    const NAME: &str;
    fn start() -> Result<Self, NotInstalled>;
    fn directory(&self) -> PathBuf;
    fn stop(&mut self, how: Stop);
    fn start_again(&mut self);
    fn is_running(&self) -> bool;
    fn write(&self, value: &str);
    fn read(&self) -> String;
}

impl Server for PostgresServer {
    const NAME: &str = "PostgreSQL";

    fn start() -> Result<Self, NotInstalled> {
        Self::start()
    }

    fn directory(&self) -> PathBuf {
        self.directory().to_owned()
    }

    fn stop(&mut self, how: Stop) {
        self.stop(how);
    }

    fn start_again(&mut self) {
        self.start_again();
    }

    fn is_running(&self) -> bool {
        UnixStream::connect(self.directory().join(".s.PGSQL.5432")).is_ok()
    }

    fn write(&self, value: &str) {
        let sql = format!(
            "create table if not exists a (b text); delete from a; insert into a values ('{value}')"
        );
        self.query("postgres", &sql);
    }

    fn read(&self) -> String {
        self.query("postgres", "select b from a")
    }
}

impl Server for RedisServer {
    const NAME: &str = "Redis";

    fn start() -> Result<Self, NotInstalled> {
        Self::start()
    }

    fn directory(&self) -> PathBuf {
        self.directory().to_owned()
    }

    fn stop(&mut self, how: Stop) {
        self.stop(how);
    }

    fn start_again(&mut self) {
        self.start_again();
    }

    fn is_running(&self) -> bool {
        UnixStream::connect(self.directory().join("redis.sock")).is_ok()
    }

    fn write(&self, value: &str) {
        assert_eq!(command(self, &format!("SET a {value}"))[0], "+OK");
    }

    fn read(&self) -> String {
        command(self, "GET a").swap_remove(1)
    }
}

/// Executes a Redis command, and returns the lines of its answer.
fn command(server: &RedisServer, command: &str) -> Vec<String> {
    let mut stream = UnixStream::connect(server.directory().join("redis.sock")).expect("a server");
    write!(stream, "{command}\r\nQUIT\r\n").expect("the server reads");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    answer.lines().map(str::to_owned).collect()
}

/// Starts a server, or returns `None` if it is not installed.
fn start<S: Server>(what: &str) -> Option<S> {
    S::start().map_err(|error| error.leave_out(&format!("{}: {what}", S::NAME))).ok()
}

fn keeps_its_data<S: Server>() {
    let Some(mut server) = start::<S>("data survives a stop") else {
        return;
    };
    for (how, value) in [(Stop::Fast, "first"), (Stop::Immediate, "second")] {
        server.write(value);
        server.stop(how);
        assert!(!server.is_running());
        server.stop(how);
        server.start_again();
        assert_eq!(server.read(), value);
    }
}

fn is_removed_on_drop<S: Server>() {
    let Some(server) = start::<S>("a server is removed on drop") else {
        return;
    };
    let directory = server.directory();
    assert!(directory.exists());
    drop(server);
    assert!(!directory.exists());
}

fn is_removed_by_a_panic<S: Server>() {
    let Some(server) = start::<S>("a server is removed by a panic") else {
        return;
    };
    let directory = server.directory();
    let panicking = thread::spawn(move || {
        assert!(!server.is_running(), "this is the panic that the test needs");
    });
    assert!(panicking.join().is_err());
    assert!(!directory.exists());
}

/// A child starts a server and writes its directory. Then it is killed.
fn is_removed_after_a_kill<S: Server>(role: &str) {
    let Some(_) = start::<S>("a server is removed after its test was killed") else {
        return;
    };
    let mut child = Command::new(env::current_exe().expect("path of this program"))
        .args(["--exact", "child", "--nocapture"])
        .env(ROLE, role)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("child process");
    let directory = PathBuf::from(first_line(&mut child));
    assert!(directory.exists());
    child.kill().expect("killed");
    child.wait().expect("ended");
    until(|| !directory.exists());
}

fn first_line(child: &mut Child) -> String {
    let mut lines = BufReader::new(child.stderr.take().expect("piped")).lines();
    lines.next().expect("a line").expect("UTF-8")
}

const ROLE: &str = "MILLICRON_TEST_ROLE";

/// The entry point of child processes. In the parent it does nothing.
#[test]
fn child() {
    let wait = |directory: PathBuf| -> ! {
        eprintln!("{}", directory.display());
        loop {
            thread::park();
        }
    };
    match env::var(ROLE).as_deref() {
        Ok("postgres") => {
            let server = PostgresServer::shared("never, as the parent has started one");
            wait(server.expect("installed").directory().to_owned())
        }
        Ok("redis") => {
            let server = RedisServer::start().expect("installed");
            wait(server.directory().to_owned())
        }
        _ => {}
    }
}

#[test]
fn postgres_keeps_its_data() {
    keeps_its_data::<PostgresServer>();
}

#[test]
fn postgres_is_removed() {
    is_removed_on_drop::<PostgresServer>();
    is_removed_by_a_panic::<PostgresServer>();
    is_removed_after_a_kill::<PostgresServer>("postgres");
}

#[test]
fn redis_keeps_its_data() {
    keeps_its_data::<RedisServer>();
}

#[test]
fn redis_is_removed() {
    is_removed_on_drop::<RedisServer>();
    is_removed_by_a_panic::<RedisServer>();
    is_removed_after_a_kill::<RedisServer>("redis");
}

#[test]
fn databases_are_separate() {
    let Some(server) = PostgresServer::shared("PostgreSQL: databases are separate") else {
        return;
    };
    let [first, second] = [server.new_database(), server.new_database()];
    assert_ne!(first, second);
    for url in [first, second] {
        let database = url.split(['/', '?']).nth(3).expect("the name of a database");
        let created = server.query(database, "create table same (name text)");
        assert_eq!(created, "CREATE TABLE");
    }
}
