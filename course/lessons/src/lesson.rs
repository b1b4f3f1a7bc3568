//! What all lessons have in common: how each is run, compared and tested. Main types: [`Lesson`] and
//! [`Outcome`].

use cuda_launch::{Device, Error, Simulation};

/// What a lesson's kernels computed, and what they should have computed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// What the device computed. Where the order of the elements may differ from run to run, they are sorted.
    pub found: Vec<u32>,
    /// What a plain sequential program computes.
    pub expected: Vec<u32>,
}

impl Outcome {
    /// The first element that differs, for people; `None` if all are right.
    pub fn difference(&self) -> Option<String> {
        let (found, expected) = (&self.found, &self.expected);
        if found.len() != expected.len() {
            return Some(format!("{} elements instead of {}", found.len(), expected.len()));
        }
        let at = (0..found.len()).find(|&i| found[i] != expected[i])?;
        Some(format!("element {at} is {} instead of {}", found[at], expected[at]))
    }
}

/// A kernel with one mistake.
pub struct Twin {
    /// The mistake's name in the book's table.
    pub name: &'static str,
    /// Launches the kernel. The result tells what the device says of it.
    pub run: fn(&mut Device) -> Result<Outcome, Error>,
    /// Words of what the simulation says. `None` if the simulation cannot see the mistake, so that only the
    /// result is wrong.
    pub says: Option<&'static str>,
}

/// A lesson.
pub struct Lesson {
    /// The lesson's name, and that of its file.
    pub name: &'static str,
    /// One line about it.
    pub about: &'static str,
    /// Runs the lesson's kernels.
    pub run: fn(&mut Device) -> Result<Outcome, Error>,
    /// The same kernels, each with one mistake.
    pub twins: &'static [Twin],
}

impl Twin {
    /// What the simulated GPU says of the mistake, in an order of the threads that is drawn from `seed`: its
    /// error, or how the result differs.
    pub fn said(&self, seed: u64) -> String {
        match (self.run)(&mut simulated(seed, 1)) {
            Err(error) => error.to_string(),
            Ok(outcome) => match outcome.difference() {
                Some(difference) => format!("nothing, but {difference}"),
                None => "nothing".into(),
            },
        }
    }
}

// ANCHOR: simulated
/// The simulated GPU, which runs each launch in `schedules` orders of its threads.
pub fn simulated(seed: u64, schedules: u32) -> Device {
    Device::simulating(Simulation { seed, schedules, ..Simulation::default() })
}
// ANCHOR_END: simulated

/// The bits of floating-point numbers.
pub fn bits(numbers: &[f32]) -> Vec<u32> {
    numbers.iter().map(|number| number.to_bits()).collect()
}

/// The next number of a sequence that looks random (a linear congruential generator; Knuth, MMIX).
pub fn next_random(state: &mut u64) -> u32 {
    *state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    (*state >> 33) as u32
}

/// Tests of a lesson, on each device. A missing GPU is reported as skipped.
#[cfg(test)]
macro_rules! on_every_device {
    ($run:path) => {
        mod tests {
            use cuda_launch::{Device, Error};

            fn check(device: &mut Device) {
                let outcome = $run(device).unwrap_or_else(|error| panic!("{}: {error}", device.name()));
                assert_eq!(outcome.difference(), None, "{}", device.name());
            }

            #[test]
            fn on_the_processor() {
                check(&mut Device::cpu());
            }

            #[test]
            fn on_the_simulated_gpu() {
                check(&mut Device::simt());
            }

            #[test]
            fn in_many_orders() {
                check(&mut crate::lesson::simulated(7, 6));
            }

            #[test]
            fn on_a_gpu() {
                match Device::gpu(0, crate::KERNELS) {
                    Ok(mut device) => check(&mut device),
                    Err(why @ Error::NoGpu(_)) => eprintln!("SKIPPED: {why}"),
                    Err(error) => panic!("{error}"),
                }
            }
        }
    };
}
#[cfg(test)]
pub(crate) use on_every_device;
