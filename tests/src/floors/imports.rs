//! From the tokens of a crate's files to the files that each file imports.
//!
//! Main functions: [`Modules::new`] and [`Modules::imports`]. A path is followed from module to module,
//! through the re-exports of `use` declarations, until a name is no module and no re-export: the file where
//! that happens defines the item.

use std::collections::{BTreeMap, BTreeSet};

use super::tokens::{tokens, without_tests, Token};

/// The path of a module from the crate's root; the root's own path is empty.
type ModulePath = Vec<String>;

/// A path in the code, as written: its segments, the last perhaps `*`.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Written {
    segments: Vec<String>,
    /// The name that a `use` declaration gives to the path in its module. With no segments: a name that the
    /// module itself defines.
    name: Option<String>,
}

/// A module: a file, or a `mod` block in one.
#[derive(Debug, Default)]
struct Module {
    /// The file that has the module's code.
    file: String,
    /// The paths in the module's code.
    paths: Vec<Written>,
}

/// The modules of a crate.
#[derive(Debug)]
pub struct Modules {
    modules: BTreeMap<ModulePath, Module>,
    own_name: String,
}

impl Modules {
    /// The modules of the given files, each a path within the source folder and a text. Files of modules for
    /// tests alone are left out.
    pub fn new<'a>(files: impl Iterator<Item = (&'a str, &'a str)>, own_name: &str) -> Modules {
        let mut modules = BTreeMap::new();
        let mut for_tests: Vec<ModulePath> = Vec::new();
        for (file, text) in files {
            let path = path_of(file);
            let (tokens, only_tests) = without_tests(&tokens(text));
            for_tests.extend(only_tests.into_iter().map(|name| [&path[..], &[name]].concat()));
            let mut reader = Reader { tokens: &tokens, at: 0, file, modules: &mut modules };
            reader.module(path);
        }
        modules.retain(|path, _| !for_tests.iter().any(|test| path.starts_with(test)));
        Modules { modules, own_name: own_name.to_string() }
    }

    /// The files that each file imports.
    pub fn imports(&self) -> BTreeMap<String, BTreeSet<String>> {
        let mut imports: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (path, module) in &self.modules {
            let own = imports.entry(module.file.clone()).or_default();
            for written in &module.paths {
                let file = self.resolve(path, &written.segments, MOST_STEPS);
                own.extend(file.filter(|file| *file != module.file));
            }
        }
        imports
    }

    /// The file that defines what a path names; none if that is no part of the crate.
    fn resolve(&self, module: &[String], segments: &[String], steps: usize) -> Option<String> {
        let Some((first, rest)) = segments.split_first().filter(|_| steps > 0) else {
            return Some(self.modules.get(module)?.file.clone());
        };
        let parent = || module.split_last().map(|(_, parent)| parent);
        match &first[..] {
            "crate" => self.follow(&[], rest, steps - 1),
            own if own == self.own_name => self.follow(&[], rest, steps - 1),
            "self" => self.follow(module, rest, steps - 1),
            // `super::super` goes on from the parent.
            "super" if rest.first().is_some_and(|next| next == "super") => {
                self.resolve(parent()?, rest, steps - 1)
            }
            "super" => self.follow(parent()?, rest, steps - 1),
            _ if self.child(module, first).is_some() => self.follow(module, segments, steps - 1),
            _ => None,
        }
    }

    /// Follows `segments` from a module downwards.
    fn follow(&self, module: &[String], segments: &[String], steps: usize) -> Option<String> {
        let known = self.modules.get(module)?;
        let Some((first, rest)) = segments.split_first().filter(|_| steps > 0) else {
            return Some(known.file.clone());
        };
        if let Some(child) = self.child(module, first) {
            return self.follow(&child, rest, steps - 1);
        }
        let named =
            |written: &&Written| written.name.as_deref() == Some(&first[..]) && !written.segments.is_empty();
        if let Some(reexport) = known.paths.iter().find(named) {
            // What another crate defines belongs to no file of this one.
            let target = [&reexport.segments[..], rest].concat();
            return self.resolve(module, &target, steps - 1);
        }
        // `pub use inner::*;`: the item is the inner module's if the module's own file does not define the
        // item.
        let globs =
            known.paths.iter().filter(|written| written.segments.last().is_some_and(|last| last == "*"));
        let globs: Vec<&Written> = globs.collect();
        match globs[..] {
            [glob] if first != "*" && !self.defines(module, first) => {
                let target = &glob.segments[..glob.segments.len() - 1];
                self.resolve(module, target, steps - 1).or_else(|| Some(known.file.clone()))
            }
            _ => Some(known.file.clone()),
        }
    }

    /// The path of the child module `name`.
    fn child(&self, module: &[String], name: &str) -> Option<ModulePath> {
        let child = [module, &[name.to_string()]].concat();
        self.modules.contains_key(&child).then_some(child)
    }

    /// Whether the module's own code defines `name`.
    fn defines(&self, module: &[String], name: &str) -> bool {
        let is_defined =
            |written: &Written| written.segments.is_empty() && written.name.as_deref() == Some(name);
        self.modules[module].paths.iter().any(is_defined)
    }
}

