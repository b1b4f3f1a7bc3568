//! One call of a solver: started, given its time, ended, and what it used.
//!
//! Main function: [`call`]. Invariant: when it returns, the child has been waited for.

use std::io::{self, Read};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{channel, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

/// How often a signal to stop is looked for.
const LOOK: Duration = Duration::from_millis(50);
/// How long a child that was asked to end may take for it.
const LAST: Duration = Duration::from_secs(3);

/// What a child left behind.
#[derive(Clone, Debug, PartialEq)]
pub struct Ended {
    /// Seconds from its start to its end.
    pub wall: f64,
    /// Its exit code, unless a signal ended it.
    pub code: Option<i32>,
    /// What it printed.
    pub stdout: String,
    /// What it told on standard error.
    pub stderr: String,
    /// The most host memory it had, in bytes. A child begins as a copy of this process, so no less than that is seen.
    pub peak_bytes: u64,
    /// Whether it had to be ended because its time was up.
    pub killed: bool,
    /// Whether it was ended because the whole run is to stop.
    pub stopped: bool,
}

/// Runs `command` until it ends, `limit` is over, or `stop` is set.
pub fn call(command: &mut Command, limit: Duration, stop: &AtomicBool) -> io::Result<Ended> {
    // A group of its own: Ctrl-C reaches this process only, which then ends the child and whatever it started.
    command.process_group(0).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let began = Instant::now();
    let mut child = command.spawn()?;
    let pid = child.id() as libc::pid_t;
    let stdout = reader(child.stdout.take());
    let stderr = reader(child.stderr.take());
    let (send, receive) = channel();
    let waiter = thread::spawn(move || {
        // Nobody listens any more only if the other side panicked.
        let _ = send.send(wait(pid, began));
    });
    let (mut killed, mut stopped) = (false, false);
    let mut asked: Option<Instant> = None;
    let ended = loop {
        match receive.recv_timeout(LOOK.min(limit)) {
            Ok(ended) => break ended,
            Err(RecvTimeoutError::Disconnected) => return Err(io::Error::other("the child was lost")),
            Err(RecvTimeoutError::Timeout) => {}
        }
        match asked {
            Some(since) if since.elapsed() > LAST => signal_group(pid, libc::SIGKILL),
            Some(_) => {}
            None => {
                stopped = stop.load(Ordering::Relaxed);
                killed = !stopped && began.elapsed() > limit;
                if stopped || killed {
                    asked = Some(Instant::now());
                    signal_group(pid, libc::SIGTERM);
                }
            }
        }
    };
    let _ = waiter.join();
    let (wall, status, peak_bytes) = ended?;
    Ok(Ended {
        wall,
        code: status.code(),
        stdout: stdout.join().unwrap_or_default(),
        stderr: stderr.join().unwrap_or_default(),
        peak_bytes,
        killed,
        stopped,
    })
}

fn reader(stream: Option<impl Read + Send + 'static>) -> thread::JoinHandle<String> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut stream) = stream {
            // What came before a failure is still of use.
            let _ = stream.read_to_end(&mut bytes);
        }
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

/// Waits for the child: seconds since `began`, how it ended, and the most memory it had.
fn wait(pid: libc::pid_t, began: Instant) -> io::Result<(f64, ExitStatus, u64)> {
    repeated(|| {
        // SAFETY: siginfo_t is plain data, for which zeros are a value.
        let mut info: libc::siginfo_t = unsafe { std::mem::zeroed() };
        // SAFETY: the pointer is to a live variable of the right type.
        unsafe { libc::waitid(libc::P_PID, pid as libc::id_t, &mut info, libc::WEXITED | libc::WNOWAIT) }
    })?;
    let wall = began.elapsed().as_secs_f64();
    // What the child started and left alone would keep the pipes open. The child is not waited for yet, so the group's
    // number is still its own.
    signal_group(pid, libc::SIGKILL);
    let mut status = 0;
    // SAFETY: rusage is plain numbers, for which zeros are values.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: both pointers are to live variables of the right types.
    repeated(|| unsafe { libc::wait4(pid, &mut status, 0, &mut usage) })?;
    // Linux counts in KiB.
    Ok((wall, ExitStatus::from_raw(status), usage.ru_maxrss as u64 * 1024))
}

/// A system call, again if a signal came in between.
fn repeated(mut call: impl FnMut() -> libc::c_int) -> io::Result<()> {
    while call() < 0 {
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
    Ok(())
}

fn signal_group(pid: libc::pid_t, signal: libc::c_int) {
    // SAFETY: no memory is passed. The group is the child's own; once all of it is gone this fails, which is no matter.
    unsafe { libc::killpg(pid, signal) };
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, limit: f64, stop: bool) -> Ended {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        call(&mut command, Duration::from_secs_f64(limit), &AtomicBool::new(stop)).expect("sh runs")
    }

    #[test]
    fn tells_what_a_child_did() {
        let ended = shell("echo out; echo err >&2; exit 30", 10.0, false);
        assert_eq!((ended.code, ended.stdout.as_str(), ended.stderr.as_str()), (Some(30), "out\n", "err\n"));
        assert!(ended.peak_bytes > 0 && !ended.killed && !ended.stopped);
    }

    #[test]
    fn ends_a_child_that_takes_too_long_and_its_children() {
        let ended = shell("sleep 60 & sleep 60", 0.1, false);
        assert!(ended.killed && ended.code.is_none() && ended.wall < 10.0, "{ended:?}");
    }

    #[test]
    fn ends_a_child_when_all_is_to_stop() {
        assert!(shell("sleep 60", 30.0, true).stopped);
    }
}
