//! Runs the kernel on the simulated GPU, which names data races, in several orders of its threads.

use cuda_launch::{launch, Device, Grid, Simulation};
use my_kernels::double;

#[test]
fn each_element_is_doubled() {
    let simulation = Simulation { schedules: 5, ..Simulation::default() };
    for mut device in [Device::cpu(), Device::simulating(simulation)] {
        let data = device.upload("data", &(0..1000).collect::<Vec<u32>>()).expect("memory");
        // SAFETY: only this launch uses `data`.
        let outcome = unsafe { launch!(device, Grid::new(4, 64), double(data.array())) };
        outcome.unwrap_or_else(|error| panic!("{error}"));
        let expected: Vec<u32> = (0..1000).map(|i| 2 * i).collect();
        assert_eq!(device.download(&data).expect("the elements"), expected);
    }
}
