//! Problems of a pipeline, in terms of the keys of job files.

use millicron_pipeline::PipelineProblem;

/// Returns the job that a problem of a pipeline is about.
pub(super) fn job_of(problem: &PipelineProblem) -> Option<&str> {
    use PipelineProblem as Problem;

    match problem {
        Problem::UnknownJob { needed_by, .. } => needed_by.as_deref(),
        Problem::DependencyCycle { path, .. } => path.first().map(|job| &**job),
        Problem::UnusedSetting { job, .. }
        | Problem::TooDeep { job, .. }
        | Problem::NeverRuns { job }
        | Problem::NoAlternative { job }
        | Problem::ImpossibleNeed { job, .. } => Some(job),
        // The names of jobs differ, and all jobs have time zones.
        _ => None,
    }
}

/// Returns the message of a problem, with the keys of job files in place of the library's methods.
pub(super) fn message_of(problem: &PipelineProblem) -> String {
    // Each is part of a sentence, so that names of jobs are not replaced.
    const KEYS: [(&str, &str); 4] = [
        ("as with `periods_back(1)`", "as with `periods-back = 1`"),
        ("set by `within` or `within_unit`", "set by `within`"),
        ("with `periods_back` also", "with `periods-back` also"),
        ("`at_least` and `self_previous`", "`at-least` and `previous`"),
    ];
    let message = problem.to_string();
    KEYS.iter().fold(message, |message, (method, key)| message.replace(method, key))
}
