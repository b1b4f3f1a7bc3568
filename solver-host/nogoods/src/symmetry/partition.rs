//! An ordered partition of a graph's vertices, which colour refinement makes equitable: all vertices of a
//! cell have equally many edges of each label into each cell.
//!
//! Main functions: [`Partition::individualise`] and [`Partition::refine`]. (McKay and Piperno, "Practical
//! graph isomorphism, II", Journal of Symbolic Computation 60, 2014.)
//!
//! Invariant: cells are ranges of `elements`, and a cell is named by the index of its first element. Two
//! partitions of which an automorphism maps one to the other go through the same splits, which [`Trace`]
//! records.

use super::graph::Graph;
use std::collections::BTreeSet;

/// What refinement did: the cells that were split, with the sizes of the parts and with the edges that made
/// the difference.
pub type Trace = Vec<(u32, u32, u64)>;

/// See the module's documentation.
#[derive(Clone)]
pub struct Partition {
    /// The vertices, cell after cell.
    elements: Vec<u32>,
    /// The index of each vertex in `elements`.
    place: Vec<u32>,
    /// The cell of each vertex.
    cell: Vec<u32>,
    /// The size of each cell, at the index of its first element.
    len: Vec<u32>,
    /// The cells of more than one vertex.
    open: BTreeSet<u32>,
    /// The splits so far: the cell that was split, and the part that became a cell of its own.
    splits: Vec<(u32, u32)>,
    /// Cells that may still split others, and whether each cell is among them.
    queue: Vec<u32>,
    is_queued: Vec<bool>,
    /// For each vertex the labels of its edges into the cell that splits, added up.
    sum: Vec<u64>,
}

impl Partition {
    /// The partition by colours, not yet refined.
    pub fn by_color(graph: &Graph) -> Partition {
        let n = graph.vertices();
        let mut elements: Vec<u32> = (0..n as u32).collect();
        elements.sort_by_key(|&v| graph.color[v as usize]);
        let mut partition = Partition {
            place: vec![0; n],
            cell: vec![0; n],
            len: vec![0; n],
            open: BTreeSet::new(),
            splits: Vec::new(),
            queue: Vec::new(),
            is_queued: vec![false; n],
            sum: vec![0; n],
            elements,
        };
        let mut from = 0;
        for at in 0..n {
            let v = partition.elements[at] as usize;
            if graph.color[v] != graph.color[partition.elements[from] as usize] {
                from = at;
            }
            (partition.place[v], partition.cell[v]) = (at as u32, from as u32);
            partition.len[from] += 1;
        }
        let cells: BTreeSet<u32> = partition.cell.iter().copied().collect();
        for cell in cells {
            partition.enqueue(cell);
            if partition.len[cell as usize] > 1 {
                partition.open.insert(cell);
            }
        }
        partition
    }

    /// The vertices of a cell.
    pub fn members(&self, cell: u32) -> &[u32] {
        &self.elements[cell as usize..(cell + self.len[cell as usize]) as usize]
    }

    /// The cell of a vertex.
    pub fn cell_of(&self, v: u32) -> u32 {
        self.cell[v as usize]
    }

    /// Whether a vertex is alone in its cell.
    pub fn is_alone(&self, v: u32) -> bool {
        self.len[self.cell[v as usize] as usize] == 1
    }

    /// The first cell of more than one vertex.
    pub fn first_open(&self) -> Option<u32> {
        self.open.first().copied()
    }

    /// The cells that splits after the first `mark` have made or changed.
    pub fn cells_since(&self, mark: usize) -> Vec<u32> {
        let mut cells: Vec<u32> = self.splits[mark..].iter().flat_map(|&(cell, part)| [cell, part]).collect();
        cells.sort_unstable();
        cells.dedup();
        cells
    }

    /// How many splits there were so far, for [`Self::undo_to`].
    pub fn mark(&self) -> usize {
        self.splits.len()
    }

    /// Undoes all splits but the first `mark`.
    pub fn undo_to(&mut self, mark: usize) {
        while self.splits.len() > mark {
            let (cell, part) = self.splits.pop().expect("there are more");
            let (from, to) = (part as usize, (part + self.len[part as usize]) as usize);
            for &v in &self.elements[from..to] {
                self.cell[v as usize] = cell;
            }
            self.len[cell as usize] += self.len[part as usize];
            self.open.remove(&part);
            self.open.insert(cell);
        }
        for cell in self.queue.drain(..) {
            self.is_queued[cell as usize] = false;
        }
    }

    /// Makes a vertex of a larger cell a cell of its own.
    pub fn individualise(&mut self, v: u32) {
        let cell = self.cell[v as usize];
        let last = cell + self.len[cell as usize] - 1;
        self.move_to(v, last);
        self.split(cell, last);
        self.enqueue(last);
    }

