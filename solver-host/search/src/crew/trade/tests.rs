//! Both ends of a trade, in the host's memory.

use super::*;
use crate::crew::message::each_nogood;
use crate::crew::store::Paused;
use solver_gpu::hash::{add_hashes, mix};
use solver_gpu::layout::{Sizes, Swarm, BETTER, NARROW};
use solver_gpu::Lit;
use std::time::Duration;
use yasmin_device::{open, DeviceKind, Setup};

fn shared(tightens: u32, counters: usize, items: usize) -> Shared {
    let executor = open(DeviceKind::Cpu, Setup::default()).expect("a processor");
    let about = Swarm { searchers: 2, tightens, ..Swarm::default() };
    Shared::new(executor, about, Sizes { counters, items, ..Sizes::default() }).expect("enough memory")
}

/// Both ends of a trade.
struct Trade {
    home: Home,
    away: Away,
}

impl Trade {
    fn new(home: Arc<Shared>, first: u32, has_others: bool) -> Trade {
        Trade { home: Home::new(home, first, 2, has_others), away: Away::new(first, has_others) }
    }

    fn is_over(&self) -> bool {
        self.home.is_over() && self.away.is_over()
    }
}

/// One trade between a home and a device whose memory is the host's too.
fn once(both: &mut Trade, device: &Shared) {
    let mut executor = open(DeviceKind::Cpu, Setup::default()).expect("a processor");
    let (view, hub) = (&device.view, device.hub());
    let mut store = Paused { executor: &mut *executor, view, hub };
    trade(&mut both.home, &mut both.away, &mut store).expect("a working device");
}

fn bound(of: &Shared, limits: &[i64]) {
    for (i, &limit) in limits.iter().enumerate() {
        of.view.bound.get(2 * i).store_relaxed(limit as u32);
        of.view.bound.get(2 * i + 1).store_relaxed((limit >> 32) as u32);
    }
    of.hub().bound_version.fetch_add(2);
}

fn limits(of: &Shared) -> Vec<i64> {
    let half = |i: usize| of.view.bound.get(i).load_relaxed() as u64;
    (0..of.view.bound.len() / 2).map(|i| (half(2 * i + 1) << 32 | half(2 * i)) as i64).collect()
}

#[test]
fn the_lower_bound_goes_to_both() {
    let (home, device) = (Arc::new(shared(BETTER, 2, 0)), shared(BETTER, 2, 0));
    let mut trade = Trade::new(home.clone(), 1, true);
    for (of, given, both) in [
        (&*home, [5, 7], [5, 7]),
        (&device, [5, 6], [5, 6]),
        (&device, [-1, 1 << 40], [-1, 1 << 40]),
        // A searcher that did not know the better one.
        (&device, [0, 0], [-1, 1 << 40]),
        (&*home, [-1, 3], [-1, 3]),
    ] {
        bound(of, &given);
        once(&mut trade, &device);
        assert_eq!((limits(&home), limits(&device)), (both.to_vec(), both.to_vec()), "{given:?}");
    }
    // Nothing is new.
    let versions = || [&*home, &device].map(|of| of.hub().bound_version.load_relaxed());
    let before = versions();
    once(&mut trade, &device);
    assert_eq!(versions(), before);
}

#[test]
fn what_is_known_goes_to_both() {
    let (home, device) = (Arc::new(shared(NARROW, 0, 40)), shared(NARROW, 0, 40));
    let mut trade = Trade::new(home.clone(), 1, true);
    home.view.known.get(0u32).fetch_or(5);
    home.hub().bound_version.fetch_add(2);
    device.view.known.get(1u32).fetch_or(1);
    device.hub().bound_version.fetch_add(2);
    once(&mut trade, &device);
    for of in [&*home, &device] {
        assert_eq!([0u32, 1].map(|i| of.view.known.get(i).load_relaxed()), [5, 1]);
        assert_eq!(of.hub().bound_version.load_relaxed(), 4);
    }
}

