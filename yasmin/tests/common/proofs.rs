//! Proofs that are kept in memory, and what they claim.

use std::io::{self, Write};
use std::sync::{Arc, Mutex};
use yasmin::ProofFiles;
use yasmin_check::proof::Proof;
use yasmin_check::{program, Checker, Kind};

/// What a call has claimed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Claim {
    /// There is no answer set.
    None,
    /// There are so many, and no other.
    All(u64),
    /// An optimum, all optimal ones, or consequences.
    Best,
}

/// A file in memory, which whoever has a copy may write.
#[derive(Clone, Default)]
struct File(Arc<Mutex<Vec<u8>>>);

impl File {
    fn bytes(&self) -> Vec<u8> {
        self.0.lock().expect("no panic").clone()
    }
}

impl Write for File {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("no panic").extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// All ground programs with their proofs.
#[derive(Clone, Default)]
pub struct Kept(Arc<Mutex<Vec<(File, File)>>>);

impl Kept {
    /// What opens the next files.
    pub fn opener(&self) -> impl FnMut(u64) -> io::Result<ProofFiles> + Send + 'static {
        let kept = self.clone();
        move |number| {
            let (program, proof) = (File::default(), File::default());
            let mut all = kept.0.lock().expect("no panic");
            all.push((program.clone(), proof.clone()));
            assert_eq!(all.len() as u64, number);
            Ok(ProofFiles { program: Box::new(program), proof: Box::new(proof) })
        }
    }

    /// How many proofs there are.
    pub fn count(&self) -> usize {
        self.0.lock().expect("no panic").len()
    }

    /// Checks all proofs. Returns what they claim, or why one is refused.
    pub fn check(&self) -> Result<Vec<Claim>, String> {
        let mut claims = Vec::new();
        for (number, (program, proof)) in self.0.lock().expect("no panic").iter().enumerate() {
            let text = program.bytes();
            let program = program::read("kept", &text).map_err(|error| error.to_string())?;
            let mut checker = Checker::new(program);
            let bytes = proof.bytes();
            let mut from = &bytes[..];
            let mut steps = Proof::new(&mut from);
            while let Some(step) = steps.step().map_err(|error| format!("proof {number}: {error}"))? {
                checker.step(&step).map_err(|why| format!("proof {number}: {step}: {why}"))?;
            }
            let calls = checker.conclusions_of_calls();
            claims.extend(calls.iter().map(|call| match call.answer_sets {
                0 => Claim::None,
                count if call.question == Kind::AnswerSets && !call.optimal => Claim::All(count),
                _ => Claim::Best,
            }));
        }
        Ok(claims)
    }
}
