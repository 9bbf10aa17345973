//! [`Shards`]: schedules in several databases.

mod placement;
mod rebalance;

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use futures_util::future::join_all;

use super::database::Table;
use super::error::StoredError;
use super::filter::{Filter, Page, Selection};
use super::schedule::StoredSchedule;
use super::schedules::{Change, Schedules};
use placement::weight;

/// Schedules in several databases that share nothing: each has its own schedules and tasks. The name of a schedule
/// determines its database.
///
/// A handle, which is cheap to clone. [`scale`](super::scale) says when one database is not enough.
///
/// ```
/// # #[cfg(feature = "sqlite")]
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use apalis_sqlite::{SqlitePool, SqliteStorage};
/// use millicron_apalis::stored::{Filter, Schedules, Selection, Shards, StoredSchedule};
/// use millicron_apalis::{Run, Source};
///
/// # let directory = tempfile::tempdir()?;
/// # let url = |name| format!("sqlite:{}?mode=rwc", directory.path().join(name).display());
/// let mut databases = Vec::new();
/// for name in ["a", "b"] {
///     let pool = SqlitePool::connect(&url(name)).await?;
///     SqliteStorage::setup(&pool).await?;
///     databases.push((name, Schedules::open(&pool).await?));
/// }
/// let shards = Shards::new(databases)?;
///
/// // One schedule is in one database, so this can be a part of a transaction there.
/// let report = StoredSchedule::new("report/7", "09:00:00").tag("customer-7").payload("PDF");
/// let schedules = shards.of("report/7");
/// schedules.put(schedules.pool(), &report).await?;
///
/// let invoice = StoredSchedule::new("invoice/7", "10:00:00").tag("customer-7").payload("PDF");
/// shards.put_all(&[invoice]).await?;
/// shards.pause(Selection::Tag("customer-7")).await?;
/// assert_eq!(shards.list(&Filter::default().paused()).await?.schedules.len(), 2);
///
/// // Each database has its own source and its own storage, on all machines or on some.
/// let sources = shards.iter().map(|(_, schedules)| {
///     let source = Source::<String>::builder().stored(schedules).build()?;
///     Ok(source.pipe_to(SqliteStorage::<Run<String>>::new(schedules.pool())))
/// });
/// # let sources = sources.collect::<Result<Vec<_>, millicron_apalis::BuildError>>()?;
/// # assert_eq!(sources.len(), 2);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "sqlite"))]
/// # fn main() {}
/// ```
///
/// The [program's own jobs](super#jobs-of-the-program) belong to one source. Sources of several databases would
/// each push their events.
///
/// # Placement
///
/// The database of a schedule is the one with the highest weight ([rendezvous hashing], D. Thaler and C. Ravishankar,
/// 1998). The weight is a whole number of 64 bits: the [FNV-1a] hash of the bytes of the database's name, a zero byte
/// and the bytes of the schedule's name, followed by the [last step of MurmurHash3] (`fmix64`). If two databases have
/// the same weight, the schedule belongs to the one whose name is later in the order of bytes. This will never change,
/// and any language can compute it:
///
/// ```
/// # #[cfg(feature = "sqlite")]
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # use millicron_apalis::stored::{Schedules, Shards};
/// # let pool = sqlx::SqlitePool::connect("sqlite::memory:").await?;
/// # let schedules = Schedules::open(&pool).await?;
/// let shards = Shards::new(["a", "b", "c"].map(|name| (name, schedules.clone())))?;
/// let databases = ["report/7", "report/8", "report/9", "invoice/7"].map(|it| shards.name_of(it));
/// assert_eq!(databases, ["a", "b", "b", "a"]);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "sqlite"))]
/// # fn main() {}
/// ```
///
/// Only the names count, neither the order of the databases nor their addresses, so a database may move to another
/// server. All programs must give the same names. With another name, a database loses its schedules to others.
///
/// # Adding and removing a database
///
/// A new database gets its share of the schedules from all others, one n-th of all with n databases, and nothing else
/// moves. The schedules of a database that is removed move to all others in equal shares. Events go on meanwhile, but
/// schedules must not be changed, because programs with different databases would change different rows:
///
/// 1. Create the tables of the new database, and start workers for it.
/// 2. Stop everything that creates, changes, triggers or removes schedules, in SQL too.
/// 3. Call [`rebalance`](Self::rebalance) until it returns 0.
/// 4. Deploy the programs that change schedules with the new set of databases.
/// 5. When a database that is removed has no tasks left, stop its workers.
///
/// Moving reads all rows of the old databases, so it takes time; several tasks can each move the rows of one database. It
/// is easier to begin with more databases than servers, such as 16 databases on one server, and to move whole databases
/// to other servers by replication.
///
/// [rendezvous hashing]: https://en.wikipedia.org/wiki/Rendezvous_hashing
/// [FNV-1a]: http://www.isthe.com/chongo/tech/comp/fnv/
/// [last step of MurmurHash3]: https://github.com/aappleby/smhasher/blob/master/src/MurmurHash3.cpp
pub struct Shards<DB: Table> {
    /// By their names.
    shards: Arc<[(String, Schedules<DB>)]>,
}

