//! Races of the threads of one block in its shared memory. Table: [`CASES`].
//!
//! Invariant: but for the case that says otherwise, the block has written each word before the race, with a
//! barrier after it, so that no read of unwritten memory is told instead.

use crate::{tid, words, zeros, Case, Memory};
use cuda_std::array::Array;
use cuda_std::shared::{Address, Words};
use cuda_std::{shared_array, thread};

pub const CASES: &[Case] = &[
    case!(Race block_sum_without_barrier, 1, 64, 256),
    case!(RaceOrUnwritten block_sum_of_fresh_memory, 1, 64, 256),
    case!(Race reuse_without_barrier_after_read, 1, 64, 256),
    case!(Race tree_sum_without_barriers, 1, 64, 256),
    case!(Race loop_without_second_barrier, 1, 64, 256),
    case!(Race all_write_the_same_value, 1, 64, 256),
    case!(Race counter_in_shared, 1, 64, 256),
    case!(Race plain_read_against_add, 1, 64, 256),
    case!(Race plain_write_against_atomic_load, 1, 64, 256),
    case!(Race byte_under_a_word, 1, 64, 256),
    case!(Race half_of_a_wide_word, 1, 64, 256),
    case!(Race halo_off_by_one, 1, 32, 1024),
    case!(Race stencil_in_place, 1, 64, 256),
    case!(Race scan_in_place, 1, 64, 256),
    case!(Race double_buffer_with_one_barrier_too_few, 1, 64, 512),
    case!(Race barrier_before_the_write, 1, 64, 256),
    case!(Race four_words_with_one_of_another_thread, 1, 64, 256),
    case!(Race exchange_against_plain_read, 1, 64, 256),
    case!(Race reversal_in_an_array_of_constant_size, 1, 64, 0),
    case!(Race array_and_words_at_one_place, 1, 64, 512),
    case!(Race result_of_count_read_by_one_too_many, 1, 64, 256),
    case!(Race slots_of_two_rounds_and_three_users, 1, 64, 256),
];

/// No barrier stands between the threads' writes and the reads of thread 0.
fn block_sum_without_barrier(m: &Memory) {
    let sums = zeros(64);
    sums.set(tid(), m.data.read(tid())); //~ block_sum_without_barrier first
    if tid() == 0 {
        let mut sum = 0;
        for i in 0..64u32 {
            sum += sums.get(i); //~ block_sum_without_barrier second
        }
        m.out.write(0u32, sum);
    }
}

/// As before, but thread 0 may come to words that nobody has written yet.
fn block_sum_of_fresh_memory(m: &Memory) {
    let sums = words(64);
    sums.set(tid(), m.data.read(tid())); //~ block_sum_of_fresh_memory first
    if tid() == 0 {
        let mut sum = 0;
        for i in 0..64u32 {
            sum ^= sums.get(i); //~ block_sum_of_fresh_memory second here
        }
        m.out.write(0u32, sum);
    }
}

/// A thread's second write does not wait for the other thread's read of the first.
fn reuse_without_barrier_after_read(m: &Memory) {
    let words = zeros(64);
    words.set(tid(), tid());
    thread::sync_threads();
    let other = words.get(63 - tid()); //~ reuse_without_barrier_after_read first
    words.set(tid(), 2 * other); //~ reuse_without_barrier_after_read second
    thread::sync_threads();
    m.out.write(tid(), words.get(tid()));
}

/// Each step reads what other threads wrote in the step before, without a barrier between the steps.
fn tree_sum_without_barriers(m: &Memory) {
    let sums = words(64);
    sums.set(tid(), m.data.read(tid()));
    thread::sync_threads();
    let mut half = 32;
    while half > 0 {
        if tid() < half {
            sums.set(tid(), sums.get(tid()) + sums.get(tid() + half)); //~ tree_sum_without_barriers both
        }
        half /= 2;
    }
    if tid() == 0 {
        m.out.write(0u32, sums.get(0u32));
    }
}

