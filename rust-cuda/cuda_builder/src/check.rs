//! Whether PTX is whole and cannot panic.

/// Refuses PTX that calls panics or functions that it does not define.
pub fn check(ptx: &str) -> Result<(), String> {
    let mut wrong: Vec<String> = ptx
        .lines()
        .filter(|line| {
            line.contains(".extern .func") || (line.contains("call") && line.contains("panicking"))
        })
        .map(|line| line.trim().to_string())
        .collect();
    wrong.sort();
    wrong.dedup();
    match wrong.len() {
        0 if ptx.contains(".entry ") => Ok(()),
        0 => Err("there is no kernel in it".into()),
        n => Err(format!("{n} calls into panics or to functions that are not there:\n{}", wrong.join("\n"))),
    }
}

#[cfg(test)]
mod tests {
    use super::check;

    #[test]
    fn tells_good_ptx_from_bad() {
        let good = ".visible .entry go(\n)\n{\n ret;\n}\n";
        assert_eq!(check(good), Ok(()));
        assert!(check(".visible .func helper()").is_err());
        assert!(check(&format!(".extern .func malloc\n{good}")).is_err());
        assert!(check(&format!("{good}call.uni _RN4core9panicking5panic, ();")).is_err());
    }
}
