//! Kernels whose threads share a block's shared memory as they may, close to a race. Table: [`CASES`].

use crate::{tid, words, zeros, Case, Memory};
use cuda_std::array::{copy_by_block, Array};
use cuda_std::shared::{dynamic_shared_mem, Address, Words};
use cuda_std::{shared_array, thread};

pub const CASES: &[Case] = &[
    case!(Nothing block_sum, 1, 64, 256).gives(|h| h.out[0] == 2080),
    case!(Nothing tree_sum, 1, 64, 256).gives(|h| h.out[0] == 2080),
    case!(Nothing bytes_of_one_word, 1, 64, 64)
        .gives(|h| h.out[0] == 0x0302_0100 && h.out[15] == 0x3f3e_3d3c),
    case!(Nothing halves_of_wide_words, 1, 64, 256)
        .gives(|h| (0..32).all(|i| h.wide[i] == ((2 * i as u64 + 1) << 32) + 2 * i as u64)),
    case!(Nothing disjoint_halves, 1, 64, 256).gives(|h| (0..32).all(|i| h.out[i] == 2 * i as u32 + 32)),
    case!(Nothing double_buffer, 1, 64, 512).gives(|h| h.out[..64].iter().all(|&w| w == 4)),
    case!(Nothing scan_in_two_steps, 1, 64, 256)
        .gives(|h| (0..64).all(|i| h.out[i] as usize == (i + 1) * (i + 2) / 2)),
    case!(Nothing loop_with_both_barriers, 1, 64, 256).gives(|h| h.out[..64].iter().all(|&w| w == 3)),
    case!(Nothing two_slots_and_one_barrier, 1, 64, 256).gives(|h| h.out[..64].iter().all(|&w| w == 6)),
    case!(Nothing own_words_without_barrier, 1, 32, 512)
        .gives(|h| (0..32).all(|i| h.out[i] == 16 * i as u32 + 6)),
    case!(Nothing all_read_one_word, 1, 64, 256).gives(|h| h.out[..64].iter().all(|&w| w == 9)),
    case!(Nothing barriers_that_reduce, 1, 64, 256)
        .gives(|h| (0..64).all(|i| h.out[i] == (63 - i as u32) + 64 + 1)),
    case!(Nothing atomics_at_addresses, 1, 64, 256).gives(|h| h.out[0] == 64),
    case!(Nothing atomics_of_all, 1, 64, 256).gives(|h| h.out[0] == 64 && h.out[1] == 63),
    case!(Nothing arrays_of_constant_size, 1, 64, 0).gives(|h| (0..64).all(|i| h.out[i] == 63 - i as u32)),
    case!(Nothing array_beside_words, 1, 64, 512)
        .gives(|h| (32..64).all(|i| h.out[i] == 0 && h.out[i - 32] == i as u32 - 32)),
    case!(Nothing copied_by_the_block, 1, 64, 512).gives(|h| (0..128).all(|i| h.out[i] == 128 - i as u32)),
    case!(Nothing one_thread_does_all, 1, 64, 256).gives(|h| h.out[..64].iter().all(|&w| w == 64)),
];

/// The barrier stands between the writes and the reads.
fn block_sum(m: &Memory) {
    let sums = words(64);
    sums.set(tid(), m.data.read(tid()));
    thread::sync_threads();
    if tid() == 0 {
        m.out.write(0u32, (0..64u32).map(|i| sums.get(i)).sum());
    }
}

/// A barrier ends each step.
fn tree_sum(m: &Memory) {
    let sums = words(64);
    sums.set(tid(), m.data.read(tid()));
    thread::sync_threads();
    let mut half = 32;
    while half > 0 {
        if tid() < half {
            sums.set(tid(), sums.get(tid()) + sums.get(tid() + half));
        }
        thread::sync_threads();
        half /= 2;
    }
    if tid() == 0 {
        m.out.write(0u32, sums.get(0u32));
    }
}

/// Four threads write the four bytes of a word: no byte is written by two.
fn bytes_of_one_word(m: &Memory) {
    unsafe { Words::<u8>::at(0, 64) }.set(tid(), tid() as u8);
    thread::sync_threads();
    if tid() < 16 {
        m.out.write(tid(), words(16).get(tid()));
    }
}

/// Two threads write the halves of a wide word, which one of them reads after the barrier.
fn halves_of_wide_words(m: &Memory) {
    words(64).set(tid(), tid());
    thread::sync_threads();
    if tid() < 32 {
        m.wide.write(tid(), unsafe { Words::<u64>::at(0, 32) }.get(tid()));
    }
}

/// After the barrier the first warp reads the upper half and writes the lower half, which nobody else uses.
fn disjoint_halves(m: &Memory) {
    let words = words(64);
    words.set(tid(), tid());
    thread::sync_threads();
    if tid() < 32 {
        words.set(tid(), words.get(tid()) + words.get(tid() + 32));
        m.out.write(tid(), words.get(tid()));
    }
}

/// A barrier ends each round, and each round writes the buffer that the next one reads.
fn double_buffer(m: &Memory) {
    let words = zeros(128);
    for round in 0..4 {
        let (from, to) = (64 * (round % 2), 64 * ((round + 1) % 2));
        words.set(to + tid(), words.get(from + (tid() + 1) % 64) + 1);
        thread::sync_threads();
    }
    m.out.write(tid(), words.get(tid()));
}

