//! Proofs that several processes have written, a part each: all parts as one proof.
//!
//! Main type: [`Merged`]. Steps come in the order of their clocks. Those of one clock come in the order of
//! their parts. Serial numbers are those of the whole proof, and answer sets that are no news are left out.
//! Nothing here is trusted: [`Checker`](crate::Checker) checks the steps like those of any other proof.

mod news;

use std::io::{BufRead, Write};

use crate::program::Program;
use crate::proof::{Identity, Item, Mark, Place, Proof, ProofError, Source, Step, Writer, THE_SUMS};
use news::News;

/// A file with its name.
pub type Named<'a> = (String, Box<dyn BufRead + 'a>);

/// Opens the part with a number. An error is a sentence that names the file and a remedy.
pub type Open<'a> = dyn FnMut(i64) -> Result<Named<'a>, String> + 'a;

/// Which part of a proof a file has; none if it has a whole proof, or none at all.
///
/// # Errors
/// If the file cannot be read.
pub fn identity(from: impl BufRead) -> Result<Option<Identity>, std::io::Error> {
    match Proof::new(from).item() {
        Ok(Some(Item::Mark(Mark::Part(identity)))) => Ok(Some(identity)),
        Err(ProofError::Unreadable(error)) => Err(error),
        _ => Ok(None),
    }
}

/// A proof that is read step by step, whole or in parts.
pub struct Merged<'a> {
    open: Box<Open<'a>>,
    /// What is read. The first one has the questions and the end.
    files: Vec<File<'a>>,
    /// Which proof the parts belong to; nothing of a whole proof.
    identity: Option<Identity>,
    news: News,
    /// How many nogoods the steps so far add.
    serial: usize,
    /// Which of the files has the last step, and where.
    last: usize,
    place: Place,
    /// Which of the files has to be read on before the next step.
    due: Option<usize>,
    has_begun: bool,
    has_ended: bool,
}

/// A file that is read.
struct File<'a> {
    name: String,
    number: i64,
    proof: Proof<'a>,
    /// The next step, and where it is. Nothing at the end.
    next: Option<(Step, Place)>,
    /// The clock of the next step.
    clock: i64,
    /// How many questions come before what was read last.
    questions: usize,
    /// Whether the last mark says that nothing follows before the next question.
    rests: bool,
    /// For each serial number in the file, from 1, the one in the whole proof; 0 of what was left out.
    serials: Vec<usize>,
}

impl<'a> File<'a> {
    fn new(number: i64, (name, from): Named<'a>) -> File<'a> {
        let (proof, serials) = (Proof::new(from), Vec::new());
        File { name, number, proof, next: None, clock: 0, questions: 0, rests: false, serials }
    }

    /// Says that the file ends too early.
    fn is_cut(&self) -> ProofError {
        ProofError::Parts(format!(
            "{}: the part of rank {} ends too early: copy the file again if that was cut short; if the run \
             was, solve the program again",
            self.name, self.number
        ))
    }
}

impl<'a> Merged<'a> {
    /// Begins with a whole proof, or with the part that has the questions. `open` opens the others.
    pub fn new(
        program: &Program,
        first: Named<'a>,
        open: impl FnMut(i64) -> Result<Named<'a>, String> + 'a,
    ) -> Merged<'a> {
        Merged {
            open: Box::new(open),
            files: vec![File::new(0, first)],
            identity: None,
            news: News::new(program),
            serial: 0,
            last: 0,
            place: Place::Line(1),
            due: None,
            has_begun: false,
            has_ended: false,
        }
    }
}

impl Source for Merged<'_> {
    fn place(&self) -> Place {
        self.place
    }

    fn file(&self) -> Option<&str> {
        self.identity.map(|_| &self.files[self.last].name[..])
    }

    fn step(&mut self) -> Result<Option<Step>, ProofError> {
        if !self.has_begun {
            self.begin()?;
        }
        if self.identity.is_none() {
            let first = &mut self.files[0];
            if let Some((step, place)) = first.next.take() {
                self.place = place;
                return Ok(Some(step));
            }
            let step = first.proof.step();
            self.place = first.proof.place();
            return step;
        }
        loop {
            if let Some(at) = self.due.take() {
                self.read_on(at)?;
            }
            let next = |file: &File| {
                let (step, _) = file.next.as_ref()?;
                Some((matches!(step, Step::End(_)), file.clock, file.number))
            };
            let all = (0..self.files.len()).filter_map(|at| Some((next(&self.files[at])?, at)));
            let Some((_, at)) = all.min() else { return Ok(None) };
            let Some((step, place)) = self.files[at].next.take() else { return Ok(None) };
            (self.last, self.place, self.due) = (at, place, Some(at));
            if let Some(step) = self.renumbered(at, step)? {
                return Ok(Some(step));
            }
        }
    }
}

