//! Compares what a run said with what is true.
//!
//! Main function: [`check`]. The table in [the module's documentation](super) says which statements are allowed when.

use std::collections::HashMap;
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};

use solver_host::output::Stop;
use yasmin_cli::Printed;

use super::asked::{Asked, Mode, Reasoning};
use super::meant::Meant;
use super::program::fits;
use super::said::{Said, Witness};

/// What is wrong with what a run said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrong {
    /// Which statement: a word that stays the same if the case changes a little.
    pub what: &'static str,
    /// How it is wrong.
    pub how: String,
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}: {}", self.what, self.how)
    }
}

/// All that is wrong, in one line.
pub fn all_wrong(wrong: &[Wrong]) -> String {
    wrong.iter().map(Wrong::to_string).collect::<Vec<_>>().join("; ")
}

/// Collects what is wrong.
struct Judge<'a> {
    said: &'a Said,
    asked: &'a Asked,
    meant: &'a Meant,
    wrong: Vec<Wrong>,
}

/// Compares what a run printed with what is true. `stop` is what the run was told when it asked, if that was to stop.
pub fn check(printed: &Printed, asked: &Asked, meant: &Meant, stop: Option<Stop>) -> Vec<Wrong> {
    let wrong = |what, how: String| vec![Wrong { what, how }];
    if let Some(error) = &printed.error {
        return wrong("error", error.clone());
    }
    let said = match Said::read(asked.format, asked.prints_all(), &printed.out) {
        Ok(said) => said,
        Err(error) => return wrong("form", error),
    };
    let mut judge = Judge { said: &said, asked, meant, wrong: Vec::new() };
    judge.code(printed.code);
    judge.told(&printed.told);
    judge.end(stop);
    judge.verdict();
    judge.number();
    judge.costs();
    judge.bounds();
    judge.witnesses();
    judge.order();
    judge.repetitions();
    judge.consequences();
    judge.wrong
}

