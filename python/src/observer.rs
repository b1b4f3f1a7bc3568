//! What a grounder writes, taken from it as C functions: rules and what is shown, of which there are many.
//!
//! Main function: [`functions`]. clingo's library calls the functions of an observer for each statement. By
//! way of Python a call takes as long as grounding the rule. The signatures are those of
//! `clingo_ground_program_observer_t` in `clingo.h`. The caller sets them by their names, so that the order
//! of the struct's members, which differs between versions, is clingo's own affair.

use super::{Inner, Shown};
use crate::theory::Parts;
use std::ffi::{c_char, c_void, CStr};
use std::slice;
use std::sync::{Mutex, PoisonError};
use yasmin::{Control, Error};

/// What tells the texts of symbols: functions of clingo's library, which `clingo.h` calls
/// `clingo_symbol_to_string_size` and `clingo_symbol_to_string`.
#[derive(Clone, Copy)]
pub struct Texts {
    size: extern "C" fn(u64, *mut usize) -> bool,
    text: extern "C" fn(u64, *mut c_char, usize) -> bool,
}

impl Texts {
    /// The functions at these addresses.
    ///
    /// # Safety
    /// They are the addresses of these functions, in a library that stays loaded.
    pub unsafe fn at(size: usize, text: usize) -> Texts {
        // SAFETY: by the caller. The signatures are those of `clingo.h`.
        unsafe {
            Texts {
                size: std::mem::transmute::<usize, extern "C" fn(u64, *mut usize) -> bool>(size),
                text: std::mem::transmute::<usize, extern "C" fn(u64, *mut c_char, usize) -> bool>(text),
            }
        }
    }

    /// The text of a symbol, as programs write it. Bytes that are not UTF-8 are replaced. `None` if clingo
    /// has no memory for it.
    pub fn of(self, symbol: u64) -> Option<String> {
        let mut size = 0;
        let mut bytes = (self.size)(symbol, &mut size).then(|| vec![0; size])?;
        let is_told = (self.text)(symbol, bytes.as_mut_ptr().cast(), size);
        // The last byte is the end of a string of C.
        bytes.pop().filter(|_| is_told).map(|_| String::from_utf8_lossy(&bytes).into_owned())
    }
}

/// A literal with a weight, as in `clingo.h`.
#[repr(C)]
#[derive(Clone, Copy)]
struct Weighted {
    literal: i32,
    weight: i32,
}

