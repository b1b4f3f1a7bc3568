//! Launches on `cpu` and `simt`, what the simulation says of wrong kernels, and what is refused.

use cuda_launch::{launch, Device, Error, Grid, Simulation};
use cuda_std::array::Array;
use cuda_std::{kernel, thread};

/// Adds `more` to the first `n` elements.
///
/// # Safety
/// Nobody else uses `data` during the launch.
#[kernel]
pub unsafe fn add(data: Array<u32>, more: u32, n: u32) {
    let mut i = thread::index_1d();
    while i < n {
        data.write(i, data.read(i) + more);
        i += thread::block_dim_x() * thread::grid_dim_x();
    }
}

/// Every thread writes its own index to the first element: a race.
///
/// # Safety
/// As for [`add`].
#[kernel]
pub unsafe fn race(data: Array<u32>) {
    data.write(0u32, thread::index_1d());
}

/// Two threads: the second one's value depends on the order in which they run.
///
/// # Safety
/// As for [`add`].
#[kernel]
pub unsafe fn depends_on_the_order(data: Array<u32>) {
    match thread::index_1d() {
        0 => data.atomic(0u32).store(1),
        _ => assert_ne!(data.atomic(0u32).load(), 0, "the other thread was first"),
    }
}

/// Copies the element after `i`, and panics if there are none to go on with.
///
/// # Safety
/// As for [`add`].
#[kernel]
pub unsafe fn next_of(data: Array<u32>, n: u32) {
    data.write(0u32, data.read((thread::index_1d() + 1) % n));
}

/// A panic is told with the kernel, the words and the line.
#[test]
fn a_panic_is_told_with_its_line() {
    for mut device in [Device::cpu(), Device::simt()] {
        let data = device.zeros::<u32>("data", 4).expect("memory");
        // SAFETY: only this launch uses `data`.
        let error = unsafe { launch!(device, Grid::new(1, 1), next_of(data.array(), 0)) };
        let error = error.expect_err("a division by 0").to_string();
        assert!(error.starts_with("kernel next_of") && error.contains("divisor of zero, at "), "{error}");
        let line =
            1 + include_str!("launches.rs").lines().position(|line| line.contains("% n")).expect("a line");
        assert!(error.contains(&format!("launches.rs:{line}:")), "{error}");
    }
}

/// Sets each element of a matrix to ten times its row and its column.
///
/// # Safety
/// As for [`add`]; the matrix has whole rows.
#[kernel]
pub unsafe fn number(data: Array<u32>, columns: u32) {
    let (thread::UVec2 { x, mut y }, n) = (thread::index_2d(), data.len() as u32);
    while y * columns < n {
        let mut x = x;
        while x < columns {
            data.write(y * columns + x, 10 * y + x);
            x += thread::block_dim_x() * thread::grid_dim_x();
        }
        y += thread::block_dim_y() * thread::grid_dim_y();
    }
}

#[test]
fn a_grid_has_two_dimensions() {
    for mut device in [Device::cpu(), Device::simt()] {
        for grid in [Grid::dim3([1, 2, 1], [4, 2, 1]), Grid::dim3([3, 1, 1], [2, 9, 1]), Grid::new(2, 32)] {
            let data = device.zeros::<u32>("data", 63).expect("memory");
            // SAFETY: only this launch uses `data`, which has 7 rows.
            unsafe { launch!(device, grid, number(data.array(), 9)) }.expect("no error");
            let expected: Vec<u32> = (0..63).map(|i| 10 * (i / 9) + i % 9).collect();
            assert_eq!(device.download(&data).expect("the elements"), expected, "{}", device.name());
        }
    }
}

#[test]
fn a_kernel_runs_on_each_device() {
    for mut device in [Device::cpu(), Device::simt()] {
        let data = device.upload("data", &(0..100).collect::<Vec<u32>>()).expect("memory");
        for _ in 0..2 {
            // SAFETY: only this launch uses `data`.
            unsafe { launch!(device, Grid::new(2, 32), add(data.array(), 5, 90)) }.expect("no error");
        }
        let found = device.download(&data).expect("the elements");
        let expected: Vec<u32> = (0..100).map(|i| if i < 90 { i + 10 } else { i }).collect();
        assert_eq!(found, expected, "{}", device.name());
        assert!(!device.is_gpu() && data.len() == 100 && !data.is_empty());
    }
}

#[test]
fn each_order_begins_with_the_same_memory() {
    let mut device = Device::simulating(Simulation { schedules: 7, ..Simulation::default() });
    let data = device.upload("data", &[1u32; 8]).expect("memory");
    // SAFETY: only this launch uses `data`.
    unsafe { launch!(device, Grid::new(1, 32), add(data.array(), 5, 8)) }.expect("no error");
    assert_eq!(device.download(&data).expect("the elements"), [6; 8]);
}

