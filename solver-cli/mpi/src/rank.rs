//! One rank: what it does from the start of MPI to its end.
//!
//! Main type: [`Rank`], whose [`Rank::search`] is one search by all ranks. The thread that calls it calls
//! MPI, and nothing else does. On rank 0 another thread is the command `yasmin`, whose search other ranks
//! join; on each other rank a thread searches along.
//!
//! Invariant: rank 0 alone prints results. A rank that fails says so to rank 0, whose run then fails.

use std::cell::{Cell, OnceCell};
use std::error::Error;
use std::ffi::OsString;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, Cursor, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, CommunicatorCollectives};
use mpi::Threading;
use solver_host::device::{self, DeviceKind};
use solver_host::input::ground::{Grounding, Guard, Inputs};
use solver_host::output::Printer;
use solver_host::program::Program;
use solver_host::search::{assist, Helped, Helper, Options, ParallelMode, Part, Patience, Peer, Solver};
use yasmin_cli::asker::answer_along;
use yasmin_cli::elsewhere::Elsewhere;
use yasmin_cli::questions::Asked;
use yasmin_cli::standard_output::StandardOutput;
use yasmin_cli::validated::{Request, Task};
use yasmin_cli::{exit, proof_file, run_in, signals, Company, Ending, Surroundings};

use crate::calls::{end_of_replies, Told};
use crate::job::{self, AfterJob, Job};
use crate::launcher::to_launcher;
use crate::pipe::Pipe;
use crate::post::Post;
use crate::shape::{cores, Share, Tree};
use crate::typed::Typed;
use crate::watch::Watch;

/// How long the thread that calls MPI sleeps when there is nothing to do: the first time, and at most.
const NAP: (Duration, Duration) = (Duration::from_micros(20), Duration::from_millis(1));

/// How long rank 0 may take to end its run after a failure before it is told so by a signal, and before it is
/// ended.
const PATIENCE: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(3));

/// How long a rank goes on after a signal, for rank 0 to end the search in order.
const AFTER_SIGNAL: Duration = Duration::from_millis(600);

/// How long the ranks of a command may take to tell each other that nothing more is said.
pub const GOODBYE: Duration = Duration::from_millis(300);

/// How long they may take if one has not returned from the search in time, which may be gone.
const HASTE: Duration = Duration::from_millis(30);

/// How long a rank that reports waits after the search for the thread that has searched along.
const LINGERS: Duration = Duration::from_secs(1);

/// This process as one of several that MPI has started.
pub struct Rank {
    universe: mpi::environment::Universe,
    number: u32,
    /// How long the ranks may take after a search to tell each other that nothing more is said.
    goodbye: Duration,
    /// Whether a signal came that asks this process to end, once that is looked for.
    signalled: OnceCell<Arc<AtomicBool>>,
    began: Instant,
    /// What gives up if the ranks do not connect in time.
    connects: Cell<Option<Watch>>,
}

/// What a search has come to on this rank.
pub struct Searched {
    /// What rank 0's run has come to; nothing on other ranks.
    pub ending: Option<Ending>,
    is_orderly: bool,
    post: Post,
}

impl Searched {
    /// Whether all ranks have told each other that nothing more is said. If not, MPI cannot be used any more.
    pub fn is_orderly(&self) -> bool {
        self.is_orderly
    }
}

/// Ends the process. If MPI was not ended before, whoever has started the ranks ends the others. (`MPI_Abort`
/// asks for the same and waits for the answer, which a rank that hangs may delay.)
fn end_at_once(code: i32) -> ! {
    // SAFETY: it ends the process, whatever state that is in.
    unsafe { nix::libc::_exit(code) }
}

/// What all ranks know of each other.
struct Around {
    tree: Tree,
    rank: u32,
    share: Share,
    /// How many searchers each rank has on its processor.
    searchers: Vec<u32>,
    /// Whether the search goes on if a rank is gone.
    goes_on: bool,
}

impl Around {
    /// How many searchers a rank and those below it have.
    fn searchers_below(&self, rank: u32) -> u32 {
        self.tree.below(rank).into_iter().map(|rank| self.searchers[rank as usize]).sum()
    }

