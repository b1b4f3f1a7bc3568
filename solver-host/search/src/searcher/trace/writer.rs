//! Writes the lines of a trace, whole lines only, as many as are allowed.
//!
//! Main type: [`Writer`]. Invariant: each call of the sink ends with the end of a line.

use super::events::{Because, Event, Line, Start};
use serde::Serialize;
use std::io::{self, Write};

/// Bytes that are collected before they are written.
const CHUNK: usize = 1 << 16;

/// What a trace is written to. See the module's documentation.
pub struct Writer {
    to: Box<dyn Write + Send>,
    lines: Vec<u8>,
    /// The most events; 0: any number.
    limit: u64,
    events: u64,
    is_over: bool,
}

impl Writer {
    /// A writer of at most `limit` events, or of any number if that is 0.
    pub fn new(to: Box<dyn Write + Send>, limit: u64) -> Writer {
        Writer { to, lines: Vec::new(), limit, events: 0, is_over: false }
    }

    /// Whether the last line is written.
    pub fn is_over(&self) -> bool {
        self.is_over
    }

    /// Writes the first line.
    ///
    /// # Errors
    /// If the sink fails.
    pub fn start(&mut self, start: &Start) -> io::Result<()> {
        self.line(start)?;
        self.flush()
    }

    /// Writes an event of a searcher, or the last line if there are as many events as there may be.
    ///
    /// # Errors
    /// If the sink fails.
    pub fn event(&mut self, event: &Event, searcher: u64) -> io::Result<()> {
        if self.is_over {
            return Ok(());
        }
        if self.limit > 0 && self.events == self.limit {
            return self.end(Because::Limit, true);
        }
        self.events += 1;
        self.line(&Line { event, searcher })?;
        if self.lines.len() >= CHUNK {
            self.flush()?;
        }
        Ok(())
    }

    /// Writes the last line, unless that is done. The line says whether events are missing.
    ///
    /// # Errors
    /// If the sink fails.
    pub fn end(&mut self, because: Because, cut: bool) -> io::Result<()> {
        if self.is_over {
            return Ok(());
        }
        self.is_over = true;
        self.line(&Event::End { because, cut, events: self.events })?;
        self.flush()
    }

    fn line(&mut self, value: &impl Serialize) -> io::Result<()> {
        serde_json::to_writer(&mut self.lines, value)?;
        self.lines.push(b'\n');
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        let written = self.to.write_all(&self.lines).and_then(|()| self.to.flush());
        self.lines.clear();
        written
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{Arc, Mutex};

    /// Each piece that was written.
    #[derive(Clone, Default)]
    struct Pieces(Arc<Mutex<Vec<String>>>);

    impl Write for Pieces {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().expect("no panic").push(String::from_utf8_lossy(bytes).into_owned());
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn lines_are_whole_and_the_last_one_says_whether_there_is_more() {
        let event = Event::Decide { level: 2, literal: -1, assumed: false };
        for (limit, events, last) in [
            (3, 3, r#"{"event":"end","because":"exhausted","cut":false,"events":3}"#),
            (3, 4, r#"{"event":"end","because":"limit","cut":true,"events":3}"#),
            (0, 5000, r#"{"event":"end","because":"exhausted","cut":false,"events":5000}"#),
        ] {
            let pieces = Pieces::default();
            let mut writer = Writer::new(Box::new(pieces.clone()), limit);
            (0..events).for_each(|_| writer.event(&event, 0).expect("a vector takes everything"));
            writer.end(Because::Exhausted, false).expect("a vector takes everything");
            let pieces = pieces.0.lock().expect("no panic");
            assert!(pieces.iter().all(|piece| piece.ends_with('\n')));
            assert!(pieces.len() > 1 || events < 5000, "long traces are not kept in memory");
            assert_eq!(pieces.concat().lines().last(), Some(last));
            let written = if limit == 0 { events } else { events.min(limit) };
            assert_eq!(pieces.concat().lines().count() as u64, written + 1);
        }
    }
}
