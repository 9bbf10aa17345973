//! Statements of users, and settings at their limits.

use millicron_apalis::Source;
use millicron_apalis::stored::{Schedules, Selection, StoredSchedule};

use super::changes::pause;
use super::{TestTable, on_both, parts};
use crate::support::soon;

on_both! {
    schemas_may_have_names_of_keywords
}

async fn schemas_may_have_names_of_keywords<DB: TestTable>() {
    let Some(database) = DB::database("a keyword").await else { return };
    let pool = &database.pool;
    for schema in ["user", "order"] {
        let schedules = Schedules::open_in(pool, schema).await.expect("the tables");
        let source = Source::builder().stored(&schedules).build().expect("a source");
        let task = source.clone();
        let storage = DB::storage(pool);
        let task = tokio::spawn(async move { task.push_to(storage).await.expect("a storage") });
        let name = format!("in {schema}");
        let mut schedule = StoredSchedule::new(&name, "*:*:*.*/20").payload(1);
        for payload in 1..3 {
            schedule = schedule.payload(payload);
            schedules.put(pool, &schedule).await.expect("a valid schedule");
            pause().await;
        }
        schedules.remove(pool, Selection::Name(&name)).await.expect("a removal");
        soon(async {
            while !DB::keys(pool).await.iter().any(|key| parts(key).0 == name) {
                pause().await;
            }
        })
        .await;
        source.close();
        task.await.expect("no panic");
    }
}
