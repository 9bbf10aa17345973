//! Schedules in a database: schedules that your users create, change and pause while everything runs.
//!
//! A schedule is a row of a table in `PostgreSQL` (feature `postgres`) or `SQLite` (feature `sqlite`). Any
//! number of machines run its events: one of them claims the row when it is due, pushes the task, and says in
//! the row until when its events are decided. No machine holds the schedules, and there is no leader, so the
//! memory and the work of a machine do not grow with the number of schedules.
//!
//! ```
//! # #[cfg(feature = "sqlite")]
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use apalis_core::worker::builder::WorkerBuilder;
//! use apalis_sqlite::{SqlitePool, SqliteStorage};
//! use millicron_apalis::stored::{Schedules, Selection, StoredSchedule};
//! use millicron_apalis::{Run, Source};
//!
//! # let directory = tempfile::tempdir()?;
//! # let url = format!("sqlite:{}?mode=rwc", directory.path().join("tasks.db").display());
//! # let url = url.as_str();
//! # /*
//! let url = "sqlite:tasks.db?mode=rwc";
//! # */
//! let pool = SqlitePool::connect(url).await?;
//! SqliteStorage::setup(&pool).await?;
//! let schedules = Schedules::open(&pool).await?;
//!
//! // When a user asks for it, anywhere in the program, or in another one:
//! let report = StoredSchedule::new("report/7", "*.*.* Mon-Fri 09:00:00")
//!     .zone("Europe/Berlin")
//!     .payload("PDF")
//!     .tag("customer-7");
//! schedules.put(&pool, &report).await?;
//! # schedules.trigger(&pool, Selection::Name("report/7")).await?;
//!
//! // In each worker:
//! let source = Source::builder().stored(&schedules).build()?;
//! let handle = {
//!     let source = source.clone();
//!     move |run: Run<String>| {
//!         println!("{}: {}", run.key(), run.payload);
//! #       source.close();
//!         async {}
//!     }
//! };
//! let worker = WorkerBuilder::new("worker-1")
//!     .backend(source.pipe_to(SqliteStorage::new(&pool)))
//!     .build(handle);
//! worker.run().await?;
//!
//! // When the customer leaves:
//! schedules.remove(&pool, Selection::Tag("customer-7")).await?;
//! # Ok(())
//! # }
//! # #[cfg(not(feature = "sqlite"))]
//! # fn main() {}
//! ```
//!
//! To see processes die and schedules change while no event is lost, run
//! `cargo run -p millicron-apalis --example stored`.
//!
//! # Changes
//!
//! [`put`](Schedules::put) creates or changes a schedule, and checks it first: what cannot be read is refused
//! with the error that [`Schedule::parse`](millicron::Schedule::parse) would return. The instant of a change is
//! that of its commit. **Events until that instant belong to the old version, and later ones to the new one,
//! none to both**, whichever machine pushes them, and even if no machine runs at that time. A paused schedule
//! has no events. An event of an old version that is not a task yet becomes one with the old payload, even if
//! the schedule has been removed.
//!
//! - The database's clock decides when an event becomes a task. The clocks of the machines that push it only measure
//!   how long to wait. A [worker](crate::Source::pipe_to) keeps a task until its own clock shows the instant, so a
//!   worker whose clock is behind starts its tasks late.
//! - `SQLite` cannot run triggers at the commit, so there a change counts from its statement. The difference
//!   matters only in long transactions.
//! - Tasks that were pushed [ahead](crate::SourceBuilder::ahead) are tasks already, and belong to the old
//!   version. A change then takes effect after that time. By default, nothing is pushed ahead. To replace a schedule,
//!   change it with `put`: one that is removed and created again before that time has events of both definitions.
//! - A new schedule has its first event after it is created. What happens to events that were missed, because no
//!   machine was running, is the schedule's [policy](StoredSchedule::missed), within its
//!   [window](StoredSchedule::catch_up).
//! - A run that was [triggered](Schedules::trigger) belongs to the version that is current when it is claimed. If
//!   the schedule changes before that, the task has the new payload.
//!
//! `PostgreSQL` announces changes, so they take effect within milliseconds. With `SQLite`, machines look about
//! every second.
//!
//! Read, change and write a schedule with its [version](StoredSchedule::version), so that nobody's change is
//! lost: [`get`](Schedules::get) sets it, and `put` then refuses to change another version. Versions count from 1 again
//! if a schedule is removed and created again, so pause a schedule that others may be changing, or use a new name.
//!
//! All operations take a pool, or the transaction in which you also write other rows. Rows are locked in the order of
//! their names, so operations do not lock each other out. A transaction with several of them must follow this order
//! itself, or use [`put_all`](Schedules::put_all).
//!
//! With `PostgreSQL`:
//!
//! - Each event of a schedule updates its row, which conflicts with changes in your own `REPEATABLE READ` or
//!   `SERIALIZABLE` transactions: repeat them if they fail with the error 40001.
//! - A transaction that has changed schedules cannot be prepared for a two-phase commit, since it notifies machines.
//!
//! # SQL
//!
//! Everything can also be done by SQL, from any language. The tables are in the schema `millicron`; in `SQLite`,
//! their names begin with `millicron_`. The columns that the database sets have comments that say so. A statement that
//! writes them together with others, as object mappers do, leaves them as they are.
//!
//! ```sql
//! INSERT INTO millicron.schedules (name, schedule, zone, payload)
//! VALUES ('report/7', '0 9 * * MON-FRI', 'Europe/Berlin', '"PDF"');
//!
//! UPDATE millicron.schedules SET paused = true WHERE tags @> '{customer-7}' AND tags <> '{}';
//!
//! SELECT name, next_at FROM millicron.schedules ORDER BY next_at LIMIT 10;
//! ```
//!
//! With `PostgreSQL`, only schedules with tags are in the index of tags, so a condition on tags is fast only with
//! `AND tags <> '{}'`. The server must be version 13 or later. A role that changes schedules by SQL needs these rights:
//!
//! ```sql
//! GRANT USAGE ON SCHEMA millicron TO shop;
//! GRANT SELECT, INSERT, UPDATE, DELETE ON millicron.schedules TO shop;
//! -- Versions that a change ends before all their events are tasks.
//! GRANT INSERT ON millicron.retired TO shop;
//! ```
//!
//! The first machine that reads a row written by SQL checks it. A wrong row is set aside: its
//! [`error`](StoredSchedule::error) says why, that machine [reports](crate::Notice::Invalid) it, and it has no events
//! until it is changed. Others are not affected. [`Filter::failed`] finds them. During a deployment, a program may
//! not know the syntax, a zone, a calendar or the type of a payload that another one knows, so a wrong row is read again
//! after five minutes, or when the same schedule is [put](Schedules::put) again. A payload has at most 64 KiB, since a
//! machine reads up to 1,000 at once: [`put`](Schedules::put) refuses a longer one, and a row with one is set aside. The
//! text, the dialect, the zone, and the lists of calendars and of tags as JSON have at most 64 KiB each. The tables refuse
//! longer ones. `put` refuses a tag of more than 512 bytes.
//!
//! [`trigger`](Schedules::trigger) adds an instant to `triggered`, and has the row read at once. By SQL, set both
//! columns. An object mapper must not write back an old value of `triggered`, since machines remove its instants.
//!
//! ```sql
//! UPDATE millicron.schedules SET triggered = triggered || now(), next_at = 'epoch' WHERE name = 'report/7';
//!
//! -- SQLite, in milliseconds since 1970
//! UPDATE millicron_schedules SET triggered = json_insert(triggered, '$[#]', 1795219200000), next_at = 0
//! WHERE name = 'report/7';
//! ```
//!
//! With `SQLite`:
//!
//! - Programs need `SQLite` 3.38 or later.
//! - Write `INSERT … ON CONFLICT (name) DO UPDATE …`. `INSERT OR REPLACE` deletes the old row without its triggers, so
//!   events of the old version that are not tasks yet are lost.
//! - Begin a transaction that reads before it changes schedules with `BEGIN IMMEDIATE`
//!   (`pool.begin_with("BEGIN IMMEDIATE")`). Otherwise, its change fails if somebody else writes in between.
//!
//! # Jobs of the program
//!
//! [`SourceBuilder::add`](crate::SourceBuilder::add) works together with
//! [`stored`](crate::SourceBuilder::stored). The machines then agree in the database about the program's own
//! jobs, too: one of them pushes an event, and the others do not try. A job goes on where it was when the program
//! starts again, even with another schedule, or with an earlier one after a deployment is rolled back. Jobs and stored schedules share their names, since a name and an
//! instant identify a task. Programs with different queues need different [schemas](Schedules::open_in).
//!
//! # Failures
//!
//! | what | effect |
//! | --- | --- |
//! | A machine dies. | Others claim its rows at once, and push the tasks again; the storage refuses those that it already has, and the server logs these as errors. `SQLite` cannot hold rows for a process, so they are free again after 10 s. |
//! | A machine hangs while it holds rows. | `PostgreSQL` ends its transaction after 10 s. |
//! | The storage hangs. | The push is given up after 8 s, [reported](crate::Notice::PushHangs), and repeated by whoever claims the rows next. The machine claims nothing until the storage has answered, and then half as many rows. If the server's machine is gone, it may never answer, since sqlx does not notice dead connections: restart the program. |
//! | The storage fails. | The same, but it is [reported](crate::Notice::PushFailed) at once. |
//! | The storage refuses some tasks. | The others are pushed. This is [reported](crate::Notice::PushFailed). The rows keep the error, and are tried again every 30 s, with the runs that were triggered; by then, an event counts as missed, so `Skip` drops it. If it refuses all, the machine waits up to 6 s until it takes this for an answer, since the storage may be down. Tasks that are tried again delay no others. |
//! | The database loses commits, as after a failover to an asynchronous replica. | Restart programs if rows of their jobs are lost. |
//! | The database fails. | It is [reported](crate::Notice::TableFailed), and the machine tries again, at least every 5 s. |
//!
//! One machine usually pushes everything, as long as it is fast enough. The others look 100 ms after a row is due,
//! and take over what is left.
//!
//! # Calendars
//!
//! A schedule may name calendars, in its text or in [`calendars`](StoredSchedule::calendars). They are part of
//! the program: [`with_calendars`](Schedules::with_calendars).
//!
//! A row is looked at when its next event is due. If a new program has another calendar, or other rules of a time zone,
//! its events may be earlier than that. So after such a deployment, and before the first event that has changed, have
//! all rows read again. Otherwise, an event that is noticed after the [catch-up window](StoredSchedule::catch_up) is
//! dropped.
//!
//! ```sql
//! UPDATE millicron.schedules SET next_at = 'epoch' WHERE NOT paused AND error IS NULL;
//!
//! -- SQLite
//! UPDATE millicron_schedules SET next_at = 0 WHERE NOT paused AND error IS NULL;
//! ```
//!
//! # Several databases
//!
//! [`scale`] says what a schedule and an event cost, and where one database ends. [`Shards`] are schedules in several
//! databases.
//!
//! # Migrations
//!
//! [`Schedules::open`] creates the tables, and migrates those of an older version. Machines with the old program
//! go on during a deployment. The user needs the right to create a schema, unless it exists. `PostgreSQL` databases with
//! the encoding `SQL_ASCII` are refused, since one row with bytes that are not UTF-8 would stop all others.
//!
//! # Connections
//!
//! With `PostgreSQL`, each worker with stored schedules holds two connections of the pool with which the table was
//! opened: one listens for changes, and one has the transaction that holds claimed rows while their tasks are pushed. A
//! storage that uses the same pool needs further connections at the same time: one to push, and those with which its
//! workers listen for tasks, fetch and acknowledge them. A pool with only two connections for a worker never pushes
//! anything. With `SQLite`, nothing is held during a push, so a single connection is enough.
//!
//! # Locks
//!
//! Statements that lock rows for long, such as `UPDATE` of all schedules in a long transaction, delay the events of
//! these rows until the transaction ends. With `PostgreSQL`, they also delay all other events by up to 100 ms if one
//! of the locked rows is due: machines cannot tell such a row from one that another machine has claimed, so each
//! leaves the others time to push.

mod access;
mod bounded;
pub(crate) mod claims;
mod database;
mod decided;
mod error;
mod filter;
mod fnv;
mod payload;
#[cfg(feature = "postgres")]
mod postgres;
mod reading;
mod row;
pub mod scale;
mod schedule;
mod schedules;
mod shards;
#[cfg(feature = "sqlite")]
mod sqlite;
pub(crate) mod table_claims;

pub use access::Access;
pub use bounded::BoundedSchedule;
pub use database::Table;
pub use error::{InvalidSchedule, StoredError};
pub use filter::{Filter, Page, Selection};
pub use schedule::StoredSchedule;
pub use schedules::Schedules;
pub use shards::Shards;
