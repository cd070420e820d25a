//! Back-pressure between the client and the calls: what was taken and is not answered, and
//! what was answered and is not read, is bounded in number and in bytes.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use rmcp::model::RequestId;
use rmcp::transport::StdioWriter;
use tokio::io::AsyncWriteExt;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

/// Requests that may be unanswered; more lines stay in the pipe.
const MAX_REQUESTS: usize = 256;

/// Bytes of requests that may be unanswered before no more lines are read.
const MAX_REQUEST_BYTES: usize = 16 << 20;

/// Bytes of answers that may be unread before no more lines are read and no call begins.
const MAX_ANSWER_BYTES: usize = 4 << 20;

/// What a line that waits takes beside its bytes.
const LINE_OVERHEAD: usize = 64;

/// Calls that are made at a time; others wait their turn.
pub const MAX_CALLS: usize = 8;

/// The state of the streams of one client.
pub struct Flow {
    state: watch::Sender<State>,
    /// One permit for each call that may be made now.
    turns: Arc<Semaphore>,
}

#[derive(Default)]
struct State {
    requests: HashMap<RequestId, Request>,
    request_bytes: usize,
    answers: VecDeque<Vec<u8>>,
    /// Of the answer that is being written too.
    answer_bytes: usize,
    /// Nobody reads answers any more.
    is_closed: bool,
}

/// A request without an answer yet.
struct Request {
    size: usize,
    /// That of a call which has ended: the next begins when this answer is queued.
    _turn: Option<OwnedSemaphorePermit>,
}

impl Flow {
    /// Nothing is under way.
    pub fn new() -> Self {
        let turns = Arc::new(Semaphore::new(MAX_CALLS));
        Self { state: watch::Sender::default(), turns }
    }

    async fn until(&self, condition: impl FnMut(&State) -> bool) {
        let _ = self.state.subscribe().wait_for(condition).await;
    }

    /// Waits until another line may be read.
    pub async fn room(&self) {
        self.until(|state| {
            state.requests.len() < MAX_REQUESTS
                && state.request_bytes <= MAX_REQUEST_BYTES
                && state.answer_bytes <= MAX_ANSWER_BYTES
        })
        .await;
    }

    /// Waits until nobody reads answers any more.
    pub async fn closed(&self) {
        self.until(|state| state.is_closed).await;
    }

    /// Waits at most `timeout` until all answers are written.
    pub async fn written(&self, timeout: Duration) {
        let written = self.until(|state| state.answer_bytes == 0);
        let _ = tokio::time::timeout(timeout, written).await;
    }

    /// Waits until a call may begin whose answer may have `max_bytes`: it takes the turn of
    /// another for each MiB.
    pub async fn turn(&self, max_bytes: u64) -> Option<OwnedSemaphorePermit> {
        let weight = (max_bytes >> 20).clamp(1, MAX_CALLS as u64) as u32;
        let turn = self.turns.clone().acquire_many_owned(weight).await.ok();
        self.until(|state| state.answer_bytes <= MAX_ANSWER_BYTES).await;
        turn
    }

    /// Keeps the turn of a call until its answer is queued.
    pub fn keep(&self, id: &RequestId, turn: Option<OwnedSemaphorePermit>) {
        self.state.send_if_modified(|state| {
            if let Some(request) = state.requests.get_mut(id) {
                request._turn = turn;
            }
            false
        });
    }

    /// Counts a request of `size` bytes; whether no other has its id.
    pub fn begin(&self, id: &RequestId, size: usize) -> bool {
        self.state.send_if_modified(|state| {
            let is_new = !state.requests.contains_key(id);
            if is_new {
                state.requests.insert(id.clone(), Request { size, _turn: None });
                state.request_bytes += size;
            }
            is_new
        })
    }

    /// Counts a request no more.
    pub fn end(&self, id: &RequestId) {
        self.state.send_if_modified(|state| {
            let ended = state.requests.remove(id);
            state.request_bytes -= ended.as_ref().map_or(0, |request| request.size);
            ended.is_some()
        });
    }

    /// Queues a line for the client.
    pub fn push(&self, mut line: Vec<u8>) {
        line.push(b'\n');
        self.state.send_if_modified(|state| {
            let is_open = !state.is_closed;
            if is_open {
                state.answer_bytes += line.len() + LINE_OVERHEAD;
                state.answers.push_back(line);
            }
            is_open
        });
    }

    /// Writes what is queued, until nobody reads it.
    pub async fn write(self: Arc<Self>, mut output: StdioWriter) {
        loop {
            self.until(|state| !state.answers.is_empty()).await;
            let mut line = Vec::new();
            self.state.send_if_modified(|state| {
                line = state.answers.pop_front().unwrap_or_default();
                false
            });
            let written = match output.write_all(&line).await {
                Ok(()) => output.flush().await,
                failed => failed,
            };
            self.state.send_modify(|state| {
                state.answer_bytes -= line.len() + LINE_OVERHEAD;
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
