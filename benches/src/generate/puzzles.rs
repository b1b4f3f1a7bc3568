//! Instances that are puzzles: walks, boxes, tiles, patterns, couples.

use std::collections::BTreeSet;

use super::Random;

type Cell = (i32, i32);
const TOWARD: [Cell; 4] = [(1, 0), (-1, 0), (0, 1), (0, -1)];

/// A grid of which about a sixth is closed; only what can be reached from the start is open. A quarter more steps than
/// there are cells to go to: sometimes enough.
pub fn visitall(n: usize, random: &mut Random) -> Vec<String> {
    let mut open = BTreeSet::new();
    for x in 1..=n as i32 {
        for y in 1..=n as i32 {
            if (x, y) == (1, 1) || (x, y) == (1, 2) || !random.chance(16) {
                open.insert((x, y));
            }
        }
    }
    let open = reached(&open, (1, 1));
    let mut lines = named("open", &open);
    lines.push("start(1,1).".into());
    lines.push(format!("steps({}).", (open.len() - 1) * 5 / 4));
    lines
}

/// A room with some pillars. The boxes begin on the goals, and a man who walks at random pulls them away; taken backward
/// that solves the puzzle in as many steps.
pub fn sokoban(n: usize, random: &mut Random) -> Vec<String> {
    let middle = (1 + n as i32 / 2, 1 + n as i32 / 2);
    let mut open = BTreeSet::new();
    for x in 1..=n as i32 {
        for y in 1..=n as i32 {
            if (x, y) == middle || !random.chance(14) {
                open.insert((x, y));
            }
        }
    }
    let open = reached(&open, middle);
    let cells: Vec<Cell> = open.iter().copied().filter(|&cell| cell != middle).collect();
    let mut boxes = BTreeSet::new();
    while boxes.len() < (n / 2).min(cells.len() / 2) {
        boxes.insert(cells[random.below(cells.len())]);
    }
    let goals = boxes.clone();
    let (mut man, steps) = (middle, 4 * n);
    for _ in 0..steps {
        let (dx, dy) = TOWARD[random.below(4)];
        let (to, behind) = ((man.0 + dx, man.1 + dy), (man.0 - dx, man.1 - dy));
        if open.contains(&to) && !boxes.contains(&to) {
            if boxes.contains(&behind) && random.chance(80) {
                boxes.remove(&behind);
                boxes.insert(man);
            }
            man = to;
        }
    }
    let mut lines = named("open", &open);
    lines.extend(named("goal", &goals));
    lines.extend(named("box", &boxes));
    lines.push(format!("man({},{}).", man.0, man.1));
    lines.push(format!("steps({steps})."));
    lines
}

/// Tiles with two or three openings each; as many steps as half a side.
pub fn labyrinth(n: usize, random: &mut Random) -> Vec<String> {
    let mut lines = vec![
        format!("side({n})."),
        "start(1,1).".into(),
        format!("goal({n},{n})."),
        format!("steps({}).", n / 2),
    ];
    for x in 1..=n {
        for y in 1..=n {
            let order = random.permutation(4);
            for way in &order[..2 + usize::from(random.chance(25))] {
                lines.push(format!("opening({x},{y},{}).", ["e", "s", "w", "n"][way - 1]));
            }
        }
    }
    lines
}

/// A permutation of `n` numbers, and a pattern a quarter as long: one that occurs, or any.
pub fn patterns(n: usize, occurs: bool, random: &mut Random) -> Vec<String> {
    let text = random.permutation(n);
    let length = n / 4;
    let pattern = if occurs {
        let mut places = random.permutation(n);
        places.truncate(length);
        places.sort_unstable();
        let values: Vec<usize> = places.iter().map(|&place| text[place - 1]).collect();
        values.iter().map(|value| values.iter().filter(|other| *other <= value).count()).collect()
    } else {
        random.permutation(length)
    };
    let numbered = |name: &str, values: &[usize]| -> Vec<String> {
        values.iter().enumerate().map(|(place, value)| format!("{name}({},{value}).", place + 1)).collect()
    };
    let mut lines = numbered("text", &text);
    lines.extend(numbered("pattern", &pattern));
    lines
}

/// Scores from 1 to about half of `n`, so that there are ties. Nine of ten pairs are acceptable, and those of some perfect
/// matching.
pub fn marriage(n: usize, random: &mut Random) -> Vec<String> {
    let partner = random.permutation(n);
    let levels = n / 2 + 1;
    let mut lines = Vec::new();
    for man in 1..=n {
        for woman in 1..=n {
            let (likes, liked) = (1 + random.below(levels), 1 + random.below(levels));
            if random.chance(90) || partner[man - 1] == woman {
                lines.push(format!("likes({man},{woman},{likes}). liked({woman},{man},{liked})."));
            }
        }
    }
    lines
}

/// The cells that can be reached from `start`.
fn reached(open: &BTreeSet<Cell>, start: Cell) -> BTreeSet<Cell> {
    let mut seen = BTreeSet::from([start]);
    let mut next = vec![start];
    while let Some((x, y)) = next.pop() {
        for (dx, dy) in TOWARD {
            let cell = (x + dx, y + dy);
            if open.contains(&cell) && seen.insert(cell) {
                next.push(cell);
            }
        }
    }
    seen
}

fn named(name: &str, cells: &BTreeSet<Cell>) -> Vec<String> {
    cells.iter().map(|(x, y)| format!("{name}({x},{y}).")).collect()
}