/// Thread 0 writes the next round's value while others still read this round's.
fn loop_without_second_barrier(m: &Memory) {
    let word = zeros(1);
    let mut sum = 0;
    for round in 0..3 {
        if tid() == 0 {
            word.set(0u32, round); //~ loop_without_second_barrier first
        }
        thread::sync_threads();
        sum += word.get(0u32); //~ loop_without_second_barrier second
    }
    m.out.write(tid(), sum);
}

/// Two writes of one word race, whatever they write.
fn all_write_the_same_value(m: &Memory) {
    let word = zeros(1);
    word.set(0u32, 7); //~ all_write_the_same_value both
    thread::sync_threads();
    m.out.write(tid(), word.get(0u32));
}

/// Threads count by a plain read and a plain write.
fn counter_in_shared(m: &Memory) {
    let count = zeros(1);
    count.set(0u32, count.get(0u32) + 1); //~ counter_in_shared both
    thread::sync_threads();
    m.out.write(tid(), count.get(0u32));
}

/// The additions are atomic, the read of one thread is not.
fn plain_read_against_add(m: &Memory) {
    let count = zeros(1);
    count.atomic(0u32).add(1); //~ plain_read_against_add first
    if tid() == 5 {
        m.out.write(0u32, count.get(0u32)); //~ plain_read_against_add second
    }
}

/// The loads are atomic, the write is not.
fn plain_write_against_atomic_load(m: &Memory) {
    let word = zeros(1);
    if tid() == 0 {
        word.set(0u32, 1); //~ plain_write_against_atomic_load first
    } else {
        m.out.write(tid(), word.atomic(0u32).load()); //~ plain_write_against_atomic_load second
    }
}

/// Byte 3 is one of the bytes of word 0.
fn byte_under_a_word(m: &Memory) {
    let words = zeros(4);
    let bytes = unsafe { Words::<u8>::at(0, 16) };
    if tid() == 0 {
        words.set(0u32, 0x0101_0101); //~ byte_under_a_word first
    }
    if tid() == 40 {
        bytes.set(3u32, 2); //~ byte_under_a_word second
    }
    thread::sync_threads();
    m.out.write(tid(), words.get(0u32));
}

/// Word 1 is the upper half of the wide word 0.
fn half_of_a_wide_word(m: &Memory) {
    let words = zeros(2);
    let wide = unsafe { Words::<u64>::at(0, 1) };
    if tid() == 0 {
        wide.set(0u32, 1 << 32 | 1); //~ half_of_a_wide_word first
    }
    if tid() == 33 {
        m.out.write(0u32, words.get(1u32)); //~ half_of_a_wide_word second
    }
}

/// A thread reads the four words that it wrote, and one more, which is the next thread's.
fn halo_off_by_one(m: &Memory) {
    let words = zeros(32 * 4 + 1);
    let mut sum = 0;
    for i in 4 * tid()..4 * tid() + 4 {
        words.set(i, i); //~ halo_off_by_one first
    }
    for i in 4 * tid()..=4 * tid() + 4 {
        sum += words.get(i); //~ halo_off_by_one second
    }
    m.out.write(tid(), sum);
}

/// A thread's neighbours read the word that the thread writes, some before it, some after it.
fn stencil_in_place(m: &Memory) {
    let words = words(64);
    words.set(tid(), m.data.read(tid()));
    thread::sync_threads();
    if tid() > 0 && tid() < 63 {
        let sides = words.get(tid() - 1) + words.get(tid() + 1); //~ stencil_in_place first
        words.set(tid(), sides); //~ stencil_in_place second
    }
    thread::sync_threads();
    m.out.write(tid(), words.get(tid()));
}

/// In each step a thread reads a word that another thread writes in the same step.
fn scan_in_place(m: &Memory) {
    let sums = words(64);
    sums.set(tid(), m.data.read(tid()));
    thread::sync_threads();
    let mut back = 1;
    while back < 64 {
        if tid() >= back {
            sums.set(tid(), sums.get(tid() - back) + sums.get(tid())); //~ scan_in_place both
        }
        thread::sync_threads();
        back *= 2;
    }
    m.out.write(tid(), sums.get(tid()));
}

