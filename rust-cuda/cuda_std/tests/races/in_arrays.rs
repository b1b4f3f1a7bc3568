//! Races of the threads of one block in device arrays, and kernels close to one. Table: [`CASES`].

use crate::{tid, Case, Memory};
use cuda_std::array::Array;
use cuda_std::thread;

pub const CASES: &[Case] = &[
    case!(Race write_and_read_without_barrier, 1, 64, 0),
    case!(Race counter_in_an_array, 1, 64, 0),
    case!(Race now_against_add, 1, 64, 0),
    case!(Race start_value_against_add, 1, 64, 0),
    case!(Race plain_read_against_atomic_store, 1, 64, 0),
    case!(Race four_of_the_next_group, 1, 64, 0),
    case!(Race four_here_of_the_next_group, 1, 64, 0),
    case!(Race read_here_of_the_next_element, 1, 64, 0),
    case!(Race byte_of_an_element, 1, 64, 0),
    case!(Race half_of_a_wide_element, 1, 64, 0),
    case!(Race half_of_a_wide_atomic, 1, 64, 0),
    case!(Race compaction_in_place, 1, 64, 0),
    case!(Race greatest_by_plain_accesses, 1, 64, 0),
    case!(Race claimed_word_set_back_by_a_write, 1, 64, 0),
    case!(Race winner_writes_and_all_read, 1, 64, 0),
    case!(Race fence_is_no_barrier, 1, 64, 0),
    case!(Race stride_one_too_short, 1, 64, 0),
    case!(Race shared_word_written_as_an_element, 1, 64, 0),
    case!(Nothing write_barrier_read, 1, 64, 0).gives(|h| (0..64).all(|i| h.out[i] as usize == (i + 1) % 64)),
    case!(Nothing bytes_of_one_element, 1, 64, 0).gives(|h| h.out[0] == 0x0302_0100 && h.bytes[63] == 63),
    case!(Nothing relaxed_on_purpose, 1, 64, 0)
        .gives(|h| h.out[0] == 1 && h.flags[0] == 64 && h.flags[1] == 63),
    case!(Nothing all_store_the_same_value, 1, 64, 0).gives(|h| h.flags[0] == 7),
    case!(Nothing only_the_winner_writes, 1, 64, 0).gives(|h| h.out[..64].iter().all(|&w| w == 5)),
    case!(Nothing now_after_the_barrier, 1, 64, 0).gives(|h| h.out[..64].iter().all(|&w| w == 64)),
    case!(Nothing four_of_the_own_group, 1, 64, 0).gives(|h| (0..64).all(|i| h.data[i] == 16 * i as u32 + 6)),
    case!(Nothing even_and_odd_elements, 1, 64, 0).gives(|h| (0..64).all(|i| h.out[i] == i as u32 % 2)),
    case!(Nothing prefetch_of_the_next_element, 1, 64, 0).gives(|h| (0..64).all(|i| h.out[i] as usize == i)),
    case!(Nothing compaction_after_a_barrier, 1, 64, 0).gives(|h| h.data[..32].iter().sum::<u32>() == 1056),
    case!(Nothing slots_by_atomic_addition, 1, 64, 0).gives(|h| h.out[..64].iter().sum::<u32>() == 2016),
    case!(Nothing [first_half, second_half] two_launches, 2, 64, 0)
        .gives(|h| (0..128).all(|i| h.out[i] as usize == 127 - i)),
];

/// A thread reads the element that the next thread writes.
fn write_and_read_without_barrier(m: &Memory) {
    m.data.write(tid(), tid()); //~ write_and_read_without_barrier first
    m.out.write(tid(), m.data.read((tid() + 1) % 64)); //~ write_and_read_without_barrier second
}

/// Threads count by a plain read and a plain write.
fn counter_in_an_array(m: &Memory) {
    m.out.write(0u32, m.out.read(0u32) + 1); //~ counter_in_an_array both
}

/// `now` is a plain read, and other threads still add.
fn now_against_add(m: &Memory) {
    m.flags.atomic(0u32).add(1); //~ now_against_add first
    m.out.write(tid(), m.flags.atomic(0u32).now()); //~ now_against_add second
}

/// Thread 0 sets the sum to zero by a plain write, and others add without waiting for that.
fn start_value_against_add(m: &Memory) {
    if tid() == 0 {
        m.flags.write(0u32, 0); //~ start_value_against_add first
    }
    m.flags.atomic(0u32).add(1); //~ start_value_against_add second
}

