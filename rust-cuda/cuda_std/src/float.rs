//! `sqrt`, `exp`, `sin` and `cos`, with the same bits on every executor.
//!
//! `core` has none of them. On the host `std` has them, but by the system's library, which rounds otherwise
//! than a GPU's approximations do. A square root is exact, so both have it. The others are sums and products
//! here, which the compiler neither reorders nor fuses: PTX says `add.rn` and `mul.rn`. Coefficients and the
//! reduction of angles are those of Moshier's Cephes library, for single precision.

/// The square root, correctly rounded.
#[inline(always)]
pub fn sqrt(x: f32) -> f32 {
    #[cfg(target_arch = "nvptx64")]
    {
        let root: f32;
        // SAFETY: computes.
        unsafe {
            core::arch::asm!("sqrt.rn.f32 {}, {};", out(reg32) root, in(reg32) x, options(pure, nomem, nostack));
        }
        root
    }
    #[cfg(not(target_arch = "nvptx64"))]
    x.sqrt()
}

/// A polynomial, with the coefficient of the highest power first.
#[inline(always)]
fn polynomial<const N: usize>(x: f32, coefficients: [f32; N]) -> f32 {
    let mut sum = 0.0;
    for coefficient in coefficients {
        sum = sum * x + coefficient;
    }
    sum
}

/// Two to the power of `n`, from -126 to 127.
#[inline(always)]
fn power_of_two(n: i32) -> f32 {
    f32::from_bits(((n + 127) as u32) << 23)
}

/// The exponential, with a relative error of at most 2e-7 unless the result is less than 1.2e-38.
#[inline(always)]
pub fn exp(x: f32) -> f32 {
    if x > 88.72283 {
        return f32::INFINITY;
    }
    if x < -104.0 {
        return 0.0;
    }
    // To add and subtract this number rounds to a whole one.
    let whole = (x * core::f32::consts::LOG2_E + 12_582_912.0) - 12_582_912.0;
    // The logarithm of 2 in two parts, of which the first has few bits, so that its product is exact.
    let rest = (x - whole * 0.693_359_4) - whole * -2.121_944_4e-4;
    let of_rest =
        polynomial(rest, [1.987_569_1e-4, 1.398_199_9e-3, 8.333_452e-3, 4.166_579_6e-2, 1.666_666_5e-1, 0.5]);
    let (n, near_one) = (whole as i32, of_rest * (rest * rest) + rest + 1.0);
    // In two steps, because the power alone may be out of range.
    near_one * power_of_two(n / 2) * power_of_two(n - n / 2)
}

/// The eighth of a turn that `|x|` is in, rounded up to an even number, and what is left of `|x|`.
#[inline(always)]
fn reduced(x: f32) -> (u32, f32) {
    let x = x.abs();
    let eighth = (x * (4.0 / core::f32::consts::PI)) as u32;
    let even = eighth.wrapping_add(eighth & 1);
    let y = even as f32;
    // A quarter of pi in three parts; the products are exact for the first two.
    (even & 7, ((x - y * 0.785_156_25) - y * 2.418_756_5e-4) - y * 3.774_895e-8)
}

/// The sine of an angle between -pi/4 and pi/4.
#[inline(always)]
fn near_sin(x: f32) -> f32 {
    let z = x * x;
    polynomial(z, [-1.951_529_6e-4, 8.332_161e-3, -1.666_665_5e-1]) * z * x + x
}

/// The cosine of an angle between -pi/4 and pi/4.
#[inline(always)]
fn near_cos(x: f32) -> f32 {
    let z = x * x;
    polynomial(z, [2.443_315_7e-5, -1.388_731_6e-3, 4.166_664_6e-2]) * z * z - 0.5 * z + 1.0
}

/// The sine, with an error of at most 2e-7 for angles up to 8,192. Larger ones are not reduced well.
#[inline(always)]
pub fn sin(x: f32) -> f32 {
    let (eighth, rest) = reduced(x);
    let of_rest = if eighth & 2 == 0 { near_sin(rest) } else { near_cos(rest) };
    if (eighth > 3) != (x < 0.0) {
        -of_rest
    } else {
        of_rest
    }
}

/// The cosine, as [`sin`] gives the sine.
#[inline(always)]
pub fn cos(x: f32) -> f32 {
    let (eighth, rest) = reduced(x);
    let of_rest = if eighth & 2 == 0 { near_cos(rest) } else { near_sin(rest) };
    if eighth == 2 || eighth == 4 {
        -of_rest
    } else {
        of_rest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_errors_are_as_small_as_is_said() {
        for i in -820_000..=820_000 {
            let x = i as f32 * 0.009_989;
            let exact = f64::from(x);
            assert!((f64::from(sin(x)) - exact.sin()).abs() < 2e-7, "sin({x}) = {}", sin(x));
            assert!((f64::from(cos(x)) - exact.cos()).abs() < 2e-7, "cos({x}) = {}", cos(x));
            let x = i as f32 * 1.05e-4;
            let exact = f64::from(x).exp();
            let error = (f64::from(exp(x)) - exact).abs();
            assert!(error < 2e-7 * exact || exact < 1.2e-38 && error < 2e-45, "exp({x}) = {}", exp(x));
        }
        for i in 0..100_000 {
            let x = f32::from_bits(i * 21_474);
            assert!(x.is_nan() || sqrt(x) == x.sqrt(), "{x}");
        }
    }

    #[test]
    fn the_ends_of_the_range() {
        assert_eq!((exp(0.0), exp(89.0), exp(-200.0)), (1.0, f32::INFINITY, 0.0));
        assert_eq!((exp(f32::NEG_INFINITY), exp(f32::INFINITY)), (0.0, f32::INFINITY));
        assert_eq!((sin(0.0), cos(0.0), sqrt(0.0)), (0.0, 1.0, 0.0));
        assert!([exp(f32::NAN), sin(f32::NAN), cos(f32::INFINITY), sqrt(-1.0)].iter().all(|x| x.is_nan()));
    }
}
