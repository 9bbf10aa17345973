//! [`change`]: changes schedules all the time, in every way.

use std::cell::Cell;
use std::path::PathBuf;
use std::time::Duration;

use millicron_apalis::Missed;
use millicron_apalis::stored::{Access, Schedules, Selection, StoredError, StoredSchedule};
use sqlx::{Pool, Postgres, Sqlite};
use tokio::time::sleep;

use super::patterns::{PATTERNS, Pattern};
use super::table::ProofTable;
use crate::random::Random;
use crate::storage::{self, Kind};
use crate::worker::{self, Settings};

const SCHEDULES: usize = 24;
const TAGS: usize = 6;

/// Changes schedules until it is killed.
pub(crate) async fn change(settings: &Settings) {
    match settings.kind {
        Kind::Postgres => change_in::<Postgres>(settings).await,
        Kind::Sqlite => change_in::<Sqlite>(settings).await,
        Kind::Redis => unreachable!("Redis has no tables"),
    }
}

/// Two users: one whose transactions have several changes, and one with single changes.
async fn change_in<DB: ProofTable>(settings: &Settings) {
    let pool = DB::connect(&settings.url).await;
    let schedules = storage::retry(async || Schedules::open(&pool).await).await;
    let payload = Cell::new(0);
    let changer = |seed| Changer {
        pool: &pool,
        schedules: &schedules,
        payload: &payload,
        random: Random(settings.seed.wrapping_add(seed)),
        errors: settings.directory.join("errors"),
    };
    let [mut several, mut single] = [changer(1), changer(2)];
    tokio::join!(several.change_several(), single.change_single());
}

pub(super) struct Changer<'a, DB: ProofTable> {
    pool: &'a Pool<DB>,
    schedules: &'a Schedules<DB>,
    /// The payload of the last version. Each version has its own.
    payload: &'a Cell<u32>,
    random: Random,
    errors: PathBuf,
}

