//! Races of threads of different blocks, and kernels close to one. Table: [`CASES`].
//!
//! Invariant: nothing here hands data over by flags (for that see `handovers.rs`).

use crate::{bid, tid, until, words, Case, Memory};
use cuda_std::thread;

pub const CASES: &[Case] = &[
    case!(Race two_blocks_write_one_element, 2, 64, 0).between_blocks(),
    case!(Race barrier_of_its_own_block, 2, 64, 0).between_blocks(),
    case!(Race in_block_against_another_block, 2, 64, 0).between_blocks(),
    case!(Race load_in_single_block_against_two, 2, 64, 0).between_blocks(),
    case!(Race in_block_against_add, 2, 64, 0).between_blocks(),
    case!(Race blocks_far_apart, 40, 64, 0).between_blocks(),
    case!(Race halo_of_the_next_block, 3, 32, 0).between_blocks(),
    case!(Race first_block_sets_to_zero, 3, 32, 0).between_blocks(),
    case!(Race sum_of_blocks_by_plain_accesses, 3, 64, 256).between_blocks(),
    case!(Race bytes_where_blocks_meet, 2, 33, 0).between_blocks(),
    case!(Race grid_barrier_without_fences, 3, 32, 0).between_blocks(),
    case!(Race now_against_add_of_another_block, 2, 64, 0).between_blocks(),
    case!(Race index_without_the_block, 2, 64, 0).between_blocks(),
    case!(Nothing each_block_its_part, 3, 64, 0)
        .gives(|h| (0..192).all(|i| h.out[i] as usize == i / 64 * 64 + 63 - i % 64)),
    case!(Nothing bytes_side_by_side, 3, 33, 0).gives(|h| h.bytes[..99].iter().all(|&b| b == 1)),
    case!(Nothing grid_barrier, 3, 32, 0).gives(|h| (0..96).all(|i| h.out[i] as usize == (i + 32) % 96)),
    case!(Nothing in_block_of_the_own_word, 3, 64, 0).gives(|h| h.out[..3].iter().all(|&w| w == 64)),
    case!(Nothing load_of_all_blocks, 3, 64, 0)
        .gives(|h| h.out[..192].iter().all(|&w| w <= 192) && h.flags[0] == 192),
    case!(Nothing sum_of_blocks, 40, 64, 256).gives(|h| h.flags[0] == 40 * 2016),
    case!(Nothing all_blocks_read_one_element, 40, 64, 0).gives(|h| (0..40).all(|i| h.out[i] == 1)),
    case!(Nothing [first_launch, second_launch] blocks_of_two_launches, 3, 64, 0).gives(|h| h.out[0] == 9),
];

/// Nothing orders blocks.
fn two_blocks_write_one_element(m: &Memory) {
    if tid() == 7 {
        m.out.write(0u32, bid()); //~ two_blocks_write_one_element both
    }
}

/// The barrier orders the threads of each block, and the elements cross from block to block.
fn barrier_of_its_own_block(m: &Memory) {
    m.data.write(thread::index_1d(), tid()); //~ barrier_of_its_own_block first
    thread::sync_threads();
    m.out.write(thread::index_1d(), m.data.read(127 - thread::index_1d())); //~ barrier_of_its_own_block second
}

/// A load with the scope of a block, of a word that another block stores.
fn in_block_against_another_block(m: &Memory) {
    if bid() == 0 {
        m.flags.atomic(0u32).store(1); //~ in_block_against_another_block first
    } else {
        m.out.write(tid(), m.flags.atomic(0u32).in_block()); //~ in_block_against_another_block second
    }
}

/// The kernel says that there is a single block, and there are two.
fn load_in_single_block_against_two(m: &Memory) {
    if bid() == 0 && tid() == 5 {
        m.flags.atomic(0u32).put(1); //~ load_in_single_block_against_two first
    }
    if bid() == 1 && tid() == 6 {
        m.out.write(0u32, m.flags.atomic(0u32).load_in(true)); //~ load_in_single_block_against_two second
    }
}

/// All blocks add, each looks at the word as if the word were its own.
fn in_block_against_add(m: &Memory) {
    m.flags.atomic(0u32).add(1); //~ in_block_against_add first
    thread::sync_threads();
    m.out.write(thread::index_1d(), m.flags.atomic(0u32).in_block()); //~ in_block_against_add second
}

/// The first block has finished before the last one begins, if few fit: that is chance, not order.
fn blocks_far_apart(m: &Memory) {
    if bid() == 0 && tid() == 0 {
        m.out.write(0u32, 1); //~ blocks_far_apart first
    }
    if bid() == 39 && tid() == 63 {
        m.out.write(1u32, m.out.read(0u32)); //~ blocks_far_apart second
    }
}

/// The last thread of a block reads the first element of the next block.
fn halo_of_the_next_block(m: &Memory) {
    let i = thread::index_1d();
    m.data.write(i, i); //~ halo_of_the_next_block first
    thread::sync_threads();
    m.out.write(i, m.data.read(i) + m.data.read(i + 1)); //~ halo_of_the_next_block second
}