/// Only every second round ends with a barrier.
fn double_buffer_with_one_barrier_too_few(m: &Memory) {
    let words = zeros(128);
    for round in 0..4 {
        let (from, to) = (64 * (round % 2), 64 * ((round + 1) % 2));
        let next = words.get(from + (tid() + 1) % 64); //~ double_buffer_with_one_barrier_too_few first
        words.set(to + tid(), next + 1); //~ double_buffer_with_one_barrier_too_few second
        if round % 2 == 1 {
            thread::sync_threads();
        }
    }
    m.out.write(tid(), words.get(tid()));
}

/// The barrier orders what stands before it, and the write stands after it.
fn barrier_before_the_write(m: &Memory) {
    let words = zeros(64);
    let some = thread::sync_threads_or((tid() == 3) as u32);
    words.set(tid(), some); //~ barrier_before_the_write first
    m.out.write(tid(), words.get((tid() + 32) % 64)); //~ barrier_before_the_write second
}

/// A load of four words reads three that other threads write.
fn four_words_with_one_of_another_thread(m: &Memory) {
    zeros(64);
    let first = Address::of_dynamic();
    unsafe {
        first.plus(4 * tid()).write([tid()]); //~ four_words_with_one_of_another_thread first
        if tid().is_multiple_of(4) {
            let four = first.plus(4 * tid()).read_four(); //~ four_words_with_one_of_another_thread second
            m.out.write(tid(), four[3]);
        }
    }
}

/// The exchange is atomic, the read is not.
fn exchange_against_plain_read(m: &Memory) {
    zeros(1);
    let word = Address::of_dynamic();
    unsafe {
        if tid() == 1 {
            word.exchange(1); //~ exchange_against_plain_read first
        }
        if tid() == 62 {
            let [read] = word.read(); //~ exchange_against_plain_read second
            m.out.write(0u32, read);
        }
    }
}

/// Arrays of constant size need barriers as dynamic memory does.
fn reversal_in_an_array_of_constant_size(m: &Memory) {
    let words = unsafe { Array::from_raw(shared_array![u32; 64], 64) };
    words.write(tid(), 0);
    thread::sync_threads();
    words.write(tid(), tid()); //~ reversal_in_an_array_of_constant_size first
    m.out.write(tid(), words.read(63 - tid())); //~ reversal_in_an_array_of_constant_size second
}

/// Element 0 of the array is word 32 of the words.
fn array_and_words_at_one_place(m: &Memory) {
    let words = zeros(64);
    let array = unsafe { Words::<u8>::at(0, 256).array::<u32>(128, 32) };
    if tid() < 32 {
        array.write(tid(), tid()); //~ array_and_words_at_one_place first
    } else {
        m.out.write(tid(), words.get(tid())); //~ array_and_words_at_one_place second
    }
}

/// The barrier that counts orders the writes before it, but thread 7 writes once more.
fn result_of_count_read_by_one_too_many(m: &Memory) {
    let words = zeros(64);
    words.set(tid(), 1);
    let all = thread::sync_threads_count(1);
    if tid() == 7 {
        words.set(7u32, all); //~ result_of_count_read_by_one_too_many first
    }
    let mut sum = 0;
    for i in 0..64u32 {
        sum += words.get(i); //~ result_of_count_read_by_one_too_many second
    }
    m.out.write(tid(), sum);
}

/// Two slots do for one barrier a round, but here a thread reads the slot of the round before as well.
fn slots_of_two_rounds_and_three_users(m: &Memory) {
    let slots = zeros(2);
    let mut sum = 0;
    for round in 0..4 {
        if tid() == 0 {
            slots.set(round % 2, round); //~ slots_of_two_rounds_and_three_users first
        }
        thread::sync_threads();
        sum += slots.get(round % 2);
        sum += slots.get((round + 1) % 2); //~ slots_of_two_rounds_and_three_users second
    }
    m.out.write(tid(), sum);
}
