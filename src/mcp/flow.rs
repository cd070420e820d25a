//! Limits the number and size of unanswered requests and of unread answers, so that a fast client
//! or a slow reader cannot exhaust memory.

use std::collections::{HashMap, VecDeque};
use std::io::{self, Write};
use std::sync::Arc;
use std::time::Duration;

use rmcp::model::RequestId;
use rmcp::transport::StdioWriter;
use serde::Serialize;
use tokio::io::AsyncWriteExt;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::task::JoinHandle;

/// Maximum number of unanswered requests. When it is reached, no more lines are read.
const MAX_REQUESTS: usize = 256;

/// Maximum total size of unanswered requests, in bytes. While it is exceeded, no more lines are
/// read.
const MAX_REQUEST_BYTES: usize = 8 << 20;

/// Maximum total size of unread answers, in bytes. While it is exceeded, no more lines are read and
/// no call begins.
const MAX_ANSWER_BYTES: usize = 4 << 20;

/// Size in bytes of the buffers for unread answers. A buffer for each answer would fragment the
/// heap: the memory between the buffers could not be used again.
const BUFFER: usize = 32 << 10;

/// Maximum number of concurrent calls. Each of them may take several MiB.
pub const MAX_CALLS: usize = 2;

/// Maximum number of calls that are answered while their threads still run.
const MAX_ABANDONED: usize = 2;

/// Maximum number of threads that run calls.
pub const MAX_THREADS: usize = MAX_CALLS + MAX_ABANDONED;

/// The permits that a call holds: one if it may write, and those that every call needs.
pub type Turn = [Option<OwnedSemaphorePermit>; 2];

/// Tracks requests and answers of one client.
pub struct Flow {
    state: watch::Sender<State>,
    /// Semaphore that limits concurrent calls.
    turns: Arc<Semaphore>,
    /// Semaphore that limits concurrent calls that may write.
    writers: Arc<Semaphore>,
    /// Semaphore that limits the calls that are answered before their threads end.
    abandoned: Arc<Semaphore>,
}

#[derive(Default)]
struct State {
    requests: HashMap<RequestId, Request>,
    request_bytes: usize,
    /// The unread answers, one per line, in buffers of [`BUFFER`] bytes.
    answers: VecDeque<Vec<u8>>,
    /// Size of the unread answers, including those that are being written.
    answer_bytes: usize,
    /// Whether the client has stopped reading answers.
    is_closed: bool,
}

/// A request that is not yet answered.
struct Request {
    size: usize,
    /// Whether the request is answered even if it is cancelled.
    answers_cancellation: bool,
    is_cancelled: bool,
    /// The permits of a finished call. They are released when its answer is queued.
    _turn: Turn,
}

/// Appends to the unread answers.
impl Write for State {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let room = |buffer: &Vec<u8>| BUFFER - buffer.len();
        if self.answers.back().map_or(0, room) == 0 {
            self.answers.push_back(Vec::with_capacity(BUFFER));
        }
        let Some(buffer) = self.answers.back_mut() else { return Ok(0) };
        let count = bytes.len().min(room(buffer));
        buffer.extend_from_slice(&bytes[..count]);
        self.answer_bytes += count;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Flow {
    /// Creates a flow without requests and answers.
    pub fn new() -> Self {
        let [turns, writers, abandoned] =
            [MAX_CALLS, 1, MAX_ABANDONED].map(|permits| Arc::new(Semaphore::new(permits)));
        Self { state: watch::Sender::default(), turns, writers, abandoned }
    }

    async fn wait_until(&self, condition: impl FnMut(&State) -> bool) {
        let _ = self.state.subscribe().wait_for(condition).await;
    }

    /// Waits until another line may be read.
    pub async fn room(&self) {
        self.wait_until(|state| {
            state.requests.len() < MAX_REQUESTS
                && state.request_bytes <= MAX_REQUEST_BYTES
                && state.answer_bytes <= MAX_ANSWER_BYTES
        })
        .await;
    }

    /// Waits until the client stops reading answers.
    pub async fn closed(&self) {
        self.wait_until(|state| state.is_closed).await;
    }

    /// Waits at most `timeout` until all answers are written.
    pub async fn written(&self, timeout: Duration) {
        let written = self.wait_until(|state| state.answer_bytes == 0);
        let _ = tokio::time::timeout(timeout, written).await;
    }

    /// Waits until a call may begin whose answer takes up to `memory` bytes. A call takes one
    /// permit per MiB, at least one and at most [`MAX_CALLS`]. Calls that may write run one at a
    /// time, even dry runs, because each of them has complete documents and edits in memory.
    pub async fn turn(&self, may_write: bool, memory: u64) -> Turn {
        let weight = (memory >> 20).clamp(1, MAX_CALLS as u64) as u32;
        let writer = if may_write { self.writers.clone().acquire_owned().await.ok() } else { None };
        let turn = self.turns.clone().acquire_many_owned(weight).await.ok();
        self.wait_until(|state| state.answer_bytes <= MAX_ANSWER_BYTES).await;
        [writer, turn]
    }

    /// Keeps the permits of a call until its answer is queued.
    pub fn keep(&self, id: &RequestId, turn: Turn) {
        self.state.send_if_modified(|state| {
            if let Some(request) = state.requests.get_mut(id) {
                request._turn = turn;
            }
            false
        });
    }

    /// Lets other calls begin while the thread of an answered call still runs. If too many such
    /// threads run, the call keeps its permits until its thread ends.
    pub fn abandon<T: Send + 'static>(&self, job: JoinHandle<T>, turn: Turn) {
        let permit = self.abandoned.clone().try_acquire_owned();
        let turn = permit.is_err().then_some(turn);
        tokio::spawn(async move {
            let _ = job.await;
            drop((permit, turn));
        });
    }

