//! Printing from a kernel. Main macro: [`println!`](crate::println).
//!
//! A line is put together by the thread itself, by the same code on every executor, so that its words are the
//! same. Then a GPU's thread passes the line to CUDA's `vprintf`, whose buffer the driver prints when the
//! host next waits; on the host the line is printed at once, or kept for [`printed`](crate::host::printed).

#[cfg(target_arch = "nvptx64")]
use core::arch::nvptx;

/// The most bytes of a line with the 0 at its end. A longer line is cut, and ends in dots.
const MOST: usize = 120;

/// Prints a line: a text in which each `{}` stands for the value of an argument.
///
/// Values are whole numbers, truth values, texts, and floating-point numbers, which have six digits. A line
/// has at most 119 bytes. Lines of different threads come in any order, but never mixed. A GPU keeps 1 MiB of
/// lines until the host next waits, and overwrites the oldest.
///
/// ```
/// use cuda_std::{host, println};
/// let ((), text) = host::printed(|| println!("{} is {}, not {}", "1 / 3", 1.0 / 3.0, -1));
/// assert_eq!(text, "1 / 3 is 0.333333, not -1\n");
/// ```
///
/// A text with more or fewer `{}` than values does not compile:
///
/// ```compile_fail
/// cuda_std::println!("{} and {}", 1);
/// ```
#[macro_export]
macro_rules! println {
    ($text:literal $(, $value:expr)* $(,)?) => {{
        const { $crate::io::check($text, &[$(stringify!($value)),*]) };
        $crate::io::Line::new($text)$(.with($value))*.end();
    }};
}

/// Refuses a text whose braces are not `{}`, one for each value.
#[doc(hidden)]
pub const fn check(text: &str, values: &[&str]) {
    let (text, mut i, mut holes) = (text.as_bytes(), 0, 0);
    while i < text.len() {
        if text[i] == b'{' {
            assert!(i + 1 < text.len() && text[i + 1] == b'}', "a kernel's `println!` knows `{{}}` alone");
            holes += 1;
        }
        i += 1;
    }
    assert!(holes == values.len(), "`println!` takes as many values as its text has `{{}}`");
}

/// A line that is being put together.
#[doc(hidden)]
pub struct Line {
    bytes: [u8; MOST],
    len: usize,
    is_cut: bool,
    /// What is still to come of the text.
    rest: &'static str,
}

impl Line {
    /// An empty line, to which `text` will be added.
    #[inline(never)]
    pub fn new(text: &'static str) -> Self {
        Line { bytes: [0; MOST], len: 0, is_cut: false, rest: text }
    }

    fn put(&mut self, byte: u8) {
        // The last byte stays 0, where a text of C ends.
        match self.bytes.get_mut(self.len) {
            Some(place) if self.len + 1 < MOST => (*place, self.len) = (byte, self.len + 1),
            _ => self.is_cut = true,
        }
    }

    /// Adds the text up to the next `{}`, and all of it at the end.
    fn go_on(&mut self) {
        let text = self.rest.as_bytes();
        let mut left = text.iter();
        while let Some(&byte) = left.next() {
            if byte == b'{' {
                left.next();
                break;
            }
            self.put(byte);
        }
        // SAFETY: what follows the brace, a character of its own, or nothing.
        self.rest = unsafe { core::str::from_utf8_unchecked(left.as_slice()) };
    }

    /// Adds the text up to the next value, and the value.
    #[inline(never)]
    pub fn with<T: Value>(mut self, value: T) -> Self {
        self.go_on();
        value.put(&mut self);
        self
    }

    /// Adds the rest of the text, and prints the line.
    #[inline(never)]
    pub fn end(mut self) {
        self.go_on();
        if self.is_cut {
            self.bytes.iter_mut().rev().skip(1).take(3).for_each(|byte| *byte = b'.');
        }
        #[cfg(target_arch = "nvptx64")]
        {
            let arguments = self.bytes.as_ptr();
            // SAFETY: a text of C, with one value, which is a text of C as well.
            unsafe { nvptx::vprintf(c"%s\n".as_ptr().cast(), (&raw const arguments).cast()) };
        }
        #[cfg(not(target_arch = "nvptx64"))]
        crate::host::print(&String::from_utf8_lossy(&self.bytes[..self.len]));
    }

    /// Adds a whole number.
    fn number(&mut self, mut number: u64) {
        let mut digits = [b'0'; 20];
        for digit in digits.iter_mut().rev() {
            *digit += (number % 10) as u8;
            number /= 10;
        }
        let mut is_leading = true;
        for (i, &digit) in digits.iter().enumerate() {
            is_leading &= digit == b'0' && i < 19;
            if !is_leading {
                self.put(digit);
            }
        }
    }

