//! Random operations on histories and claims have the same results in memory, and in a file that two runners share,
//! as in the model of the tests.

#[path = "../../../crates/history/tests/model.rs"]
#[allow(dead_code, reason = "other tests need the rest")]
mod model;

use std::path::Path;

use arbitrary::{Result, Unstructured};
use millicron_history::{MemoryHistory, RunRecord, RunState, SqliteHistory};
use millicron_test_support::directory::Directory;

use model::{Model, Operation};

/// The most operations of an input. Each takes the file a fraction of a millisecond.
const MOST: usize = 80;

pub(crate) fn run(data: &[u8]) {
    let mut input = Unstructured::new(data);
    let (mut of_memory, mut of_file) = (Model::default(), Model::default());
    let mut memory = MemoryHistory::new().with_clock(of_memory.clock());
    let directory = Directory::new("fuzz-claims");
    let path = directory.join("history");
    let mut runners = [open(&path, &of_file), open(&path, &of_file)];
    for _ in 0..MOST {
        if input.is_empty() {
            break;
        }
        let Ok((runner, operation)) = operation(&mut input) else { break };
        if let Operation::Reopen = operation {
            runners[runner] = open(&path, &of_file);
            of_file.check(&SqliteHistory::open_read_only(&path).expect("valid history"));
        }
        of_memory.apply(&mut memory, &operation);
        of_file.apply(&mut runners[runner], &operation);
    }
    of_memory.check(&memory);
    drop(runners);
    // Opening checks the sum of all checksums.
    of_file.check(&open(&path, &of_file));
}

fn open(path: &Path, model: &Model) -> SqliteHistory {
    SqliteHistory::open(path).expect("valid history").with_clock(model.clock())
}

/// Reads which of the two runners does what.
fn operation(input: &mut Unstructured) -> Result<(usize, Operation)> {
    let code: u8 = input.arbitrary()?;
    let operation = match code >> 1 {
        0..8 => Operation::Record(job(input)?, instant(input)?),
        8..16 => Operation::RecordState(job(input)?, instant(input)?, state(input)?),
        16..20 => {
            let (job, start, end) = range(input)?;
            Operation::States(job, start, end, input.int_in_range(0..=4)?)
        }
        20..24 => {
            let (job, start, end) = range(input)?;
            Operation::Successes(job, start, end, input.int_in_range(0..=4)?)
        }
        24..28 => Operation::First(job(input)?, instant(input)?),
        28..32 => Operation::State(job(input)?, instant(input)?),
        32..38 => Operation::Read(several(input, |input| {
            let (job, start, end) = range(input)?;
            let skip = input.int_in_range(0..=2)?;
            Ok((job, (start, end), input.arbitrary()?, (skip, count(input)?)))
        })?),
        38..42 => Operation::Started,
        42..46 => {
            let (job, start, end) = range(input)?;
            Operation::Forget(job, start, end)
        }
        46..49 => Operation::ForgetAll(several(input, range)?),
        49..52 => {
            Operation::DropBefore(several(input, |input| Ok((job(input)?, instant(input)?)))?)
        }
        52..56 => Operation::KeepLast(several(input, |input| Ok((job(input)?, count(input)?)))?),
        56..80 => Operation::Claim(job(input)?, instant(input)?, job(input)?, lease(input)?),
        80..90 => Operation::Renew(index(input)?, lease(input)?),
        90..96 => Operation::Release(index(input)?),
        96..104 => Operation::RecordClaimed(index(input)?, record(input)?),
        104..110 => Operation::TakeOver(index(input)?, job(input)?, lease(input)?),
        110..118 => Operation::Advance(input.int_in_range(-5..=15)?),
        118..124 => Operation::RecordRuns(several(input, |input| {
            Ok((job(input)?, instant(input)?, record(input)?))
        })?),
        _ => Operation::Reopen,
    };
    Ok((usize::from(code & 1), operation))
}

fn several<'a, T>(
    input: &mut Unstructured<'a>,
    read: impl Fn(&mut Unstructured<'a>) -> Result<T>,
) -> Result<Vec<T>> {
    (0..input.int_in_range(0..=4)?).map(|_| read(input)).collect()
}

fn range(input: &mut Unstructured) -> Result<(String, i64, i64)> {
    Ok((job(input)?, instant(input)?, instant(input)?))
}

fn job(input: &mut Unstructured) -> Result<String> {
    const KNOWN: [&str; 8] = ["", "a", "A", "a ", "a\0", "a'; --", "?1", "ä"];
    match input.int_in_range(0..=8)? {
        8 => Ok(input.arbitrary::<char>()?.to_string()),
        known => Ok(KNOWN[known].to_owned()),
    }
}

/// Reads an instant, from few enough that operations meet.
fn instant(input: &mut Unstructured) -> Result<i64> {
    const ENDS: [i64; 4] = [i64::MIN, i64::MIN + 1, i64::MAX - 1, i64::MAX];
    match input.int_in_range(-8..=12)? {
        12 => input.arbitrary(),
        end @ 8.. => Ok(ENDS[end as usize - 8]),
        near => Ok(near),
    }
}

fn state(input: &mut Unstructured) -> Result<RunState> {
    input.choose(&[RunState::Succeeded, RunState::Failed, RunState::Skipped]).copied()
}

fn record(input: &mut Unstructured) -> Result<RunRecord> {
    let state = state(input)?;
    let (started, ended, attempts) = input.arbitrary()?;
    Ok(RunRecord { state, started, ended, attempts })
}

/// Reads a lease in microseconds.
fn lease(input: &mut Unstructured) -> Result<u64> {
    Ok(match input.arbitrary::<u16>()? {
        u16::MAX => u64::MAX,
        lease => u64::from(lease % 20_000),
    })
}

fn count(input: &mut Unstructured) -> Result<u64> {
    Ok(match input.int_in_range(0..=4)? {
        4 => u64::MAX,
        few => few,
    })
}

fn index(input: &mut Unstructured) -> Result<usize> {
    input.arbitrary::<u8>().map(usize::from)
}
