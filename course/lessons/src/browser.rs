//! The program `lessons` as the book's pages run it, in WebAssembly. Main function: [`lessons`].

use crate::command::{broken, list, run, solve_text};
use crate::lesson::simulated;

#[link(wasm_import_module = "page")]
extern "C" {
    /// Shows a line of text.
    fn say(text: *const u8, bytes: usize);
}

fn show(line: String) {
    // SAFETY: the page reads the text before it returns.
    unsafe { say(line.as_ptr(), line.len()) }
}

/// Memory for a text of the page.
#[no_mangle]
pub extern "C" fn room(bytes: usize) -> *mut u8 {
    Vec::leak(vec![0; bytes]).as_mut_ptr()
}

/// Runs what stands behind `lessons` in a command line, on the simulated GPU. The text in `room` is the words
/// of the command, separated by blanks; and for `solve FILE`, after the end of the first line, what the file
/// holds.
///
/// # Safety
/// `text` is from [`room`], with so many bytes.
#[no_mangle]
pub unsafe extern "C" fn lessons(text: *const u8, bytes: usize, seed: u64) {
    // SAFETY: the caller's contract.
    let text = String::from_utf8_lossy(unsafe { std::slice::from_raw_parts(text, bytes) });
    let (command, file) = text.split_once('\n').unwrap_or((&text, ""));
    let mut words = command.split_whitespace().map(String::from);
    let (task, names) = (words.next().unwrap_or_default(), words.collect::<Vec<_>>());
    let device = &mut simulated(seed, 1);
    let outcome = match task.as_str() {
        "run" => run(&names, device, &mut show),
        "broken" => broken(&names, seed, &mut show),
        "solve" => solve_text(&names.concat(), file, device, &mut show),
        _ => {
            list(&mut show);
            Ok(true)
        }
    };
    if let Err(why) = outcome {
        show(format!("lessons: error: {why}"));
    }
}
