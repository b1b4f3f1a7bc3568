//! Signals that ask the process to end.
//!
//! Main function: [`on_each`]. Invariant: a signal that was ignored when the process started stays ignored. `nohup`
//! ignores SIGHUP, and a shell ignores SIGINT and SIGQUIT for what a script starts with `&`.

use std::io::{self, Read};
use std::num::NonZero;
use std::os::fd::IntoRawFd;
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicI32, Ordering};
use std::{mem, process, ptr, thread};

use nix::errno::Errno;
use nix::libc;
use nix::sys::resource::{getrlimit, setrlimit, Resource, RLIM_INFINITY};
use nix::sys::signal::{sigaction, SaFlags, SigAction, SigHandler, SigSet, Signal};

/// The signals that ask the process to end. `--help` lists them.
pub const ASK_TO_END: [Signal; 9] = [
    Signal::SIGINT,
    Signal::SIGTERM,
    Signal::SIGHUP,
    Signal::SIGQUIT,
    Signal::SIGUSR1,
    Signal::SIGUSR2,
    Signal::SIGALRM,
    Signal::SIGXCPU,
    Signal::SIGXFSZ,
];

/// Where the handler writes the numbers of signals: a socket, or -1 before [`on_each`].
static TO: AtomicI32 = AtomicI32::new(-1);

/// Calls `tell` with each signal that asks the process to end, on a thread of its own. Only SIGXCPU is told once, as the
/// kernel repeats it with each second of processor time.
///
/// To be called once in a process.
///
/// # Errors
/// If the system lacks file descriptors or threads.
pub fn on_each(mut tell: impl FnMut(Signal) + Send + 'static) -> io::Result<()> {
    let (mut from, to) = UnixStream::pair()?;
    // A handler must not wait for the thread that it may have interrupted.
    to.set_nonblocking(true)?;
    // The handler may run as long as the process does, so nobody closes the socket.
    TO.store(to.into_raw_fd(), Ordering::SeqCst);
    thread::Builder::new().name("signals".into()).spawn(move || {
        let (mut number, mut is_out_of_time) = ([0], false);
        while from.read_exact(&mut number).is_ok() {
            match Signal::try_from(i32::from(number[0])) {
                Ok(Signal::SIGXCPU) if mem::replace(&mut is_out_of_time, true) => {}
                Ok(signal) => tell(signal),
                Err(_) => {}
            }
        }
    })?;
    let action = SigAction::new(SigHandler::SigAction(came), SaFlags::SA_RESTART, SigSet::empty());
    for signal in ASK_TO_END.into_iter().filter(|&signal| !is_ignored(signal)) {
        // SAFETY: `came` calls only what a handler may call, and leaves `errno` as it was.
        unsafe { sigaction(signal, &action) }?;
    }
    Ok(())
}

/// Tells what [`on_each`] tells of SIGTERM, also where that signal is ignored.
pub fn ask_to_end() {
    write(Signal::SIGTERM as libc::c_int);
}

/// Lets SIGXCPU come some time before the process is killed. `ulimit -t` sets two limits on processor time: SIGXCPU comes
/// at the first one, and at the other one the kernel kills the process at once. They are the same unless one
/// asks for something else.
///
/// `threads` is how many threads use up the time, as far as there are cores for them.
pub fn come_before_the_kill(threads: usize) {
    let Ok((soft, hard)) = getrlimit(Resource::RLIMIT_CPU) else { return };
    if soft == hard && hard != RLIM_INFINITY {
        let cores = thread::available_parallelism().map_or(1, NonZero::get);
        let earlier = hard - (1 + threads.min(cores) as u64 / 2).min(hard / 2);
        // Without it the run is killed, as it would have been.
        let _ = setrlimit(Resource::RLIMIT_CPU, earlier, hard);
    }
}

/// Whether the process ignores the signal.
fn is_ignored(signal: Signal) -> bool {
    // SAFETY: zeros are a valid value of this structure, which has only numbers.
    let mut now: libc::sigaction = unsafe { mem::zeroed() };
    // SAFETY: without a new action the call only fills in the present one.
    let asked = unsafe { libc::sigaction(signal as libc::c_int, ptr::null(), &raw mut now) };
    asked == 0 && now.sa_sigaction == libc::SIG_IGN
}

/// The handler of all signals.
extern "C" fn came(signal: libc::c_int, about: *mut libc::siginfo_t, _: *mut libc::c_void) {
    // SAFETY: the kernel passes a description that is valid in the handler, and of these signals it names the sender.
    let sender = unsafe { (*about).si_pid() };
    // A write beyond the limit of a file's size fails as well, as on a full disk. The error says more.
    let is_of_a_write = signal == libc::SIGXFSZ && u32::try_from(sender) == Ok(process::id());
    if !is_of_a_write {
        write(signal);
    }
}

/// Writes the number of a signal to the thread that waits for it. A handler may call this.
fn write(signal: libc::c_int) {
    let before = Errno::last_raw();
    let number = signal as u8;
    // SAFETY: the call reads one byte, which is there. It fails on a number that is no open file, and if the socket is full
    // of signals that nobody has looked at yet.
    unsafe { libc::write(TO.load(Ordering::SeqCst), (&raw const number).cast(), 1) };
    Errno::set_raw(before);
}