    /// The part of a proof that this rank writes; none if the rank is the only one, whose proof is a whole
    /// one.
    fn part(&self, run: u64) -> Option<Part> {
        let of = self.tree.ranks;
        (of > 1).then_some(Part { number: self.rank, of, run })
    }

    /// The options of this rank, of those that were typed.
    fn options(&self, typed: Options) -> Options {
        let mut options = typed;
        let own = self.searchers[self.rank as usize] as usize;
        options.parallel_mode = match typed.parallel_mode {
            ParallelMode::Searchers(_) => ParallelMode::Searchers(own),
            // Then a GPU may join, even if there is one core.
            ParallelMode::Auto | ParallelMode::Share(_) => ParallelMode::Share(own),
        };
        // What a search by one searcher asks of GPUs, it asks of its own.
        if options.device == DeviceKind::Auto && options.join_device == DeviceKind::Gpus(device::GpuSet::ALL)
        {
            let gpus = if device::has_driver() { device::each(options.join_device) } else { Ok(vec![]) };
            let own = self.share.gpus(gpus.map_or(0, |gpus| gpus.len() as u32));
            match own[..] {
                [] => options.device = DeviceKind::Cpu,
                [gpu] => options.join_device = DeviceKind::Gpu(gpu),
                _ => {
                    let typed = own.iter().map(u32::to_string).collect::<Vec<_>>().join(",");
                    options.join_device = format!("gpu:{typed}").parse().unwrap_or(options.join_device);
                }
            }
        }
        options
    }

    /// A rank at the other end of a pipe, which answers questions after this job.
    fn answers(&self, rank: u32, pipe: &Arc<Pipe>, job: &Arc<Vec<u8>>) -> io::Result<Elsewhere> {
        let to = Box::new(AfterJob::new(job.clone(), pipe.writing())?);
        let searchers = self.searchers_below(rank) as usize;
        Ok(Elsewhere { to, from: Box::new(pipe.reading()), searchers })
    }

    /// A rank at the other end of a pipe, to which nogoods of so many ranks pass.
    fn peer(&self, rank: u32, from: &Arc<Pipe>, to: impl Write + Send + 'static, crews: u32) -> Peer {
        Peer {
            name: format!("rank {rank}"),
            from: Box::new(from.reading()),
            to: Box::new(to),
            // The post notices a rank that is gone.
            patience: Patience::WHILE_IT_LIVES,
            searchers: self.searchers_below(rank),
            crews,
            part: rank,
            may_go: self.goes_on,
        }
    }
}

/// How many searchers each rank has, and the share of this rank of its host.
fn divide(world: &SimpleCommunicator, asked: ParallelMode) -> (Vec<u32>, Share) {
    let host = world.split_shared(world.rank());
    let mut bound = vec![[0u64; 16]; host.size() as usize];
    host.all_gather_into(&cores()[..], bound.as_flattened_mut());
    let share = Share::of(host.rank() as usize, &bound);
    let own = match asked {
        ParallelMode::Auto | ParallelMode::Share(_) => share.cores as u32,
        ParallelMode::Searchers(n) => n as u32,
    };
    let mut searchers = vec![0u32; world.size() as usize];
    world.all_gather_into(&own, &mut searchers[..]);
    (searchers, share)
}

/// Whether anything is searched in this run.
pub fn searches(request: &Request) -> bool {
    matches!(request.task, Task::Solve | Task::SolveGround | Task::Answer)
}

