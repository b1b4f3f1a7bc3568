//! Theory atoms that are added one by one.

use yasmin::{Atom, Brackets, Control, Options, Question, Term, TheoryTerm};

/// The answer sets.
fn answers(control: &mut Control) -> Vec<String> {
    let found = control.solve(&Question::new()).expect("a processor");
    let mut found: Vec<String> = found.map(|answer| answer.expect("a processor").to_string()).collect();
    found.sort();
    found
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