#[test]
fn nogoods_go_to_both_once() {
    let (home, device) = (Arc::new(shared(BETTER, 0, 0)), shared(BETTER, 0, 0));
    let mut trade = Trade::new(home.clone(), 1, true);
    let offer = |of: &Shared, giver: u32, n: u32| {
        let lits = [Lit(2 * n), Lit(2 * n + 1), Lit(1)];
        let hash = lits.iter().map(|lit| mix(lit.0 as u64)).fold(0, add_hashes);
        pool::offer(&of.view, Origin::new(giver, n as u64), 3, hash, |i| lits[i as usize]);
    };
    // The origins and first variables of the nogoods that a searcher copies.
    let copied = |of: &Shared, me: u32| {
        let class = solver_gpu::layout::class_of(3);
        let mut found = Vec::new();
        for ticket in 0..pool::end(&of.view, class) {
            let mut lits = Vec::new();
            if let Some((3, origin)) =
                pool::copy(&of.view, class, ticket, |searcher| searcher == me, |_, lit| lits.push(lit.0))
            {
                assert_eq!(origin.serial(), lits[0] as u64 / 2);
                found.push((origin.searcher(), lits[0] / 2));
            }
        }
        found.sort_unstable();
        found
    };
    // The fleet's searchers are 1 and 2 at home, where 0 and 3 are others.
    [(0, 10), (3, 11), (0, 12)].into_iter().for_each(|(giver, n)| offer(&home, giver, n));
    [(0, 20), (1, 21)].into_iter().for_each(|(giver, n)| offer(&device, giver, n));
    for _ in 0..3 {
        (trade.home.common.at, trade.away.common.at) = (None, None);
        once(&mut trade, &device);
    }
    assert_eq!(copied(&home, 7), [(0, 10), (0, 12), (1, 20), (2, 21), (3, 11)]);
    let last = Origin::SEARCHERS - 1;
    assert_eq!(copied(&device, 7), [(0, 20), (1, 21), (2, 11), (last, 10), (last, 12)]);
    // Nobody gets back what was their own.
    assert_eq!(copied(&home, 0), [(1, 20), (2, 21), (3, 11)]);
    assert_eq!(copied(&device, 0), [(1, 21), (2, 11), (last, 10), (last, 12)]);
}

#[test]
fn a_fleet_that_is_alone_keeps_its_nogoods() {
    let (home, device) = (Arc::new(shared(BETTER, 0, 0)), shared(BETTER, 0, 0));
    let mut trade = Trade::new(home.clone(), 0, false);
    pool::offer(&device.view, Origin::new(0, 0), 1, 1, |_| Lit(2));
    once(&mut trade, &device);
    assert_eq!(pool::end(&home.view, 0), 0);
}

#[test]
fn cubes_go_where_they_are_wanted_and_all_are_counted() {
    let (home, device) = (Arc::new(shared(BETTER, 0, 0)), shared(BETTER, 0, 0));
    let mut trade = Trade::new(home.clone(), 1, true);
    let open = || [&*home, &device].map(|of| of.hub().open.load_relaxed());
    let waiting = || [&*home, &device].map(|of| queue::waiting(&of.view));
    // Two cubes at home, and three searchers of the device want one.
    home.hub().open.store_relaxed(1);
    (0..2).for_each(|n| assert!(queue::give(&home.view, 1, |_| Lit(n))));
    device.hub().hungry.store_relaxed(3);
    once(&mut trade, &device);
    assert_eq!((open(), waiting()), ([2, 2], [0, 2]));
    assert_eq!(home.hub().hungry.load_relaxed(), 1, "the device wants one more");
    assert!(!trade.home.is_answered());
    assert!(queue::give(&home.view, 1, |_| Lit(7)));
    assert!(trade.home.is_answered());
    assert_eq!((queue::take(&home.view, |_, _| ()), queue::finish(&home.view)), (Some(1), false));
    // They are taken. Then one searcher gives two away, and one at home wants one.
    (0..2).for_each(|_| assert!(queue::take(&device.view, |_, _| ()).is_some()));
    device.hub().hungry.store_relaxed(0);
    (4..6).for_each(|n| assert!(queue::give(&device.view, 1, |_| Lit(n))));
    home.hub().hungry.fetch_add(1);
    once(&mut trade, &device);
    assert_eq!((open(), waiting()), ([3, 3], [1, 1]));
    let mut cube = Vec::new();
    assert_eq!(queue::take(&home.view, |_, lit| cube.push(lit.0)), Some(1));
    assert_eq!(cube, [4], "the oldest one");
    home.hub().hungry.store_relaxed(0);
    // The device refutes all of its cubes. Its home goes on.
    assert_eq!([0; 3].map(|_| queue::finish(&device.view)), [false, false, true]);
    device.hub().done.store_relaxed(1);
    once(&mut trade, &device);
    assert_eq!((open(), device.hub().done.load_relaxed(), trade.is_over()), ([2, 0], 0, false));
    // The rest is refuted at home.
    assert!(!queue::finish(&home.view) && queue::finish(&home.view));
}