impl Merged<'_> {
    /// Writes all steps as a proof of one file.
    ///
    /// # Errors
    /// As [`Merged::step`], and if the writer fails.
    pub fn write_to<W: Write>(&mut self, writer: &mut Writer<W>) -> Result<(), ProofError> {
        while let Some(step) = self.step()? {
            writer.write(&step)?;
        }
        Ok(())
    }

    /// Reads the beginning of the first file, and knows by it whether the proof has parts.
    fn begin(&mut self) -> Result<(), ProofError> {
        self.has_begun = true;
        let first = &mut self.files[0];
        let item = first.proof.item();
        self.place = first.proof.place();
        match item? {
            Some(Item::Step(step)) => first.next = Some((step, self.place)),
            None => {}
            Some(Item::Mark(Mark::Part(identity))) if identity.number == 0 => {
                (self.identity, self.due) = (Some(identity), Some(0));
            }
            Some(Item::Mark(Mark::Part(identity))) => {
                return Err(ProofError::Parts(format!(
                    "{}: this is the part of rank {} of {}: name the file of rank 0 instead, or all files",
                    first.name, identity.number, identity.of
                )));
            }
            Some(Item::Mark(_)) => return Err(ProofError::IsPart),
        }
        Ok(())
    }

    /// Reads a file up to its next step.
    fn read_on(&mut self, at: usize) -> Result<(), ProofError> {
        loop {
            let file = &mut self.files[at];
            let item = file.proof.item();
            (self.last, self.place) = (at, file.proof.place());
            let item = match item {
                Ok(item) => item,
                Err(ProofError::Unreadable(error)) => return Err(unreadable(&file.name, &error)),
                Err(error) => {
                    let is_cut = file.proof.is_at_end().unwrap_or(true);
                    return Err(if is_cut { file.is_cut() } else { error });
                }
            };
            if item.is_some() {
                file.rests = item == Some(Item::Mark(Mark::Rest));
            }
            match item {
                Some(Item::Step(step)) => {
                    if matches!(step, Step::Question { .. }) {
                        file.questions += 1;
                    }
                    file.next = Some((step, self.place));
                    return Ok(());
                }
                None if !file.rests && !self.has_ended => return Err(file.is_cut()),
                None => return Ok(()),
                Some(Item::Mark(Mark::Clock(clock))) if clock > file.clock => file.clock = clock,
                Some(Item::Mark(Mark::Clock(clock))) => return Err(ProofError::Clock(file.clock, clock)),
                Some(Item::Mark(Mark::Join(number))) => self.join(at, number)?,
                Some(Item::Mark(Mark::Rest)) if at > 0 => file.questions += 1,
                Some(Item::Mark(Mark::Rest)) => return Err(ProofError::Misplaced('y')),
                Some(Item::Mark(Mark::Part(_))) => return Err(ProofError::Misplaced('i')),
            }
        }
    }

    /// Opens another part, of which the file at `at` tells.
    fn join(&mut self, at: usize, number: i64) -> Result<(), ProofError> {
        let Some(own) = self.identity else { return Err(ProofError::IsPart) };
        if !(1..own.of).contains(&number) || self.files.iter().any(|file| file.number == number) {
            return Err(ProofError::Misplaced('j'));
        }
        let named = (self.open)(number).map_err(ProofError::Parts)?;
        let mut file = File::new(number, named);
        (file.clock, file.questions) = (self.files[at].clock, self.files[at].questions);
        let (name, first) = (&file.name, &self.files[0].name);
        let wrong = |why: String| Err(ProofError::Parts(format!("{name}: {why}")));
        match file.proof.item() {
            Ok(Some(Item::Mark(Mark::Part(other)))) if other == (Identity { number, ..own }) => {}
            Ok(Some(Item::Mark(Mark::Part(other)))) if other.run != own.run || other.of != own.of => {
                return wrong(format!("this file is of another run than {first}: take all files of one run"));
            }
            Ok(Some(Item::Mark(Mark::Part(other)))) => {
                let other = other.number;
                return wrong(format!("this is the part of rank {other}, in the place of rank {number}'s"));
            }
            Err(ProofError::Unreadable(error)) => return Err(unreadable(name, &error)),
            _ => {
                let remedy = format!("take the file that rank {number} wrote in the run of {first}");
                return wrong(format!("this is no part of a proof of several ranks: {remedy}"));
            }
        }
        self.files.push(file);
        self.read_on(self.files.len() - 1)
    }

    /// A step with the serial numbers of the whole proof; nothing if it is left out.
    fn renumbered(&mut self, at: usize, step: Step) -> Result<Option<Step>, ProofError> {
        let file = &mut self.files[at];
        match &step {
            Step::Deletion(number) => {
                let index = usize::try_from(*number).unwrap_or(0).checked_sub(1);
                let serial = index.and_then(|index| file.serials.get(index).copied());
                let serial = serial.ok_or(ProofError::Serial(*number))?;
                return Ok((serial > 0).then_some(Step::Deletion(serial as i64)));
            }
            Step::Because(numbers) => {
                let renumbered = |&number: &i64| match number {
                    THE_SUMS => Some(number),
                    _ => file.serials.get(usize::try_from(number).ok()?.checked_sub(1)?).map(|&n| n as i64),
                };
                let reasons = numbers.iter().filter_map(renumbered).filter(|&number| number != 0);
                return Ok(Some(Step::Because(reasons.collect())));
            }
            Step::Answer(atoms) if !self.news.is_news(atoms) => {
                file.serials.push(0);
                return Ok(None);
            }
            Step::Question { kind, .. } => self.news.ask(*kind),
            Step::Call(_) => self.news.ask_again(),
            Step::End(_) => {
                let all = self.files[0].questions;
                if let Some(cut) = self.files[1..].iter().find(|file| file.questions <= all) {
                    return Err(cut.is_cut());
                }
                self.has_ended = true;
            }
            _ => {}
        }
        let serials = self.serial + 1..=self.serial + step.nogoods();
        self.serial = *serials.end();
        self.files[at].serials.extend(serials);
        Ok(Some(step))
    }
}

fn unreadable(name: &str, error: &std::io::Error) -> ProofError {
    ProofError::Parts(format!("{name}: cannot be read: {error}; is it the right file?"))
}
