//! What the names of variables say of answer sets.
//!
//! Main function: [`meaning`].

/// Whether a name is that of an atom which the test has named: `x1`, or `p0x1` in one of several parts.
pub fn is_plain(name: &str) -> bool {
    let of_part = name.strip_prefix('p').map(|rest| rest.trim_start_matches(|c: char| c.is_ascii_digit()));
    let number = of_part.unwrap_or(name).strip_prefix('x');
    number.is_some_and(|number| number.parse::<u32>().is_ok())
}

/// Whether what a name says is true in an answer set; none if the name is not made of the test's atoms.
pub fn meaning(name: &str, answer_set: &[String]) -> Option<bool> {
    if let Some(rest) = name.strip_prefix("not ") {
        return Some(!meaning(rest, answer_set)?);
    }
    if let Some(body) = name.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) {
        return body
            .split(", ")
            .map(|part| meaning(part, answer_set))
            .try_fold(true, |all, part| Some(all & part?));
    }
    is_plain(name).then(|| answer_set.iter().any(|known| known == name))
}