/// A barrier stands between the reads and the writes of each step.
fn scan_in_two_steps(m: &Memory) {
    let sums = words(64);
    sums.set(tid(), m.data.read(tid()));
    thread::sync_threads();
    let mut back = 1;
    while back < 64 {
        let before = if tid() >= back { sums.get(tid() - back) } else { 0 };
        thread::sync_threads();
        sums.set(tid(), sums.get(tid()) + before);
        thread::sync_threads();
        back *= 2;
    }
    m.out.write(tid(), sums.get(tid()));
}

/// The second barrier keeps thread 0 from the word until all have read it.
fn loop_with_both_barriers(m: &Memory) {
    let word = words(1);
    let mut sum = 0;
    for round in 0..3 {
        if tid() == 0 {
            word.set(0u32, round);
        }
        thread::sync_threads();
        sum += word.get(0u32);
        thread::sync_threads();
    }
    m.out.write(tid(), sum);
}

/// A slot is written again two rounds later, and the barrier of the round between orders that write after the
/// reads.
fn two_slots_and_one_barrier(m: &Memory) {
    let slots = words(2);
    let mut sum = 0;
    for round in 0..4 {
        if tid() == 0 {
            slots.set(round % 2, round);
        }
        thread::sync_threads();
        sum += slots.get(round % 2);
    }
    m.out.write(tid(), sum);
}

/// A thread reads what it wrote itself, and nobody else comes near.
fn own_words_without_barrier(m: &Memory) {
    let words = words(128);
    for i in 4 * tid()..4 * tid() + 4 {
        words.set(i, i);
    }
    m.out.write(tid(), (4 * tid()..4 * tid() + 4).map(|i| words.get(i)).sum());
}

/// Reads never race with reads.
fn all_read_one_word(m: &Memory) {
    let word = words(1);
    if tid() == 63 {
        word.set(0u32, 9);
    }
    thread::sync_threads();
    m.out.write(tid(), word.get(0u32));
    word.get(0u32);
}

/// Barriers that return a result order as the plain one does: a write, a read, a write, a read.
fn barriers_that_reduce(m: &Memory) {
    let words = words(64);
    words.set(tid(), tid());
    let some = thread::sync_threads_or((tid() == 3) as u32);
    let other = words.get(63 - tid());
    let all = thread::sync_threads_count(1);
    words.set(tid(), other + all + some);
    thread::sync_threads_and(1);
    let next = (tid() + 1) % 64;
    m.out.write(next, words.get(next));
}

/// Atomic operations do not race with each other; the plain accesses are beyond barriers.
fn atomics_at_addresses(m: &Memory) {
    let word = Address::of_dynamic();
    unsafe {
        if tid() == 0 {
            word.write_two([0, 0]);
        }
        thread::sync_threads();
        word.add(1);
        word.plus(4).exchange(tid());
        thread::sync_threads();
        if tid() == 63 {
            m.out.write(0u32, word.read_two()[0]);
        }
    }
}

/// All threads change two words by relaxed atomic operations, and look at them meanwhile.
fn atomics_of_all(m: &Memory) {
    let words = zeros(2);
    words.atomic(0u32).add(1);
    words.atomic(1u32).max(tid());
    let (seen, most) = (words.atomic(0u32).load(), words.atomic(1u32).in_block());
    thread::sync_threads();
    if tid() == 0 {
        let fine = seen <= 64 && most < 64;
        m.out.write(0u32, words.atomic(0u32).now() * fine as u32);
        m.out.write(1u32, words.get(1u32));
    }
}

/// Two arrays of constant size: own words of one without a barrier, others' words of the other after one.
fn arrays_of_constant_size(m: &Memory) {
    let (mine, ours) =
        unsafe { (Array::from_raw(shared_array![u32; 64], 64), Array::from_raw(shared_array![u32; 64], 64)) };
    mine.write(tid(), tid());
    ours.write(tid(), mine.read(tid()));
    thread::sync_threads();
    mine.write(63 - tid(), 1);
    m.out.write(tid(), ours.read(63 - tid()));
}

/// The array begins where the words end.
fn array_beside_words(m: &Memory) {
    let words = zeros(64);
    let array = unsafe { Words::<u8>::at(0, 512).array::<u32>(256, 32) };
    if tid() < 32 {
        array.write(tid(), tid());
        m.out.write(tid(), array.read(tid()));
    } else {
        m.out.write(tid(), words.get(tid()));
    }
}

/// The copy writes the shared memory, and has a barrier at each end.
fn copied_by_the_block(m: &Memory) {
    let words = words(128);
    unsafe { copy_by_block(m.data.address(), dynamic_shared_mem::<u8>() as u64, 512) };
    let (a, b) = (words.get(127 - tid()), words.get(63 - tid()));
    m.out.write(tid(), a);
    m.out.write(tid() + 64, b);
}

/// What thread 0 does alone needs no order among itself; a barrier hands the result to all.
fn one_thread_does_all(m: &Memory) {
    let word = words(1);
    if tid() == 0 {
        word.set(0u32, 0);
        for _ in 0..64 {
            word.set(0u32, word.get(0u32) + 1);
        }
    }
    thread::sync_threads();
    m.out.write(tid(), word.atomic(0u32).load());
}
