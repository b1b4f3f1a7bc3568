//! Instances that are puzzles: walks, boxes, tiles, patterns, couples.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::Random;

type Cell = (i32, i32);
const TOWARD: [Cell; 4] = [(1, 0), (-1, 0), (0, 1), (0, -1)];

/// A grid of which about a sixth is closed; only what can be reached from the start is open. A quarter more steps than
/// there are cells to go to: sometimes enough.
pub fn visitall(n: usize, random: &mut Random) -> Vec<String> {
    let open = opened(n, &[(1, 1), (1, 2)], 16, random);
    let mut lines = named("open", &open);
    lines.push("start(1,1).".into());
    lines.push(format!("steps({}).", (open.len() - 1) * 5 / 4));
    lines
}

/// A room with some pillars. The boxes begin on the goals, and a man walks up to one after the other and pulls it away;
/// taken backward that solves the puzzle in as many steps.
pub fn sokoban(n: usize, random: &mut Random) -> Vec<String> {
    let middle = (1 + n as i32 / 2, 1 + n as i32 / 2);
    let open = opened(n, &[middle], 14, random);
    let cells: Vec<Cell> = open.iter().copied().filter(|&cell| cell != middle).collect();
    let mut boxes = BTreeSet::new();
    while boxes.len() < (n / 2).min(cells.len() / 2) {
        boxes.insert(cells[random.below(cells.len())]);
    }
    let goals = boxes.clone();
    let (mut man, mut steps) = (middle, 0);
    // A box that cannot be got at, or pulled, costs a try, so that this ends.
    for _ in 0..6 * n {
        let all: Vec<Cell> = boxes.iter().copied().collect();
        let Some(&from) = all.get(random.below(all.len().max(1))) else { break };
        let (dx, dy) = TOWARD[random.below(4)];
        let free: BTreeSet<Cell> = open.difference(&boxes).copied().collect();
        let (beside, beyond) = ((from.0 + dx, from.1 + dy), (from.0 + 2 * dx, from.1 + 2 * dy));
        let Some(&walked) = distances(&free, man).get(&beside) else { continue };
        if steps + walked + 3 > 4 * n || !free.contains(&beyond) {
            continue;
        }
        boxes.remove(&from);
        (man, steps) = (beside, steps + walked);
        let mut pulled = from;
        for _ in 0..1 + random.below(3) {
            let to = (man.0 + dx, man.1 + dy);
            if free.contains(&to) {
                (pulled, man, steps) = (man, to, steps + 1);
            }
        }
        boxes.insert(pulled);
    }
    let mut lines = named("open", &open);
    lines.extend(named("goal", &goals));
    lines.extend(named("box", &boxes));
    lines.push(format!("man({},{}).", man.0, man.1));
    lines.push(format!("steps({steps})."));
    lines
}

/// Tiles with so many openings each, or one more in a tenth, and a way from corner to corner, which is then pushed apart in
/// as many steps as half a side.
pub fn labyrinth(n: usize, least: usize, random: &mut Random) -> Vec<String> {
    let mut openings: Vec<Vec<BTreeSet<usize>>> = (0..n)
        .map(|_| {
            let tile = |random: &mut Random| {
                let count = least + usize::from(random.chance(10));
                random.permutation(4).into_iter().take(count).map(|way| way - 1).collect()
            };
            (0..n).map(|_| tile(random)).collect()
        })
        .collect();
    // The ways are those of `TOWARD`: east, west, south, north.
    let (mut x, mut y) = (0, 0);
    while (x, y) != (n - 1, n - 1) {
        let across = y == n - 1 || (x < n - 1 && random.chance(50));
        openings[x][y].insert(if across { 0 } else { 2 });
        (x, y) = if across { (x + 1, y) } else { (x, y + 1) };
        openings[x][y].insert(if across { 1 } else { 3 });
    }
    let (mut start, mut goal) = ((0, 0), (n - 1, n - 1));
    for _ in 0..n / 2 {
        let (line, by, row) = (random.below(n), if random.chance(50) { 1 } else { n - 1 }, random.chance(50));
        let moved = |(x, y): (usize, usize)| match row {
            true if y == line => ((x + by) % n, y),
            false if x == line => (x, (y + by) % n),
            _ => (x, y),
        };
        let before = openings.clone();
        for (x, column) in before.into_iter().enumerate() {
            for (y, tile) in column.into_iter().enumerate() {
                let (to_x, to_y) = moved((x, y));
                openings[to_x][to_y] = tile;
            }
        }
        (start, goal) = (moved(start), moved(goal));
    }
    let mut lines = vec![
        format!("side({n})."),
        format!("start({},{}).", start.0 + 1, start.1 + 1),
        format!("goal({},{}).", goal.0 + 1, goal.1 + 1),
        format!("steps({}).", n / 2),
    ];
    for (x, column) in openings.iter().enumerate() {
        for (y, tile) in column.iter().enumerate() {
            let named = |way: &usize| format!("opening({},{},{}).", x + 1, y + 1, ["e", "w", "s", "n"][*way]);
            lines.extend(tile.iter().map(named));
        }
    }
    lines
}

/// A permutation of `n` numbers, and a pattern of that length: one that occurs, or any.
pub fn patterns(n: usize, length: usize, occurs: bool, random: &mut Random) -> Vec<String> {
    let text = random.permutation(n);
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

/// The cells of a grid of which some are closed, with that chance in a hundred each, but none of `kept`: those that can
/// be reached from the first of these.
fn opened(n: usize, kept: &[Cell], closed: usize, random: &mut Random) -> BTreeSet<Cell> {
    let cells = (1..=n as i32).flat_map(|x| (1..=n as i32).map(move |y| (x, y)));
    let open = cells.filter(|cell| kept.contains(cell) || !random.chance(closed)).collect();
    distances(&open, kept[0]).into_keys().collect()
}

/// Steps from `start` to each cell that can be reached.
fn distances(open: &BTreeSet<Cell>, start: Cell) -> BTreeMap<Cell, usize> {
    let mut steps = BTreeMap::from([(start, 0)]);
    let mut next = VecDeque::from([start]);
    while let Some((x, y)) = next.pop_front() {
        let onward = steps[&(x, y)] + 1;
        for (dx, dy) in TOWARD {
            let cell = (x + dx, y + dy);
            if open.contains(&cell) && !steps.contains_key(&cell) {
                steps.insert(cell, onward);
                next.push_back(cell);
            }
        }
    }
    steps
}

fn named(name: &str, cells: &BTreeSet<Cell>) -> Vec<String> {
    cells.iter().map(|(x, y)| format!("{name}({x},{y}).")).collect()
}
