//! A project of somebody else builds with this crate, without CUDA, without a toolchain for kernels, and with kernels inside.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const MAIN: &str = r#"
use yasmin::{Control, DeviceKind, Options, Question};

fn main() {
    let ground = "asp 1 0 0\n1 1 2 1 2 0 0\n1 0 0 0 2 1 2\n4 1 a 1 1\n4 1 b 1 2\n0\n";
    let read = |options| Control::read("example", ground.as_bytes(), options).expect("a program");
    let answers = read(Options::on_processor()).solve(&Question::new()).expect("a question").count();
    let on_gpu = Options { device: DeviceKind::Gpu(0), ..Options::on_processor() };
    match read(on_gpu).solve(&Question::new()) {
        Ok(_) => println!("{answers} answer sets, and a GPU"),
        Err(error) => println!("{answers} answer sets, and {error}"),
    };
}
"#;

/// Makes a project that depends on the crate, and runs its program.
fn run(folder: &Path, dependency: &str) -> String {
    fs::create_dir_all(folder.join("src")).expect("a folder");
    let manifest = format!(
        "[package]\nname = \"outside\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[dependencies]\nyasmin = {dependency}\n\n\
         [workspace]\n"
    );
    fs::write(folder.join("Cargo.toml"), manifest).expect("a file");
    fs::write(folder.join("src/main.rs"), MAIN).expect("a file");
    // The versions that are here already.
    let lock = Path::new(env!("CARGO_MANIFEST_DIR")).join("../Cargo.lock");
    fs::copy(lock, folder.join("Cargo.lock")).expect("the versions of the workspace");
    let output = cargo(folder, &["run", "--quiet"]);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(!text(&output.stderr).contains("warning"), "{}", text(&output.stderr));
    text(&output.stdout)
}

fn cargo(folder: &Path, arguments: &[&str]) -> Output {
    let builds = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("outside");
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(folder).args(arguments);
    for (name, _) in std::env::vars_os() {
        let name = name.to_string_lossy().into_owned();
        if name.starts_with("CUDA") || name.starts_with("CARGO_PKG") || name.starts_with("CARGO_MANIFEST") {
            cargo.env_remove(name);
        }
    }
    // No compiler for kernels is found.
    cargo.env("CUDA_BUILDER_RUSTC", "/no/such/rustc").env("CARGO_TARGET_DIR", builds);
    cargo.output().expect("cargo runs")
}

fn has_kernels(said: &str) {
    assert!(said.starts_with("3 answer sets, and "), "{said}");
    assert!(
        said.contains("a GPU") || said.contains("no NVIDIA driver") || said.contains("the driver"),
        "{said}"
    );
    assert!(!said.contains("built without kernels"), "{said}");
}

#[test]
#[ignore = "builds for itself: scripts/test.sh --all"]
fn builds_for_itself_a_project_depends_on_the_crate_by_its_path() {
    let folder = tempfile::tempdir().expect("a folder");
    has_kernels(&run(folder.path(), &format!("{{ path = {:?} }}", env!("CARGO_MANIFEST_DIR"))));
}

#[test]
#[ignore = "builds everything once more: scripts/long.sh --only recipes"]
fn a_project_depends_on_the_crate_by_git() {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().expect("a folder");
    if !repository.join(".git").exists() {
        eprintln!("SKIPPED: the sources are no git repository");
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    has_kernels(&run(folder.path(), &format!("{{ git = \"file://{}\" }}", repository.display())));
}
