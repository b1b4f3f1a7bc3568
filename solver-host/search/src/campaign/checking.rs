//! What is known of the checks: [`Checking`].

use super::watch::Watch;
use crate::options::Check;
use crate::AnswerSet;
use yasmin_ground::check::Workspace;

/// What a campaign knows of its checks.
pub struct Checking {
    pub how: Check,
    pub workspace: Workspace,
    pub watch: Watch,
    /// A copy of the answer set that was handed out last, if it was not verified.
    pub last: AnswerSet,
    /// Whether there is such a copy.
    pub is_due: bool,
    /// How many further answer sets may be verified before the clock is looked at.
    pub left: u64,
    /// Seconds that the last check took, without making the checker.
    pub one: f64,
    /// Whether the last answer set before the proof of its optimality was verified.
    pub is_optimum_checked: bool,
}

impl Checking {
    /// Nothing was checked so far; `how` says what is to be.
    pub fn new(how: Check) -> Checking {
        Checking {
            how,
            workspace: Workspace::default(),
            watch: Watch::default(),
            last: AnswerSet::default(),
            is_due: false,
            left: 0,
            one: 0.0,
            is_optimum_checked: false,
        }
    }

    /// Begins again, with nothing told.
    pub fn begin_again(&mut self) {
        let workspace = std::mem::take(&mut self.workspace);
        *self = Checking { workspace, left: self.left, one: self.one, ..Checking::new(self.how) };
    }

    /// Whether every answer set is verified.
    pub fn checks_all(&self) -> bool {
        self.how == Check::All
    }

    /// Keeps a copy of an answer set that is not verified now. Its vectors are reused, because there may be
    /// millions of answer sets.
    pub fn keep(&mut self, answer: &AnswerSet) {
        let AnswerSet { values, printed, costs, is_optimal, consequences } = &mut self.last;
        values.copy_from(&answer.values);
        printed.clone_from(&answer.printed);
        costs.clone_from(&answer.costs);
        (*is_optimal, *consequences) = (answer.is_optimal, answer.consequences);
        self.is_due = true;
    }
}