impl<DB: ProofTable> Changer<'_, DB> {
    async fn change_several(&mut self) {
        loop {
            let result = match self.random.below(4) {
                0 => self.put_all().await,
                1 | 2 => self.transaction().await,
                _ => self.one().await,
            };
            self.pause_after(result).await;
        }
    }

    async fn change_single(&mut self) {
        loop {
            let result = if self.random.once_in(8) { self.tag().await } else { self.one().await };
            self.pause_after(result).await;
        }
    }

    /// Logs errors that are not due to the server that is stopped.
    async fn pause_after(&mut self, result: Result<(), StoredError>) {
        let mut pause = 5 + self.random.below(60);
        if let Err(error) = result {
            if !is_outage(&error) {
                worker::log(&self.errors, &format!("{error:?}"));
            }
            pause += 100;
        }
        sleep(milliseconds(pause)).await;
    }

    fn name(&mut self) -> String {
        format!("s{:02}", self.random.below(SCHEDULES))
    }

    fn next_payload(&self) -> u32 {
        self.payload.set(self.payload.get() + 1);
        self.payload.get()
    }

    fn schedule(&mut self, name: &str) -> StoredSchedule {
        let pattern = self.random.pick(PATTERNS);
        let tag = name.bytes().map(usize::from).sum::<usize>() % TAGS;
        let mut schedule = StoredSchedule::new(name, pattern.text)
            .payload(self.next_payload())
            .missed(Missed::All { max: usize::MAX })
            .catch_up(Duration::from_hours(24))
            .tag(format!("tag-{tag}"));
        schedule.zone = pattern.zone.map(str::to_owned);
        schedule.paused = self.random.once_in(10);
        let (starts_at, ends_at) = self.bounds();
        schedule.between(starts_at, ends_at)
    }

    /// Returns the first and the last instant of a schedule's events.
    fn bounds(&mut self) -> (Option<i64>, Option<i64>) {
        let now = worker::now();
        let mut soon = || now + i64::try_from(self.random.below(1000)).expect("a small number");
        let (first, length) = (soon(), soon() - now);
        let starts_at = self.random.once_in(6).then_some(first);
        let ends_at = self.random.once_in(6).then_some(first + length);
        (starts_at, ends_at)
    }

    async fn put_all(&mut self) -> Result<(), StoredError> {
        let names = self.names();
        let schedules: Vec<_> = names.iter().map(|name| self.schedule(name)).collect();
        self.schedules.put_all(self.pool, &schedules).await?;
        Ok(())
    }

    /// Returns some names, in order, so that transactions do not wait for each other.
    fn names(&mut self) -> Vec<String> {
        let count = 2 + self.random.below(4);
        let mut names: Vec<_> = (0..count).map(|_| self.name()).collect();
        names.sort();
        names.dedup();
        names
    }

    async fn transaction(&mut self) -> Result<(), StoredError> {
        let mut transaction = DB::begin_writing(self.pool).await?;
        for name in self.names() {
            // Sometimes several changes of the same schedule.
            for _ in 0..=self.random.below(3) {
                self.change_one(&mut transaction, &name).await?;
                sleep(milliseconds(self.random.below(DB::LONGEST_TRANSACTION / 8))).await;
            }
        }
        sleep(milliseconds(self.random.below(DB::LONGEST_TRANSACTION))).await;
        if self.random.once_in(6) {
            transaction.rollback().await?;
        } else {
            transaction.commit().await?;
        }
        Ok(())
    }

    /// A single change without a transaction of the caller.
    async fn one(&mut self) -> Result<(), StoredError> {
        let name = self.name();
        let mut connection = self.pool.acquire().await?;
        self.change_one(&mut connection, &name).await
    }

    async fn tag(&mut self) -> Result<(), StoredError> {
        let tag = format!("tag-{}", self.random.below(TAGS));
        let (schedules, selection) = (self.schedules, Selection::Tag(&tag));
        match self.random.below(4) {
            0 => schedules.pause(self.pool, selection).await?,
            1 | 2 => schedules.resume(self.pool, selection).await?,
            _ => schedules.trigger(self.pool, selection).await?,
        };
        Ok(())
    }

    async fn change_one(
        &mut self,
        connection: &mut DB::Connection,
        name: &str,
    ) -> Result<(), StoredError> {
        let (schedules, selection) = (self.schedules, Selection::Name(name));
        let choice = self.random.below(16);
        if choice >= 9 {
            return Ok(DB::run_sql(connection, self.sql(choice, name)).await?);
        }
        let access = Access::Connection(connection);
        match choice {
            0..=3 => drop(schedules.put(access, &self.schedule(name)).await?),
            4 => drop(schedules.pause(access, selection).await?),
            5 => drop(schedules.resume(access, selection).await?),
            6 => drop(schedules.remove(access, selection).await?),
            _ => drop(schedules.trigger(access, selection).await?),
        }
        Ok(())
    }

    /// Returns a statement that a user may write.
    fn sql(&mut self, choice: usize, name: &str) -> String {
        let table = DB::TABLE;
        let update = format!("UPDATE {table} SET");
        let condition = format!("WHERE name = '{name}'");
        match choice {
            9 => format!("DELETE FROM {table} {condition}"),
            10 => format!("{update} paused = NOT paused {condition}"),
            11 => {
                let payload = self.next_payload();
                format!("{update} payload = '{payload}' {condition}")
            }
            12 => {
                let Pattern { text, zone, .. } = *self.random.pick(PATTERNS);
                let zone = zone.map_or_else(|| "NULL".to_owned(), |zone| format!("'{zone}'"));
                let payload = self.next_payload();
                format!(
                    "{update} schedule = '{text}', zone = {zone}, payload = '{payload}' {condition}"
                )
            }
            13 => {
                let (starts_at, ends_at) = self.bounds();
                let [starts_at, ends_at] = [starts_at, ends_at]
                    .map(|instant| instant.map_or_else(|| "NULL".to_owned(), DB::instant));
                format!("{update} starts_at = {starts_at}, ends_at = {ends_at} {condition}")
            }
            14 => format!("DELETE FROM {table} {condition}; {}", self.insert(name)),
            _ => self.insert(name),
        }
    }

    fn insert(&mut self, name: &str) -> String {
        let (table, day, payload) = (DB::TABLE, DB::DAY, self.next_payload());
        let text = self.random.pick(&PATTERNS[..6]).text;
        format!(
            "INSERT INTO {table} (name, schedule, payload, missed, catch_up) \
             VALUES ('{name}', '{text}', '{payload}', 'all', {day}) ON CONFLICT DO NOTHING"
        )
    }
}

fn milliseconds(count: usize) -> Duration {
    Duration::from_millis(u64::try_from(count).expect("a small number"))
}

/// Returns whether an error may be due to a server that is stopped.
fn is_outage(error: &StoredError) -> bool {
    let StoredError::Database(error) = error else { return false };
    match error {
        sqlx::Error::Io(_) | sqlx::Error::PoolTimedOut => true,
        // The administrator has stopped the server, or it crashed, or it is starting.
        sqlx::Error::Database(error) => error.code().is_some_and(|code| code.starts_with("57P")),
        _ => false,
    }
}