/// The store is atomic, the reads are not.
fn plain_read_against_atomic_store(m: &Memory) {
    if tid() == 63 {
        m.flags.atomic(0u32).store(1); //~ plain_read_against_atomic_store first
    } else {
        m.out.write(tid(), m.flags.read(0u32)); //~ plain_read_against_atomic_store second
    }
}

/// A thread writes its own four elements and loads the next thread's.
fn four_of_the_next_group(m: &Memory) {
    for i in 4 * tid()..4 * tid() + 4 {
        m.data.write(i, i); //~ four_of_the_next_group first
    }
    let four = m.data.four((tid() + 1) % 64); //~ four_of_the_next_group second
    m.out.write(tid(), four.iter().sum());
}

/// As before: to load where the call stands orders nothing.
fn four_here_of_the_next_group(m: &Memory) {
    m.data.write(4 * tid() + 3, tid()); //~ four_here_of_the_next_group first
    let four = m.data.four_here((tid() + 1) % 64); //~ four_here_of_the_next_group second
    m.out.write(tid(), four[3]);
}

/// As before, with one element.
fn read_here_of_the_next_element(m: &Memory) {
    m.data.write(tid(), tid()); //~ read_here_of_the_next_element first
    let next = m.data.read_here((tid() + 1) % 64); //~ read_here_of_the_next_element second
    m.out.write(tid(), next);
}

/// One thread writes an element, another thread one byte of it.
fn byte_of_an_element(m: &Memory) {
    if tid() == 2 {
        m.out.write(1u32, 0x0101_0101); //~ byte_of_an_element first
    }
    if tid() == 60 {
        m.out.bytes().write(6u32, 7); //~ byte_of_an_element second
    }
}

/// One thread writes eight bytes, another thread reads the upper four.
fn half_of_a_wide_element(m: &Memory) {
    let halves: Array<u32> = unsafe { Array::from_raw(m.wide.address() as *mut u32, 2 * m.wide.len()) };
    if tid() == 2 {
        m.wide.write(1u32, 1 << 32); //~ half_of_a_wide_element first
    }
    if tid() == 60 {
        m.out.write(0u32, halves.read(3u32)); //~ half_of_a_wide_element second
    }
}

/// The addition to eight bytes is atomic, the read of the lower four is not.
fn half_of_a_wide_atomic(m: &Memory) {
    let halves: Array<u32> = unsafe { Array::from_raw(m.wide.address() as *mut u32, 2 * m.wide.len()) };
    m.wide.atomic(0u32).add(1); //~ half_of_a_wide_atomic first
    if tid() == 0 {
        m.out.write(0u32, halves.read(0u32)); //~ half_of_a_wide_atomic second
    }
}

/// Threads with an even index keep their element, in slots that others may not have read yet.
fn compaction_in_place(m: &Memory) {
    let element = m.data.read(tid()); //~ compaction_in_place first
    if tid().is_multiple_of(2) {
        let slot = m.flags.atomic(0u32).add(1);
        m.data.write(slot, element); //~ compaction_in_place second
    }
}

/// The greatest value, by a plain read and a plain write.
fn greatest_by_plain_accesses(m: &Memory) {
    let value = m.data.read(tid());
    // The reads race with the writes, and the writes with each other.
    let greatest = m.out.read(0u32); //~ greatest_by_plain_accesses first
    if value > greatest {
        m.out.write(0u32, value); //~ greatest_by_plain_accesses both
    }
}

/// One thread claims the word, and sets the word back by a plain write while others try to claim it.
fn claimed_word_set_back_by_a_write(m: &Memory) {
    let claimed = m.flags.claim(0u32, 0, 1); //~ claimed_word_set_back_by_a_write first
    if claimed.is_ok() {
        // Several threads may succeed, one after the other: then their writes race too.
        m.flags.write(0u32, 0); //~ claimed_word_set_back_by_a_write both
    }
}

/// One thread wins the claim and writes, and others read without waiting for it.
fn winner_writes_and_all_read(m: &Memory) {
    if m.flags.claim(0u32, 0, 1).is_ok() {
        m.out.write(100u32, tid()); //~ winner_writes_and_all_read first
    }
    m.out.write(tid(), m.out.read(100u32)); //~ winner_writes_and_all_read second
}

/// A fence orders a thread's own accesses, but no thread waits for another.
fn fence_is_no_barrier(m: &Memory) {
    m.data.write(tid(), tid()); //~ fence_is_no_barrier first
    thread::device_fence();
    m.out.write(tid(), m.data.read(tid() ^ 32)); //~ fence_is_no_barrier second
}

