//! A page on which one can watch launches step by step, forwards and backwards. Main type: [`Trace`].
//!
//! With `CUDA_STD_WATCH=FILE` in the environment, each launch whose accesses are checked is added to the page
//! `FILE`: what each thread reads and writes, where threads wait and meet, and the error at the end.
//! `watch.html` is the page without launches; a launch is a line of JSON in it. After [`MOST_STEPS`] steps of
//! all launches nothing more is recorded.
//!
//! The value of a step is what memory holds when the next step begins: until then, no other thread runs.

use std::collections::HashMap;
use std::fmt::Write;
use std::panic::Location;
use std::sync::{Mutex, OnceLock};

/// The most steps of all launches of a page.
const MOST_STEPS: usize = 200_000;

/// The page, up to the launches and after them.
const PAGE: &str = include_str!("watch.html");

/// What was recorded of the launches that have ended.
#[derive(Default)]
struct Page {
    /// The launches in JSON, with commas between them.
    launches: String,
    steps: usize,
}

/// What is recorded of a launch.
pub(crate) struct Trace {
    /// The steps in JSON, with a comma after each; the last one has no value yet if there is a `pending` one.
    text: String,
    steps: usize,
    /// The memory that the last step accessed.
    pending: Option<(usize, usize)>,
    places: HashMap<&'static Location<'static>, usize>,
    arrays: HashMap<String, usize>,
}

/// The page's path, and its launches.
fn page() -> Option<&'static (std::ffi::OsString, Mutex<Page>)> {
    static PAGE: OnceLock<Option<(std::ffi::OsString, Mutex<Page>)>> = OnceLock::new();
    let open = || Some((std::env::var_os("CUDA_STD_WATCH")?, Mutex::default()));
    PAGE.get_or_init(open).as_ref()
}

/// A text in JSON, within a page of HTML.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            '<' | '\0'..' ' => _ = write!(quoted, "\\u{:04x}", c as u32),
            _ => quoted.push(c),
        }
    }
    quoted + "\""
}

impl Trace {
    /// A recorder, if anybody wants to watch.
    pub fn wanted() -> Option<Self> {
        let (_, launches) = page()?;
        let is_full = launches.lock().expect("no panic while locked").steps >= MOST_STEPS;
        (!is_full).then(|| Trace {
            text: String::new(),
            steps: 0,
            pending: None,
            places: HashMap::new(),
            arrays: HashMap::new(),
        })
    }

    /// Completes the last step, and says whether there is room for another.
    fn next(&mut self) -> bool {
        if let Some((address, bytes)) = self.pending.take() {
            let mut value = [0u8; 8];
            let bytes = bytes.min(8);
            // SAFETY: the access to this memory was checked, and the launch, which owns the memory, has not
            // ended.
            unsafe { std::ptr::copy_nonoverlapping(address as *const u8, value.as_mut_ptr(), bytes) };
            let _ = write!(self.text, "\"{}\"],", u64::from_le_bytes(value));
        }
        self.steps += 1;
        self.steps <= MOST_STEPS
    }

    fn place(&mut self, at: &'static Location<'static>) -> usize {
        let number = self.places.len();
        *self.places.entry(at).or_insert(number)
    }

    /// A thread accesses an element of an array.
    pub fn access(
        &mut self,
        thread: u32,
        what: &str,
        at: &'static Location<'static>,
        (array, index): (String, usize),
        (address, bytes): (usize, usize),
    ) {
        if self.next() {
            let (place, number) = (self.place(at), self.arrays.len());
            let array = *self.arrays.entry(array).or_insert(number);
            let _ = write!(self.text, "[\"{what}\",{thread},{place},{array},{index},");
            self.pending = Some((address, bytes));
        }
    }

    /// A thread waits, or makes a fence.
    pub fn stops(&mut self, thread: u32, what: &str, at: &'static Location<'static>) {
        if self.next() {
            let place = self.place(at);
            let _ = write!(self.text, "[\"{what}\",{thread},{place}],");
        }
    }

    /// Threads have waited for each other, and go on; or one thread has come to its end.
    pub fn threads(&mut self, what: &str, threads: impl Iterator<Item = usize>) {
        if self.next() {
            let threads: Vec<String> = threads.map(|thread| thread.to_string()).collect();
            let _ = write!(self.text, "[\"{what}\",[{}]],", threads.join(","));
        }
    }

    /// Adds the launch to the page, and writes the page.
    pub fn end(mut self, kernel: &str, (blocks, threads): (u32, u32), error: Option<String>) {
        self.next();
        self.steps -= 1;
        let Some((path, page)) = page() else { return };
        let page = &mut *page.lock().expect("no panic while locked");
        let mut places: Vec<_> = self.places.into_iter().collect();
        places.sort_by_key(|place| place.1);
        let mut files = HashMap::new();
        let mut line = |at: &Location| {
            let file = files.entry(at.file().to_string());
            let text: &String =
                file.or_insert_with(|| std::fs::read_to_string(at.file()).unwrap_or_default());
            quoted(text.lines().nth(at.line() as usize - 1).unwrap_or_default().trim())
        };
        let places: Vec<String> =
            places.iter().map(|(at, _)| format!("[{},{}]", quoted(&at.to_string()), line(at))).collect();
        let mut arrays: Vec<_> = self.arrays.into_iter().collect();
        arrays.sort_by_key(|array| array.1);
        let arrays: Vec<String> = arrays.iter().map(|(name, _)| quoted(name)).collect();
        let error = error.map_or("null".into(), |error| quoted(&error));
        let comma = if page.launches.is_empty() { "" } else { ",\n" };
        let _ = write!(
            page.launches,
            "{comma}{{\"kernel\":{},\"blocks\":{blocks},\"threads\":{threads},\"places\":[{}],\"arrays\":[{}],\
             \"error\":{error},\"more\":{},\"steps\":[{}]}}",
            quoted(kernel),
            places.join(","),
            arrays.join(","),
            self.steps.saturating_sub(MOST_STEPS),
            self.text.trim_end_matches(',')
        );
        page.steps += self.steps;
        let (begin, end) = PAGE.split_once("/* launches */").expect("the page has a place for launches");
        let written = std::fs::write(path, [begin, &page.launches, end].concat());
        written.unwrap_or_else(|error| panic!("CUDA_STD_WATCH: cannot write {path:?}: {error}"));
    }
}

#[cfg(test)]
mod tests {
    use super::quoted;

    /// What an assertion says has several lines, and a source may end a script.
    #[test]
    fn a_text_stays_within_its_quotes() {
        assert_eq!(quoted("left: \"1\"\n</script>\\"), r#""left: \"1\"\u000a\u003c/script>\\""#);
    }
}