#[test]
fn a_fleet_that_refutes_the_last_cube_ends_the_search() {
    let (home, device) = (Arc::new(shared(BETTER, 0, 0)), shared(BETTER, 0, 0));
    let mut trade = Trade::new(home.clone(), 3, true);
    assert!(queue::give(&home.view, 0, |_| Lit(0)));
    device.hub().hungry.store_relaxed(1);
    once(&mut trade, &device);
    assert!(queue::take(&device.view, |_, _| ()) == Some(0) && queue::finish(&device.view));
    device.hub().winner.store_relaxed(1);
    once(&mut trade, &device);
    assert!(trade.is_over() && home.hub().done.load_relaxed() == 1);
    assert_eq!(home.hub().winner.load_relaxed(), 4);
}

#[test]
fn the_more_crews_the_less_passes_of_each() {
    let of_each = |crews: u32| Volume::of_crews(crews).words as f64 / crews as f64;
    for crews in [1, 2, 8, 64, 512, 4096] {
        assert!(of_each(2 * crews) < of_each(crews), "{crews} crews");
        assert!(Volume::of_crews(2 * crews).words >= Volume::of_crews(crews).words, "{crews} crews");
    }
    assert!(Volume::of_crews(0).words > 0);
}

#[test]
fn the_shortest_nogoods_pass_and_none_without_room() {
    let home = Arc::new(shared(BETTER, 0, 0));
    let volume = Volume { pause: Duration::ZERO, words: 20 };
    let mut end = Home::of_process(home.clone(), 5, 2, volume, false);
    for len in [9, 2, 7, 3, 2] {
        let lits: Vec<Lit> = (0..len).map(|i| Lit(20 * len + 2 * i)).collect();
        let hash = lits.iter().map(|lit| mix(lit.0 as u64)).fold(len as u64, add_hashes);
        pool::offer(&home.view, Origin::new(len, len as u64), len, hash, |i| lits[i as usize]);
    }
    let passed = |say: Vec<Message>| -> Vec<u32> {
        let lens = |words: Vec<u32>| each_nogood(&words).map(|nogood| nogood[0]).collect::<Vec<_>>();
        say.into_iter()
            .flat_map(|message| match message {
                Message::Nogoods(words) => lens(words),
                _ => Vec::new(),
            })
            .collect()
    };
    end.set_room(false);
    assert!(passed(end.say().expect("memory")).is_empty());
    end.set_room(true);
    // Three words and the literals of each: the double of the second one has passed already.
    assert_eq!(passed(end.say().expect("memory")), [2, 3]);
    assert!(passed(end.say().expect("memory")).is_empty(), "what was left out does not come later");
}

/// What comes back of a process that is gone: each cube but those of which it has said that nothing is left.
#[test]
fn cubes_of_a_lost_process_come_back() {
    for finished in [0, 1, 3] {
        let home = Arc::new(shared(BETTER, 0, 0));
        let mut end = Home::of_process(home.clone(), 1, 2, Volume::of_crews(1), true);
        let hub = home.hub();
        hub.open.store_relaxed(1);
        end.hear(Message::Wants(2)).expect("memory");
        for n in 0..3 {
            assert!(queue::give(&home.view, 1, |_| Lit(n)));
        }
        let cubes = |say: Vec<Message>| say.into_iter().filter(|of| matches!(of, Message::Cube(_))).count();
        assert_eq!(cubes(end.say().expect("memory")), 2);
        end.hear(Message::Wants(1)).expect("memory");
        assert_eq!(cubes(end.say().expect("memory")), 1);
        end.hear(Message::Wants(5)).expect("memory");
        assert_eq!((hub.open.load_relaxed(), hub.hungry.load_relaxed()), (2, 5), "its cubes count as one");
        end.hear(Message::Idle(finished, None)).expect("memory");
        end.lose().expect("memory");
        assert_eq!(end.say().expect("memory"), [], "nobody is told");
        assert_eq!(hub.hungry.load_relaxed(), 0, "it wants nothing any more");
        let mut back = Vec::new();
        while let Some(1) = queue::take(&home.view, |_, lit| back.push(lit.0)) {}
        assert_eq!(back, (finished as u32..3).collect::<Vec<_>>());
        // One is open at home besides.
        assert_eq!(hub.open.load_relaxed(), 1 + back.len() as u32);
        let ends: Vec<bool> = back.iter().map(|_| queue::finish(&home.view)).collect();
        assert!(!ends.contains(&true) && queue::finish(&home.view), "the search ends with the last cube");
    }
}

