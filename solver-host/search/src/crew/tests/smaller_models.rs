//! Searchers of programs with head cycles, whose answer sets are checked for smaller models.

use super::*;

/// Two sets of answers: of `a` or `b` each, one of which is founded by the other side of a head cycle.
pub fn head_cycles(pairs: u64) -> Program {
    let mut b = ProgramBuilder::default();
    for i in 0..pairs {
        let [p, q, r] = [3 * i, 3 * i + 1, 3 * i + 2].map(|a| b.atom(a));
        b.disjunction(&[p, q], &[]).expect("few");
        b.rule(Some(p), &[Lit::t(q), Lit::t(r)]).expect("few");
        b.rule(Some(q), &[Lit::t(p), Lit::t(r)]).expect("few");
        b.choice(&[r], &[]).expect("few");
    }
    b.build().expect("few")
}

#[test]
fn searchers_check_answer_sets_of_programs_with_head_cycles() {
    let (mut done, mut checks) = (SwarmStatistics::default(), 0);
    for (i, searchers) in [2, 3, 7].into_iter().enumerate() {
        swarm_agrees(i as u64, searchers, DeviceKind::Cpu, head_cycles(4), &Goal::default(), &mut done);
        let of = options_of(i as u64, searchers, DeviceKind::Cpu);
        let problem = Problem::new(head_cycles(4), &of, &Goal::default()).expect("a small program");
        let mut solver = swarm(&Arc::new(problem), of);
        // Each pair: without `r` one of the other two; with `r` both.
        assert_eq!(count(&mut solver), 81, "{searchers} searchers");
        checks += solver.statistics().minimality_checks;
    }
    assert!(checks >= 3 * 81, "{checks} checks for smaller models");
}

/// No answer set: each choice among `2^n` asks for a smaller model of its own, which refutes that choice
/// alone.
fn smaller_models(n: u64) -> Program {
    let mut b = ProgramBuilder::default();
    let all = b.atom(0);
    for i in 0..n {
        let [x, y, z] = [3 * i + 1, 3 * i + 2, 3 * i + 3].map(|a| b.atom(a));
        b.choice(&[x], &[]).expect("few");
        b.disjunction(&[y, z], &[]).expect("few");
        for (head, body) in
            [(y, vec![Lit::t(all)]), (z, vec![Lit::t(all)]), (all, vec![Lit::t(x), Lit::t(y)])]
        {
            b.rule(Some(head), &body).expect("few");
        }
        b.rule(Some(all), &[Lit::f(x), Lit::t(z)]).expect("few");
    }
    b.rule(None, &[Lit::f(all)]).expect("few");
    b.build().expect("few")
}

/// What a searcher learns from a loop nogood of the check for smaller models, it offers others as all else.
#[test]
fn searchers_share_what_checks_for_smaller_models_teach() {
    let of = Options { share_lbd: 6, ..options_of(0, 2, DeviceKind::Cpu) };
    let problem = Problem::new(smaller_models(6), &of, &Goal::default()).expect("a small program");
    let mut solver = swarm(&Arc::new(problem), of);
    assert_eq!(count(&mut solver), 0);
    let checks = solver.statistics().unfounded_sets;
    let done = &solver.statistics().swarm;
    assert!(checks >= 32, "{checks} smaller models");
    // Literals of level 1 are offered in any case: at most one for each choice.
    assert!(done.offered + done.doubled >= 16, "{} nogoods", done.offered);
}
