//! Where one database ends, and how to go on.
//!
//! One `PostgreSQL` database runs ten million schedules, or pushes more than ten thousand events a second. Beyond that,
//! split the schedules over several databases with [`Shards`](super::Shards): the name of a schedule determines its
//! database, and each database has its own schedules, tasks and workers. The databases share nothing, so twice as
//! many, on twice as many servers, run twice as many schedules.
//!
//! # What a schedule and an event cost
//!
//! Measured on two cores, which `PostgreSQL` shares with the machines that push. The tables are in
//! `benches/README.md` of the repository, under "Schedules in a database".
//!
//! | what | cost |
//! | --- | --- |
//! | schedules in one database | 1, 3 and 10 million |
//! | creating schedules | at least 20,000 a second |
//! | disk for a schedule, with its indices | 0.4 KB, with a short name and payload |
//! | memory of a replica | 7 to 11 MB, however many schedules there are |
//! | events pushed by one replica | 16,000 a second |
//! | events pushed by three replicas | 22,000 a second, on the same two cores |
//! | CPU time for an event, in the server and a replica | at most 75 µs in large batches; 4 to 8 ms if each event is alone and its task is executed at once |
//! | write-ahead log for an event | 1.4 KB until its task is pushed, 2.2 KB until it has been executed |
//! | each further replica that waits | 1 to 8 % of a core |
//!
//! # What limits first
//!
//! Events and their commits, usually. An event writes the schedule's row, two index entries and the task, and the
//! worker writes the task twice more, to fetch and to acknowledge it. A row that is not due only takes space.
//! The number of events a second is the number of schedules divided by their period:
//!
//! | each schedule is due | schedules with 20,000 events a second |
//! | --- | ---: |
//! | every second | 20,000 |
//! | every minute | 1.2 million |
//! | every hour | 72 million |
//! | every day | 1.7 billion |
//!
//! For comparison, [db-scheduler](https://github.com/kagkarlsson/db-scheduler/blob/master/docs/benchmark.md) publishes 10,600 to
//! 11,840 executions a second with `PostgreSQL` on four to eight cores of its own and four more machines. These include
//! executing, and the 20,000 above do not.
//!
//! So with a minute between events, one database ends at a million schedules. With a day, ten million
//! schedules have 116 events a second, and space, vacuum and the time to restore a backup limit first. More than ten
//! million have not been measured.
//!
//! Before you split, look at the simpler means:
//!
//! - Delete executed tasks that are older than the [catch-up window](super::StoredSchedule::catch_up). At a high rate,
//!   tasks take much more space than schedules.
//! - [`ahead`](crate::SourceBuilder::ahead) pushes in larger batches, and tasks start on time even if the server is
//!   busy for a moment.
//! - More cores and a faster disk. How far that goes has not been measured.
//! - A source may have its schedules in one database and its storage in another. A restored backup of one of them then
//!   does not match the other.
//!
//! # Several databases
//!
//! [`Shards`](super::Shards) has an example, and says how a database is added. What changes:
//!
//! - Operations on one schedule, and your transactions with them, are in its database.
//! - [`put_all`](super::Shards::put_all) and operations by tag are atomic in each database, and not in all together.
//! - [`list`](super::Shards::list) and operations by tag ask all databases, so they are as slow as the slowest one, and
//!   fail if one of them fails.
//! - A machine has a source, a storage and a worker for each database, or only for some. Each takes its own
//!   connections: two, and those of the storage. So with many databases, give each machine only a few.
//! - Events go on in all other databases while one is down. Its own are late, within the catch-up window.
//! - Two databases have been measured, on one machine with two cores. They show that nothing is shared, and
//!   cannot show twice the speed.
//!
//! # A billion schedules, a million events a second
//!
//! On paper. Each schedule has an event every 1,000 seconds, on average. Plan one database with what
//! has been measured, and half of its rate, since tasks are executed, too:
//!
//! | one database | | source |
//! | --- | ---: | --- |
//! | schedules | 10 million | measured |
//! | events a second | 10,000 | half of what was measured |
//!
//! The number of databases is the larger of schedules / 10 million and events / 10,000: here, both are **100**.
//!
//! | each of 100 databases | | computed from |
//! | --- | ---: | --- |
//! | disk for schedules | 8 GB | 10 million × 0.4 KB, twice, since updates leave space unused |
//! | disk for tasks | 36 GB | 10,000 a second × 1 KB (assumed) × 1 hour until they are deleted |
//! | write-ahead log | 22 MB/s | 10,000 a second × 2.2 KB; 1.9 TB a day to the standby and the archive |
//! | CPU for pushing | 0.75 cores | 10,000 a second × 75 µs, in the server and the replicas |
//! | CPU of the server | 8 cores | assumed: executing has not been measured at this rate |
//! | memory of the server | 32 GB | all schedules and the tasks of some minutes: in 1,000 s, each row is read and written once |
//! | replicas | 2 | one pushes up to 16,000 a second; the other takes over after 100 ms |
//!
//! | all together | | computed from |
//! | --- | ---: | --- |
//! | servers | 200 | each database has a standby |
//! | disk | 9 TB | 200 × 44 GB, without archives |
//! | write-ahead log | 2.2 GB/s | 100 × 22 MB/s |
//! | CPU for pushing | 75 cores | 1 million a second × 75 µs |
//! | memory of the replicas | 2.2 GB | 200 × 11 MB |
//! | time to create all schedules | 8 minutes | 100 databases × 20,000 a second |
//! | CPU of the work | 10,000 cores | 1 million a second × 10 ms (assumed): the work costs more than everything else |
//!
//! - **Memory.** If schedules are due once a day, a server needs less: an event reads and writes one page of the table
//!   and three of its indices. The index by the next event, about 1 GB for ten million schedules, and the pages of the
//!   next minutes are the hot part.
//! - **Commits.** Schedules and tasks are written in batches of up to 1,000, but workers acknowledge tasks one by
//!   one. 10,000 acknowledgements a second need a disk that flushes in less than a millisecond, and commits that
//!   share flushes. This has not been measured, and may well be the first limit. Then use more databases.
//! - **Connections.** With 500 machines that work for two databases each, a database has ten machines and some 50
//!   connections. If all machines worked for all databases, a database would have more than 1,000 connections.
//! - **Failover.** A standby takes over for its database, so the others need no headroom for it. If it lags
//!   behind, the last commits are lost, of schedules and tasks alike, since both are in the same database. Events whose
//!   tasks were lost are pushed again, so none is lost, but some are executed twice. The last changes of schedules are
//!   lost, unless the standby is synchronous.
//! - **One database more.** Of 101 databases, the new one gets 10 million schedules, which takes 8 minutes at 20,000
//!   a second. All other schedules are read, so move those of each old database in a separate task:
//!   [`rebalance`](super::Shards::rebalance) takes any part of the old databases.
//! - **Balance.** The hash gives 10 million schedules to a database, ± 0.1 %. It does not know how often they are
//!   due: a schedule with thousands of events a second is not split.
//!
//! Start with more databases than servers, such as 100 databases on four servers. Growth then moves whole databases, by
//! replication, and no schedule.
