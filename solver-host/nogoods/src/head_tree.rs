//! Says in few literals that all other atoms of a long disjunctive head are false.
//!
//! Main function: [`HeadTree::visit`]. Written out, the other atoms of each of `n` atoms are `n (n - 1)`
//! literals. A tree over the atoms makes it `n log n` at most: each inner node gets an auxiliary atom `some`,
//! which holds if an atom below the node holds, and an auxiliary atom `beside`, which holds if an atom of the
//! head holds that is not below the node. All others of an atom are false if the `some` of the neighbours and
//! the `beside` of the node above are false.
//!
//! Invariant: an auxiliary atom is a disjunction of others, so the values of the head's atoms decide it, and
//! answer sets are neither lost nor gained. Atoms of the head depend on auxiliary atoms only negatively, so no
//! auxiliary atom is on a positive loop.

use solver_gpu::{Lit, Var};

/// A tree over the atoms of a head. The atoms are in groups, and the atoms of a group are all below one node,
/// with no other atom.
pub(super) struct HeadTree<'a> {
    /// The most children of a node, at least 2.
    width: usize,
    nodes: Vec<Node>,
    /// Returns a new auxiliary atom that holds if one of these atoms holds.
    define: &'a mut dyn FnMut(&[Var]) -> Var,
}

/// A node of the tree: an atom of the head, or an inner node.
struct Node {
    /// Holds if an atom below the node holds. For an atom of the head it is the atom itself.
    some: Var,
    /// The nodes below. An atom of the head has none.
    below: Vec<usize>,
    /// Whether all atoms of one group, of which there are several, are below the node, and no others.
    is_group: bool,
}

/// The other atoms of an atom of the head, as atoms of which one holds if and only if one of the others does.
pub(super) struct Others<'a> {
    /// The atom of the head.
    pub head: Var,
    /// Of all other atoms of the head.
    pub all: &'a [Var],
    /// Of the atoms of other groups, if the atom's group has several atoms.
    pub of_other_groups: Option<&'a [Var]>,
}

impl<'a> HeadTree<'a> {
    /// Calls `found` for each atom of a head. `groups` are the atoms, none of them twice, and `define` adds
    /// a new auxiliary atom that holds if one of its argument's atoms holds.
    pub fn visit<'g>(
        groups: impl Iterator<Item = &'g [Var]>,
        width: usize,
        define: &'a mut dyn FnMut(&[Var]) -> Var,
        found: &mut dyn FnMut(Others),
    ) {
        let mut tree = HeadTree { width: width.max(2), nodes: Vec::new(), define };
        let mut top = Vec::new();
        for group in groups {
            let atoms: Vec<usize> = group.iter().map(|&atom| tree.node(atom, Vec::new())).collect();
            let root = tree.joined(atoms, 1)[0];
            tree.nodes[root].is_group = group.len() > 1;
            top.push(root);
        }
        let top = tree.joined(top, tree.width);
        tree.visit_row(&top, None, None, found);
    }

    fn node(&mut self, some: Var, below: Vec<usize>) -> usize {
        self.nodes.push(Node { some, below, is_group: false });
        self.nodes.len() - 1
    }

    /// Joins nodes under new ones until at most `most` are left.
    fn joined(&mut self, mut row: Vec<usize>, most: usize) -> Vec<usize> {
        while row.len() > most {
            row = row.chunks(self.width).map(|below| self.above(below)).collect();
        }
        row
    }

    /// The node above these nodes; a node by itself needs none.
    fn above(&mut self, below: &[usize]) -> usize {
        if let [node] = below {
            return *node;
        }
        let some: Vec<Var> = below.iter().map(|&node| self.nodes[node].some).collect();
        let some = (self.define)(&some);
        self.node(some, below.to_vec())
    }

    /// Visits the atoms below the nodes of `row`. `beside` holds if an atom of the head holds that is below
    /// none of these nodes, and `None` means that there is no such atom. `of_other_groups` is as in
    /// [`Others`].
    fn visit_row(
        &mut self,
        row: &[usize],
        beside: Option<Var>,
        of_other_groups: Option<&[Var]>,
        found: &mut dyn FnMut(Others),
    ) {
        for &node in row {
            let others = row.iter().filter(|&&other| other != node).map(|&other| self.nodes[other].some);
            let others: Vec<Var> = others.chain(beside).collect();
            let Node { some, is_group, .. } = self.nodes[node];
            let below = std::mem::take(&mut self.nodes[node].below);
            if below.is_empty() {
                found(Others { head: some, all: &others, of_other_groups });
                continue;
            }
            let beside = match others[..] {
                [] => None,
                [other] => Some(other),
                _ => Some((self.define)(&others)),
            };
            let of_other_groups = if is_group { Some(beside.as_slice()) } else { of_other_groups };
            self.visit_row(&below, beside, of_other_groups, found);
        }
    }
}

