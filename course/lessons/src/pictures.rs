//! The book's pictures, as SVG, of what kernels wrote on the simulated GPU. Main function: [`all`].

use crate::grid_stride::owners;
use crate::reduce::tree_steps;
use crate::rows::ragged_rows;
use crate::solve::solve;
use crate::solving::{self, Program};
use cuda_launch::{launch, Device, Error, Grid};
use svg::node::element::{Group, Line, Rectangle, Text};
use svg::Document;

/// The side of a square.
const SIDE: u32 = 36;
/// The colours of eight threads, light enough for black letters.
const COLOURS: [&str; 8] =
    ["#a6cee3", "#b2df8a", "#fdbf6f", "#fb9a99", "#cab2d6", "#ffff99", "#c7e9e3", "#e5d8bd"];

/// All pictures, each with the name of its file.
///
/// # Panics
/// If a kernel fails, which lessons' tests exclude.
pub fn all() -> Vec<(&'static str, String)> {
    let draw = |picture: Result<String, Error>| picture.unwrap_or_else(|error| panic!("{error}"));
    vec![
        ("grid-stride", draw(grid_stride())),
        ("tree", draw(tree())),
        ("rows", rows()),
        ("answer-sets", draw(answer_sets())),
    ]
}

fn document(width: u32, height: u32) -> Document {
    let paper = Rectangle::new().set("width", width).set("height", height).set("fill", "white");
    Document::new()
        .set("viewBox", (0, 0, width, height))
        .set("width", width)
        .set("height", height)
        .set("font-family", "sans-serif")
        .set("font-size", 13)
        .add(paper)
}

fn text(x: u32, y: u32, anchor: &str, words: impl Into<String>) -> Text {
    Text::new(words).set("x", x).set("y", y).set("text-anchor", anchor)
}

/// A square with a word in it.
fn square(x: u32, y: u32, colour: &str, word: impl Into<String>) -> Group {
    let edge = Rectangle::new().set("x", x).set("y", y).set("width", SIDE).set("height", SIDE);
    Group::new().add(edge.set("fill", colour).set("stroke", "#444")).add(text(
        x + SIDE / 2,
        y + SIDE / 2 + 5,
        "middle",
        word,
    ))
}

/// Which thread of two blocks of four has which of 20 elements.
fn grid_stride() -> Result<String, Error> {
    let (n, per_row) = (20, 8);
    let mut device = Device::simt();
    let owner = device.zeros::<u32>("owner", n)?;
    // SAFETY: only this launch uses `owner`.
    unsafe { launch!(device, Grid::new(2, 4), owners(owner.array())) }?;
    let mut picture = document(100 + per_row * SIDE + 10, 28 + 3 * SIDE + 10);
    for thread in 0..per_row {
        let x = 100 + thread * SIDE;
        picture = picture.add(text(x + SIDE / 2, 20, "middle", format!("t{thread}")));
    }
    for (i, owner) in device.download(&owner)?.into_iter().enumerate() {
        let (row, column) = (i as u32 / per_row, i as u32 % per_row);
        let (x, y) = (100 + column * SIDE, 28 + row * SIDE);
        if column == 0 {
            picture = picture.add(text(90, y + SIDE / 2 + 5, "end", format!("pass {}", row + 1)));
        }
        picture = picture.add(square(x, y, COLOURS[owner as usize], i.to_string()));
    }
    Ok(picture.to_string() + "\n")
}

/// The words in shared memory after each step of the tree of eight threads.
fn tree() -> Result<String, Error> {
    let threads = 8;
    let mut device = Device::simt();
    let x = device.upload_constant("x", &[3u32, 1, 4, 1, 5, 9, 2, 6])?;
    let steps = device.zeros::<u32>("steps", threads * 4)?;
    // SAFETY: a row of eight words for the beginning and for each of three steps.
    unsafe { launch!(device, Grid::new(1, threads as u32), tree_steps(x.array(), steps.array())) }?;
    let mut picture = document(100 + 8 * SIDE + 10, 4 * (SIDE + 30) + 10);
    for (at, word) in device.download(&steps)?.into_iter().enumerate() {
        let (row, column) = ((at / threads) as u32, (at % threads) as u32);
        let (x, y) = (100 + column * SIDE, 8 + row * (SIDE + 30));
        if column == 0 {
            let label = if row == 0 { "at first".into() } else { format!("s = {}", threads >> row) };
            picture = picture.add(text(90, y + SIDE / 2 + 5, "end", label));
        }
        let busy = threads as u32 >> row;
        if row > 0 && column < busy {
            // Where the two words came from.
            for from in [column, column + busy] {
                let line = Line::new().set("stroke", "#888");
                picture = picture.add(
                    line.set("x1", 100 + from * SIDE + SIDE / 2)
                        .set("y1", y - 30)
                        .set("x2", x + SIDE / 2)
                        .set("y2", y),
                );
            }
        }
        let colour = if row == 0 || column < busy { COLOURS[1] } else { "#eeeeee" };
        picture = picture.add(square(x, y, colour, word.to_string()));
    }
    Ok(picture.to_string() + "\n")
}

