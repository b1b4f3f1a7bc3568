//! Tables in Markdown.
//!
//! Main function: [`table`]. Invariant: what is not known is a dash, never an empty cell.

use std::fmt::Write;

use crate::numbers::{short, Time};

/// A number, if there is one.
pub fn number(value: Option<f64>) -> String {
    value.map_or("–".into(), short)
}

/// A time, if there is one.
pub fn or_dash(time: Option<Time>) -> String {
    time.map_or("–".into(), |time| time.to_string())
}

/// A table; what is not in the first column is flush right.
pub fn table(text: &mut String, header: &[String], rows: Vec<Vec<String>>) {
    let _ = writeln!(text, "| {} |", header.join(" | "));
    let _ = writeln!(text, "| --- |{}", " --: |".repeat(header.len().saturating_sub(1)));
    for row in rows {
        let _ = writeln!(text, "| {} |", row.join(" | "));
    }
    text.push('\n');
}