/// What an observer's functions are told, each by its name and with its address. Their last argument, `data`,
/// has to be the address of a mutex that lives as long as the grounder's control.
pub fn functions() -> [(&'static str, usize); 10] {
    [
        ("rule", rule as *const () as usize),
        ("weight_rule", weight_rule as *const () as usize),
        ("output_atom", output_atom as *const () as usize),
        ("output_term", output_term as *const () as usize),
        ("theory_term_number", theory_term_number as *const () as usize),
        ("theory_term_string", theory_term_string as *const () as usize),
        ("theory_term_compound", theory_term_compound as *const () as usize),
        ("theory_element", theory_element as *const () as usize),
        ("theory_atom", theory_atom as *const () as usize),
        ("theory_atom_with_guard", theory_atom_with_guard as *const () as usize),
    ]
}

/// The elements of an array of C, which may be a null pointer if it is empty.
///
/// # Safety
/// `first` points to `size` elements that nobody writes to meanwhile.
unsafe fn elements<'a, T>(first: *const T, size: usize) -> &'a [T] {
    match size {
        0 => &[],
        // SAFETY: by the caller.
        _ => unsafe { slice::from_raw_parts(first, size) },
    }
}

/// Tells the program's control of a statement, and notes the first error: nothing of C's can say what it is.
///
/// # Safety
/// `data` is the address that the caller of [`functions`] was told to pass.
unsafe fn tell(data: *mut c_void, tell: impl FnOnce(&mut Inner) -> Result<(), Error>) -> bool {
    // SAFETY: by the caller.
    let inner = unsafe { &*data.cast::<Mutex<Inner>>() };
    let mut inner = inner.lock().unwrap_or_else(PoisonError::into_inner);
    if inner.failed.is_none() {
        inner.failed = tell(&mut inner).err();
    }
    true
}

fn numbers(atoms: &[u32]) -> Vec<u64> {
    atoms.iter().copied().map(u64::from).collect()
}

fn literals(literals: &[i32]) -> Vec<i64> {
    literals.iter().copied().map(i64::from).collect()
}

extern "C" fn rule(
    is_choice: bool,
    head: *const u32,
    heads: usize,
    body: *const i32,
    size: usize,
    data: *mut c_void,
) -> bool {
    // SAFETY: clingo passes arrays with their sizes, and the data that it was given.
    unsafe {
        let (head, body) = (elements(head, heads), elements(body, size));
        tell(data, |inner| {
            let body = inner.literals(&literals(body))?;
            inner.rule(is_choice, &numbers(head), &body)
        })
    }
}

extern "C" fn weight_rule(
    is_choice: bool,
    head: *const u32,
    heads: usize,
    bound: i32,
    body: *const Weighted,
    size: usize,
    data: *mut c_void,
) -> bool {
    // SAFETY: as for `rule`.
    unsafe {
        let (head, body) = (elements(head, heads), elements(body, size));
        tell(data, |inner| {
            let body: Vec<(i64, i64)> =
                body.iter().map(|of| (i64::from(of.literal), i64::from(of.weight))).collect();
            inner.weight_rule(is_choice, &numbers(head), i64::from(bound), &body)
        })
    }
}

extern "C" fn output_atom(symbol: u64, atom: u32, data: *mut c_void) -> bool {
    let condition = if atom == 0 { Vec::new() } else { vec![i64::from(atom)] };
    // SAFETY: clingo passes the data that it was given.
    unsafe { tell(data, |inner| inner.show(Shown { symbol, atom: Some(atom) }, &condition)) }
}

extern "C" fn output_term(symbol: u64, condition: *const i32, size: usize, data: *mut c_void) -> bool {
    // SAFETY: as for `rule`.
    unsafe {
        let condition = elements(condition, size);
        tell(data, |inner| inner.show(Shown { symbol, atom: None }, &literals(condition)))
    }
}

/// The same as [`tell`] for a part of a theory atom, if somebody asks for these.
///
/// # Safety
/// As for [`tell`].
unsafe fn tell_part(
    data: *mut c_void,
    part: impl FnOnce(&mut Parts, &mut Control) -> Result<(), Error>,
) -> bool {
    // SAFETY: by the caller.
    unsafe {
        tell(data, |inner| inner.parts.as_mut().map_or(Ok(()), |parts| part(parts, &mut inner.control)))
    }
}

extern "C" fn theory_term_number(id: u32, number: i32, data: *mut c_void) -> bool {
    // SAFETY: clingo passes the data that it was given.
    unsafe {
        tell_part(data, |parts, control| {
            parts.number(control, id, number);
            Ok(())
        })
    }
}

extern "C" fn theory_term_string(id: u32, name: *const c_char, data: *mut c_void) -> bool {
    // SAFETY: clingo passes a string of C, and the data that it was given.
    unsafe {
        let name = CStr::from_ptr(name).to_string_lossy().into_owned();
        tell_part(data, |parts, control| {
            parts.name(control, id, name);
            Ok(())
        })
    }
}

extern "C" fn theory_term_compound(
    id: u32,
    kind: i32,
    arguments: *const u32,
    size: usize,
    data: *mut c_void,
) -> bool {
    // SAFETY: as for `rule`.
    unsafe {
        let arguments = elements(arguments, size);
        tell_part(data, |parts, control| parts.compound(control, id, kind, arguments))
    }
}

extern "C" fn theory_element(
    id: u32,
    terms: *const u32,
    size: usize,
    condition: *const i32,
    literals_size: usize,
    data: *mut c_void,
) -> bool {
    // SAFETY: as for `rule`.
    unsafe {
        let (terms, condition) = (elements(terms, size), elements(condition, literals_size));
        tell(data, |inner| {
            let Some(mut parts) = inner.parts.take() else { return Ok(()) };
            let condition = inner.literals(&literals(condition));
            let told = condition.and_then(|of| parts.element(&mut inner.control, id, terms, &of));
            inner.parts = Some(parts);
            told
        })
    }
}

/// Tells of a theory atom, whose number is 0 if it is a directive.
///
/// # Safety
/// As for [`tell`].
unsafe fn tell_theory_atom(
    data: *mut c_void,
    atom: u32,
    of: (u32, &[u32]),
    guard: Option<(u32, u32)>,
) -> bool {
    // SAFETY: by the caller.
    unsafe {
        tell(data, |inner| {
            let Some(parts) = inner.parts.take() else { return Ok(()) };
            let atom = (atom > 0).then(|| inner.atom(u64::from(atom))).transpose();
            let told = atom.and_then(|atom| parts.atom(&mut inner.control, atom, of, guard));
            inner.parts = Some(parts);
            told
        })
    }
}

extern "C" fn theory_atom(atom: u32, name: u32, parts: *const u32, size: usize, data: *mut c_void) -> bool {
    // SAFETY: as for `rule`.
    unsafe { tell_theory_atom(data, atom, (name, elements(parts, size)), None) }
}

extern "C" fn theory_atom_with_guard(
    atom: u32,
    name: u32,
    parts: *const u32,
    size: usize,
    operator: u32,
    right: u32,
    data: *mut c_void,
) -> bool {
    // SAFETY: as for `rule`.
    unsafe { tell_theory_atom(data, atom, (name, elements(parts, size)), Some((operator, right))) }
}