    /// Adds a finite number that is not negative, rounded to six digits.
    fn rounded(&mut self, mut number: f64) {
        let (mut scale, mut exponent) = (1.0, if number > 0.0 { 5 } else { 0i64 });
        if number > 0.0 && number < 1e-200 {
            (number, exponent) = (number * 1e200, exponent - 200);
        }
        while number / scale >= 999_999.5 {
            (scale, exponent) = (scale * 10.0, exponent + 1);
        }
        // One product or quotient, so that the six digits are rounded once.
        let mut digits = (number / scale + 0.5) as u64;
        while number > 0.0 && number * scale < 99_999.5 {
            (scale, exponent) = (scale * 10.0, exponent - 1);
            digits = (number * scale + 0.5) as u64;
        }
        let is_plain = (-5..6).contains(&exponent);
        // The digits are a whole number of `unit`s.
        let mut decimals = if is_plain { 5 - exponent } else { 5 };
        while decimals > 0 && digits.is_multiple_of(10) {
            (digits, decimals) = (digits / 10, decimals - 1);
        }
        let mut unit = 1;
        for _ in 0..decimals {
            unit *= 10;
        }
        self.number(digits.checked_div(unit).unwrap_or(0));
        if decimals > 0 {
            self.put(b'.');
        }
        for _ in 0..decimals {
            unit /= 10;
            self.put(b'0' + (digits.checked_div(unit).unwrap_or(0) % 10) as u8);
        }
        if !is_plain {
            self.put(b'e');
            exponent.put(self);
        }
    }
}

/// What a line can hold.
#[doc(hidden)]
pub trait Value {
    /// Adds the value to a line.
    fn put(self, line: &mut Line);
}

impl Value for u64 {
    fn put(self, line: &mut Line) {
        line.number(self);
    }
}

impl Value for i64 {
    fn put(self, line: &mut Line) {
        if self < 0 {
            line.put(b'-');
        }
        line.number(self.unsigned_abs());
    }
}

impl Value for f64 {
    fn put(self, line: &mut Line) {
        if self.is_nan() {
            return "NaN".put(line);
        }
        if self.is_sign_negative() {
            line.put(b'-');
        }
        match self.abs() {
            f64::INFINITY => "inf".put(line),
            number => line.rounded(number),
        }
    }
}

impl Value for &str {
    fn put(self, line: &mut Line) {
        self.bytes().for_each(|byte| line.put(byte));
    }
}

impl Value for bool {
    fn put(self, line: &mut Line) {
        if self { "true" } else { "false" }.put(line);
    }
}

macro_rules! values {
    ($($type:ty as $wide:ty),*) => {$(
        impl Value for $type {
            fn put(self, line: &mut Line) {
                (self as $wide).put(line);
            }
        }
    )*};
}

values! {
    u8 as u64, u16 as u64, u32 as u64, usize as u64, i8 as i64, i16 as i64, i32 as i64, isize as i64, f32 as f64
}

#[cfg(test)]
mod tests {
    use crate::host::printed;

    #[test]
    fn values_have_the_words_of_rust_or_six_digits() {
        let text = |does: &dyn Fn()| printed(does).1;
        assert_eq!(text(&|| crate::println!("no value")), "no value\n");
        assert_eq!(
            text(&|| crate::println!("{}, {}; {}!", u64::MAX, i64::MIN, 0u8)),
            format!("{}, {}; 0!\n", u64::MAX, i64::MIN)
        );
        assert_eq!(text(&|| crate::println!("{}{} {}", true, false, "é")), "truefalse é\n");
        let numbers = [0.0, -0.0, 1.5, 1e-3, 123456.0, 999999.5, -16777216.0, f32::MIN_POSITIVE, f32::MAX];
        let words = ["0", "-0", "1.5", "0.001", "123456", "1e6", "-1.67772e7", "1.17549e-38", "3.40282e38"];
        let others = [0.1, 12345.678, 0.00001234567, f32::NAN, f32::NEG_INFINITY];
        let of_others = ["0.1", "12345.7", "0.0000123457", "NaN", "-inf"];
        for (number, words) in numbers.into_iter().chain(others).zip(words.into_iter().chain(of_others)) {
            assert_eq!(text(&|| crate::println!("{}", number)), format!("{words}\n"));
        }
        let text = text(&|| crate::println!("{} {}", f64::MAX, f64::from_bits(1)));
        assert_eq!(text, "1.79769e308 4.94066e-324\n");
    }

    #[test]
    fn a_long_line_is_cut() {
        let half: &str = &"0123456789".repeat(6);
        let ((), text) = printed(|| {
            crate::println!("{}{}", half, &half[1..]);
            crate::println!("{}{}", half, half);
        });
        assert_eq!(text, format!("{half}{}\n{half}{}...\n", &half[1..], &half[..56]));
    }
}