/// More cubes than the home has room for wait until there is room, and the search does not end before.
#[test]
fn cubes_of_a_lost_process_wait_for_room() {
    let home = Arc::new(shared(BETTER, 0, 0));
    let mut end = Home::of_process(home.clone(), 1, 2, Volume::of_crews(1), true);
    end.hear(Message::Wants(3)).expect("memory");
    (0..3).for_each(|n| assert!(queue::give(&home.view, 1, |_| Lit(n))));
    end.say().expect("memory");
    let room = (0..).take_while(|_| queue::give(&home.view, 1, |_| Lit(9))).count();
    end.lose().expect("memory");
    let mut back = Vec::new();
    for _ in 0..room + 3 {
        assert!(!home.is_over(), "{back:?}");
        assert_eq!(queue::take(&home.view, |_, lit| back.push(lit.0)), Some(1));
        if queue::finish(&home.view) {
            home.hub().done.store_relaxed(1);
        }
        end.say().expect("memory");
    }
    assert!(home.is_over() && back[room..] == [0, 1, 2], "{back:?}");
}

/// An end that keeps refutations back says them once it may.
#[test]
fn refutations_are_kept_back() {
    let away = Arc::new(shared(BETTER, 0, 0));
    let mut end = Away::of_process(0, 2, Volume::of_crews(1));
    let mut store = Live(away.clone());
    away.hub().open.store_relaxed(1);
    end.hear(Message::Cube(vec![4]), &mut store).expect("memory");
    assert_eq!(end.refutations(away.hub()), Refutations::default());
    assert_eq!((queue::take(&away.view, |_, _| ()), queue::finish(&away.view)), (Some(1), false));
    let of_cubes = Refutations { of_all: false, of_cubes: true };
    assert_eq!(end.refutations(away.hub()), of_cubes);
    let said = |end: &mut Away, store: &mut Live| {
        let say = end.say(store).expect("memory");
        say.into_iter()
            .filter(|of| matches!(of, Message::Idle(..) | Message::Refuted(..)))
            .collect::<Vec<_>>()
    };
    end.keep(Refutations { of_all: true, of_cubes: true });
    assert_eq!(said(&mut end, &mut store), []);
    away.hub().refuted.store_relaxed(1);
    assert_eq!(said(&mut end, &mut store), []);
    end.keep(of_cubes);
    assert_eq!(said(&mut end, &mut store), [Message::Refuted(0, false)]);
    assert_eq!(end.refutations(away.hub()), of_cubes);
    end.keep(Refutations::default());
    assert_eq!(said(&mut end, &mut store), [Message::Idle(1, None)]);
    assert_eq!(end.refutations(away.hub()), Refutations::default());
}

/// A crew that searches its only cube divides it if the home wants one, and does not take the home's hunger
/// for its own.
#[test]
fn a_crew_divides_its_only_cube_for_the_home() {
    let away = Arc::new(shared(BETTER, 0, 0));
    let mut end = Away::of_process(0, 2, Volume::of_crews(1));
    let mut store = Live(away.clone());
    let hub = away.hub();
    hub.open.store_relaxed(1);
    end.hear(Message::Cube(vec![4]), &mut store).expect("memory");
    assert_eq!(queue::take(&away.view, |_, _| ()), Some(1));
    hub.hungry.store_relaxed(0);
    end.hear(Message::Wants(2), &mut store).expect("memory");
    assert_eq!(hub.hungry.load_relaxed(), 2, "its searchers see that cubes are wanted");
    assert_eq!(end.say(&mut store).expect("memory"), [], "it has one cube, and wants none");
    queue::give(&away.view, 1, |_| Lit(9));
    assert_eq!(end.say(&mut store).expect("memory"), [Message::Cube(vec![9])]);
    assert_eq!((hub.hungry.load_relaxed(), hub.open.load_relaxed()), (1, 2));
    end.hear(Message::Wants(0), &mut store).expect("memory");
    assert_eq!(hub.hungry.load_relaxed(), 0);
}