/// Why this run cannot be one of several ranks, if so. `is_launched` says whether there is a launcher, or
/// this process is to be one.
pub fn refusal(request: &Request, is_launched: bool) -> Option<String> {
    let options = &request.options;
    if !is_launched && request.reads_input() {
        let remedy = "name a file, or start yasmin-mpi by itself with --ranks";
        return Some(format!("mpirun may lose standard input: {remedy}"));
    }
    let why = match () {
        _ if !searches(request) => return None,
        _ if request.trace.is_some() => "--trace, which follows one searcher",
        _ if request.proof.as_ref().is_some_and(|proof| proof.is_printed()) => {
            let remedy = "name a file, as each rank writes one";
            return Some(format!("--proof - is not possible with several ranks: {remedy}"));
        }
        _ if request.records_domain => "--enum-mode=domRec, which takes one searcher",
        _ if request.lemmas.is_some() => "--lemma-out, which is written by one process",
        _ if options.by_name().get("engine").is_some_and(|engine| engine == "host") => {
            "--engine host, which drives one searcher"
        }
        _ if options.first_device() != DeviceKind::Cpu => {
            return Some(format!(
                "--device {} is not possible with several ranks: say auto, so that each rank has GPUs join, or cpu",
                options.device
            ))
        }
        _ if matches!(options.device, DeviceKind::Gpus(_)) => {
            "--device gpu:N,M: say auto, so that the ranks of a host divide its GPUs"
        }
        _ => return None,
    };
    Some(format!("several ranks are not possible with {why}; say yasmin instead of yasmin-mpi"))
}

impl Rank {
    /// Starts MPI. After a search the ranks may take as long as `goodbye` to tell each other that nothing
    /// more is said. `connects` is dropped when all ranks have connected, which each waits for.
    ///
    /// # Errors
    /// If MPI cannot be started.
    pub fn start(goodbye: Duration, connects: Option<Watch>) -> Result<Rank, String> {
        let began = Instant::now();
        let started = mpi::initialize_with_threading(Threading::Funneled);
        let (universe, _) = started.ok_or("MPI was started before")?;
        let number = universe.world().rank() as u32;
        let connects = Cell::new(connects);
        Ok(Rank { universe, number, goodbye, signalled: OnceCell::new(), began, connects })
    }

    /// The number of this rank.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// Does this rank's part of what was typed, as all other ranks have to do. `request` is what was made of
    /// it, or how the run ends without a search. On rank 0 `command` runs with the options of this rank, and
    /// is joined by others. Says by `tell` what the user should know besides results.
    pub fn search(
        &self,
        typed: &Typed,
        request: Result<Request, Ending>,
        tell: fn(&str),
        command: impl FnOnce(Request, Option<Box<dyn Company>>) -> Ending + Send + 'static,
    ) -> Searched {
        // What is left of another search cannot come here.
        let world = self.universe.world().duplicate();
        let tree = Tree { ranks: world.size() as u32, children: typed.children };
        let rank = self.number;
        // Every rank was started with the same words.
        let asked = request.as_ref().map_or(ParallelMode::Auto, |request| request.options.parallel_mode);
        let (searchers, share) = divide(&world, asked);
        // From here on the post notices who is silent.
        drop(self.connects.take());
        // A proof needs what every rank has written.
        let may_go_on = request.as_ref().is_ok_and(|request| request.proof.is_none());
        let mut post = Post::new(world, tree.parent(rank), tree.children(rank), typed.timeout, may_go_on);
        let around = Around { tree, rank, share, searchers, goes_on: post.goes_on() };
        let started = self.began.elapsed();
        let (ending, is_orderly, crew) = match rank {
            0 => {
                let (ending, is_orderly) = first(typed, request, around, &mut post, tell, command);
                (Some(ending), is_orderly, None)
            }
            _ => (None, true, Some(other(around, &mut post, self.signalled()))),
        };
        let over = self.began.elapsed();
        // A search that does not return in time waits for a rank.
        let is_late = matches!(ending, Some(Ending::Done { leaves_worker: true, .. }));
        let is_orderly = post.end(if is_late { HASTE } else { self.goodbye }) && is_orderly;
        if typed.reports {
            let lines = tree.parent(rank).into_iter().chain(tree.children(rank));
            let passed = lines.filter_map(|other| Some(post.pipe(other)?.passed()));
            let (read, written) = passed.fold((0, 0), |all, of| (all.0 + of.0, all.1 + of.1));
            let (all, started) = (over.as_secs_f64(), started.as_secs_f64());
            let a_second = |bytes: u64| bytes as f64 / (all - started).max(1e-6);
            let idle = crew.and_then(Crew::helped).and_then(|helped| helped.idle_at_end);
            let idle = idle.map_or(String::new(), |idle| {
                format!(", nothing open {:.6} s before the end was heard", idle.as_secs_f64())
            });
            tell(&format!(
                "yasmin-mpi: rank {rank}: {read} bytes in ({:.0} a second), {written} bytes out ({:.0} a second), \
                 {all:.3} s, of which {started:.3} s to start{idle}",
                a_second(read),
                a_second(written)
            ));
        }
        Searched { ending, is_orderly, post }
    }