/// Threads go through the array in strides of 63, but there are 64 threads.
fn stride_one_too_short(m: &Memory) {
    let mut i = tid();
    while i < 256 {
        m.out.write(i, tid()); //~ stride_one_too_short both
        i += 63;
    }
}

/// One thread stores by a releasing store, another thread writes the same word as a plain element.
fn shared_word_written_as_an_element(m: &Memory) {
    let plain: Array<u32> = unsafe { Array::from_raw(m.words.address() as *mut u32, m.words.len()) };
    if tid() == 0 {
        m.words.get(0u32).store_release(1); //~ shared_word_written_as_an_element first
    }
    if tid() == 1 {
        plain.write(0u32, 2); //~ shared_word_written_as_an_element second
    }
}

/// The barrier stands between the writes and the reads.
fn write_barrier_read(m: &Memory) {
    m.data.write(tid(), tid());
    thread::sync_threads();
    m.out.write(tid(), m.data.read((tid() + 1) % 64));
}

/// Four threads write the four bytes of an element: no byte is written by two.
fn bytes_of_one_element(m: &Memory) {
    m.bytes.write(tid(), tid() as u8);
    let bytes = m.out.bytes();
    if tid() < 4 {
        bytes.write(tid(), tid() as u8);
    }
}

/// Atomic operations do not race, and nobody relies on an order.
fn relaxed_on_purpose(m: &Memory) {
    let (count, most) = (m.flags.atomic(0u32), m.flags.atomic(1u32));
    let before = count.load();
    count.add(1);
    most.max(tid());
    let fine = before < 64 && count.in_block() > before && most.load_in(true) >= tid();
    m.flags.atomic(2u32).or(!fine as u32);
    thread::sync_threads();
    if tid() == 9 {
        m.out.write(0u32, (m.flags.read(2u32) == 0) as u32);
    }
}

/// The stores are atomic, so that to store the same value is no race.
fn all_store_the_same_value(m: &Memory) {
    m.flags.atomic(0u32).store(7);
    m.words.get(0u32).store_relaxed(7);
    m.wide.atomic(0u32).put(7);
}

/// A claim lets one thread write, and a barrier stands between the write and the reads.
fn only_the_winner_writes(m: &Memory) {
    if m.flags.claim(0u32, 0, 1).is_ok() {
        m.out.write(100u32, 5);
    }
    thread::sync_threads();
    m.out.write(tid(), m.out.read(100u32));
}

/// A barrier stands between the additions and the plain reads.
fn now_after_the_barrier(m: &Memory) {
    if tid() == 0 {
        m.flags.write(0u32, 0);
    }
    thread::sync_threads();
    m.flags.atomic(0u32).add(1);
    thread::sync_threads();
    m.out.write(tid(), m.flags.atomic(0u32).now());
}

/// A thread loads the four elements that it wrote itself, and writes an element that nobody loads any more.
fn four_of_the_own_group(m: &Memory) {
    for i in 4 * tid()..4 * tid() + 4 {
        m.data.write(i, i);
    }
    let sum = m.data.four(tid()).iter().sum();
    thread::sync_threads();
    m.data.write(tid(), sum);
}

/// The first warp writes the even elements, the second the odd ones.
fn even_and_odd_elements(m: &Memory) {
    m.out.write(2 * (tid() % 32) + tid() / 32, tid() / 32);
}

/// A prefetch reads nothing.
fn prefetch_of_the_next_element(m: &Memory) {
    m.out.prefetch(tid() + 1);
    m.out.write(tid(), tid());
}

/// All elements are read before a slot is written.
fn compaction_after_a_barrier(m: &Memory) {
    let element = m.data.read(tid());
    thread::sync_threads();
    if tid() % 2 == 1 {
        let slot = m.flags.atomic(0u32).add(1);
        m.data.write(slot, element);
    }
}

/// Each thread writes the slot that its own addition gave it.
fn slots_by_atomic_addition(m: &Memory) {
    let slot = m.flags.atomic(0u32).add(1);
    m.out.write(slot, tid());
}

/// The first of two launches.
fn first_half(m: &Memory) {
    m.data.write(thread::index_1d(), thread::index_1d());
}

/// Its reads come after all that the first launch did.
fn second_half(m: &Memory) {
    m.out.write(thread::index_1d(), m.data.read(127 - thread::index_1d()));
}
