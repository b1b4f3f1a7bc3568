//! PTX that was compiled before, and comes with the sources.
//!
//! Whoever depends on a crate may have no toolchain that compiles kernels. The crate then comes with a file of PTX, compressed
//! by Zstandard, whose first line names the sources by a hash (SHA-256). The file counts only if these are the sources.

use crate::{io_error, CudaBuilderError};
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};

/// What the first line begins with. To PTX it is a comment.
const FIRST: &str = "// sources ";

/// The first line of PTX that is made from these files, with the given flags.
///
/// # Errors
/// If one of the files cannot be read.
pub fn first_line(files: &[PathBuf], flags: &str) -> Result<String, CudaBuilderError> {
    let mut hash = Sha256::new();
    let mut add = |bytes: &[u8]| {
        // With their length, so that bytes that move from one file to the next make a difference.
        hash.update((bytes.len() as u64).to_le_bytes());
        hash.update(bytes);
    };
    add(flags.as_bytes());
    for file in files {
        add(&std::fs::read(file).map_err(|e| io_error(file, e))?);
    }
    Ok(format!("{FIRST}{}\n", in_hexadecimal(hash)))
}

/// A hash as text.
pub fn in_hexadecimal(hash: Sha256) -> String {
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The files of sources in folders, in an order of their own.
///
/// # Errors
/// If a folder cannot be read.
pub fn files_in(folders: &[PathBuf]) -> Result<Vec<PathBuf>, CudaBuilderError> {
    let (mut folders, mut files) = (folders.to_vec(), Vec::new());
    while let Some(folder) = folders.pop() {
        let mut entries = Vec::new();
        for entry in std::fs::read_dir(&folder).map_err(|e| io_error(&folder, e))? {
            entries.push(entry.map_err(|e| io_error(&folder, e))?.path());
        }
        entries.sort();
        for path in entries {
            match path.is_dir() {
                true => folders.push(path),
                false if path.extension().is_some_and(|end| end == "rs") => files.push(path),
                false => {}
            }
        }
    }
    Ok(files)
}

/// Writes shipped PTX to a file, whatever the sources are: for a published package, whose PTX was compared
/// with the sources before. [`crate::CudaBuilder::shipped`] compares.
///
/// # Errors
/// If a file cannot be read or written, or is damaged.
pub fn unpack(shipped: &Path, to: &Path) -> Result<(), CudaBuilderError> {
    let ptx = read(shipped, FIRST)?
        .ok_or_else(|| CudaBuilderError::BadPtx(format!("{} names no sources", shipped.display())))?;
    std::fs::write(to, ptx).map_err(|e| io_error(to, e))
}

/// The PTX in a file, if it begins with this.
///
/// # Errors
/// If the file cannot be read, or is damaged.
pub fn read(file: &Path, first_line: &str) -> Result<Option<String>, CudaBuilderError> {
    let bytes = std::fs::read(file).map_err(|e| io_error(file, e))?;
    let damaged = |why: String| CudaBuilderError::BadPtx(format!("{} is damaged: {why}", file.display()));
    let mut decoder =
        ruzstd::decoding::StreamingDecoder::new(&bytes[..]).map_err(|e| damaged(e.to_string()))?;
    let mut text = String::new();
    std::io::Read::read_to_string(&mut decoder, &mut text).map_err(|e| damaged(e.to_string()))?;
    Ok(text.starts_with(first_line).then_some(text))
}

#[cfg(test)]
mod tests {
    use super::{unpack, FIRST};
    use ruzstd::encoding::{compress_to_vec, CompressionLevel};
    use std::fs;

    #[test]
    fn ptx_is_unpacked_and_anything_else_refused() {
        let folder = std::env::temp_dir().join(format!("cuda_builder-shipped-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        let (shipped, to) = (folder.join("ptx.zst"), folder.join("ptx"));
        let ptx = format!("{FIRST}1a2b\n.version 7.0\n");
        let packed = |text: &str| compress_to_vec(text.as_bytes(), CompressionLevel::Fastest);
        let unpacked = |bytes: Vec<u8>| {
            fs::write(&shipped, bytes).expect("a file");
            unpack(&shipped, &to).map_err(|error| error.to_string())
        };
        assert_eq!(unpacked(packed(&ptx)), Ok(()));
        assert_eq!(fs::read_to_string(&to).expect("the PTX"), ptx);
        assert!(unpacked(packed(".version 7.0\n")).is_err_and(|why| why.contains("names no sources")));
        assert!(unpacked(b"torn".to_vec()).is_err_and(|why| why.contains("damaged")));
        fs::remove_dir_all(&folder).expect("the folder goes");
    }
}