    /// Whether a signal came, of those that ask a process to end. Rank 0's command handles signals by itself.
    fn signalled(&self) -> &AtomicBool {
        self.signalled.get_or_init(|| {
            let signalled = Arc::new(AtomicBool::new(false));
            let theirs = signalled.clone();
            // Without a handler the signal ends this rank, and rank 0 notices that.
            let _ = signals::on_each(move |_| theirs.store(true, Ordering::Relaxed));
            signalled
        })
    }

    /// Ends the process with this exit code, and MPI before it if the last search has ended in order.
    pub fn exit(self, searched: Searched, code: i32) -> ! {
        if !searched.is_orderly {
            // To end MPI is to wait for all ranks, and the other ranks must not wait for this one.
            let is_error = code == 0 && !searched.post.has_gone_on();
            end_at_once(if is_error { exit::ERROR } else { code })
        }
        drop(searched.post);
        drop(self.universe);
        // Threads may still search or read, and libraries must not take their memory away from them.
        end_at_once(code)
    }
}

/// What rank 0 runs for what was typed: the command, which prints by itself or tells a launcher.
pub fn command(
    typed: &Typed,
    tell: fn(&str),
) -> impl FnOnce(Request, Option<Box<dyn Company>>) -> Ending + Send + 'static {
    let launcher = typed.launcher.clone();
    move |request, company| {
        let (launcher, asks) = (launcher.filter(|_| searches(&request)), request.task == Task::Answer);
        let to =
            match launcher.map(|launcher| to_launcher(&launcher, request.reads_input(), asks)).transpose() {
                Ok(to) => to,
                Err(error) => {
                    let (code, error) = (exit::ERROR, Some(error));
                    return Ending::Done { code, error, leaves_worker: false };
                }
            };
        let printer = to.map(|to| -> Box<dyn Printer> {
            Box::new(Told::new(request.style.clone(), &request.input_names, to))
        });
        let is_told = printer.is_some() && asks;
        let ending = run_in(request, Surroundings { tell, printer, company });
        if let Ending::Done { code, error: None, .. } = &ending {
            if is_told {
                // The launcher notices if it is not told.
                let _ = end_of_replies(StandardOutput::default(), *code);
            }
        }
        ending
    }
}

/// Turns the post until `is_done`.
fn turn_until(post: &mut Post, mut is_done: impl FnMut(&mut Post) -> bool) {
    let mut nap = NAP.0;
    loop {
        let is_busy = post.turn();
        if is_done(post) {
            return;
        }
        if is_busy {
            nap = NAP.0;
        } else {
            thread::sleep(nap);
            nap = (2 * nap).min(NAP.1);
        }
    }
}