/// Block 0 sets the word to zero, and other blocks do not wait for that before they add.
fn first_block_sets_to_zero(m: &Memory) {
    if bid() == 0 && tid() == 0 {
        m.flags.write(0u32, 0); //~ first_block_sets_to_zero first
    }
    thread::sync_threads();
    if tid() == 0 && bid() != 0 {
        m.flags.atomic(0u32).add(1); //~ first_block_sets_to_zero second
    }
}

/// Each block sums as it should, and its thread 0 adds to the grid's sum by plain accesses.
fn sum_of_blocks_by_plain_accesses(m: &Memory) {
    let sums = words(64);
    sums.set(tid(), tid());
    thread::sync_threads();
    if tid() == 0 {
        let sum: u32 = (0..64u32).map(|i| sums.get(i)).sum();
        m.out.write(0u32, m.out.read(0u32) + sum); //~ sum_of_blocks_by_plain_accesses both
    }
}

/// Blocks write 33 bytes each, but their parts are counted in whole words of 32 bytes.
fn bytes_where_blocks_meet(m: &Memory) {
    m.bytes.write(32 * bid() + tid(), 1); //~ bytes_where_blocks_meet both
}

/// All blocks wait for each other by atomic words, but no fence orders what they wrote.
fn grid_barrier_without_fences(m: &Memory) {
    let i = thread::index_1d();
    m.data.write(i, i); //~ grid_barrier_without_fences first
    thread::sync_threads();
    if tid() == 0 {
        m.flags.atomic(0u32).add(1);
        until(|| m.flags.atomic(0u32).load() >= 3);
    }
    thread::sync_threads();
    m.out.write(i, m.data.read((i + 32) % 96)); //~ grid_barrier_without_fences second
}

/// The barrier stands between additions and plain reads of the own block alone.
fn now_against_add_of_another_block(m: &Memory) {
    m.flags.atomic(0u32).add(1); //~ now_against_add_of_another_block first
    thread::sync_threads();
    m.out.write(thread::index_1d(), m.flags.atomic(0u32).now()); //~ now_against_add_of_another_block second
}

/// The index forgets the block: both blocks write the same elements.
fn index_without_the_block(m: &Memory) {
    m.out.write(tid(), thread::index_1d()); //~ index_without_the_block both
}

/// Each block writes and reads its own part, with a barrier between.
fn each_block_its_part(m: &Memory) {
    m.data.write(thread::index_1d(), thread::index_1d());
    thread::sync_threads();
    m.out.write(thread::index_1d(), m.data.read(64 * bid() + 63 - tid()));
}

/// Where two blocks meet in a word, each writes its own bytes.
fn bytes_side_by_side(m: &Memory) {
    m.bytes.write(thread::index_1d(), 1);
}

/// Fences stand before the addition and after the load that sees it, and barriers lead to the other threads.
fn grid_barrier(m: &Memory) {
    let i = thread::index_1d();
    m.data.write(i, i);
    thread::sync_threads();
    if tid() == 0 {
        thread::device_fence();
        m.flags.atomic(0u32).add(1);
        until(|| m.flags.atomic(0u32).load() >= 3);
        thread::device_fence();
    }
    thread::sync_threads();
    m.out.write(i, m.data.read((i + 32) % 96));
}

/// Each block adds to a word of its own, and looks at that word alone.
fn in_block_of_the_own_word(m: &Memory) {
    m.flags.atomic(bid()).add(1);
    let seen = m.flags.atomic(bid()).in_block();
    thread::sync_threads();
    if tid() == 0 && seen > 0 {
        m.out.write(bid(), m.flags.atomic(bid()).now());
    }
}

/// All blocks add to one word and load the word with the scope of the device.
fn load_of_all_blocks(m: &Memory) {
    m.flags.atomic(0u32).add(1);
    m.out.write(thread::index_1d(), m.flags.atomic(0u32).load_in(false));
}

/// Blocks that run after each other may get the same shared memory; each has it to itself.
fn sum_of_blocks(m: &Memory) {
    let sums = words(64);
    sums.set(tid(), tid());
    thread::sync_threads();
    if tid() == 0 {
        m.flags.atomic(0u32).add((0..64u32).map(|i| sums.get(i)).sum());
    }
}

/// Reads never race with reads.
fn all_blocks_read_one_element(m: &Memory) {
    let one = m.data.read(0u32);
    if tid() == 0 {
        m.out.write(bid(), one);
    }
}

/// The first of two launches.
fn first_launch(m: &Memory) {
    if bid() == 2 && tid() == 3 {
        m.out.write(0u32, 8);
        m.flags.atomic(0u32).store(1);
    }
}

/// Another thread changes what the first launch wrote; and reads plainly what was stored there.
fn second_launch(m: &Memory) {
    if bid() == 0 && tid() == 60 {
        m.out.write(0u32, m.out.read(0u32) + m.flags.read(0u32));
    }
}
