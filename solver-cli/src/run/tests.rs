//! Searches that are faked: what is printed, when they end, and with which exit code.

use std::io;
use std::sync::{mpsc, Arc};
use std::thread;

use super::*;
use clap::Parser;
use serde_json::{Map, Value};
use solver_host::device::DeviceKind;
use solver_host::ids::RuleId;
use solver_host::input::ground::Reading;
use solver_host::output::{printer, Answer, Format, Style};
use solver_host::search::{
    AllSearched, Consequences, Flaw, Options, Reasoning, SolveError, Solver, Statistics,
};

use crate::args::Args;
use crate::engine::Work;
use crate::hold::Hold;
use crate::process::{watch, Event};

/// What [`Fake`] does at each call; after the last it is exhausted.
#[derive(Clone, Copy)]
enum Act {
    Answer,
    /// An answer set of that cost.
    Cost(i128),
    /// One of that cost which is known to be optimal.
    Optimal(i128),
    /// So many consequences are known, and so many open.
    Known(u64, u64),
    Fail,
    /// So many that are only counted.
    Counted(u64),
    WaitForInterrupt,
    /// The answer set is wrong that would come next; if none comes, the one before is.
    Wrong,
    /// Nothing follows, and that is known with the answer set before.
    Over,
}

/// Minimizes if an act has a cost. The second field says whether the search has ended.
struct Fake(Vec<Act>, bool);

/// What a search says that has no answer set to look for.
fn nothing_left() -> AllSearched {
    let program =
        solver_host::input::read("none", "asp 1 0 0\n1 0 0 0 0\n0\n".as_bytes()).expect("a program");
    let options = Options { device: DeviceKind::Cpu, ..Options::default() };
    Solver::new(program, options)
        .expect("the processor is there")
        .all_searched()
        .expect("there is no answer set")
}

impl Engine for Fake {
    fn next(
        &mut self,
        interrupt: &dyn Fn() -> bool,
        show: &mut dyn FnMut(&Answer),
    ) -> Result<Next, Box<dyn Error>> {
        // The last act with a cost stays, so that the program goes on minimizing.
        if self.0.is_empty() || self.0.len() == 1 && self.minimizes() {
            self.1 = true;
            return Ok(Next::Exhausted);
        }
        let atoms = &|| vec!["a", "b"];
        match self.0.remove(0) {
            Act::Answer => {
                let is_next_at_hand = matches!(self.0.first(), Some(Act::Answer));
                show(&Answer { atoms, is_next_at_hand, ..Answer::default() })
            }
            Act::Cost(cost) => show(&Answer { atoms, costs: &[cost], ..Answer::default() }),
            Act::Optimal(cost) => {
                show(&Answer { atoms, costs: &[cost], is_optimal: true, ..Answer::default() })
            }
            Act::Known(known, open) => {
                let consequences = Some(Consequences { known, open });
                show(&Answer { atoms, consequences, ..Answer::default() })
            }
            Act::Over => {
                self.1 = true;
                return Ok(Next::Exhausted);
            }
            Act::Counted(more) => return Ok(Next::Counted(more)),
            Act::Fail => return Err("the device is gone".into()),
            Act::Wrong => return Err(wrong().into()),
            Act::WaitForInterrupt => {
                while !interrupt() {
                    thread::sleep(Duration::from_millis(1));
                }
                return Ok(Next::Interrupted);
            }
        }
        Ok(Next::Answer)
    }

    fn stop_searchers(&mut self) -> u64 {
        match self.0.first() {
            // What was counted after the search was told to stop.
            Some(Act::Counted(more)) => *more,
            _ => 0,
        }
    }

    fn check_end(&mut self) -> Result<(), Box<dyn Error>> {
        match self.0.first() {
            Some(Act::Wrong) => Err(wrong().into()),
            _ => Ok(()),
        }
    }

    fn minimizes(&self) -> bool {
        self.0.iter().any(|act| matches!(act, Act::Cost(_) | Act::Optimal(_)))
    }

    fn is_optimum_known(&self) -> bool {
        false
    }

    fn all_searched(&self) -> Option<AllSearched> {
        (self.1 || matches!(self.0.first(), Some(Act::Over))).then(nothing_left)
    }

    fn lower_bound(&self) -> Vec<i128> {
        Vec::new()
    }

    fn work(&self) -> Work {
        Work::default()
    }

