//! The files that the command reads and writes.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::path::Path;

use yasmin_check::parts::{identity, Merged, Named};
use yasmin_check::program::Program;
use yasmin_check::proof::{Step, Writer};

use crate::halves::Halves;
use crate::{memory, standard};

/// How a file begins that is compressed by Zstandard (RFC 8878).
const ZSTD: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// Opens a file, or standard input.
pub fn open(file: &str) -> Result<Box<dyn Read>, String> {
    let opened = match file {
        "-" => {
            standard::check_input()?;
            Ok(Box::new(io::stdin().lock()) as Box<dyn Read>)
        }
        _ => File::open(file).map(|file| Box::new(file) as Box<dyn Read>),
    };
    opened.map_err(|error| unreadable(file, &error))
}

/// Opens a proof, which may be compressed.
pub fn open_proof(file: &str) -> Result<Box<dyn BufRead>, String> {
    let mut from = BufReader::with_capacity(1 << 16, open(file)?);
    let begins = from.fill_buf().map_err(|error| unreadable(file, &error))?;
    if !begins.starts_with(&ZSTD) {
        return Ok(Box::new(from));
    }
    let decoder = zstd::Decoder::with_buffer(from).map_err(|error| unreadable(file, &error))?;
    Ok(Box::new(BufReader::with_capacity(1 << 16, Unpacked(decoder))))
}

/// What is unpacked. Zstandard has memory of its own, and the command ends without that as without any other.
struct Unpacked<R: BufRead>(zstd::Decoder<'static, R>);

impl<R: BufRead> Read for Unpacked<R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let read = self.0.read(to);
        match &read {
            // The library has no other name for it.
            Err(error) if error.to_string().starts_with("Allocation error") => memory::end(),
            _ => read,
        }
    }
}

pub fn unreadable(file: &str, error: &io::Error) -> String {
    format!("{file}: cannot be read: {error}; is it the right file?")
}

/// The files of a proof.
pub struct Proofs {
    /// The file that was named, or that of rank 0.
    first: String,
    /// The files of ranks, by their numbers, if all were named.
    named: Option<BTreeMap<i64, String>>,
}

impl Proofs {
    /// Looks at the files if there are several, to know whose they are.
    pub fn of(files: &[String]) -> Result<Proofs, String> {
        let [first, others @ ..] = files else { return Err("no proof is named".into()) };
        if others.is_empty() {
            return Ok(Proofs { first: first.clone(), named: None });
        }
        let mut named: BTreeMap<i64, String> = BTreeMap::new();
        for file in files {
            if file == "-" {
                return Err("one of several files of a proof is not standard input: name a file".into());
            }
            let found = identity(open_proof(file)?).map_err(|error| unreadable(file, &error))?;
            let found = found.ok_or_else(|| {
                format!("{file}: this is no part of a proof of several ranks, and only parts come together")
            })?;
            if let Some(other) = named.insert(found.number, file.clone()) {
                return Err(format!("{other} and {file} are both the part of rank {}", found.number));
            }
        }
        match named.get(&0) {
            Some(first) => Ok(Proofs { first: first.clone(), named: Some(named) }),
            None => Err(format!("{first}: the part of rank 0 is missing: name that file, too")),
        }
    }

    /// The whole proof, or that of rank 0.
    pub fn first(&self) -> &str {
        &self.first
    }

    /// The file of another rank.
    fn other(&self, number: i64) -> Result<Named<'static>, String> {
        let first = &self.first;
        let file = match &self.named {
            _ if first == "-" => {
                Err(format!("the part of rank {number} is missing: name the files of all ranks"))
            }
            Some(named) => named
                .get(&number)
                .cloned()
                .ok_or_else(|| format!("{first}: the part of rank {number} is missing: name that file, too")),
            None => Ok(format!("{first}.{number}")),
        }?;
        if self.named.is_none() && !Path::new(&file).exists() {
            return Err(format!(
                "{file}: the part of rank {number} is missing: copy it from that rank's machine, or name the \
                 files of all ranks"
            ));
        }
        open_proof(&file).map(|from| (file, from as Box<dyn BufRead>))
    }

    /// The steps of all files, where `from` is what the first one has.
    pub fn steps<'a>(&'a self, program: &Program, from: Box<dyn BufRead + 'a>) -> Merged<'a> {
        Merged::new(program, (self.first.clone(), from), |number| self.other(number))
    }
}

/// The files of `--cnf` and `--lrat`.
pub struct Written {
    halves: Halves,
    cnf: File,
    pub lrat: BufWriter<File>,
}

impl Written {
    pub fn create(cnf: &Path, lrat: &Path) -> Result<Written, String> {
        let create = |path: &Path| {
            File::create(path).map_err(|error| format!("cannot write {}: {error}", path.display()))
        };
        let halves = vec![cnf.to_owned(), lrat.to_owned()];
        let (cnf, lrat) = (create(cnf)?, create(lrat)?);
        Ok(Written { halves: Halves::new(halves), cnf, lrat: BufWriter::new(lrat) })
    }

    /// Writes the formula, and keeps both files.
    pub fn keep(mut self, formula: &[u8]) -> io::Result<()> {
        self.cnf.write_all(formula)?;
        self.halves.keep();
        Ok(())
    }
}

/// The file of a trimmed proof.
pub struct Trimmed<'a> {
    file: &'a str,
    writer: Writer<BufWriter<File>>,
    half: Halves,
}

impl<'a> Trimmed<'a> {
    pub fn create(file: &'a str, is_binary: bool) -> Result<Trimmed<'a>, String> {
        let writer = File::create(file).and_then(|to| Writer::new(BufWriter::new(to), is_binary));
        let writer = writer.map_err(|error| format!("{file}: cannot be written: {error}"))?;
        Ok(Trimmed { file, writer, half: Halves::new(vec![file.into()]) })
    }

    /// Writes a step; nothing at the end.
    pub fn write(&mut self, step: Option<&Step>) -> Result<(), String> {
        let written = match step {
            Some(step) => self.writer.write(step),
            None => self.writer.flush(),
        };
        written.map_err(|error| format!("{}: cannot be written: {error}", self.file))
    }

    /// Keeps the file.
    pub fn keep(self) {
        self.half.keep();
    }
}
