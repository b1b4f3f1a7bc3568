//! Theory atoms that are added one by one, and difference constraints among them.

use yasmin::{Answer, Atom, Brackets, Control, Options, Question, Term, TheoryTerm};

/// Adds `&diff{u - v} <= most`.
fn difference(control: &mut Control, [u, v]: [&str; 2], most: i32) -> Atom {
    let [u, v, diff] = [u, v, "diff"].map(|name| control.add_theory_term_string(name));
    let minus = control.add_theory_term_function("-", &[u, v]).expect("terms");
    let element = control.add_theory_element(&[minus], &[]).expect("a term");
    let most = control.add_theory_term_number(most);
    control.add_theory_atom_with_guard(diff, &[element], "<=", most, None).expect("parts")
}

/// The answer sets: what is shown, and the values.
fn answers(control: &mut Control) -> Vec<String> {
    let text = |answer: Answer| {
        let values = answer.values().filter_map(|(name, value)| Some(format!("{name}={}", value?)));
        answer.names().map(String::from).chain(values).collect::<Vec<_>>().join(" ")
    };
    let found = control.solve(&Question::new()).expect("a processor");
    let mut found: Vec<String> = found.map(|answer| text(answer.expect("a processor"))).collect();
    found.sort();
    found
}

#[test]
fn a_program_with_differences_grows() {
    let mut control = Control::new(Options::on_processor());
    control.read_differences();
    // `{a}. &diff{x-y} <= -2 :- a.`
    let a = control.atom();
    control.choice(&[a], &[]).expect("an atom");
    control.show("a", &[a.positive()]).expect("an atom");
    let first = difference(&mut control, ["x", "y"], -2);
    control.rule(&[first], &[a.positive()]).expect("atoms");
    assert_eq!(answers(&mut control), ["", "a x=0 y=2"]);
    // `b :- &diff{x-y} <= -3. &diff{y-x} <= 4.`
    let [second, third] =
        [(["x", "y"], -3), (["y", "x"], 4)].map(|(of, most)| difference(&mut control, of, most));
    let b = control.atom();
    control.rule(&[b], &[second.positive()]).expect("atoms");
    control.show("b", &[b.positive()]).expect("an atom");
    control.rule(&[third], &[]).expect("an atom");
    assert_eq!(answers(&mut control), ["a b x=0 y=3", "a x=0 y=2", "b x=0 y=3", "x=0 y=0"]);
    // `:- not b. &diff{y-x} <= 2.`
    control.rule(&[], &[!b.positive()]).expect("an atom");
    let fourth = difference(&mut control, ["y", "x"], 2);
    control.rule(&[fourth], &[]).expect("an atom");
    assert!(answers(&mut control).is_empty());
}

#[test]
fn differences_are_not_proved_here() {
    let mut control = Control::new(Options::on_processor());
    control.read_differences();
    let first = difference(&mut control, ["x", "y"], -2);
    control.rule(&[first], &[]).expect("an atom");
    control.prove(|_| panic!("no file is opened")).expect("before the first question");
    let refused = control.solve(&Question::new()).err().expect("differences").to_string();
    assert!(refused.contains("difference constraints are proved by the command alone"), "{refused}");
}

#[test]
fn atoms_of_other_theories_may_be_true_or_false() {
    let mut control = Control::new(Options::on_processor());
    let term: Term = "-f((1,\"t\"),g)".parse().expect("a term");
    let term = control.add_theory_term_symbol(&term).expect("terms");
    let list = control.add_theory_term_sequence(Brackets::List, &[term, term]).expect("terms");
    let name = control.add_theory_term_string("sum");
    let c = control.atom();
    control.choice(&[c], &[]).expect("an atom");
    let element = control.add_theory_element(&[list, term], &[c.positive()]).expect("terms");
    let atom = control.add_theory_atom(name, &[element], None).expect("parts");
    assert_eq!(
        control.first_theory_atom().as_deref(),
        Some("&sum{[(-f((1,\"t\"),g)),(-f((1,\"t\"),g))],(-f((1,\"t\"),g))}")
    );
    control.rule(&[], &[c.positive()]).expect("an atom");
    control.show("holds", &[atom.positive()]).expect("an atom");
    assert_eq!(answers(&mut control), ["", "holds"]);
    control.read_differences();
    let error = control.solve(&Question::new()).err().expect("another theory");
    assert_eq!(error.code(), "input");
    assert!(error.to_string().contains("&sum{"), "{error}");
    // The program is as it was.
    assert_eq!(control.rules(), 2);
}

#[test]
fn wrong_parts_are_refused() {
    let (mut control, mut other) =
        (Control::new(Options::on_processor()), Control::new(Options::on_processor()));
    let mut term = other.add_theory_term_number(1);
    let element = other.add_theory_element(&[term], &[]).expect("a term");
    let foreign =
        |control: &mut Control, term: TheoryTerm| control.add_theory_term_function("f", &[term]).is_err();
    assert!(foreign(&mut control, term) && control.add_theory_element(&[term], &[]).is_err());
    let name = control.add_theory_term_string("t");
    assert!(control.add_theory_atom(name, &[element], None).is_err());
    assert!(control.add_theory_atom(name, &[], Some(Atom::with_index(7))).is_err());
    for _ in 0..1000 {
        term = other.add_theory_term_sequence(Brackets::Tuple, &[term]).expect("not too deep");
    }
    let error = other.add_theory_term_sequence(Brackets::Tuple, &[term]).expect_err("too deep");
    assert_eq!(error.code(), "usage");
}