/// Rank 0: runs the command, which other ranks join. Returns how it has ended, and whether that was in order.
fn first(
    typed: &Typed,
    request: Result<Request, Ending>,
    around: Around,
    post: &mut Post,
    tell: fn(&str),
    command: impl FnOnce(Request, Option<Box<dyn Company>>) -> Ending + Send + 'static,
) -> (Ending, bool) {
    let mut request = match request {
        Ok(request) => request,
        Err(ending) => return (ending, true),
    };
    let searches = searches(&request);
    // So many bits of chance name no two runs alike.
    let run = RandomState::new().build_hasher().finish() & Part::LARGEST_RUN;
    if searches {
        request.options = around.options(request.options);
        if let Some((proof, part)) = request.proof.as_mut().zip(around.part(run)) {
            *proof = proof.of_part(part);
        }
    }
    let pipes = around.tree.children(0).filter_map(|rank| Some((rank, post.pipe(rank)?))).collect();
    let (words, waits) = (typed.rest.clone(), typed.waits);
    let first = First { around, words, run, waits, pipes, jobs: Mutex::default() };
    let company: Option<Box<dyn Company>> = if searches { Some(Box::new(first)) } else { None };
    let worker = thread::Builder::new().name("command".into()).spawn(move || command(request, company));
    let worker = match worker {
        Ok(worker) => worker,
        Err(error) => {
            let error = Some(format!("cannot start a thread: {error}"));
            return (Ending::Done { code: exit::ERROR, error, leaves_worker: false }, true);
        }
    };
    let mut failed: Option<Instant> = None;
    let mut is_told = false;
    turn_until(post, |post| {
        post.take_told().iter().for_each(|told| tell(&format!("yasmin-mpi: {told}")));
        let since = match post.failure() {
            Some(why) => failed
                .get_or_insert_with(|| {
                    tell(&format!("yasmin-mpi: {why}"));
                    Instant::now()
                })
                .elapsed(),
            None => Duration::ZERO,
        };
        if since > PATIENCE.0 && !is_told {
            is_told = true;
            // What was found is printed, and what is known.
            signals::ask_to_end();
        }
        worker.is_finished() || since > PATIENCE.1
    });
    let is_orderly = post.failure().is_none();
    if !worker.is_finished() {
        let error = post.failure().map(str::to_string);
        return (Ending::Done { code: exit::ERROR, error, leaves_worker: true }, false);
    }
    let ending = worker.join().unwrap_or_else(|_| {
        let error = Some("internal error".into());
        Ending::Done { code: exit::ERROR, error, leaves_worker: false }
    });
    (ending, is_orderly)
}

/// The pipe to a child, into which the job is written first.
type ToChild = AfterJob<crate::pipe::Writing>;

/// The other ranks, as the command on rank 0 sees them.
struct First {
    around: Around,
    words: Vec<OsString>,
    /// The number of this run.
    run: u64,
    /// Whether the search begins when rank 0's children are there.
    waits: bool,
    pipes: Vec<(u32, Arc<Pipe>)>,
    /// The children to which the job is on its way.
    jobs: Mutex<Vec<(u32, Arc<Pipe>, ToChild)>>,
}

impl Company for First {
    fn read(&self, program: &Program) -> Result<(), Box<dyn Error>> {
        if self.pipes.is_empty() {
            return Ok(());
        }
        let job = Arc::new(Job::bytes_of(&self.words, program.to_bytes()?, self.run)?);
        let mut jobs = self.jobs.lock().unwrap_or_else(PoisonError::into_inner);
        for (rank, pipe) in &self.pipes {
            jobs.push((*rank, pipe.clone(), AfterJob::new(job.clone(), pipe.writing())?));
        }
        Ok(())
    }

    fn asks(&self, program: &[u8]) -> Result<Vec<Elsewhere>, Box<dyn Error>> {
        let job = Arc::new(Job::bytes_of(&self.words, program.to_vec(), self.run)?);
        let pipes = self.pipes.iter().cloned();
        pipes.map(|(rank, pipe)| Ok(self.around.answers(rank, &pipe, &job)?)).collect()
    }

    fn prepared(&self, solver: &mut Solver) -> Result<(), Box<dyn Error>> {
        let mut jobs = self.jobs.lock().unwrap_or_else(PoisonError::into_inner);
        for (rank, pipe, to) in jobs.drain(..) {
            let peer = self.around.peer(rank, &pipe, to, self.around.tree.ranks);
            match self.waits {
                true => solver.admit(peer, &|| false)?,
                false => solver.admit_later(peer)?,
            }
        }
        Ok(())
    }
}

/// The thread of a rank that searches along.
struct Crew {
    thread: Option<JoinHandle<Result<Helped, String>>>,
    helped: Option<Helped>,
}

impl Crew {
    /// Whether the thread has failed, and why, if it has ended since this was asked last.
    fn failure(&mut self) -> Option<String> {
        let ended = self.thread.take_if(|thread| thread.is_finished())?;
        match ended.join().unwrap_or_else(|_| Err("internal error".into())) {
            Ok(helped) => {
                self.helped = Some(helped);
                None
            }
            Err(error) => Some(error),
        }
    }