    fn move_to(&mut self, v: u32, to: u32) {
        let (from, other) = (self.place[v as usize], self.elements[to as usize]);
        self.elements.swap(from as usize, to as usize);
        (self.place[v as usize], self.place[other as usize]) = (to, from);
    }

    /// Makes the elements of `cell` from index `part` on a cell of their own.
    fn split(&mut self, cell: u32, part: u32) {
        let end = cell + self.len[cell as usize];
        (self.len[cell as usize], self.len[part as usize]) = (part - cell, end - part);
        for &v in &self.elements[part as usize..end as usize] {
            self.cell[v as usize] = part;
        }
        for cell in [cell, part] {
            match self.len[cell as usize] {
                1 => self.open.remove(&cell),
                _ => self.open.insert(cell),
            };
        }
        self.splits.push((cell, part));
    }

    fn enqueue(&mut self, cell: u32) {
        if !std::mem::replace(&mut self.is_queued[cell as usize], true) {
            self.queue.push(cell);
        }
    }

    /// Splits cells until the partition is equitable. `goes_on` is told of each split, and ends the
    /// refinement by returning false. Returns whether the refinement came to its end. `work` counts edges
    /// that were looked at, and vertices that were moved as some edges each.
    pub fn refine(
        &mut self,
        graph: &Graph,
        work: &mut u64,
        mut goes_on: impl FnMut((u32, u32, u64)) -> bool,
    ) -> bool {
        let (mut touched, mut cells) = (Vec::new(), Vec::new());
        while let Some(by) = self.queue.pop() {
            self.is_queued[by as usize] = false;
            for at in by..by + self.len[by as usize] {
                let edges = graph.edges(self.elements[at as usize]);
                *work += 1 + edges.len() as u64;
                for &(other, label) in edges {
                    let cell = self.cell[other as usize];
                    if self.len[cell as usize] == 1 {
                        continue;
                    }
                    let sum = &mut self.sum[other as usize];
                    if *sum == 0 {
                        touched.push((cell, other));
                    }
                    // A sum of 0 stands for no edge.
                    *sum = sum.wrapping_add(graph.hash[label as usize]).max(1);
                }
            }
            // To sort, move, split and undo takes longer than to look at an edge.
            *work += 4 * touched.len() as u64;
            touched.sort_unstable_by_key(|&(cell, v)| (cell, self.sum[v as usize]));
            let mut rest = &touched[..];
            while let [(cell, _), ..] = *rest {
                let (of_cell, others) = rest.split_at(rest.partition_point(|&(other, _)| other == cell));
                rest = others;
                cells.clear();
                cells.extend(of_cell.iter().map(|&(_, v)| v));
                if !self.split_by_sums(cell, &cells, &mut goes_on) {
                    touched.iter().for_each(|&(_, v)| self.sum[v as usize] = 0);
                    return false;
                }
            }
            touched.drain(..).for_each(|(_, v)| self.sum[v as usize] = 0);
        }
        true
    }

    /// Splits `cell` by the sums of its vertices. `touched` are those with a sum, in the order of sums.
    fn split_by_sums(
        &mut self,
        cell: u32,
        touched: &[u32],
        goes_on: &mut impl FnMut((u32, u32, u64)) -> bool,
    ) -> bool {
        let end = cell + self.len[cell as usize];
        let (first, last) = (touched[0], touched[touched.len() - 1]);
        let is_whole = touched.len() as u32 == self.len[cell as usize];
        if is_whole && self.sum[first as usize] == self.sum[last as usize] {
            return goes_on((cell, end, self.sum[first as usize]));
        }
        // The vertices without a sum come first, then the others in the order of sums.
        let from = end - touched.len() as u32;
        for (i, &v) in touched.iter().enumerate() {
            // An element that is moved away belongs to the vertices without a sum, or comes later.
            self.move_to(v, from + i as u32);
        }
        let was_queued = self.is_queued[cell as usize];
        let mut starts: Vec<u32> = Vec::new();
        for (i, &v) in touched.iter().enumerate() {
            let at = from + i as u32;
            let differs = i == 0 || self.sum[touched[i - 1] as usize] != self.sum[v as usize];
            if at > cell && differs {
                starts.push(at);
                if !goes_on((cell, at, self.sum[v as usize])) {
                    return false;
                }
            }
        }
        // The last part is split off first, so that each split takes the end of what is left of the cell.
        for &at in starts.iter().rev() {
            self.split(cell, at);
        }
        // All parts but the largest one are enough to split others, unless the cell was to split them anyway.
        let parts: Vec<u32> = std::iter::once(cell).chain(starts).collect();
        let largest = parts.iter().copied().rev().max_by_key(|&part| self.len[part as usize]);
        for part in parts {
            if was_queued || Some(part) != largest {
                self.enqueue(part);
            }
        }
        true
    }
}