    /// Registers a request of `size` bytes. Returns `false` if an unanswered request has the same
    /// id.
    pub fn begin(&self, id: &RequestId, size: usize, answers_cancellation: bool) -> bool {
        self.state.send_if_modified(|state| {
            let is_new = !state.requests.contains_key(id);
            if is_new {
                let _turn = [None, None];
                let request = Request { size, answers_cancellation, is_cancelled: false, _turn };
                state.requests.insert(id.clone(), request);
                state.request_bytes += size;
            }
            is_new
        })
    }

    /// Cancels a request. Returns `true` if it is still to be answered.
    pub fn cancel(&self, id: &RequestId) -> bool {
        let answers = self.state.send_if_modified(|state| match state.requests.get_mut(id) {
            Some(request) => {
                request.is_cancelled = request.answers_cancellation;
                request.is_cancelled
            }
            None => false,
        });
        if !answers {
            self.end(id);
        }
        answers
    }

    /// Waits until a request that is answered nevertheless is cancelled.
    pub async fn cancelled(&self, id: &RequestId) {
        self.wait_until(|state| state.requests.get(id).is_some_and(|request| request.is_cancelled))
            .await;
    }

    /// Removes a request that no longer needs an answer.
    pub fn end(&self, id: &RequestId) {
        self.state.send_if_modified(|state| {
            let ended = state.requests.remove(id);
            state.request_bytes -= ended.as_ref().map_or(0, |request| request.size);
            ended.is_some()
        });
    }

    /// Queues a message for the client, as one line.
    ///
    /// # Errors
    ///
    /// Fails if the message cannot be serialized.
    pub fn push(&self, message: &impl Serialize) -> io::Result<()> {
        let mut written = Ok(());
        self.state.send_if_modified(|state| {
            if !state.is_closed {
                let serialized = serde_json::to_writer(&mut *state, message);
                written = state.write_all(b"\n").and(serialized.map_err(io::Error::from));
            }
            !state.is_closed
        });
        written
    }

    /// Writes queued lines until the client stops reading.
    pub async fn write(self: Arc<Self>, mut output: StdioWriter) {
        loop {
            self.wait_until(|state| !state.answers.is_empty()).await;
            let mut buffer = Vec::new();
            self.state.send_if_modified(|state| {
                buffer = state.answers.pop_front().unwrap_or_default();
                false
            });
            let written = match output.write_all(&buffer).await {
                Ok(()) => output.flush().await,
                failed => failed,
            };
            self.state.send_modify(|state| {
                state.answer_bytes -= buffer.len();
                if written.is_err() {
                    *state = State { is_closed: true, ..State::default() };
                }
            });
            if written.is_err() {
                return;
            }
        }
    }
}