/// The literals that say that none of these atoms holds.
pub(super) fn none_of(atoms: &[Var]) -> impl Iterator<Item = Lit> + '_ {
    atoms.iter().map(|&atom| Lit::f(atom))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// What the tree says of a head whose groups have these numbers of atoms: for each atom the other atoms,
    /// and those of other groups, with auxiliary atoms replaced by what they stand for. Also returns how many
    /// literals this takes.
    #[expect(clippy::type_complexity)]
    fn others(groups: &[u32], width: usize) -> (Vec<(u32, BTreeSet<u32>, Option<BTreeSet<u32>>)>, usize) {
        let mut atoms = 0;
        let groups: Vec<Vec<Var>> = groups
            .iter()
            .map(|&len| {
                atoms += len;
                (atoms - len..atoms).map(Var).collect()
            })
            .collect();
        let (mut sets, mut lits) = ((0..atoms).map(|p| BTreeSet::from([p])).collect::<Vec<_>>(), 0);
        let union = |sets: &[BTreeSet<u32>], of: &[Var]| -> BTreeSet<u32> {
            of.iter().flat_map(|p| sets[p.0 as usize].iter().copied()).collect()
        };
        let mut found: Vec<(Var, Vec<Var>, Option<Vec<Var>>)> = Vec::new();
        let mut define = |of: &[Var]| {
            lits += of.len();
            let all = union(&sets, of);
            sets.push(all);
            Var(sets.len() as u32 - 1)
        };
        HeadTree::visit(groups.iter().map(Vec::as_slice), width, &mut define, &mut |others| {
            found.push((others.head, others.all.to_vec(), others.of_other_groups.map(<[Var]>::to_vec)));
        });
        lits += found.iter().map(|(_, all, of)| all.len() + of.as_ref().map_or(0, Vec::len)).sum::<usize>();
        let meant = found
            .iter()
            .map(|(head, all, of)| (head.0, union(&sets, all), of.as_ref().map(|of| union(&sets, of))));
        (meant.collect(), lits)
    }

    #[test]
    fn others_are_all_others() {
        for groups in [&[1, 1][..], &[3], &[1, 1, 1, 1, 1], &[2, 1, 3], &[7, 1, 1, 9], &[40], &[1, 30, 2, 17]]
        {
            for width in [2, 3, 16] {
                let n: u32 = groups.iter().sum();
                let (found, _) = others(groups, width);
                assert_eq!(found.len() as u32, n, "each atom once");
                let mut end = 0;
                for &len in groups {
                    let group = end..end + len;
                    end += len;
                    for p in group.clone() {
                        let (_, all, of) =
                            found.iter().find(|(head, ..)| *head == p).expect("each atom once");
                        assert_eq!(*all, (0..n).filter(|&q| q != p).collect(), "{groups:?}, {width}, {p}");
                        let outside = (0..n).filter(|q| !group.contains(q)).collect();
                        assert_eq!(*of, (len > 1).then_some(outside), "{groups:?}, {width}, {p}");
                    }
                }
            }
        }
    }

    #[test]
    fn literals_grow_with_the_atoms() {
        for (groups, width) in [(1, 2), (1, 16), (50, 2), (50, 16), (2000, 2), (2000, 16)] {
            let lits = |n: u32| others(&vec![n / groups; groups as usize], width).1;
            let (some, twice) = (lits(2000), lits(4000));
            assert!(
                2 * twice <= 5 * some,
                "{groups} groups, {width}: {some} literals, {twice} for twice the atoms"
            );
            assert!(some <= 2000 * 3 * (width + 1), "{groups} groups, {width}: {some} literals");
        }
    }
}
