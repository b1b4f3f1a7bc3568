//! The table of lessons, in the book's order. Main constant: [`LESSONS`].

use crate::lesson::{Lesson, Outcome, Twin};
use crate::{
    breadth, broken, compact, first_uip, grid_barrier, grid_stride, histogram, matrix, or_reduce, panics,
    propagate, queue, reduce, rows, saxpy, scan, solving, spring, transpose,
};
use cuda_launch::{Device, Error, Grid};

/// A twin, which the simulation tells of in words that begin or contain `says`.
macro_rules! twin {
    ($name:literal, nothing, |$device:ident| $run:expr) => {
        Twin { name: $name, run: |$device: &mut Device| -> Result<Outcome, Error> { $run }, says: None }
    };
    ($name:literal, $says:literal, |$device:ident| $run:expr) => {
        Twin {
            name: $name,
            run: |$device: &mut Device| -> Result<Outcome, Error> { $run },
            says: Some($says),
        }
    };
}

/// All lessons.
pub const LESSONS: &[Lesson] = &[
    Lesson {
        name: "saxpy",
        about: "y = a * x + y, one thread for each element",
        run: saxpy::run,
        twins: &[twin!("saxpy", " of 1000, at ", |device| {
            grid_stride::run_with(device, "saxpy", broken::saxpy::saxpy, Grid::over(1000, 128))
        })],
    },
    Lesson {
        name: "grid_stride",
        about: "any number of threads for any number of elements",
        run: grid_stride::run,
        twins: &[twin!("grid_stride", "data race on y[", |device| {
            let kernel = broken::grid_stride::saxpy_strided;
            grid_stride::run_with(device, "saxpy_strided", kernel, Grid::new(3, 64))
        })],
    },
    Lesson {
        name: "panics",
        about: "kernels that cannot panic",
        run: panics::run,
        twins: &[twin!("panics", "divisor of zero, at ", |device| {
            panics::run_broken(device, broken::panics::element_after)
        })],
    },
    Lesson {
        name: "spring",
        about: "a root, an exponential and a sine",
        run: spring::run,
        twins: &[twin!("spring", nothing, |device| {
            spring::run_sum(device, "sum_places", broken::spring::sum_places)
        })],
    },
    Lesson {
        name: "reduce",
        about: "a sum in seven versions, from atomic additions to shuffles",
        run: reduce::run,
        twins: &[
            twin!("reduce_plain_add", "data race on sum", |device| {
                reduce::run_with(device, "reduce_plain_add", broken::reduce::reduce_plain_add)
            }),
            twin!("reduce_no_barrier", "data race on element", |device| {
                reduce::run_with(device, "reduce_no_barrier", broken::reduce::reduce_no_barrier)
            }),
            twin!("reduce_divergent_shuffle", "of mask 0xffffffff has finished", |device| {
                let kernel = broken::reduce::reduce_divergent_shuffle;
                reduce::run_with(device, "reduce_divergent_shuffle", kernel)
            }),
        ],
    },
    Lesson {
        name: "scan",
        about: "running sums, tile by tile",
        run: scan::run,
        twins: &[twin!("scan", "data race on element", |device| {
            scan::run_with(device, "scan_tiles", broken::scan::scan_tiles)
        })],
    },
    Lesson {
        name: "histogram",
        about: "counting in shared memory",
        run: histogram::run,
        twins: &[
            twin!("histogram", "which nobody wrote", |device| {
                histogram::run_with(device, "histogram", broken::histogram::histogram, 48)
            }),
            twin!("histogram_too_small", "beyond the end of shared memory", |device| {
                histogram::run_with(device, "histogram", histogram::histogram, 40)
            }),
        ],
    },
    Lesson {
        name: "compact",
        about: "keeping some elements, by votes of a warp",
        run: compact::run,
        twins: &[twin!("compact", "reads lane 0, which is not in mask", |device| {
            compact::run_with(device, "compact", broken::compact::compact)
        })],
    },
    Lesson {
        name: "matrix",
        about: "two dimensions: the product of two matrices, by tiles",
        run: matrix::run,
        twins: &[
            twin!("matrix", "data race on byte", |device| {
                let kernel = broken::matrix::multiply_with_one_barrier;
                matrix::run_with(device, "multiply_with_one_barrier", kernel)
            }),
            twin!("matrix_early_return", "divergent barrier", |device| {
                let kernel = broken::matrix::multiply_with_early_return;
                matrix::run_with(device, "multiply_with_early_return", kernel)
            }),
        ],
    },
    Lesson {
        name: "transpose",
        about: "a matrix turned over: neighbours in memory, and banks",
        run: transpose::run,
        twins: &[twin!("transpose", "which nobody wrote", |device| {
            let kernel = broken::transpose::transpose_without_barrier;
            transpose::run_with(device, "transpose_without_barrier", kernel)
        })],
    },
    Lesson {
        name: "rows",
        about: "rows of different lengths, for lanes or for warps",
        run: rows::run,
        twins: &[twin!("rows", "divergent barrier", |device| {
            rows::run_with(device, "rows_to_lanes", broken::rows::rows_to_lanes)
        })],
    },
    Lesson {
        name: "queue",
        about: "tasks from a queue without locks",
        run: queue::run,
        twins: &[twin!("queue", "data race on items[", |device| {
            queue::run_with(device, "count_leaves", broken::queue::count_leaves)
        })],
    },
    Lesson {
        name: "grid_barrier",
        about: "a barrier for all blocks",
        run: grid_barrier::run,
        twins: &[
            twin!("grid_barrier", "data race on ", |device| {
                let kernel = broken::grid_barrier::smooth_without_fence;
                grid_barrier::run_with(device, "smooth_without_fence", kernel)
            }),
            twin!("grid_barrier_too_many", "for what no other thread does", |device| {
                let kernel = broken::grid_barrier::smooth_with_too_many;
                grid_barrier::run_with(device, "smooth_with_too_many", kernel)
            }),
            twin!("grid_barrier_plain_wait", "data race on arrived", |device| {
                let kernel = broken::grid_barrier::smooth_with_plain_wait;
                grid_barrier::run_with(device, "smooth_with_plain_wait", kernel)
            }),
        ],
    },
    Lesson {
        name: "breadth",
        about: "a search of a graph, level by level",
        run: breadth::run,
        twins: &[
            twin!("breadth", "data race on levels[", |device| {
                breadth::run_with(device, "visit_plainly", broken::breadth::visit_plainly, true)
            }),
            twin!("breadth_one_array", "data race on frontier[", |device| {
                breadth::run_with(device, "visit_level", breadth::visit_level, false)
            }),
            twin!("breadth_twice", nothing, |device| {
                let kernel = broken::breadth::visit_in_two_steps;
                breadth::run_with(device, "visit_in_two_steps", kernel, true)
            }),
        ],
    },
    Lesson {
        name: "propagate",
        about: "unit propagation over nogoods",
        run: propagate::run,
        twins: &[
            twin!("propagate", "data race on proposals[", |device| {
                propagate::run_with(device, "propose_plainly", broken::propagate::propose_plainly, 1)
            }),
            twin!("propagate_lost", nothing, |device| {
                propagate::run_with(
                    device,
                    "propose_in_two_steps",
                    broken::propagate::propose_in_two_steps,
                    1,
                )
            }),
        ],
    },
    Lesson {
        name: "or_reduce",
        about: "the decisions that a conflict depends on, by shuffles",
        run: or_reduce::run,
        twins: &[twin!("or_reduce", "has lanes that the warp has not", |device| {
            or_reduce::run_with(device, "or_of_bitmaps", or_reduce::or_of_bitmaps, 48)
        })],
    },
    Lesson {
        name: "first_uip",
        about: "what is learned from a conflict",
        run: first_uip::run,
        twins: &[twin!("first_uip", "data race on element 0 (byte 0) of the shared array", |device| {
            first_uip::run_with(device, "first_uip", broken::first_uip::first_uip)
        })],
    },
    Lesson {
        name: "solve",
        about: "a little answer set solver on one block",
        run: solving::run,
        twins: &[twin!("solve", "which kernels only read", |device| {
            let program = solving::Program::parse("a :- not b. b :- not a. c.").expect("a program");
            let kernel = ("solve", broken::solve::solve as solving::Solve);
            let (answers, count) = solving::solve_on(device, kernel, &program, 10)?;
            let found = [vec![count as u32], answers.iter().flatten().map(|&holds| holds as u32).collect()];
            Ok(Outcome { found: found.concat(), expected: vec![2, 1, 0, 1, 0, 1, 1] })
        })],
    },
];

/// The lesson of this name.
pub fn find(name: &str) -> Option<&'static Lesson> {
    LESSONS.iter().find(|lesson| lesson.name == name)
}

/// All twins.
pub fn twins() -> impl Iterator<Item = &'static Twin> {
    LESSONS.iter().flat_map(|lesson| lesson.twins)
}