/// Paths that take more steps are taken to end where they are; re-exports could go round in a circle.
const MOST_STEPS: usize = 32;

/// The module path of a file: `a/mod.rs` and `a.rs` are `a`, `lib.rs` and `main.rs` the root.
fn path_of(file: &str) -> ModulePath {
    let mut path: ModulePath = file.trim_end_matches(".rs").split('/').map(str::to_string).collect();
    let last = path.last().map(String::as_str);
    if last == Some("mod") || (path.len() == 1 && matches!(last, Some("lib" | "main"))) {
        path.pop();
    }
    path
}

/// Reads the tokens of one file.
struct Reader<'a> {
    tokens: &'a [Token],
    at: usize,
    file: &'a str,
    modules: &'a mut BTreeMap<ModulePath, Module>,
}

impl Reader<'_> {
    /// Reads a module's code, up to its closing `}` or the end of the file.
    fn module(&mut self, path: ModulePath) {
        let mut paths = Vec::new();
        let mut depth = 0;
        while let Some(token) = self.tokens.get(self.at) {
            match token {
                Token::Mark('{') => depth += 1,
                Token::Mark('}') if depth == 0 => {
                    self.at += 1;
                    break;
                }
                Token::Mark('}') => depth -= 1,
                Token::Name(keyword) if keyword == "use" => {
                    self.at += 1;
                    self.tree(&[], &mut paths);
                    continue;
                }
                Token::Name(keyword) if is_definition(keyword) => {
                    if let Some(Token::Name(name)) = self.tokens.get(self.at + 1) {
                        paths.push(Written { segments: Vec::new(), name: Some(name.clone()) });
                        let opens = self.tokens.get(self.at + 2).is_some_and(|token| token.is_mark('{'));
                        if keyword == "mod" && opens {
                            self.at += 3;
                            self.module([&path[..], std::slice::from_ref(name)].concat());
                            continue;
                        }
                        self.at += 1;
                    }
                }
                // `pub(in crate::search)` says who may import, and imports nothing.
                Token::Name(keyword) if keyword == "in" && self.is_visibility() => {
                    self.at += 1;
                    self.segments();
                    continue;
                }
                Token::Name(_) if !self.continues_path() => {
                    let segments = self.segments();
                    if segments.len() > 1 {
                        paths.push(Written { segments, name: None });
                    }
                    continue;
                }
                _ => {}
            }
            self.at += 1;
        }
        // The binary's root adds to the library's: `lib.rs` comes first, and is the file that others import.
        let module = self.modules.entry(path).or_default();
        if module.file.is_empty() {
            module.file = self.file.to_string();
        }
        module.paths.append(&mut paths);
    }

    /// Whether the token follows `pub(`.
    fn is_visibility(&self) -> bool {
        self.at > 1 && self.tokens[self.at - 1].is_mark('(') && self.tokens[self.at - 2].is_name("pub")
    }

    /// Whether the token follows `::`, as the `Type` of `<T as Trait>::Type` does.
    fn continues_path(&self) -> bool {
        self.at > 0 && self.tokens[self.at - 1] == Token::Path
    }

    /// The names of the path that starts here, which is read.
    fn segments(&mut self) -> Vec<String> {
        let mut segments = Vec::new();
        while let Some(Token::Name(name)) = self.tokens.get(self.at) {
            segments.push(name.clone());
            self.at += 1;
            if self.tokens.get(self.at) != Some(&Token::Path) {
                break;
            }
            self.at += 1;
        }
        segments
    }

    /// Reads a tree of a `use` declaration, whose names follow `before`.
    fn tree(&mut self, before: &[String], paths: &mut Vec<Written>) {
        if self.tokens.get(self.at) == Some(&Token::Path) {
            self.at += 1;
        }
        let mut segments = [before, &self.segments()].concat();
        let mut name = segments.last().cloned();
        match self.tokens.get(self.at) {
            Some(Token::Mark('{')) => {
                self.at += 1;
                while self.tokens.get(self.at).is_some_and(|token| !token.is_mark('}')) {
                    self.tree(&segments, paths);
                    if self.tokens.get(self.at).is_some_and(|token| token.is_mark(',')) {
                        self.at += 1;
                    }
                }
                self.at += 1;
                return;
            }
            Some(Token::Mark('*')) => {
                self.at += 1;
                segments.push("*".into());
                name = None;
            }
            Some(Token::Name(keyword)) if keyword == "as" => {
                if let Some(Token::Name(other)) = self.tokens.get(self.at + 1) {
                    name = Some(other.clone());
                }
                self.at += 2;
            }
            _ => {}
        }
        // `a::{self}` is `a`.
        if segments.len() > 1 && segments.last().is_some_and(|last| last == "self") {
            segments.pop();
            name = name.filter(|name| name != "self").or_else(|| segments.last().cloned());
        }
        if segments.is_empty() {
            // No tree of a well-formed declaration is empty: go on, so that every call reads something.
            self.at += 1;
            return;
        }
        paths.push(Written { segments, name });
    }
}

/// Whether a name that follows this keyword is defined there.
fn is_definition(keyword: &str) -> bool {
    matches!(keyword, "mod" | "struct" | "enum" | "union" | "trait" | "type" | "fn" | "const" | "static")
}
