//! `cargo xtask kernels`: compiles the kernels, and writes or compares what comes with the sources:
//! their PTX, and machine code for the GPUs that run it.

use crate::{builds, repository};
use cuda_builder::machine::{self, made_from, sum, Architecture, Assembler, PTXAS, SUMS};
use cuda_builder::{CudaBuilder, NvvmArch};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::{fs, io, thread};

include!("../../../solver-host/device/src/entries.rs");

/// The first minor version of each major version of GPUs from 8 on, on which the PTX runs.
const ALL: [Architecture; 4] = [
    Architecture { major: 8, minor: 0 },
    Architecture { major: 9, minor: 0 },
    Architecture { major: 10, minor: 0 },
    Architecture { major: 12, minor: 0 },
];
/// The most registers of a thread, as the driver is told when it compiles the PTX.
const REGISTERS: u32 = include!("../../../solver-host/device/src/registers.rs");
/// Zstandard's level. Whoever unpacks does not feel it.
const LEVEL: i32 = 19;

fn failed(file: &Path) -> impl Fn(io::Error) -> String + '_ {
    move |error| format!("{}: {error}", file.display())
}

/// Compiles the kernels, and writes the files or compares them.
pub fn kernels(is_check: bool) -> Result<String, String> {
    let device = repository().join("solver-host/device");
    let (file, folder) = (device.join("solver_gpu.ptx.zst"), device.join("machine_code"));
    let builder = CudaBuilder::new(repository().join("solver-gpu")).arch(NvvmArch::Compute80);
    let ptx = builder.to_ship(&builds()).map_err(|error| error.to_string())?;
    if is_check {
        let shipped =
            zstd::decode_all(fs::File::open(&file).map_err(failed(&file))?).map_err(failed(&file))?;
        let shipped = String::from_utf8_lossy(&shipped);
        let how = compare(&shipped, &ptx)
            .map_err(|why| format!("{} {why}; now: cargo xtask kernels", file.display()))?;
        return match lacking(&shipped, &folder)?.first() {
            None => Ok(format!("{} is {how}, and there is machine code of all of it", file.display())),
            Some((of, kernel)) => {
                Err(format!("there is no machine code of {kernel} for {of}; now: cargo xtask kernels"))
            }
        };
    }
    let packed = zstd::encode_all(ptx.as_bytes(), LEVEL).map_err(failed(&file))?;
    fs::write(&file, &packed).map_err(failed(&file))?;
    let (pieces, bytes) = assemble(&ptx, &folder)?;
    let (file, folder) = (file.display(), folder.display());
    Ok(format!("wrote {file}, {} bytes, and {pieces} files in {folder}, {bytes} bytes", packed.len()))
}

/// What has no machine code in the folder that was made from this PTX.
fn lacking<'a>(ptx: &'a str, folder: &Path) -> Result<Vec<(Architecture, &'a str)>, String> {
    let made = made_from(folder).map_err(|error| error.to_string())?;
    let mut all = Vec::new();
    for kernel in entries(ptx) {
        let is_made = made.get(kernel) == Some(&sum(&entry(ptx, kernel)));
        let lacks = |of: &Architecture| !is_made || !machine::file(folder, *of, kernel).exists();
        all.extend(ALL.into_iter().filter(lacks).map(|of| (of, kernel)));
    }
    Ok(all)
}

