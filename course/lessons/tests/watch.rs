//! Pages on which one can watch a launch (`CUDA_STD_WATCH`): each twin has one, its steps lead to the result,
//! and a browser shows the same after steps forwards and backwards.

use cuda_launch::Device;
use lessons::lessons::{find, twins};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// The page of a run of the program `lessons`, where it is, and what the program prints.
fn page_of(arguments: [&str; 2]) -> (String, PathBuf, String) {
    static PAGES: AtomicU32 = AtomicU32::new(0);
    let name = format!("lessons-watch-{}-{}.html", std::process::id(), PAGES.fetch_add(1, Relaxed));
    let path = std::env::temp_dir().join(name);
    let mut lessons = Command::new(env!("CARGO_BIN_EXE_lessons"));
    // Pages show lines of the sources, whose paths begin in the repository's folder.
    lessons.current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."));
    let output = lessons.args(arguments).env("CUDA_STD_WATCH", &path).output().expect("it runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    (std::fs::read_to_string(&path).expect("a page"), path, String::from_utf8(output.stdout).expect("text"))
}

/// The launches of a page.
fn launches(page: &str) -> Vec<Value> {
    let begin = page.find("const launches = [").expect("launches") + "const launches = ".len();
    let end = begin + page[begin..].find("];\n").expect("the end of launches") + 1;
    serde_json::from_str(&page[begin..end]).expect("JSON")
}

#[test]
fn each_twin_can_be_watched() {
    let mut all = 0;
    for twin in twins() {
        let (page, path, printed) = page_of(["broken", twin.name]);
        std::fs::remove_file(path).expect("the page is there");
        let launches = launches(&page);
        let errors: Vec<&str> = launches.iter().filter_map(|launch| launch["error"].as_str()).collect();
        match twin.says {
            Some(_) => {
                let said = printed.split_once(" says ").expect("what simt says").1;
                let begin = said.split(" at ").next().expect("a beginning").trim_end_matches(',');
                assert!(errors.len() == 1 && errors[0].starts_with(begin), "{}: {errors:?}", twin.name);
            }
            None => assert!(errors.is_empty(), "{}: {errors:?}", twin.name),
        }
        let steps = |launch: &Value| launch["steps"].as_array().map_or(0, Vec::len);
        all += launches.iter().map(steps).sum::<usize>();
    }
    assert!(all > 10_000, "{all} steps");
}

/// The steps of a launch leave in memory what the launch leaves.
#[test]
fn the_steps_lead_to_the_result() {
    let (page, path, _) = page_of(["run", "saxpy"]);
    std::fs::remove_file(path).expect("the page is there");
    let launches = launches(&page);
    let launch = launches.last().expect("a launch");
    let array = launch["arrays"].as_array().expect("arrays").iter().position(|name| name == "y");
    let mut memory = BTreeMap::new();
    for step in launch["steps"].as_array().expect("steps") {
        if step[0] == "write" && step[3].as_u64() == array.map(|array| array as u64) {
            let value = step[5].as_str().and_then(|value| value.parse::<u32>().ok());
            memory.insert(step[4].as_u64().expect("an index"), value.expect("a value"));
        }
    }
    let lesson = find("saxpy").expect("a lesson");
    let found = (lesson.run)(&mut Device::simt()).expect("it is right").found;
    assert_eq!(memory.into_values().collect::<Vec<_>>(), found);
    let lines: Vec<&Value> = launch["places"].as_array().expect("places").iter().map(|at| &at[1]).collect();
    assert!(
        lines.iter().any(|line| line.as_str().is_some_and(|line| line.contains("y.write("))),
        "{lines:?}"
    );
}

/// The page as a browser shows it, for what follows `#` in its address; `None` without a browser.
fn shown(path: &Path, hash: &str) -> Option<String> {
    let browsers = ["chromium", "chromium-browser", "google-chrome"];
    let address = format!("file://{}#{hash}", path.display());
    // A profile of its own: a browser with one that is in use does nothing.
    let profile = path.with_extension("profile");
    let output = browsers.iter().find_map(|browser| {
        let options = ["--headless", "--no-sandbox", "--disable-gpu", "--dump-dom"];
        let profile = format!("--user-data-dir={}", profile.display());
        Command::new(browser).args(options).args([&profile, &address]).output().ok()
    })?;
    let _ = std::fs::remove_dir_all(profile);
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn a_browser_steps_forwards_and_backwards() {
    let (_, path, _) = page_of(["broken", "scan"]);
    let Some(there) = shown(&path, "launch=0&step=700") else {
        return eprintln!("SKIPPED: there is no browser");
    };
    let back = shown(&path, "launch=0&step=698&go=fffb").expect("a browser");
    assert!(there.contains("step 700 of"), "{there}");
    assert_eq!(there, back);
    assert!(there.contains("class=\"lane wait\"") && there.contains("class=\"cell read"));
    let end = shown(&path, "launch=0&step=1000000").expect("a browser");
    std::fs::remove_file(&path).expect("the page is there");
    assert!(end.contains("data race on element 12"), "{end}");
    assert_eq!((end.matches(" other\" title").count(), end.matches("<div class=\"warp\">").count()), (2, 6));
}