impl<DB: Table> Shards<DB> {
    /// Combines databases, each with a name that stays the same forever.
    ///
    /// # Errors
    ///
    /// There is no database, or two have the same name.
    pub fn new(
        databases: impl IntoIterator<Item = (impl Into<String>, Schedules<DB>)>,
    ) -> Result<Self, StoredError> {
        let shards = databases.into_iter().map(|(name, schedules)| (name.into(), schedules));
        let mut shards: Vec<(String, _)> = shards.collect();
        shards.sort_by(|(a, _), (b, _)| a.cmp(b));
        if shards.is_empty() {
            return Err(StoredError::NoShard);
        }
        match shards.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            Some(pair) => Err(StoredError::DuplicateShard(pair[0].0.clone())),
            None => Ok(Self { shards: shards.into() }),
        }
    }

    /// Returns the table of a schedule, whether or not the schedule exists.
    #[must_use]
    pub fn of(&self, schedule: &str) -> &Schedules<DB> {
        &self.shards[self.index(schedule)].1
    }

    /// Returns the name of a schedule's database.
    #[must_use]
    pub fn name_of(&self, schedule: &str) -> &str {
        &self.shards[self.index(schedule)].0
    }

    fn index(&self, schedule: &str) -> usize {
        let weights = self.shards.iter().map(|(name, _)| weight(name, schedule)).enumerate();
        weights.max_by_key(|(_, weight)| *weight).map_or(0, |(index, _)| index)
    }

    /// Returns the names and the tables of all databases, by name.
    #[must_use = "iterators are lazy and do nothing unless consumed"]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &Schedules<DB>)> {
        self.shards.iter().map(|(name, schedules)| (name.as_str(), schedules))
    }

    /// Creates or changes many schedules, such as 10,000, in all databases at once. Returns their versions, in the
    /// same order.
    ///
    /// # Errors
    ///
    /// As for [`Schedules::put_all`]. If a schedule is invalid or two have the same name, nothing was changed.
    /// Otherwise, each database has changed all of its schedules or none. Another call with the same
    /// schedules then changes what is left, unless they have [versions](StoredSchedule::version).
    pub async fn put_all(&self, schedules: &[StoredSchedule]) -> Result<Vec<i64>, StoredError> {
        let mut parts = vec![Vec::new(); self.shards.len()];
        for schedule in schedules {
            parts[self.index(&schedule.name)].push(schedule);
        }
        let parts = self.shards.iter().zip(parts).filter(|(_, part)| !part.is_empty());
        let checked = parts.map(|((_, shard), part)| Ok((shard, shard.check(part)?)));
        let checked: Vec<_> = checked.collect::<Result<_, StoredError>>()?;
        let writes = checked.iter().map(|(shard, part)| shard.write(shard.pool(), part));
        let versions: HashMap<_, _> = all(writes).await?.into_iter().flatten().collect();
        Ok(schedules.iter().map(|it| versions[&it.name]).collect())
    }

    /// Returns a page of the schedules that a filter selects, from all databases.
    ///
    /// Each database reads as many rows as the page may have. While schedules [move](Self::rebalance), they may be
    /// in the list twice.
    ///
    /// # Errors
    ///
    /// A database failed.
    pub async fn list(&self, filter: &Filter) -> Result<Page, StoredError> {
        let rows = self.iter().map(|(_, shard)| shard.rows(shard.pool(), filter));
        let mut rows = all(rows).await?.concat();
        filter.sort(&mut rows);
        Ok(filter.page(rows))
    }

    /// Pauses schedules; see [`Schedules::pause`]. Returns how many were not paused before.
    ///
    /// # Errors
    ///
    /// A database failed. Others have paused their schedules.
    pub async fn pause(&self, selection: Selection<'_>) -> Result<usize, StoredError> {
        self.change(Change::Pause, selection).await
    }

    /// Resumes paused schedules; see [`Schedules::resume`]. Returns how many were paused.
    ///
    /// # Errors
    ///
    /// A database failed. Others have resumed their schedules.
    pub async fn resume(&self, selection: Selection<'_>) -> Result<usize, StoredError> {
        self.change(Change::Resume, selection).await
    }

    /// Removes schedules; see [`Schedules::remove`]. Returns how many there were.
    ///
    /// # Errors
    ///
    /// A database failed. Others have removed their schedules.
    pub async fn remove(&self, selection: Selection<'_>) -> Result<usize, StoredError> {
        self.change(Change::Remove, selection).await
    }

    /// Makes schedules have an event now; see [`Schedules::trigger`]. Returns how many there are.
    ///
    /// Each database's clock gives the instant.
    ///
    /// # Errors
    ///
    /// A database failed. The schedules of others have an event, and would have another one if this was called
    /// again.
    pub async fn trigger(&self, selection: Selection<'_>) -> Result<usize, StoredError> {
        self.change(Change::Trigger, selection).await
    }

    async fn change(&self, change: Change, selection: Selection<'_>) -> Result<usize, StoredError> {
        let shards = match selection {
            Selection::Name(name) => std::slice::from_ref(&self.shards[self.index(name)]),
            Selection::Tag(_) => &*self.shards,
        };
        let changes = shards.iter().map(|(_, shard)| shard.change(shard.pool(), change, selection));
        Ok(all(changes).await?.into_iter().sum())
    }
}

/// Waits for operations on several databases. Returns the first error, after all operations have ended.
async fn all<T>(
    operations: impl IntoIterator<Item = impl Future<Output = Result<T, StoredError>>>,
) -> Result<Vec<T>, StoredError> {
    join_all(operations).await.into_iter().collect()
}

impl<DB: Table> Clone for Shards<DB> {
    fn clone(&self) -> Self {
        Self { shards: Arc::clone(&self.shards) }
    }
}

impl<DB: Table> fmt::Debug for Shards<DB> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}
