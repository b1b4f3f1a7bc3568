//! Which device is asked for: each kind with its name and its help.
//!
//! Main type: [`DeviceKind`]. It is typed `auto`, `gpu`, `gpu:N`, `gpu:N,M,...`, `gpu:all`, `cpu` or `simt`.

use std::fmt;
use std::str::FromStr;

/// What the user may ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeviceKind {
    /// The CPU first, and then a GPU besides if there is one. A search by one block alone: the GPU if there is one,
    /// else the CPU.
    Auto,
    /// An NVIDIA GPU, by its ordinal among those of the driver, from 0.
    Gpu(u32),
    /// Several NVIDIA GPUs: a bit for each ordinal below 64.
    Gpus(GpuSet),
    /// The host, with one thread a kernel.
    Cpu,
    /// The host, with every GPU thread simulated exactly.
    Simt,
}

/// Several GPUs, by their ordinals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GpuSet(u64);

impl GpuSet {
    /// All GPUs of the driver.
    pub const ALL: GpuSet = GpuSet(u64::MAX);

    /// The ordinals, of which there are `gpus`, if all are meant.
    pub fn ordinals(self, gpus: u32) -> impl Iterator<Item = u32> {
        let end = if self == GpuSet::ALL { gpus } else { u64::BITS };
        (0..end).filter(move |&ordinal| ordinal >= u64::BITS || self.0 >> ordinal & 1 == 1)
    }
}

/// What is typed for each kind, and what `--help` says of the kind.
const NAMES: [(&str, DeviceKind, &str); 4] = [
    ("auto", DeviceKind::Auto, "The processor, and the searchers of a GPU join in if there is one"),
    ("gpu", DeviceKind::Gpu(0), "An NVIDIA GPU: the first one; gpu:N is the one with number N, from 0; gpu:0,2 are two, gpu:all all of them"),
    ("cpu", DeviceKind::Cpu, "The processor: the same kernels, run as fast as it can"),
    (
        "simt",
        DeviceKind::Simt,
        "The processor, thread by thread as a GPU would, checking each step: slow, for tests and for learning",
    ),
];

/// What is typed before the number of a GPU.
const NUMBERED: &str = "gpu:";

/// What is typed after that for all GPUs.
const ALL: &str = "all";

impl FromStr for DeviceKind {
    type Err = String;

    fn from_str(typed: &str) -> Result<Self, String> {
        let Some(number) = typed.strip_prefix(NUMBERED) else {
            let named = NAMES.iter().find(|(name, ..)| *name == typed);
            return named
                .map(|&(_, kind, _)| kind)
                .ok_or("expected auto, gpu, gpu:N, gpu:all, cpu or simt".into());
        };
        let ordinal = |number: &str| match number.parse::<u32>() {
            Ok(ordinal) if !number.starts_with('+') => Ok(ordinal),
            _ => Err(format!("N must be a whole number from 0, not `{number}`")),
        };
        if number == ALL {
            return Ok(DeviceKind::Gpus(GpuSet::ALL));
        }
        if !number.contains(',') {
            return ordinal(number).map(DeviceKind::Gpu);
        }
        let mut set = 0;
        for number in number.split(',') {
            match ordinal(number)? {
                n if n >= u64::BITS => {
                    return Err(format!("of several GPUs each has a number below 64, not {n}"))
                }
                n if set >> n & 1 == 1 => return Err(format!("GPU {n} is named twice")),
                n => set |= 1 << n,
            }
        }
        Ok(DeviceKind::Gpus(GpuSet(set)))
    }
}

impl fmt::Display for DeviceKind {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        if let DeviceKind::Gpu(ordinal @ 1..) = self {
            return write!(f, "{NUMBERED}{ordinal}");
        }
        if let DeviceKind::Gpus(set) = self {
            let ordinals: Vec<String> = set.ordinals(0).map(|n| n.to_string()).collect();
            return match *set == GpuSet::ALL {
                true => write!(f, "{NUMBERED}{ALL}"),
                false => write!(f, "{NUMBERED}{}", ordinals.join(",")),
            };
        }
        let (name, ..) = NAMES.iter().find(|(_, kind, _)| kind == self).expect("all other kinds have names");
        f.write_str(name)
    }
}

