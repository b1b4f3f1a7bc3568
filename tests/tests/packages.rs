//! The packages that are published have what a registry asks for, are of one release, and stand alone.
//!
//! `scripts/release.sh` builds the command from the packages. What is tested here is what breaks without
//! notice.

use std::fs;
use std::path::{Component, Path, PathBuf};
use std::process::Command;

use serde::Deserialize;
use yasmin_tests::floors::rust_files;

/// Names of packages that are others' on crates.io, and those of their libraries.
const TAKEN: [&str; 4] = ["cuda_builder", "cuda_std", "cuda_std_macros", "cust"];

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

/// What `cargo metadata` tells of a package.
#[derive(Deserialize)]
struct Package {
    name: String,
    version: String,
    description: Option<String>,
    license: Option<String>,
    readme: Option<PathBuf>,
    rust_version: Option<String>,
    keywords: Vec<String>,
    categories: Vec<String>,
    /// The registries to publish in; none at all with `publish = false`.
    publish: Option<Vec<String>>,
    dependencies: Vec<Dependency>,
    manifest_path: PathBuf,
}

#[derive(Deserialize)]
struct Dependency {
    name: String,
    req: String,
    kind: Option<String>,
    path: Option<PathBuf>,
}

impl Package {
    fn is_published(&self) -> bool {
        self.publish.is_none()
    }

    fn folder(&self) -> &Path {
        self.manifest_path.parent().expect("a manifest lies in a folder")
    }
}

/// The packages of the workspace.
fn packages() -> Vec<Package> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(repository()).args(["metadata", "--no-deps", "--offline", "--format-version", "1"]);
    let output = cargo.output().expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice::<Metadata>(&output.stdout).expect("cargo's form").packages
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().expect("the repository")
}

/// What is wrong with the packages that are published.
fn faults(of: impl Fn(&Package) -> Vec<String>) -> String {
    let packages = packages();
    let published: Vec<_> = packages.iter().filter(|package| package.is_published()).collect();
    assert!(published.len() > 10, "{} packages are published", published.len());
    let told = |package: &&Package| {
        of(package).into_iter().map(|fault| format!("{}: {fault}\n", package.name)).collect::<String>()
    };
    published.iter().map(told).collect()
}

#[test]
fn what_a_registry_asks_for_is_there() {
    let found = faults(|package| {
        let file = |name: &Path| package.folder().join(name).is_file();
        let readme = package.readme.as_deref();
        let wanted = [
            (!TAKEN.contains(&&*package.name), "its name is another's on crates.io"),
            (package.description.is_some(), "no description"),
            (package.license.is_some(), "no license"),
            (package.rust_version.is_some(), "no rust-version"),
            (readme.is_some_and(file), "no readme that is there"),
            ((1..=5).contains(&package.keywords.len()), "not one to five keywords"),
            ((1..=5).contains(&package.categories.len()), "not one to five categories"),
            (file(Path::new("LICENSE-MIT")), "no LICENSE-MIT"),
            (file(Path::new("LICENSE-APACHE")), "no LICENSE-APACHE"),
        ];
        wanted.into_iter().filter(|(is_there, _)| !is_there).map(|(_, fault)| fault.to_string()).collect()
    });
    assert_eq!(found, "");
}

#[test]
fn all_packages_are_of_one_release() {
    let all = packages();
    let version = &all[0].version;
    for package in &all {
        assert_eq!(&package.version, version, "{}", package.name);
    }
    let found = faults(|package| {
        let mut faults = Vec::new();
        for Dependency { name, req, kind, path } in &package.dependencies {
            if path.is_none() {
                continue;
            }
            let is_published = all.iter().any(|other| &other.name == name && other.is_published());
            // What tests need and what is not published is left out of the package, if it has no version.
            let fits = match (is_published, kind.as_deref()) {
                (true, _) => req == &format!("={version}"),
                (false, Some("dev")) => req == "*",
                (false, _) => false,
            };
            if !fits {
                faults.push(format!("it depends on {name} {req}"));
            }
        }
        faults
    });
    assert_eq!(found, "");
    let changes = fs::read_to_string(repository().join("CHANGELOG.md")).expect("the page");
    let newest = changes.lines().find(|line| line.starts_with("## "));
    assert!(newest.is_some_and(|line| line.contains(&version[..])), "CHANGELOG.md begins with {newest:?}");
}

/// The files that a source text names for the compiler, outside of what is compiled for tests alone.
fn named_files(text: &str) -> Vec<&str> {
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or(text);
    let calls = ["include!(\"", "include_str!(\"", "include_bytes!(\"", "#[path = \""];
    let named = calls.iter().flat_map(|call| text.split(call).skip(1));
    named.filter_map(|rest| rest.split('"').next()).collect()
}

/// The path without `..`, as it is written: links are not followed.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => _ = plain.pop(),
            part => plain.push(part),
        }
    }
    plain
}

#[test]
fn no_source_of_a_package_lies_outside_of_it() {
    let found = faults(|package| {
        let folder = package.folder();
        let mut sources: Vec<(PathBuf, String)> = Vec::new();
        for (name, text) in rust_files(&folder.join("src")).expect("the sources can be read") {
            sources.push((folder.join("src").join(name), text));
        }
        if let Ok(text) = fs::read_to_string(folder.join("build.rs")) {
            sources.push((folder.join("build.rs"), text));
        }
        assert!(!sources.is_empty(), "{} has no sources", package.name);
        sources.retain(|(path, _)| !path.ends_with("tests.rs"));
        let mut faults = Vec::new();
        for (path, text) in &sources {
            for name in named_files(text) {
                let named = plain(&path.parent().expect("a folder").join(name));
                if !named.starts_with(folder) || !named.exists() {
                    faults.push(format!("{} names {name}", path.display()));
                }
            }
        }
        faults
    });
    assert_eq!(found, "");
}

#[test]
fn files_that_lie_outside_are_found() {
    let text = "const A: u8 = include!(\"../x.rs\");\n#[path = \"y.rs\"]\nmod y;\n\
        #[cfg(test)]\nmod tests { include_str!(\"z\") }";
    assert_eq!(named_files(text), ["../x.rs", "y.rs"]);
    assert_eq!(plain(Path::new("/a/b/src/../../c")), Path::new("/a/c"));
}