impl Judge<'_> {
    /// Notes that a statement is wrong unless it `holds`.
    fn holds(&mut self, holds: bool, what: &'static str, how: impl FnOnce() -> String) {
        if !holds {
            self.wrong.push(Wrong { what, how: how() });
        }
    }

    fn is_enumerating(&self) -> bool {
        self.asked.reasoning == Reasoning::Enumerate
    }

    /// How many answer sets count for `-n`; of text that does not say it, the least that it may be.
    fn counted(&self) -> u64 {
        match self.meant.optimizes && self.asked.mode == Mode::OptN {
            true => self.said.optimal.unwrap_or(0),
            false => self.said.number,
        }
    }

    /// Whether the number asked for was found.
    fn is_enough(&self) -> bool {
        let said_nothing_of_one =
            self.meant.limit == 1 && self.said.optimal.is_none() && self.said.number > 0;
        self.meant.limit != 0 && (self.counted() >= self.meant.limit || said_nothing_of_one)
    }

    /// Whether the last answer set is as good as it need be.
    fn is_good_enough(&self) -> bool {
        let stop = self.asked.opt_stop.as_ref().filter(|_| self.meant.optimizes);
        stop.zip(self.said.costs.as_ref()).is_some_and(|(stop, costs)| fits(costs, stop))
    }

    fn code(&mut self, code: i32) {
        let said = self.said;
        let mut want = 0;
        if said.number > 0 {
            want |= 10;
        }
        if !said.more {
            want |= 20;
        }
        if said.time_limit || said.interrupted {
            want |= 1;
        }
        self.holds(code == want, "code", || format!("exit code {code}, and not {want}"));
        self.holds(said.error.is_none(), "error", || {
            format!("an error only in the document: {:?}", said.error)
        });
    }

    fn told(&mut self, lines: &[String]) {
        let leaves_open = self.meant.optimizes && self.asked.mode == Mode::Opt && self.meant.limit != 0;
        let warns = lines.iter().any(|line| line.contains("optimality of last model not guaranteed"));
        self.holds(warns == leaves_open, "warning", || {
            format!("whether it is warned that optimality is not guaranteed: {warns}, and not {leaves_open}")
        });
    }

    /// Why the run ended.
    fn end(&mut self, stop: Option<Stop>) {
        let said = self.said;
        let may = |why| stop == Some(why) || (why == Stop::TimeLimit && self.asked.time_limit.is_some());
        let is_stopped = said.time_limit || said.interrupted;
        let true_limit = !said.time_limit || may(Stop::TimeLimit);
        let true_signal = !said.interrupted || may(Stop::Interrupted);
        self.holds(true_limit && true_signal, "stopped", || "stopped, and nobody said so".into());
        self.holds(!(said.time_limit && said.interrupted), "stopped", || "stopped by two".into());
        self.holds(said.more || !is_stopped, "stopped", || "stopped, and nothing was left".into());
        let has_ended = self.is_enough() || self.is_good_enough() || self.asked.solve_limit.is_some();
        self.holds(!said.more || is_stopped || has_ended, "ended", || {
            "the run ended, nobody asked for that, and it does not say that nothing is left".into()
        });
        self.holds(stop.is_none() || !said.more || is_stopped || has_ended, "stopped", || {
            format!("stopped ({stop:?}), and it is not said")
        });
        if let Some((threads, winner)) = said.threads {
            self.holds(winner.is_none_or(|winner| winner < threads), "winner", || {
                format!("searcher {winner:?} of {threads}")
            });
        }
    }

    fn verdict(&mut self) {
        let said = self.said;
        let is_all_costs = !self.meant.optimizes && self.meant.has_costs && !said.more;
        let want: &[&str] = match (said.number, said.more) {
            (0, false) => &["UNSATISFIABLE"],
            (0, true) => &["UNKNOWN"],
            _ if is_all_costs || said.optimum == Some(true) => &["OPTIMUM FOUND"],
            _ => &["SATISFIABLE"],
        };
        self.holds(want.contains(&&said.result[..]), "verdict", || {
            format!(
                "{} after {} answer sets, more: {}, optimum: {:?}",
                said.result, said.number, said.more, said.optimum
            )
        });
        let is_unsatisfiable = said.result == "UNSATISFIABLE";
        self.holds(!is_unsatisfiable || !self.meant.is_satisfiable, "unsatisfiable", || {
            "UNSATISFIABLE, and there is an answer set".into()
        });
        self.holds(said.number == 0 || self.meant.is_satisfiable, "satisfiable", || {
            format!("{} answer sets, and there is none", said.number)
        });
    }

    /// How many answer sets were found, and whether these are all.
    fn number(&mut self) {
        let (said, limit) = (self.said, self.meant.limit);
        let is_opt_n = self.meant.optimizes && self.asked.mode == Mode::OptN;
        let optimal = said.optimal.unwrap_or(0);
        // With `optN` those on the way to the optimum count, too.
        let counted = if is_opt_n { optimal } else { said.number };
        self.holds(limit == 0 || counted <= limit, "limit", || {
            format!("{counted} answer sets, and {limit} are wanted")
        });
        if self.asked.prints_all() {
            self.holds(said.number == said.witnesses.len() as u64, "number", || {
                format!("{} answer sets, and {} are printed", said.number, said.witnesses.len())
            });
        }
        let Some(number) = self.meant.number.filter(|_| self.is_enumerating()) else { return };
        if self.meant.optimizes && !is_opt_n {
            return;
        }
        // Text leaves the number out if it is one.
        let counted = match (is_opt_n, said.optimal, said.optimum) {
            (true, None, Some(true)) => 1,
            _ => counted,
        };
        self.holds(counted as u128 <= number, "number", || {
            format!("{counted} answer sets, and there are {number}")
        });
        // The optimum alone counts as one optimal answer set.
        self.holds(said.more || counted as u128 == number, "all", || {
            format!("{counted} answer sets are said to be all, and there are {number}")
        });
    }

    /// What is said of the optimum.
    fn costs(&mut self) {
        let (said, meant) = (self.said, self.meant);
        let last = said.witnesses.last().and_then(|witness| witness.costs.as_ref());
        if !meant.optimizes {
            let is_there = said.costs.is_some() || said.optimal.is_some();
            self.holds(!is_there, "costs", || "costs of no optimum".into());
            return;
        }
        let is_there = said.number > 0;
        self.holds(said.costs.is_some() == is_there && said.optimum.is_some() == is_there, "costs", || {
            format!(
                "the costs are {:?} and the optimum is {:?} after {} answer sets",
                said.costs, said.optimum, said.number
            )
        });
        let Some(costs) = &said.costs else { return };
        if let Some(last) = last {
            self.holds(last == costs, "costs", || format!("{costs:?}, and the last answer set has {last:?}"));
        }
        let claims = said.optimum == Some(true);
        self.holds(!claims || meant.is_optimum(costs), "optimum", || {
            format!("{costs:?} are said to be optimal, and {:?} are", meant.optimum)
        });
        self.holds(claims || said.more, "optimum", || "nothing is left, and the optimum is not known".into());
        if let Some(optimal) = said.optimal {
            self.holds((optimal > 0) == claims, "optimal", || {
                format!("{optimal} optimal ones, known: {claims}")
            });
        }
    }

    fn bounds(&mut self) {
        let (said, meant) = (self.said, self.meant);
        for lower in &said.progression {
            self.holds(meant.optimizes && meant.is_lower(lower), "progression", || {
                format!("no costs are said to be below {lower:?}, and the optimum is {:?}", meant.optimum)
            });
        }
        self.holds(said.progression.is_sorted_by(|a, b| a < b), "progression", || {
            format!("lower bounds that do not rise: {:?}", said.progression)
        });
        let Some(lower) = &said.lower else { return };
        self.holds(meant.optimizes && said.optimum != Some(true), "bounds", || {
            "bounds of a known optimum".into()
        });
        self.holds(meant.is_lower(lower), "lower", || {
            format!("no costs are said to be below {lower:?}, and the optimum is {:?}", meant.optimum)
        });
        let upper = said.upper.clone().unwrap_or_default();
        self.holds(upper == said.costs.clone().unwrap_or_default(), "upper", || {
            format!("{upper:?}, and the costs are {:?}", said.costs)
        });
    }

    /// Each answer set for itself.
    fn witnesses(&mut self) {
        let meant = self.meant;
        for (place, witness) in self.said.witnesses.iter().enumerate() {
            let place = place + 1;
            let is_optimal = meant.optimizes && (witness.is_optimal || witness.consequences.is_some());
            if let Some(costs) = &witness.costs {
                self.holds(meant.has_costs, "costs", || format!("answer set {place} has costs"));
                self.holds(fits(costs, &meant.within.bound), "bound", || {
                    format!("answer set {place} costs {costs:?}, and the bound is {:?}", meant.within.bound)
                });
                self.holds(!is_optimal || meant.is_optimum(costs), "optimal", || {
                    format!(
                        "answer set {place} is said to be optimal and costs {costs:?}, not {:?}",
                        meant.optimum
                    )
                });
                self.holds(meant.optimum.as_ref().is_none_or(|best| costs >= best), "costs", || {
                    format!("answer set {place} costs {costs:?}, less than the optimum {:?}", meant.optimum)
                });
            } else if self.asked.prints_all() {
                self.holds(!meant.has_costs, "costs", || format!("answer set {place} has no costs"));
            }
            let says = witness.is_optimal && meant.optimizes;
            self.holds(says || !witness.is_optimal, "optimal", || {
                format!("answer set {place} of no search for an optimum is optimal")
            });
            // What `--quiet` leaves out may be that the names are those of consequences.
            let is_one = self.is_enumerating() || self.asked.prints_all();
            if witness.consequences.is_none() && is_one {
                if let Err(how) = self.is_answer_set(witness) {
                    self.wrong.push(Wrong { what: "answer", how: format!("answer set {place}: {how}") });
                }
            }
        }
    }

    /// Whether a witness is an answer set with such costs, as far as that is known.
    fn is_answer_set(&self, witness: &Witness) -> Result<(), String> {
        let Some(value) = &witness.value else { return Ok(()) };
        let names: Vec<&str> = value.iter().map(String::as_str).collect();
        if let Some(table) = &self.meant.table {
            let numbers = table.printing(&names).ok_or_else(|| format!("{value:?} is no answer set"))?;
            if let Some(costs) = witness.costs.as_ref().filter(|costs| !numbers.contains_key(*costs)) {
                return Err(format!(
                    "{value:?} costs {:?} and not {costs:?}",
                    numbers.keys().collect::<Vec<_>>()
                ));
            }
        }
        if let Some(optimal) =
            self.meant.optimal.as_ref().filter(|_| witness.is_optimal || witness.costs == self.meant.optimum)
        {
            let mut sorted = value.clone();
            sorted.sort_unstable();
            if !optimal.contains(&sorted) {
                return Err(format!("{value:?} is not optimal"));
            }
        }
        Ok(())
    }

    /// Answer sets on the way to an optimum become better, and consequences more or fewer.
    fn order(&mut self) {
        if !self.asked.prints_all() {
            return;
        }
        for (place, pair) in self.said.witnesses.windows(2).enumerate() {
            let [before, after] = pair else { continue };
            let place = place + 2;
            if self.meant.optimizes {
                // What is optimal may come again as the first of all that are.
                let is_over = after.is_optimal || after.consequences.is_some();
                let is_ordered = match is_over {
                    true => after.costs <= before.costs,
                    false => after.costs < before.costs,
                };
                self.holds(is_ordered, "better", || {
                    format!("answer set {place} costs {:?} after {:?}", after.costs, before.costs)
                });
                let has_ended = before.consequences.is_some() && after.consequences.is_none();
                let is_forgotten = before.is_optimal && !after.is_optimal;
                self.holds(!has_ended && !is_forgotten, "better", || {
                    format!("answer set {place} is on the way to an optimum that is known")
                });
                let stop = self.asked.opt_stop.as_ref();
                let is_late = stop.zip(before.costs.as_ref()).is_some_and(|(stop, costs)| fits(costs, stop));
                self.holds(!is_late, "opt-stop", || {
                    format!("answer set {place} follows one that is good enough")
                });
            }
            let is_narrower = before.consequences.is_none()
                || match (self.asked.reasoning, &before.value, &after.value) {
                    (Reasoning::Brave, Some(before), Some(after)) => {
                        after.len() > before.len() && has_all(after, before)
                    }
                    (Reasoning::Cautious, Some(before), Some(after)) => {
                        after.len() < before.len() && has_all(before, after)
                    }
                    _ => true,
                };
            self.holds(is_narrower, "news", || {
                format!("answer set {place} says nothing new: {:?} after {:?}", after.value, before.value)
            });
        }
    }

    /// No answer set comes twice; those on the way to an optimum come first.
    fn repetitions(&mut self) {
        let Some(table) = &self.meant.table else { return };
        // With `--quiet` the last one may be printed twice, for its names and for its costs.
        if !self.is_enumerating() || !self.asked.prints_all() {
            return;
        }
        let mut seen: HashMap<u64, u128> = HashMap::new();
        let mut keys: HashMap<Vec<bool>, usize> = HashMap::new();
        let of_phase = |witness: &&Witness| !self.meant.optimizes || witness.is_optimal;
        let mut repeated = None;
        for witness in self.said.witnesses.iter().filter(of_phase) {
            let Some(value) = &witness.value else { continue };
            let mut names: Vec<&str> = value.iter().map(String::as_str).collect();
            names.sort_unstable();
            let Some(numbers) = table.printing(&names) else { continue };
            let most: u128 = match &witness.costs {
                Some(costs) => numbers.get(costs).copied().unwrap_or(0),
                None => numbers.values().sum(),
            };
            let mut hasher = DefaultHasher::new();
            (&names, &witness.costs).hash(&mut hasher);
            let times = seen.entry(hasher.finish()).or_default();
            *times += 1;
            if *times > most.max(1) {
                repeated = Some(format!("{names:?} comes {times} times, and there are {most}"));
                break;
            }
            if let Some(key) = table.key(&names) {
                // Of answer sets with the same key there is one, unless they print the same and nobody can tell.
                let times = keys.entry(key).or_default();
                *times += 1;
                if *times > 1 && most == 1 {
                    repeated = Some(format!("{names:?} is the same as one before, as far as is asked"));
                    break;
                }
            }
        }
        self.holds(repeated.is_none(), "twice", || repeated.unwrap_or_default());
    }

    fn consequences(&mut self) {
        let (said, meant) = (self.said, self.meant);
        let is_brave = self.asked.reasoning == Reasoning::Brave;
        if self.is_enumerating() {
            let none = said.complete.is_none() && said.consequences.is_none();
            let none = none && said.witnesses.iter().all(|witness| witness.consequences.is_none());
            self.holds(none, "consequences", || "consequences that nobody asked for".into());
            return;
        }
        if let Some((name, is_complete)) = said.complete {
            let right = if is_brave { "Brave" } else { "Cautious" };
            self.holds(name == right, "consequences", || format!("{name}, and not {right}"));
            self.holds(is_complete != said.more, "consequences", || {
                format!("complete: {is_complete}, and there may be more: {}", said.more)
            });
        }
        self.holds(said.complete.is_some() == said.consequences.is_some(), "consequences", || {
            "half of them".into()
        });
        let is_due = !said.more && said.number > 0;
        self.holds(!is_due || said.complete.is_some(), "consequences", || {
            "nothing is left, and none are told".into()
        });
        // Without an answer set there are none, and that was looked at.
        let Some(want) = &meant.consequences else { return };
        let last = said.witnesses.last().filter(|witness| witness.consequences.is_some());
        for witness in &said.witnesses {
            let Some((known, open)) = witness.consequences else { continue };
            self.are_possible(known, Some(open), want, is_brave);
            let Some(value) = &witness.value else { continue };
            let printed = if is_brave { known } else { known + open };
            self.holds(value.len() as u64 == printed, "consequences", || {
                format!("{} are printed, and {printed} are meant", value.len())
            });
            let value = &meant.asked_of(value, want);
            let is_right = if is_brave { has_all(want, value) } else { has_all(value, want) };
            let are_asked = meant.asked.as_ref().is_none_or(|asked| has_all(asked, value));
            self.holds(is_right && are_asked, "consequences", || {
                format!("{value:?} are said so far, and the end is {want:?}")
            });
        }
        let Some((known, open)) = said.consequences else { return };
        self.are_possible(known, open, want, is_brave);
        if said.more {
            if let Some((of_last, open_of_last)) = last.and_then(|last| last.consequences) {
                let same = known == of_last && open.is_none_or(|open| open == open_of_last);
                self.holds(same, "consequences", || {
                    "the end says something else than the last answer set".into()
                });
            }
            return;
        }
        let most = want.len() + meant.always.len();
        let is_number = (want.len() as u64..=most as u64).contains(&known) && open.unwrap_or(0) == 0;
        self.holds(is_number, "consequences", || {
            format!("{known} and {open:?} open are said to be all, and there are {}: {want:?}", want.len())
        });
        if let Some(value) = last.and_then(|last| last.value.as_ref()) {
            let value = meant.asked_of(value, want);
            self.holds(value.len() == want.len(), "consequences", || {
                format!("{value:?} are said to be all, and {want:?} are")
            });
        }
    }

    /// Numbers of consequences that are known and open.
    fn are_possible(&mut self, known: u64, open: Option<u64>, want: &[String], is_brave: bool) {
        let number = want.len() as u64;
        let is_below = known <= number + self.meant.always.len() as u64;
        let is_above = open.is_none_or(|open| known + open >= number);
        let kind = if is_brave { "brave" } else { "cautious" };
        self.holds(is_below && is_above, "consequences", || {
            format!("{known} are known and {open:?} are open, and there are {number} {kind} ones: {want:?}")
        });
    }
}

/// Whether `all` has each of `some`, as often.
fn has_all(all: &[String], some: &[String]) -> bool {
    let mut counts: HashMap<&str, i64> = HashMap::new();
    all.iter().for_each(|name| *counts.entry(name).or_default() += 1);
    some.iter().for_each(|name| *counts.entry(name).or_default() -= 1);
    counts.values().all(|&count| count >= 0)
}
