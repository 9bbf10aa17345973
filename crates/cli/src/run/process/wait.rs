//! Reaps processes.

use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

use rustix::io::{Result, retry_on_intr};
use rustix::process::{
    Pid, WaitId, WaitIdOptions, WaitOptions, WaitStatus, wait, waitid, waitpgid, waitpid,
};

/// A process that was reaped.
pub(super) type Reaped = (Pid, ExitStatus);

/// Reaps a process if any has ended.
pub(super) fn reap_any() -> Option<Reaped> {
    reap(|| wait(WaitOptions::NOHANG))
}

/// Reaps a process if it has ended.
pub(super) fn reap_process(pid: Pid) -> Option<Reaped> {
    reap(|| waitpid(Some(pid), WaitOptions::NOHANG))
}

/// Reaps a process of a group if one has ended.
pub(super) fn reap_member(group: Pid) -> Option<Reaped> {
    reap(|| waitpgid(group, WaitOptions::NOHANG))
}

fn reap(wait: impl Fn() -> Result<Option<(Pid, WaitStatus)>>) -> Option<Reaped> {
    let (pid, status) = retry_on_intr(wait).ok()??;
    Some((pid, ExitStatus::from_raw(status.as_raw())))
}

/// Returns whether a process group has a process that we will reap.
///
/// Orphans become our children if we [adopt them](adopt_orphans). Otherwise, a group counts as ended with the process
/// that began it.
pub(super) fn is_alive(group: Pid) -> bool {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    waitid(WaitId::Pgid(Some(group)), options).is_ok()
}

/// Makes orphans of the commands children of this process, as if it were process 1.
pub(crate) fn adopt_orphans() {
    // If this fails, another process reaps them.
    #[cfg(target_os = "linux")]
    let _ = rustix::process::set_child_subreaper(Some(rustix::process::getpid()));
}