    /// What the thread tells once the search is over, if it ends soon.
    fn helped(mut self) -> Option<Helped> {
        let until = Instant::now() + LINGERS;
        while self.thread.is_some() && Instant::now() < until {
            // The search is over, so that nothing can fail any more.
            let _ = self.failure();
            thread::sleep(NAP.1);
        }
        self.helped
    }
}

/// Another rank: searches along until rank 0 says that the search is over.
fn other(around: Around, post: &mut Post, signalled: &AtomicBool) -> Crew {
    let rank = around.rank;
    let parent = around.tree.parent(rank).and_then(|parent| Some((parent, post.pipe(parent)?)));
    let children: Vec<_> =
        around.tree.children(rank).filter_map(|rank| Some((rank, post.pipe(rank)?))).collect();
    let worker = move || {
        let (parent, pipe) = parent.ok_or("this rank has no parent")?;
        help(&around, (parent, pipe), children).map_err(|error| error.to_string())
    };
    let worker = thread::Builder::new().name("crew".into()).spawn(worker);
    if let Err(error) = &worker {
        post.fail(&format!("rank {rank}: cannot start a thread: {error}"));
    }
    let mut crew = Crew { thread: worker.ok(), helped: None };
    let mut signalled_at: Option<Instant> = None;
    turn_until(post, |post| {
        if post.is_over() {
            return true;
        }
        if let Some(error) = crew.failure() {
            post.fail(&format!("rank {rank}: {error}"));
        }
        if signalled.load(Ordering::Relaxed) {
            signalled_at.get_or_insert_with(Instant::now);
        }
        if post.has_lost_parent() || signalled_at.is_some_and(|at| at.elapsed() > AFTER_SIGNAL) {
            // Where the others go on, mpirun must not take this for a failure of all.
            end_at_once(if post.goes_on() { 0 } else { exit::ERROR })
        }
        false
    });
    crew
}

/// Reads the job, passes it on, and searches along.
fn help(
    around: &Around,
    (parent, pipe): (u32, Arc<Pipe>),
    children: Vec<(u32, Arc<Pipe>)>,
) -> Result<Helped, Box<dyn Error>> {
    let bytes = Arc::new(job::read(&mut pipe.reading())?);
    let (words, program, run) = Job::of_bytes(&bytes)?;
    let request =
        yasmin_cli::request(words).map_err(|_| "what was typed means something else on this rank")?;
    if request.task == Task::Answer {
        let grounding = Grounding::default();
        let request = Request { options: around.options(request.options), grounding, ..request };
        let others = children.iter().map(|(rank, pipe)| around.answers(*rank, pipe, &bytes));
        let others = others.collect::<io::Result<Vec<_>>>()?;
        let asked = Asked::read(Inputs::of_stream(Cursor::new(program))?, &request, &Guard::quiet())?;
        answer_along(asked, &request, (Box::new(pipe.reading()), Box::new(pipe.writing())), others)?;
        return Ok(Helped::default());
    }
    let program = Program::of_bytes(&program)?;
    let mut others = Vec::new();
    for (rank, pipe) in children {
        let to = AfterJob::new(bytes.clone(), pipe.writing())?;
        others.push(around.peer(rank, &pipe, to, around.tree.ranks));
    }
    let below = around.tree.below(around.rank).len() as u32;
    let rank = around.rank as usize;
    let goal = request.goal_of(&program);
    let proof = request.proof.zip(around.part(run)).map(|(proof, part)| proof.of_part(part));
    let proof = proof.as_ref().map(|proof| proof_file::sink(proof, None)).transpose()?;
    Ok(assist(Helper {
        name: format!(
            "rank {rank} of {}",
            nix::unistd::gethostname().map_or("?".into(), |name| name.to_string_lossy().into_owned())
        ),
        goal,
        program,
        options: around.options(request.options),
        home: around.peer(parent, &pipe, pipe.writing(), below),
        others,
        before: around.searchers[..rank].iter().sum::<u32>() as usize,
        proof,
    })?)
}
