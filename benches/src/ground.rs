//! Makes the ground programs of a suite with gringo.
//!
//! Main function: [`ground`]. Invariant: a ground program is whole or not there.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::generate::facts;
use crate::suite::{Instance, Suite};
use crate::Error;

/// Grounds every instance that has a source into `out/NAME.aspif`; files are looked for in `folder`. Calls `told` with
/// each name before it is ground, and leaves what is there already unless `again`.
pub fn ground(
    suite: &Suite,
    folder: &Path,
    out: &Path,
    gringo: &Path,
    again: bool,
    mut told: impl FnMut(&str),
) -> Result<(), Error> {
    std::fs::create_dir_all(out).map_err(|e| Error::file(out, e))?;
    for instance in &suite.instances {
        let program = out.join(format!("{}.aspif", instance.name));
        if instance.source.is_some() && (again || !program.is_file()) {
            told(&instance.name);
            one(instance, folder, &program, gringo)?;
        }
    }
    Ok(())
}

fn one(instance: &Instance, folder: &Path, program: &Path, gringo: &Path) -> Result<(), Error> {
    let Some(source) = &instance.source else { return Ok(()) };
    let failed = |why: String| Error::Ground(instance.name.clone(), why);
    let mut command = Command::new(gringo);
    command.args(source.constants.iter().map(|constant| format!("-c{constant}")));
    command.args(source.files.iter().map(|file| folder.join(file)));
    let mut instance_facts = String::new();
    if let Some(made) = &source.generate {
        if source.files.is_empty() {
            command.arg(folder.join(made.family.encoding()));
        }
        command.arg("-");
        instance_facts = facts(made.family, made.size, made.seed);
    }
    let part = program.with_extension("aspif.part");
    let ground = std::fs::File::create(&part).map_err(|e| Error::file(&part, e))?;
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(ground)
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|e| Error::Grounder(gringo.display().to_string(), e))?;
    if let Some(mut stdin) = child.stdin.take() {
        // A grounder that fails may not read all of it; its exit code tells.
        let _ = stdin.write_all(instance_facts.as_bytes());
    }
    let ended = child.wait_with_output().map_err(|e| failed(e.to_string()))?;
    if !ended.status.success() {
        let _ = std::fs::remove_file(&part);
        return Err(failed(format!(
            "{}\n{}",
            ended.status,
            String::from_utf8_lossy(&ended.stderr).trim_end()
        )));
    }
    std::fs::rename(&part, program).map_err(|e| Error::file(program, e))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suite::{Generate, Source};

    #[test]
    fn a_failing_grounder_leaves_nothing() {
        let folder = std::env::temp_dir().join(format!("yasmin-bench-ground-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let made = Generate { family: crate::generate::Family::Sat, size: 5, seed: 1 };
        let source = Source { files: vec![], generate: Some(made), constants: vec![] };
        let text =
            r#"{"time_limit": 1, "configurations": [], "instances": [{"name": "a", "family": "sat"}]}"#;
        let mut suite: Suite = serde_json::from_str(text).expect("a suite");
        suite.instances[0].source = Some(source);
        let fails = ground(&suite, &folder, &folder, Path::new("false"), true, |_| {});
        assert!(matches!(fails, Err(Error::Ground(..))));
        assert_eq!(std::fs::read_dir(&folder).expect("there").count(), 0);
        // `echo` says what it was called with.
        ground(&suite, &folder, &folder, Path::new("echo"), true, |_| {}).expect("echo runs");
        let said = std::fs::read_to_string(folder.join("a.aspif")).expect("made");
        assert!(said.trim_end().ends_with("sat.lp -"), "{said}");
        std::fs::remove_dir_all(&folder).expect("removed");
    }
}
