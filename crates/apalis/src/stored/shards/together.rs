//! Operations on several databases at once.

use std::future::poll_fn;
use std::task::Poll;

/// Waits for all results. Returns the first error, after all operations have ended.
pub(super) async fn together<T, E>(
    operations: impl IntoIterator<Item = impl Future<Output = Result<T, E>>>,
) -> Result<Vec<T>, E> {
    let operations = operations.into_iter().map(|operation| (Box::pin(operation), None));
    let mut operations: Vec<_> = operations.collect();
    poll_fn(|context| {
        for (operation, result) in &mut operations {
            if result.is_none()
                && let Poll::Ready(ended) = operation.as_mut().poll(context)
            {
                *result = Some(ended);
            }
        }
        let have_ended = operations.iter().all(|(_, result)| result.is_some());
        if have_ended { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    operations.into_iter().filter_map(|(_, result)| result).collect()
}