/// How long the lanes of a warp work on 32 rows, if each has a row of its own, and if all share each row.
fn rows() -> String {
    let (starts, _) = ragged_rows(32);
    let lengths: Vec<u32> = starts.windows(2).map(|ends| ends[1] - ends[0]).collect();
    let longest = lengths.iter().copied().max().unwrap_or(0);
    let passes: u32 = lengths.iter().map(|len| len.div_ceil(32)).sum();
    let (left, unit) = (150, 4);
    let mut picture = document(left + longest * unit + 30, 32 * 7 + 110);
    picture = picture.add(text(10, 20, "start", format!("a row to a lane: {longest} passes")));
    for (lane, &len) in lengths.iter().enumerate() {
        let y = 30 + lane as u32 * 7;
        let bar = |from: u32, to: u32, colour: &str| {
            let bar = Rectangle::new().set("x", left + from * unit).set("y", y).set("height", 6);
            bar.set("width", (to - from) * unit).set("fill", colour)
        };
        picture = picture.add(bar(len, longest, "#eeeeee")).add(bar(0, len, "#33a02c"));
        if lane % 8 == 0 {
            picture = picture.add(text(left - 10, y + 7, "end", format!("lane {lane}")));
        }
    }
    let y = 30 + 32 * 7 + 25;
    picture = picture.add(text(10, y, "start", format!("a row to a warp: {passes} passes of 32 lanes")));
    let bar = Rectangle::new().set("x", left).set("y", y + 10).set("height", 20).set("fill", "#1f78b4");
    picture = picture.add(bar.set("width", passes * unit));
    picture.to_string() + "\n"
}

/// The answer sets that the little solver finds for the colours of a path of three nodes.
fn answer_sets() -> Result<String, Error> {
    let program = Program::parse(solving::SAMPLES[5]).expect("a program");
    let (answers, _) = solving::solve_on(&mut Device::simt(), ("solve", solve), &program, 12)?;
    let colour = |answer: &[bool], node: u32| {
        let has = |letter: &str| {
            let name = format!("{letter}{node}");
            program.atoms.iter().zip(answer).any(|(atom, &holds)| holds && *atom == name)
        };
        match (has("r"), has("g")) {
            (true, _) => ("#fb9a99", "red"),
            (_, true) => ("#b2df8a", "green"),
            _ => ("#a6cee3", "blue"),
        }
    };
    let mut picture = document(6 * 130 + 10, answers.len().div_ceil(6) as u32 * 125);
    for (number, answer) in answers.iter().enumerate() {
        let (left, top) = (10 + number as u32 % 6 * 130, 5 + number as u32 / 6 * 125);
        let places = [(left, top + 60), (left + 40, top), (left + 80, top + 60)];
        for (from, to) in [(0, 1), (1, 2)] {
            let line = Line::new().set("x1", places[from].0 + SIDE / 2).set("y1", places[from].1 + SIDE / 2);
            let line = line.set("x2", places[to].0 + SIDE / 2).set("y2", places[to].1 + SIDE / 2);
            picture = picture.add(line.set("stroke", "#444"));
        }
        for (node, (x, y)) in (1..).zip(places) {
            let (fill, word) = colour(answer, node);
            picture = picture.add(square(x, y, fill, node.to_string())).add(text(
                x + SIDE / 2,
                y + SIDE + 12,
                "middle",
                word,
            ));
        }
    }
    Ok(picture.to_string() + "\n")
}