#[test]
fn an_error_names_the_buffer_and_the_order() {
    let mut device = Device::simt();
    let data = device.zeros::<u32>("data", 4).expect("memory");
    // SAFETY: only this launch uses `data`.
    let error =
        unsafe { launch!(device, Grid::new(1, 2), race(data.array())) }.expect_err("a race").to_string();
    assert!(error.starts_with("kernel race, block 0, thread "), "{error}");
    assert!(error.contains("data race on data[0]: writes at ") && error.contains("launches.rs:"), "{error}");
    assert!(error.ends_with("nothing orders the two; see the book's page \"What a race is\""), "{error}");
    // SAFETY: as above.
    let error =
        unsafe { launch!(device, Grid::new(1, 32), add(data.array(), 1, 9)) }.expect_err("4 elements");
    assert!(error.to_string().contains("index 4 of 4") || error.to_string().contains("of 4, at"), "{error}");

    let mut device = Device::simulating(Simulation { schedules: 9, checks: false, ..Simulation::default() });
    let data = device.zeros::<u32>("data", 1).expect("memory");
    // SAFETY: as above.
    let error = unsafe { launch!(device, Grid::new(1, 2), depends_on_the_order(data.array())) };
    let error = error.expect_err("in some order").to_string();
    assert!(
        error.contains("the other thread was first")
            && error.contains("(in order ")
            && error.contains(" runs "),
        "{error}"
    );
}

/// The loop forgets to go on. The simulation names the thread and the line.
#[test]
fn a_loop_that_does_not_end_is_told() {
    /// Adds to each element.
    unsafe fn forgets(data: Array<u32>) {
        let i = thread::index_1d();
        while (i as usize) < data.len() {
            data.write(i, data.read(i).wrapping_add(1));
        }
    }
    let mut device = Device::simt();
    let data = device.zeros::<u32>("data", 1).expect("memory");
    // SAFETY: only this launch uses `data`.
    let error = unsafe { launch!(device, Grid::new(1, 32), forgets(data.array())) }.expect_err("no end");
    let error = error.to_string();
    assert!(
        error.contains("thread 0: does not come to an end: ") && error.contains("launches.rs:"),
        "{error}"
    );
}

#[test]
fn a_constant_buffer_is_not_written() {
    let mut device = Device::simt();
    let data = device.upload_constant("data", &[7u32; 4]).expect("memory");
    // SAFETY: only this launch uses `data`.
    let error = unsafe { launch!(device, Grid::new(1, 1), add(data.array(), 1, 4)) }.expect_err("constant");
    assert!(error.to_string().contains("writes data[0], which kernels only read"), "{error}");
}

#[test]
fn freed_memory_is_no_array_any_more() {
    let mut device = Device::simt();
    let _other = device.zeros::<u32>("other", 4).expect("memory");
    let freed = device.zeros::<u32>("data", 4).expect("memory").array();
    // SAFETY: none; the simulation refuses the access before it happens.
    let error = unsafe { launch!(device, Grid::new(1, 1), add(freed, 1, 4)) }.expect_err("freed");
    assert!(error.to_string().contains("where no array is"), "{error}");
}

#[test]
fn wrong_launches_are_errors() {
    let mut device = Device::cpu();
    let data = device.zeros::<u32>("data", 4).expect("memory");
    for (grid, word) in [
        (Grid::new(0, 32), "block"),
        (Grid::new(1, 0), "not 0"),
        (Grid::new(1, 1025), "not 1025"),
        (Grid::dim3([1, 1, 1], [64, 32, 1]), "1 to 1024 threads, not 2048"),
        (Grid::dim3([1, 1, 1], [1, 1, 65]), "64 threads in `z`, not 65"),
        (Grid::dim3([1, 65_536, 1], [1, 1, 1]), "65535 blocks in `y` and in `z`, not 65536"),
        (Grid::new(1, 32).with_shared(300_000), "(227 KiB), not 300000"),
    ] {
        // SAFETY: only this launch uses `data`.
        let error = unsafe { launch!(device, grid, add(data.array(), 1, 4)) }.expect_err("no such grid");
        assert!(matches!(error, Error::Grid { .. }) && error.to_string().contains(word), "{error}");
    }
    // SAFETY: as above.
    let error = unsafe { launch!(device, Grid::new(1, 1), add(data.array(), 1, 5)) }.expect_err("4 elements");
    assert!(error.to_string().starts_with("kernel add: index 4 of 4, at "), "{error}");
    let too_much = device.zeros::<u64>("huge", usize::MAX / 16).err().expect("no such memory");
    assert!(matches!(too_much, Error::OutOfMemory { name: "huge", .. }), "{too_much}");
}

#[test]
fn buffers_are_copied_and_written() {
    let mut device = Device::cpu();
    let from = device.upload("from", &[1u64, 2, 3]).expect("memory");
    let to = device.zeros::<u64>("to", 3).expect("memory");
    device.time(|device| device.copy(&from, &to)).expect("a time");
    assert_eq!(device.download(&to).expect("elements"), [1, 2, 3]);
    device.write(&to, &[4, 5, 6]).expect("no error");
    assert_eq!(device.download(&to).expect("elements"), [4, 5, 6]);
    device.synchronize().expect("nothing runs");
}

#[cfg(feature = "gpu")]
#[test]
fn a_missing_gpu_is_an_ordinary_error() {
    // A million GPUs are nowhere; without a driver, even one is not there.
    let error = Device::gpu(1_000_000, Ok("")).err().expect("no such GPU");
    assert!(matches!(error, Error::NoGpu(_)), "{error}");
}
