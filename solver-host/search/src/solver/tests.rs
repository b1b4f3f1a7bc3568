//! Tests of what a solver says of the end of a search: whether the last answer set was known to be the last.

use crate::{Engine, Goal, Optimization, Options, Projection, Reasoning, Solver, Step};
use yasmin_ground::input::read;
use yasmin_ground::program::Program;

fn program(text: &str) -> Program {
    read("test", text.as_bytes()).expect("a program")
}

/// `a :- not b. b :- not a.`
const PAIR: &str = "asp 1 0 0\n1 0 1 1 0 1 -2\n1 0 1 2 0 1 -1\n4 1 a 1 1\n4 1 b 1 2\n0\n";
/// `a. b :- a.`
const FACTS: &str = "asp 1 0 0\n1 0 1 1 0 0\n1 0 1 2 0 1 1\n4 1 a 1 1\n4 1 b 1 2\n0\n";
/// `{a; b}.`, of which only `a` is shown, and `a` costs 1.
const CHOICE: &str = "asp 1 0 0\n1 1 2 1 2 0 0\n4 1 a 1 1\n2 0 1 1 1\n0\n";

/// Whether each step of a whole search says that it is the last one; both loops have to agree.
fn told(text: &str, goal: &Goal) -> Vec<bool> {
    let mut told: Vec<Vec<bool>> = Vec::new();
    for engine in [Engine::Host, Engine::Resident] {
        let options = Options { engine, device: yasmin_device::DeviceKind::Cpu, ..Options::default() };
        let mut solver =
            Solver::with_goal(program(text), options, goal.clone()).expect("the processor is there");
        assert!(solver.all_searched().is_none(), "nothing was searched yet");
        told.push(Vec::new());
        while let Step::Answer(_) = solver.next_answer(&|| false).expect("no failure") {
            told.last_mut().expect("just pushed").push(solver.all_searched().is_some());
        }
        assert!(solver.all_searched().is_some(), "{engine:?}");
    }
    assert_eq!(told[0], told[1], "{text}");
    told.remove(0)
}

#[test]
fn the_last_answer_set_is_known_to_be_the_last() {
    assert_eq!(told(FACTS, &Goal::default()), [true]);
    assert_eq!(told(PAIR, &Goal::default()), [false, true]);
    let all = Goal { optimization: Optimization::Ignore, ..Goal::default() };
    assert_eq!(told(CHOICE, &all), [false, false, false, true]);
    let projected = Goal { projection: Projection::Show, ..all };
    assert_eq!(told(CHOICE, &projected), [false, true]);
}

#[test]
fn other_goals_know_it_too() {
    for reasoning in [Reasoning::Brave, Reasoning::Cautious] {
        assert_eq!(told(FACTS, &Goal { reasoning, ..Goal::default() }), [true]);
    }
    let optimal = Goal { optimization: Optimization::OptN, ..Goal::default() };
    // The first answer set is optimal, but the search has to look for others.
    assert!(!told(CHOICE, &optimal)[0]);
}
