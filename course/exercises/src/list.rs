//! The table of exercises, in the book's order: titles, pages and hints. Main constant: [`EXERCISES`].

/// An exercise.
pub struct Exercise {
    /// Its title, without a number.
    pub title: &'static str,
    /// The page of the book after which it comes: its title, and its path from the folder of the pages.
    pub page: (&'static str, &'static str),
    /// What to think of, from the first thought to nearly the solution.
    pub hints: &'static [&'static str],
}

/// All exercises; number 1 is the first.
pub const EXERCISES: &[Exercise] = &[
    Exercise {
        title: "Reverse an array",
        page: ("Any number of threads", "threads/stride.md"),
        hints: &[
            "Element `i` of `x` goes to one element of `reversed`. Which one, if there are `n` elements?",
            "It is element `n - 1 - i`. A thread does that for `i`, then for the element as many places \
             further on as there are threads.",
            "`thread::block_dim_x() * thread::grid_dim_x()` is the number of threads. With no element, no \
             pass of the loop is made, so `n - 1` is never computed for `n = 0`.",
        ],
    },
    Exercise {
        title: "Reverse tiles in shared memory",
        page: ("Shared memory", "threads/histogram.md"),
        hints: &[
            "Each tile takes three steps: copy it to shared memory, wait for all threads, write it.",
            "A block may have fewer threads than a tile has elements. So each copy is a loop from \
             `thread::thread_idx_x()` on, by `thread::block_dim_x()`.",
            "The block goes on to another tile. What must have happened before its first word is \
             overwritten?",
            "A second `thread::sync_threads()` belongs at the end of the pass. Both barriers stand outside \
             of the loops over elements.",
        ],
    },
    Exercise {
        title: "Put a barrier where it belongs",
        page: ("Steps with barriers", "threads/scan.md"),
        hints: &[
            "Run the test and read who reads and who writes which element.",
            "A thread must not change its element before its right neighbour has read it.",
            "`thread::sync_threads()` belongs between the read of the left neighbour and the write.",
        ],
    },
    Exercise {
        title: "Two dimensions in one index",
        page: ("Two dimensions", "threads/matrix.md"),
        hints: &[
            "The row of element `i` is `i / columns`, and its column is `i % columns`.",
            "The first column has nothing on its left, and the last column nothing on its right, even \
             where there is an element `i - 1` or `i + 1`.",
            "The elements above and below are `i - columns` and `i + columns`, if they exist.",
            "If the build says that the divisor may be 0: return at once if `columns` is 0.",
        ],
    },
    Exercise {
        title: "The greatest element of a warp, by shuffles",
        page: ("Warps", "threads/warps.md"),
        hints: &[
            "The page's sum over a warp takes five shuffles. What replaces the addition?",
            "`warp::warp_shuffle_xor(u32::MAX, mine, delta, 32)` gives the value of the lane whose number \
             differs in the bit `delta`. With `delta` 16, 8, 4, 2, 1, every lane ends with the greatest \
             element.",
            "On the processor a warp has one lane, and there is nothing to shuffle: begin with `delta = \
             lanes / 2`.",
        ],
    },
    Exercise {
        title: "Count by votes of a warp",
        page: ("Votes", "threads/votes.md"),
        hints: &[
            "The mask `u32::MAX` names all 32 lanes. In the last pass, some lanes have no element and do \
             not vote.",
            "Let all lanes of a warp make the same passes, as in the page's kernel: the loop is over the \
             index of the warp's first lane.",
            "A lane past the end votes with \"no\": `i < n && x.read(i) > limit`.",
        ],
    },
    Exercise {
        title: "Both halves of a choice",
        page: ("Votes", "threads/votes.md"),
        hints: &[
            "A second ballot says which lanes have an even element. A lane past the end must not vote \
             \"yes\" in it.",
            "Lane 0 adds to both counters, and passes on both places by shuffles.",
            "The first even element of the warp goes to `n - 1 - back`, the next one to the place before \
             it. How many even elements are in the lanes before this one?",
        ],
    },
    Exercise {
        title: "Find a race, and mend it",
        page: ("What a race is", "races/race.md"),
        hints: &[
            "Run the test. Which word do two threads access, and is one of the accesses atomic?",
            "An atomic word can do \"the greater of the two\" in one step: see `max` in What kernels may \
             call.",
            "One atomic operation for each element is slow. A thread can first find the greatest of its \
             own elements in a local variable.",
        ],
    },
    Exercise {
        title: "The last block adds up",
        page: ("Fences", "races/fences.md"),
        hints: &[
            "The counter `arrived` passes a message: from each block to the last one. What does the page \
             put before and after such a word?",
            "`thread::device_fence()` belongs before the addition, and once more before the parts are \
             read.",
            "The barrier is needed as well: the fence of thread 0 orders what the other threads of the \
             block wrote, because the barrier comes before the fence.",
        ],
    },
    Exercise {
        title: "Count different values",
        page: ("What the simulated GPU does not see", "races/unseen.md"),
        hints: &[
            "The simulated GPU names no race, because every access is atomic. Between the load and the \
             store, another thread may take the slot.",
            "`table.claim(slot, 0, value)` does both in one step. It returns `Ok` if the slot was open, \
             and otherwise `Err` with what it found.",
            "There are three outcomes: the slot was open (count, and stop), it has the same value (stop), \
             it has another value (go on to the next slot).",
        ],
    },
    Exercise {
        title: "A barrier that nobody needs",
        page: ("Barriers that nobody needs", "races/barriers.md"),
        hints: &[
            "The kernel is right as it is. The test counts at how many barriers a thread waits.",
            "Let `CUDA_STD_PLACES` list the barriers, and leave out one after the other by `CUDA_STD_WITHOUT`. \
             Which one does the test not miss?",
            "Each pass of the inner loop ends with a barrier. What happens between the last of them and the \
             next barrier?",
        ],
    },
    Exercise {
        title: "Labels that spread through a graph",
        page: ("A search in breadth", "races/breadth.md"),
        hints: &[
            "A label is read and written by the threads of all its neighbours. All these accesses have to \
             be atomic.",
            "`labels.atomic(i).load()` reads a label. To look and then to store are two steps: which \
             atomic operation does both?",
            "`min` returns the old label. If that is greater than the new one, this thread has changed it.",
            "Several threads may set `changed`, so its store has to be atomic too.",
        ],
    },
    Exercise {
        title: "How near to a copy",
        page: ("Bytes a second", "measure/bytes.md"),
        hints: &[
            "The kernel moves what it reads and what it writes: 4 bytes for each element.",
            "Bytes for each nanosecond are gigabytes for each second.",
            "Multiply by 100 before you divide, and count in `u64`: 4 bytes times 2,000,000,000 elements do not \
             fit into `u32`.",
        ],
    },
    Exercise {
        title: "Fewer atomic additions",
        page: ("Seven ways to add", "measure/reduce.md"),
        hints: &[
            "The simulated GPU measures no time, but it counts. The test allows one atomic addition for each \
             warp of the grid.",
            "A thread can add up its own elements in a variable. Then there is one addition for each thread.",
            "After its loop, let the lanes of each warp add by shuffles, as the sixth way on the page does. Lane \
             0 adds for all.",
        ],
    },
    Exercise {
        title: "A row to a lane, or to a warp",
        page: ("Rows of different lengths", "measure/rows.md"),
        hints: &[
            "With a row to a lane, the warp is done when its longest row is.",
            "With a row to a warp, a pass takes 32 elements of one row. A row of 33 elements takes two passes.",
            "The second number is the sum of `length.div_ceil(32)` over all rows.",
        ],
    },
    Exercise {
        title: "Neighbours read neighbours",
        page: ("Which lanes read which addresses", "measure/coalescing.md"),
        hints: &[
            "In one pass, the 32 lanes of a warp should read 32 elements that lie next to each other.",
            "So `lane` is added as it is. What is left is to give each warp and each pass other elements.",
            "There are 4 warps: a pass of all of them reads 128 elements.",
        ],
    },
    Exercise {
        title: "Thirty-two banks",
        page: ("Banks of shared memory", "measure/banks.md"),
        hints: &[
            "The words of a row are in 32 banks already. Those of a column lie 32 words apart, all in one \
             bank.",
            "There is room for 1,056 words: 33 for each row.",
            "If the rows lie 33 words apart, in which bank is the word below that of bank 0?",
        ],
    },
    Exercise {
        title: "How many blocks run at once",
        page: ("Occupancy", "measure/occupancy.md"),
        hints: &[
            "There are four limits: blocks, warps, registers and shared memory. The least of them counts.",
            "Threads fill whole warps: a block of 33 threads takes two.",
            "A warp takes 32 times the registers of a thread, rounded up to a multiple of 256.",
            "A block takes 1,024 bytes of shared memory more than it asks for, and the sum is rounded up \
             to a multiple of 128.",
        ],
    },
    Exercise {
        title: "Follow nogoods of two literals",
        page: ("Propagation", "solver/propagate.md"),
        hints: &[
            "Literal `l` holds if the value of variable `l / 2` is `1 + l % 2`. It is open if that value \
             is 0.",
            "Each of the two literals of a nogood may be the one that holds. The complement of `b` is `b ^ \
             1`.",
            "Two nogoods may say the same. Both threads then write 1 to the same word: `follows.atomic(b ^ \
             1).store(1)`.",
        ],
    },
    Exercise {
        title: "Find a violated nogood",
        page: ("Which decisions a conflict depends on", "solver/or.md"),
        hints: &[
            "A nogood is violated if all its literals hold. A thread can look at all literals of a nogood.",
            "Several threads may find one. Which atomic operation keeps the least number?",
            "A `while` loop over `starts.read(k) .. starts.read(k + 1)` can end at the first literal that does \
             not hold. A nogood without literals is violated.",
        ],
    },
    Exercise {
        title: "The level to jump back to",
        page: ("The first UIP", "solver/first-uip.md"),
        hints: &[
            "The first level is the greatest of all, the second one the greatest of those that are less.",
            "That is two passes over the literals. What has to be between them?",
            "`two.atomic(0u32).max(level)`, then `thread::sync_threads()`, then `two.atomic(0u32).load()`.",
        ],
    },
];
