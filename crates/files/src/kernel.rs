//! Restrictions that the kernel enforces. Landlock restricts a process and its threads, in addition
//! to folio's own checks of paths.

use std::path::PathBuf;

#[cfg(target_os = "linux")]
use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, LandlockStatus, Ruleset, RulesetAttr,
    RulesetCreatedAttr, RulesetError, RulesetStatus, make_bitflags, path_beneath_rules,
};

#[cfg(target_os = "linux")]
/// The newest version of Landlock whose rights folio restricts. An older kernel restricts fewer
/// rights.
const VERSION: ABI = ABI::V5;

/// The operations that a process may still perform.
#[derive(Debug, Default)]
#[cfg_attr(not(target_os = "linux"), allow(dead_code))]
pub struct Allowed {
    /// Files and directories that may be read, including everything below them.
    pub read: Vec<PathBuf>,
    /// Files and directories that may also be written to. A path that does not exist is ignored.
    pub write: Vec<PathBuf>,
    /// Whether TCP connections are allowed.
    pub connects: bool,
}

impl Allowed {
    /// Restricts this thread, and threads that it starts, to the allowed operations. Returns the
    /// version of Landlock, or `None` if the kernel does not support it.
    pub fn enforce(&self) -> Option<i32> {
        #[cfg(target_os = "linux")]
        return self.restrict().ok().flatten();
        #[cfg(not(target_os = "linux"))]
        None
    }

    #[cfg(target_os = "linux")]
    fn restrict(&self) -> Result<Option<i32>, RulesetError> {
        let read: BitFlags<AccessFs> = make_bitflags!(AccessFs::{ReadFile | ReadDir});
        let write = read
            | make_bitflags!(AccessFs::{
                WriteFile | Truncate | MakeReg | MakeDir | RemoveFile | RemoveDir | Refer
            });
        let ruleset = Ruleset::default().handle_access(AccessFs::from_all(VERSION))?;
        let ruleset = if self.connects {
            ruleset
        } else {
            ruleset.handle_access(AccessNet::from_all(VERSION))?
        };
        let status = ruleset
            .create()?
            .add_rules(path_beneath_rules(&self.read, read))?
            .add_rules(path_beneath_rules(&self.write, write))?
            .restrict_self()?;
        Ok(match status.landlock {
            LandlockStatus::Available { effective_abi, .. }
                if status.ruleset != RulesetStatus::NotEnforced =>
            {
                Some(effective_abi as i32)
            }
            _ => None,
        })
    }
}

#[cfg(all(test, target_os = "linux"))]
#[allow(clippy::disallowed_methods)] // The tests' own files.
mod tests {
    use std::io::ErrorKind;
    use std::net::{TcpListener, TcpStream};

    use super::*;

    /// The test restricts only its own thread.
    #[test]
    fn the_kernel_denies_other_access() {
        let place = tempfile::tempdir().expect("a directory");
        let path = |name: &str| place.path().join(name);
        for name in ["read", "write", "other"] {
            std::fs::create_dir(path(name)).expect("made");
            std::fs::write(path(name).join("a"), "x").expect("written");
        }
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let allowed =
            Allowed { read: vec![path("read")], write: vec![path("write")], connects: false };
        let Some(version) = allowed.enforce() else { return };
        let read = |name: &str| std::fs::read(path(name).join("a")).map_err(|e| e.kind());
        let write = |name: &str| std::fs::write(path(name).join("b"), "y").map_err(|e| e.kind());
        let denied = ErrorKind::PermissionDenied;
        assert_eq!([read("read"), read("write")], [Ok(b"x".to_vec()), Ok(b"x".to_vec())]);
        assert_eq!(read("other"), Err(denied));
        assert_eq!(["read", "write", "other"].map(write), [Err(denied), Ok(()), Err(denied)]);
        assert!(std::process::Command::new("/bin/true").status().is_err());
        if version >= 4 {
            let connected = TcpStream::connect(address).map(drop);
            assert_eq!(connected.map_err(|e| e.kind()), Err(denied));
        }
    }
}
