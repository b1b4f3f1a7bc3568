//! What a grounder writes, taken from it as C functions: rules and what is shown, of which there are many.
//!
//! Main function: [`functions`]. clingo's library calls the functions of an observer for each statement. By
//! way of Python a call takes as long as grounding the rule. The signatures are those of
//! `clingo_ground_program_observer_t` in `clingo.h`. The caller sets them by their names, so that the order
//! of the struct's members, which differs between versions, is clingo's own affair.

use super::{Inner, Shown};
use std::ffi::{c_char, c_void};
use std::slice;
use std::sync::{Mutex, PoisonError};
use yasmin::Error;

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
pub fn functions() -> [(&'static str, usize); 4] {
    [
        ("rule", rule as *const () as usize),
        ("weight_rule", weight_rule as *const () as usize),
        ("output_atom", output_atom as *const () as usize),
        ("output_term", output_term as *const () as usize),
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
