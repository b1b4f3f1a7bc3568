//! Medians, ratios and geometric means of times, of which some are only known to be longer than the limit.
//!
//! Main type: [`Time`]. Invariant: a time that was cut off is never counted as if it were known.

use std::fmt;

/// A time in seconds, or what is known of it; also a ratio of such times.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Time {
    /// At most so much.
    AtMost(f64),
    /// So much.
    Exactly(f64),
    /// More than that.
    MoreThan(f64),
}

impl Time {
    /// The number in it.
    pub fn bound(self) -> f64 {
        let (Time::AtMost(x) | Time::Exactly(x) | Time::MoreThan(x)) = self;
        x
    }

    /// The number, if it is known.
    pub fn exact(self) -> Option<f64> {
        match self {
            Time::Exactly(x) => Some(x),
            _ => None,
        }
    }

    /// This divided by the other, if that says anything.
    pub fn ratio(self, other: Time) -> Option<Time> {
        let quotient = self.bound() / other.bound();
        if !quotient.is_finite() {
            return None;
        }
        match (self, other) {
            (Time::Exactly(_), Time::Exactly(_)) => Some(Time::Exactly(quotient)),
            (Time::MoreThan(_), Time::Exactly(_)) => Some(Time::MoreThan(quotient)),
            (Time::Exactly(_), Time::MoreThan(_)) => Some(Time::AtMost(quotient)),
            _ => None,
        }
    }

    /// In this order, what is cut off above is longest, and what is cut off below shortest.
    fn key(self) -> (u8, f64) {
        match self {
            Time::AtMost(x) => (0, x),
            Time::Exactly(x) => (1, x),
            Time::MoreThan(x) => (2, x),
        }
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let sign = match self {
            Time::AtMost(_) => "< ",
            Time::Exactly(_) => "",
            Time::MoreThan(_) => "> ",
        };
        write!(f, "{sign}{}", short(self.bound()))
    }
}

/// The one in the middle; of two, their mean, or what is known of it: nothing, if one may be less and the other more.
pub fn median(times: &[Time]) -> Option<Time> {
    let mut sorted = times.to_vec();
    sorted.sort_by(|a, b| a.key().0.cmp(&b.key().0).then(a.key().1.total_cmp(&b.key().1)));
    let upper = *sorted.get(sorted.len() / 2)?;
    if sorted.len() % 2 == 1 {
        return Some(upper);
    }
    let lower = sorted[sorted.len() / 2 - 1];
    let mean = (lower.bound() + upper.bound()) / 2.0;
    match (lower, upper) {
        (Time::Exactly(_), Time::Exactly(_)) => Some(Time::Exactly(mean)),
        (Time::AtMost(_), Time::MoreThan(_)) => None,
        (Time::AtMost(_), _) => Some(Time::AtMost(mean)),
        _ => Some(Time::MoreThan(mean)),
    }
}

/// The median of numbers.
pub fn median_number(numbers: impl Iterator<Item = f64>) -> Option<f64> {
    median(&numbers.map(Time::Exactly).collect::<Vec<_>>()).map(Time::bound)
}

/// The geometric mean of numbers above 0.
pub fn geometric_mean(numbers: &[f64]) -> Option<f64> {
    let logarithms: f64 = numbers.iter().map(|x| x.ln()).sum();
    (!numbers.is_empty()).then(|| (logarithms / numbers.len() as f64).exp())
}

/// A number with three digits, or with all in front of the point; `12.3M` from a million on.
pub fn short(x: f64) -> String {
    let size = x.abs();
    if size >= 1e9 {
        format!("{:.2}G", x / 1e9)
    } else if size >= 1e6 {
        format!("{:.2}M", x / 1e6)
    } else if size >= 100.0 {
        format!("{x:.0}")
    } else if size >= 10.0 {
        format!("{x:.1}")
    } else if size >= 1.0 {
        format!("{x:.2}")
    } else {
        format!("{x:.3}")
    }
}

#[cfg(test)]
mod tests {
    use super::Time::{AtMost, Exactly, MoreThan};
    use super::*;

    #[test]
    fn medians_know_what_was_cut_off() {
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[Exactly(3.0), Exactly(1.0), Exactly(2.0)]), Some(Exactly(2.0)));
        assert_eq!(median(&[Exactly(3.0), Exactly(1.0)]), Some(Exactly(2.0)));
        assert_eq!(median(&[MoreThan(2.0), Exactly(5.0), Exactly(1.0)]), Some(Exactly(5.0)));
        assert_eq!(median(&[MoreThan(2.0), Exactly(5.0), MoreThan(2.0)]), Some(MoreThan(2.0)));
        assert_eq!(median(&[MoreThan(2.0), Exactly(1.0)]), Some(MoreThan(1.5)));
        assert_eq!(median(&[AtMost(2.0), Exactly(1.0)]), Some(AtMost(1.5)));
        assert_eq!(median(&[AtMost(2.0), MoreThan(4.0)]), None);
    }

    #[test]
    fn ratios_know_it_too() {
        assert_eq!(Exactly(1.0).ratio(Exactly(4.0)), Some(Exactly(0.25)));
        assert_eq!(MoreThan(8.0).ratio(Exactly(4.0)), Some(MoreThan(2.0)));
        assert_eq!(Exactly(1.0).ratio(MoreThan(4.0)), Some(AtMost(0.25)));
        assert_eq!(MoreThan(8.0).ratio(MoreThan(8.0)), None);
        assert_eq!(Exactly(8.0).ratio(Exactly(0.0)), None);
    }

    #[test]
    fn geometric_means() {
        assert_eq!(geometric_mean(&[]), None);
        let mean = geometric_mean(&[0.5, 2.0, 8.0]).expect("there are numbers");
        assert!((mean - 2.0).abs() < 1e-12);
    }

    #[test]
    fn numbers_are_short() {
        let shown: Vec<String> =
            [0.01234, 1.234, 12.34, 123.4, 12345.6, 12.3e6, 4.5e9].into_iter().map(short).collect();
        assert_eq!(shown, ["0.012", "1.23", "12.3", "123", "12346", "12.30M", "4.50G"]);
        assert_eq!(MoreThan(20.0).to_string(), "> 20.0");
    }
}
