//! Whether PTX is whole, cannot panic, and keeps what threads do together in kernels.

/// Refuses PTX that calls panics or functions that neither it nor the driver defines, or has barriers,
/// shuffles, votes or the like in a function: whoever calls that does not see that the call is convergent.
pub fn check(ptx: &str) -> Result<(), String> {
    let mut wrong: Vec<String> = ptx
        .lines()
        .filter(|line| {
            let is_missing = line.contains(".extern .func") && !line.ends_with(" vprintf");
            is_missing || (line.contains("call") && line.contains("panicking"))
        })
        .map(|line| line.trim().to_string())
        .collect();
    wrong.sort();
    wrong.dedup();
    if !wrong.is_empty() {
        let n = wrong.len();
        return Err(format!(
            "{n} calls into panics or to functions that are not there:\n{}",
            wrong.join("\n")
        ));
    }
    let mut is_function = false;
    for line in ptx.lines() {
        if line.contains(".entry ") {
            is_function = false;
        } else if line.contains(".func ") {
            is_function = true;
        } else if is_function && CONVERGENT.iter().any(|word| line.trim_start().starts_with(word)) {
            return Err(format!("a function that is no kernel has `{}`: it has to be inlined", line.trim()));
        }
    }
    match ptx.contains(".entry ") {
        true => Ok(()),
        false => Err("there is no kernel in it".into()),
    }
}

/// How instructions begin for which threads have to meet.
const CONVERGENT: [&str; 6] = ["bar.", "barrier.", "shfl.", "vote.", "redux.", "match."];

#[cfg(test)]
mod tests {
    use super::check;

    #[test]
    fn tells_good_ptx_from_bad() {
        let good = ".visible .entry go(\n)\n{\n ret;\n}\n";
        assert_eq!(check(good), Ok(()));
        assert!(check(".visible .func helper()").is_err());
        assert!(check(&format!(".extern .func malloc\n{good}")).is_err());
        assert_eq!(check(&format!(".extern .func  (.param .b32 func_retval0) vprintf\n{good}")), Ok(()));
        let helper = |does: &str| format!(".func helper(\n)\n{{\n\t{does};\n}}\n{good}");
        assert_eq!(check(&helper("add.u32 %r1, %r2, %r3")), Ok(()));
        for does in [
            "bar.sync 0",
            "shfl.sync.down.b32 %r1|%p1, %r2, %r3, 31, -1",
            "vote.sync.ballot.b32 %r1, %p1, -1",
            "redux.sync.max.u32 %r1, %r2, -1",
            "match.any.sync.b32 %r1, %r2, -1",
        ] {
            assert!(check(&helper(does)).is_err(), "{does}");
        }
        assert!(check(&format!("{good}call.uni _RN4core9panicking5panic, ();")).is_err());
    }
}