/// How `clap` parses a [`DeviceKind`]. The parser's help and its errors list the names.
#[cfg(feature = "clap")]
mod typed {
    use super::{DeviceKind, NAMES, NUMBERED};
    use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser, ValueParserFactory};
    use clap::error::{ContextKind, ContextValue};
    use clap::{Arg, Command};
    use std::ffi::OsStr;
    use std::str::FromStr;

    /// Parses a [`DeviceKind`].
    #[derive(Clone)]
    pub struct Parser;

    impl TypedValueParser for Parser {
        type Value = DeviceKind;

        fn parse_ref(
            &self,
            command: &Command,
            arg: Option<&Arg>,
            typed: &OsStr,
        ) -> Result<DeviceKind, clap::Error> {
            if !typed.to_string_lossy().starts_with(NUMBERED) {
                // This parser's error lists the names and finds a similar one.
                let parsed = PossibleValuesParser::new(named()).parse_ref(command, arg, typed);
                parsed.map_err(|error| suggest_gpu(error, &typed.to_string_lossy()))?;
            }
            <DeviceKind as FromStr>::from_str.parse_ref(command, arg, typed)
        }

        fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
            Some(Box::new(named()))
        }
    }

    /// The error with the name that is meant, where other programs call a GPU so. By its letters, `cuda` is similar to
    /// `cpu`.
    fn suggest_gpu(mut error: clap::Error, typed: &str) -> clap::Error {
        let (name, number) = typed.split_once(':').map_or((typed, None), |(name, rest)| (name, Some(rest)));
        if ["cuda", "nvidia", "gpu"].contains(&name.to_ascii_lowercase().as_str()) {
            let meant = number.map_or("gpu".to_string(), |number| format!("{NUMBERED}{number}"));
            error.insert(ContextKind::SuggestedValue, ContextValue::String(meant));
        }
        error
    }

    /// The names, each with its help.
    fn named() -> impl Iterator<Item = PossibleValue> {
        NAMES.iter().map(|&(name, _, help)| PossibleValue::new(name).help(help))
    }

    impl ValueParserFactory for DeviceKind {
        type Parser = Parser;

        fn value_parser() -> Parser {
            Parser
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gpu_has_a_number() {
        for (typed, kind) in [
            ("auto", DeviceKind::Auto),
            ("gpu", DeviceKind::Gpu(0)),
            ("gpu:0", DeviceKind::Gpu(0)),
            ("gpu:12", DeviceKind::Gpu(12)),
            ("gpu:0,2", DeviceKind::Gpus(GpuSet(5))),
            ("gpu:all", DeviceKind::Gpus(GpuSet::ALL)),
            ("cpu", DeviceKind::Cpu),
            ("simt", DeviceKind::Simt),
        ] {
            assert_eq!(typed.parse(), Ok(kind), "{typed}");
            assert_eq!(kind.to_string().parse(), Ok(kind), "{typed}");
            #[cfg(feature = "clap")]
            {
                let arg = clap::Arg::new("device").value_parser(clap::value_parser!(DeviceKind));
                let command = clap::Command::new("test").arg(arg);
                let matches = command.try_get_matches_from(["test", typed]).expect(typed);
                assert_eq!(matches.get_one("device"), Some(&kind), "{typed}");
            }
        }
        let all = |set: GpuSet, gpus| set.ordinals(gpus).collect::<Vec<_>>();
        assert_eq!((all(GpuSet(5), 1), all(GpuSet::ALL, 3)), (vec![0, 2], vec![0, 1, 2]));
        for wrong in [
            "",
            "gpu:",
            "gpu:0,",
            "gpu:1,1",
            "gpu:0,64",
            "gpu:0,all",
            "gpu:-1",
            "gpu:+1",
            "gpu:x",
            "gpu:4294967296",
            "gpu1",
            "cpu:0",
            "GPU",
            "tpu",
        ] {
            assert!(wrong.parse::<DeviceKind>().is_err(), "{wrong}");
        }
    }

    #[cfg(feature = "clap")]
    #[test]
    fn other_names_of_a_gpu_suggest_its_name() {
        for (typed, meant) in
            [("cuda", "gpu"), ("GPU", "gpu"), ("cuda:1", "gpu:1"), ("nvidia", "gpu"), ("cpus", "cpu")]
        {
            let arg = clap::Arg::new("device").value_parser(clap::value_parser!(DeviceKind));
            let error =
                clap::Command::new("test").arg(arg).try_get_matches_from(["test", typed]).expect_err(typed);
            let told = error.to_string();
            assert!(told.contains(&format!("a similar value exists: '{meant}'")), "{typed}: {told}");
        }
    }
}