    fn statistics(&self) -> Map<String, Value> {
        let statistics = Statistics { decisions: 3, ..Statistics::default() };
        match serde_json::to_value(statistics) {
            Ok(Value::Object(values)) => values,
            other => panic!("statistics are an object, not {other:?}"),
        }
    }
}

/// The error of a search whose answer set violates a rule.
fn wrong() -> SolveError {
    SolveError::WrongAnswer(Flaw::Violated(RuleId(7)))
}

/// A stream whose bytes can be looked at afterwards, and whose reader goes away after `room` bytes.
#[derive(Clone)]
struct Pipe {
    bytes: Arc<Mutex<Vec<u8>>>,
    room: usize,
}

impl io::Write for Pipe {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut all = self.bytes.lock().expect("no panic holds it");
        if all.len() + bytes.len() > self.room {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        all.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn shared(format: Format, room: usize) -> (Arc<Shared>, Pipe) {
    let (pipe, hold) = (Pipe { bytes: Arc::default(), room }, Hold::default());
    let printer = printer(Style::new(format), &["f".into()], hold.of(pipe.clone()));
    let session = Session::new(printer, None, Instant::now(), hold);
    let around = Around {
        company: None,
        tell: Box::new(|_| {}),
        hold_back: |_| {},
        proof_check: None,
        asks_to_stop: Box::new(|_| None),
        over: Box::new(|_| {}),
    };
    let shared = Shared::new(session, Guard::default(), around);
    shared.searching.store(true, Ordering::Release);
    (Arc::new(shared), pipe)
}

fn request(options: &str) -> Request {
    let words = ["yasmin"].into_iter().chain(options.split_whitespace());
    Request::try_from(Args::try_parse_from(words).expect("valid")).expect("valid")
}

/// Exit code, error and JSON document of a search that does `acts`.
fn document(acts: &[Act], options: &str, stop: Option<Stop>) -> (i32, Option<String>, Value) {
    let (shared, pipe) = shared(Format::Json, usize::MAX);
    if let Some(why) = stop {
        shared.ask_to_stop(why);
    }
    let ending =
        search(Fake(acts.to_vec(), false), &request(&format!("{options} --stats")), (None, None), &shared);
    let Ending::Done { code, error, .. } = ending else { panic!("a search ends by being done") };
    let bytes = pipe.bytes.lock().expect("no panic holds it").clone();
    let document = serde_json::from_slice(&bytes).expect("one JSON document");
    let schema = serde_json::from_str(solver_host::output::SCHEMA).expect("the schema is JSON");
    jsonschema::validate(&schema, &document).unwrap_or_else(|wrong| panic!("{wrong} in {document:#}"));
    (code, error, document)
}

#[test]
fn stops_at_the_number_asked_for() {
    let two = [Act::Answer, Act::Answer];
    let (code, _, all) = document(&two, "0", None);
    assert_eq!((code, &all["Models"]["Number"], &all["Models"]["More"]), (30, &2.into(), &"no".into()));
    assert_eq!(all["Stats"]["Core"]["Choices"], 3);
    let (code, _, one) = document(&two, "", None);
    assert_eq!((code, &one["Models"]["Number"], &one["Models"]["More"]), (10, &1.into(), &"yes".into()));
    assert_eq!(document(&[], "1", None).0, 20);
}

#[test]
fn answer_sets_that_are_only_counted_count() {
    let (code, _, all) = document(&[Act::Counted(5), Act::Counted(37)], "-q 0", None);
    assert_eq!((code, &all["Models"]["Number"], &all["Models"]["More"]), (30, &42.into(), &"no".into()));
    // The search was stopped before it could say so.
    let (code, _, cut) = document(&[Act::Counted(5)], "-q 0", Some(Stop::TimeLimit));
    assert_eq!((code, &cut["Models"]["Number"], &cut["Models"]["More"]), (11, &5.into(), &"yes".into()));
}

#[test]
fn an_answer_set_that_is_known_to_be_the_last_exhausts_the_search() {
    let (code, _, last) = document(&[Act::Answer, Act::Over], "", None);
    assert_eq!((code, &last["Models"]["Number"], &last["Models"]["More"]), (30, &1.into(), &"no".into()));
    let (code, _, first) = document(&[Act::Answer, Act::Answer, Act::Over], "", None);
    assert_eq!((code, &first["Models"]["More"]), (10, &"yes".into()));
}

#[test]
fn a_wrong_answer_set_is_an_error() {
    let told =
        "internal error: a wrong answer set was found: it violates rule 7; please report it with the program";
    let (code, error, none) = document(&[Act::Wrong], "0", None);
    assert_eq!((code, error.as_deref(), &none["Models"]["Number"]), (65, Some(told), &0.into()));
    // Nothing that was told can be relied on.
    // The last one was printed before it was verified.
    for (acts, number) in
        [(&[Act::Answer, Act::Wrong][..], "1"), (&[Act::Answer, Act::Answer, Act::Wrong], "0")]
    {
        let (code, error, some) = document(acts, number, None);
        assert_eq!((code, error.as_deref(), &some["Error"]), (65, Some(told), &told.into()), "{some:#}");
        assert_eq!(some["Result"], "UNKNOWN");
        assert_eq!(some["Models"]["More"], "yes", "nothing is known of others");
    }
    let (code, _, optimum) = document(&[Act::Cost(5), Act::Cost(3), Act::Wrong], "2", None);
    assert_eq!((code, &optimum["Result"]), (65, &"UNKNOWN".into()), "nothing is claimed");
}

#[test]
fn an_optimum_is_looked_for_to_the_end() {
    let better = [Act::Cost(5), Act::Cost(3), Act::Cost(0)];
    let (code, _, all) = document(&better, "", None);
    let want = serde_json::json!({"Number": 2, "More": "no", "Optimum": "yes", "Optimal": 1, "Costs": [3]});
    assert_eq!((code, &all["Result"], &all["Models"]), (30, &"OPTIMUM FOUND".into(), &want));
    let (code, _, first) = document(&better, "1", None);
    let want =
        serde_json::json!({"Number": 1, "More": "yes", "Optimum": "unknown", "Optimal": 0, "Costs": [5]});
    assert_eq!((code, &first["Result"], &first["Models"]), (10, &"SATISFIABLE".into(), &want));
    let (code, _, any) = document(&better, "--opt-mode=enum", None);
    assert_eq!((code, &any["Models"]), (10, &serde_json::json!({"Number": 1, "More": "yes"})));
}

#[test]
fn only_optimal_answer_sets_count_for_opt_n() {
    let acts = [Act::Cost(5), Act::Cost(3), Act::Optimal(3), Act::Optimal(3), Act::Optimal(3)];
    let (code, _, one) = document(&acts, "--opt-mode=optN 1", None);
    let want = serde_json::json!({"Number": 3, "More": "yes", "Optimum": "yes", "Optimal": 1, "Costs": [3]});
    assert_eq!((code, &one["Result"], &one["Models"]), (10, &"OPTIMUM FOUND".into(), &want));
    let (code, _, all) = document(&acts, "--opt-mode=optN", None);
    assert_eq!((code, &all["Models"]["Optimal"], &all["Models"]["More"]), (30, &2.into(), &"no".into()));
}

#[test]
fn consequences_are_looked_for_to_the_end() {
    let acts = [Act::Known(1, 2), Act::Known(2, 0)];
    let (code, _, all) = document(&acts, "--brave", None);
    let known = |known: u64, open: u64| serde_json::json!({"True": known, "Open": open});
    let want = serde_json::json!({"Number": 2, "More": "no", "Brave": "yes", "Consequences": known(2, 0)});
    assert_eq!((code, &all["Models"]), (30, &want));
    let (code, _, first) = document(&acts, "--cautious 1", None);
    let want =
        serde_json::json!({"Number": 1, "More": "yes", "Cautious": "unknown", "Consequences": known(1, 2)});
    assert_eq!((code, &first["Models"]), (10, &want));
}

#[test]
fn a_failure_leaves_a_whole_document() {
    let (code, error, failed) = document(&[Act::Answer, Act::Fail], "0", None);
    assert_eq!((code, error.as_deref()), (65 | 10, Some("the device is gone")));
    assert_eq!((&failed["Result"], &failed["Error"]), (&"SATISFIABLE".into(), &"the device is gone".into()));
}

#[test]
fn a_stop_is_told() {
    let (code, error, cut) = document(&[Act::Answer], "0", Some(Stop::TimeLimit));
    assert_eq!((code, error), (1, None));
    assert_eq!((&cut["Result"], &cut["TIME LIMIT"]), (&"UNKNOWN".into(), &1.into()));
}

/// Exit code and text of a search that does `acts` until the watcher stops it.
fn stopped(acts: Vec<Act>, options: &str) -> (i32, String) {
    let (shared, pipe) = shared(Format::Text, usize::MAX);
    let (events, inbox) = mpsc::channel();
    let (theirs, request) = (Arc::clone(&shared), request(options));
    let worker = thread::spawn(move || {
        events.send(Event::Ended(search(Fake(acts, false), &request, (None, None), &theirs)))
    });
    // Not before the answer sets are printed.
    while shared.session().models() == 0 {
        thread::sleep(Duration::from_millis(1));
    }
    let grace = Duration::from_secs(1);
    let Ending::Done { code, .. } = watch(&shared, &inbox, Some(Instant::now()), grace) else {
        panic!("a watch ends by being done");
    };
    worker.join().expect("no panic").expect("the watcher listens");
    let bytes = pipe.bytes.lock().expect("no panic holds it").clone();
    (code, String::from_utf8(bytes).expect("text"))
}

#[test]
fn signals_end_a_run_whose_worker_has_the_session() {
    let (shared, _pipe) = shared(Format::Text, usize::MAX);
    let _printing = shared.session();
    let ((events, inbox), theirs) = (mpsc::channel(), Arc::clone(&shared));
    let (tell, told) = mpsc::channel();
    thread::spawn(move || {
        let Ending::Done { code, .. } = watch(&theirs, &inbox, None, Duration::from_secs(1)) else {
            panic!("a watch ends by being done");
        };
        tell.send(code)
    });
    // To stop, to wait no longer, and to end without the session.
    for _ in 0..3 {
        events.send(Event::Signal).expect("the watcher listens");
    }
    assert_eq!(told.recv_timeout(Duration::from_secs(60)), Ok(1));
}

#[test]
fn the_watcher_stops_a_search_that_listens() {
    let (code, text) = stopped(vec![Act::Answer, Act::WaitForInterrupt], "0");
    assert!(code == 11 && text.contains("TIME LIMIT   : 1\n"), "{code}\n{text}");
}

#[test]
fn what_is_known_when_stopped_is_told() {
    let (code, text) = stopped(vec![Act::Cost(7), Act::WaitForInterrupt, Act::Cost(0)], "");
    let want =
        "SATISFIABLE\n\nTIME LIMIT   : 1\nModels       : 1+\n  Optimum    : unknown\nOptimization : 7\n";
    assert!(code == 11 && text.contains(want), "{code}\n{text}");
    let (code, text) = stopped(vec![Act::Known(3, 4), Act::WaitForInterrupt], "--brave");
    let want =
        "SATISFIABLE\n\nTIME LIMIT   : 1\nModels       : 1+\n  Brave      : unknown\nConsequences : 3+\n";
    assert!(code == 11 && text.contains(want), "{code}\n{text}");
}

#[test]
fn a_reader_that_goes_away_ends_the_run_quietly() {
    let (shared, _) = shared(Format::Text, 80);
    let acts = vec![Act::Answer; 5000];
    let ending = search(Fake(acts, false), &request("0"), (None, None), &shared);
    assert!(matches!(ending, Ending::Done { code: 10, error: None, leaves_worker: false }), "{ending:?}");
    // Some are held back until there is enough to write.
    assert!(shared.session().models() < 3000);
}

#[test]
fn what_comes_before_the_search_is_told() {
    let (shared, _) = shared(Format::Text, usize::MAX);
    let grounding = Reading { bytes: 2_500_000, is_grounding: true, grounding: None };
    let told = || shared.session().before_search(grounding);
    assert_eq!(told().as_deref(), Some("grounding, 2.5 MB read"));
    shared.session().read();
    assert_eq!(told().as_deref(), Some("preparing"));
    shared.session().start(Purpose::default());
    assert_eq!(told(), None);
}

#[test]
fn a_call_counts_from_when_its_search_starts() {
    for (starts, calls) in [(1, 1), (2, 2)] {
        let (shared, pipe) = shared(Format::Json, usize::MAX);
        let cut = || Outcome::cut_short(Stop::Interrupted);
        let purpose = || Purpose { reasoning: Reasoning::Enumerate, optimizes: false };
        shared.session().start(purpose());
        shared.session().end_call(&cut());
        shared.session().next_call();
        if starts == 2 {
            shared.session().start(purpose());
        }
        shared.session().finish(cut());
        let bytes = pipe.bytes.lock().expect("no panic holds it").clone();
        let document: Value = serde_json::from_slice(&bytes).expect("one JSON document");
        assert_eq!(
            (&document["Calls"], document["Call"].as_array().map(Vec::len)),
            (&calls.into(), Some(calls))
        );
    }
}
