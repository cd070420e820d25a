//! Signals of a command that changes files: from the beginning of its commit, they cancel the
//! commit, or wait until it is complete and reported. Before that, a signal ends the process as
//! usual.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use rustix::process::Signal;
use signal_hook::flag;

use folio_files::env::Cancel;

/// The signals that ask the process to end.
const ENDING: [Signal; 3] = [Signal::HUP, Signal::INT, Signal::TERM];

/// The signals that arrived after the first change of files had begun.
#[derive(Debug, Default)]
pub(super) struct Received(Arc<AtomicUsize>);

impl Received {
    /// Returns the number of the last signal, if one arrived.
    pub(super) fn number(&self) -> Option<u8> {
        u8::try_from(self.0.load(Ordering::SeqCst)).ok().filter(|&number| number > 0)
    }
}

/// Installs handlers with which the signals of [`ENDING`] set `cancel` once files are being
/// changed. Signals that the parent process ignores, such as SIGHUP under `nohup`, remain ignored.
/// If a handler cannot be installed, the signal ends the process at any time.
pub(super) fn defer_during_changes(cancel: &Cancel) -> Received {
    let received = Received::default();
    let ignored = ignored();
    for signal in ENDING {
        let number = signal.as_raw();
        if ignored & (1 << (number - 1)) != 0 {
            continue;
        }
        let (ends_process, is_set) = cancel.switches();
        // The handlers run in this order.
        let _ = flag::register_conditional_default(number, ends_process)
            .and_then(|_| {
                let value = usize::try_from(number).unwrap_or_default();
                flag::register_usize(number, received.0.clone(), value)
            })
            .and_then(|_| flag::register(number, is_set));
    }
    received
}

/// Makes writes beyond the file size limit (`ulimit -f`) fail instead of ending the process. Child
/// processes keep the default.
pub(super) fn survive_size_limit() {
    let _ = flag::register(Signal::XFSZ.as_raw(), Arc::new(AtomicBool::new(false)));
}

/// Returns the set of ignored signals: bit 0 is signal 1. Only Linux shows it.
#[allow(clippy::disallowed_methods)] // Not a document.
fn ignored() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}
