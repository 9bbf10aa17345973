//! Tests with a Redis server.

use std::time::Duration;

use apalis_redis::{Config, RedisStorage};
use millicron_apalis::Run;
#[cfg(feature = "redis")]
use millicron_apalis::{PipeError, Source};
use millicron_test_support::servers::RedisServer;

use crate::support::replicas;
#[cfg(feature = "redis")]
use crate::support::{Events, MIDNIGHT, clock_at};

async fn storage(server: &RedisServer, ttl: Option<Duration>) -> RedisStorage<Run<u32>> {
    let connection = apalis_redis::connect(server.connection_string()).await.expect("a connection");
    let config = Config::default().queue("tasks").idempotency_ttl(ttl);
    RedisStorage::new(connection).with_config(config)
}

fn server(what: &str) -> Option<RedisServer> {
    RedisServer::start().map_err(|error| error.leave_out(what)).ok()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn replicas_push_each_event_once() {
    let Some(server) = server("Redis: three replicas") else { return };
    let storage = storage(&server, Some(Duration::from_hours(2))).await;
    replicas(|| storage.clone()).await;
    let mut connection = storage.clone().get_connection().clone();
    let tasks: usize = redis_count(&mut connection).await;
    assert_eq!(tasks, 81 + 5);
}

async fn redis_count(connection: &mut apalis_redis::ConnectionManager) -> usize {
    redis::cmd("HLEN").arg("tasks:data").query_async(connection).await.expect("a number")
}

#[cfg(feature = "redis")]
#[tokio::test]
async fn storage_that_forgets_keys_is_refused() {
    let Some(server) = server("Redis: no time to live") else { return };
    let source = Source::builder().clock(clock_at(MIDNIGHT)).add("a", Events(vec![MIDNIGHT]), 1);
    let source = source.build().expect("a source");
    // `apalis-redis` counts whole seconds.
    for ttl in [Some(Duration::from_millis(999)), None] {
        let error = source.push_due(&mut storage(&server, ttl).await).await.expect_err("an error");
        assert!(matches!(error, PipeError::ForgetsKeys));
    }
    let storage = storage(&server, None).await;
    let worker = apalis_core::worker::builder::WorkerBuilder::new("worker");
    let worker = worker.backend(source.pipe_to(storage)).build(async |_: Run<u32>| ());
    let error = worker.run().await.expect_err("an error").to_string();
    assert!(error.contains("idempotency_ttl"), "{error}");
}