/// Makes the machine code that is lacking, and takes away that of kernels that are no more. Returns
/// the number of files that were made, and their bytes.
fn assemble(ptx: &str, folder: &Path) -> Result<(usize, usize), String> {
    let jobs = lacking(ptx, folder)?;
    let made = made_from(folder).map_err(|error| error.to_string())?;
    let kernels = entries(ptx);
    for gone in made.keys().filter(|kernel| !kernels.contains(&kernel.as_str())) {
        for of in ALL {
            let file = machine::file(folder, of, gone);
            fs::remove_file(&file).map_err(failed(&file))?;
        }
    }
    if jobs.is_empty() {
        return Ok((0, 0));
    }
    let assembler = Assembler::find().ok_or_else(|| {
        format!(
            "the PTX is written; machine code wants ptxas, which is in a CUDA toolkit and in the Python package \
             nvidia-cuda-nvcc-cu12; the variable {PTXAS} says where"
        )
    })?;
    let work = tempfile::tempdir().map_err(|error| format!("a folder for ptxas: {error}"))?;
    let make = |(of, kernel): (Architecture, &str)| -> Result<usize, String> {
        let (from, to) = (work.path().join(format!("{kernel}.{of}.ptx")), machine::file(folder, of, kernel));
        let plain = from.with_extension("cubin");
        fs::create_dir_all(to.parent().expect("a file has a folder")).map_err(failed(folder))?;
        fs::write(&from, entry(ptx, kernel)).map_err(failed(&from))?;
        assembler.assemble(&from, of, REGISTERS, &plain).map_err(|error| error.to_string())?;
        let code = fs::read(&plain).map_err(failed(&plain))?;
        let packed = zstd::encode_all(&code[..], LEVEL).map_err(failed(&to))?;
        fs::write(&to, &packed).map_err(failed(&to))?;
        Ok(packed.len())
    };
    let (next, threads) = (AtomicUsize::new(0), thread::available_parallelism().map_or(1, |n| n.get()));
    let worker = || -> Result<usize, String> {
        let mut bytes = 0;
        while let Some(&job) = jobs.get(next.fetch_add(1, Relaxed)) {
            bytes += make(job)?;
        }
        Ok(bytes)
    };
    let bytes: Result<Vec<usize>, String> = thread::scope(|scope| {
        let all: Vec<_> = (0..threads).map(|_| scope.spawn(worker)).collect();
        all.into_iter().map(|thread| thread.join().expect("no worker panics")).collect()
    });
    let bytes = bytes?.iter().sum();
    // Last, so that machine code which is half made counts as none.
    let sums: String =
        kernels.iter().map(|kernel| format!("{}  {kernel}\n", sum(&entry(ptx, kernel)))).collect();
    let file = folder.join(SUMS);
    fs::write(&file, sums).map_err(failed(&file))?;
    Ok((jobs.len(), bytes))
}

/// Compares shipped PTX with PTX that has just been compiled: says what the shipped PTX is, or what is wrong
/// with it.
fn compare(shipped: &str, compiled: &str) -> Result<String, &'static str> {
    let (mut of_shipped, mut of_compiled) = (shipped.lines(), compiled.lines());
    if of_shipped.next() != of_compiled.next() {
        return Err("was made from other sources");
    }
    let compiler = |line: Option<&str>| {
        line.and_then(|line| line.strip_prefix("// compiler ")).map(str::to_string).ok_or("names no compiler")
    };
    let (made_by, here) = (compiler(of_shipped.next())?, compiler(of_compiled.next())?);
    match shipped == compiled {
        true => Ok("what the sources compile to".into()),
        false if made_by == here => Err("is not what the sources compile to"),
        false => Ok(format!(
            "made from these sources, by {made_by}; {here} compiles them too, and what it makes was not compared"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::{compare, lacking, machine, sum, ALL, SUMS};
    use std::fs;

    #[test]
    fn machine_code_counts_if_it_is_of_the_ptx_and_all_there() {
        let of = |body: &str| format!(".version 7.0\n\n.visible .entry add(\n)\n{{\n{body};\n}}\n");
        let (folder, ptx) = (tempfile::tempdir().unwrap(), of("ret"));
        let lacks = |ptx: &str| lacking(ptx, folder.path()).unwrap().len();
        assert_eq!(lacks(&ptx), ALL.len());
        fs::write(folder.path().join(SUMS), format!("{}  add\n", sum(&ptx))).unwrap();
        for (done, of) in ALL.into_iter().enumerate() {
            assert_eq!(lacks(&ptx), ALL.len() - done);
            let file = machine::file(folder.path(), of, "add");
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, "code").unwrap();
        }
        assert_eq!(lacks(&ptx), 0);
        assert_eq!(lacks(&of("trap")), ALL.len());
    }

    #[test]
    fn ptx_is_compared_where_one_compiler_made_both() {
        let ptx = |sources: u32, compiler: u32, text: &str| {
            format!("// sources {sources}\n// compiler rustc 1.{compiler}\n{text}\n")
        };
        let shipped = ptx(1, 96, "add");
        assert!(compare(&shipped, &shipped).unwrap().contains("compile to"));
        assert!(compare(&shipped, &ptx(1, 96, "sub")).unwrap_err().contains("not what"));
        assert!(compare(&shipped, &ptx(2, 96, "add")).unwrap_err().contains("other sources"));
        assert!(compare(&shipped, &ptx(2, 95, "add")).unwrap_err().contains("other sources"));
        let other = compare(&shipped, &ptx(1, 95, "sub")).unwrap();
        assert!(other.contains("by rustc 1.96") && other.contains("not compared"), "{other}");
        assert!(compare("// sources 1\nadd\n", &shipped).unwrap_err().contains("no compiler"));
    }
}
