//! Reads of shared memory that nobody wrote, accesses past the end, waits that cannot end, and kernels close
//! to one of these. Table: [`CASES`].

use crate::{bid, sync_warp, tid, until, words, zeros, Case, Memory};
use cuda_std::array::Array;
use cuda_std::shared::{Address, Words};
use cuda_std::{shared_array, thread};

pub const CASES: &[Case] = &[
    case!(Unwritten one_word_too_few_at_first, 1, 32, 256),
    case!(Unwritten another_blocks_memory, 2, 32, 256),
    case!(Unwritten [fills_shared_memory, left_by_the_launch_before] left_by_the_launch_before, 1, 32, 256),
    case!(Unwritten left_by_the_block_before, 40, 64, 256),
    case!(Unwritten three_bytes_of_four, 1, 32, 256),
    case!(Unwritten array_of_constant_size, 1, 32, 0),
    case!(Unwritten addition_to_nothing, 1, 32, 256),
    case!(Unwritten fourth_of_four_words, 1, 32, 256),
    case!(Nothing four_bytes_make_a_word, 1, 32, 256).gives(|h| h.out[0] == 0x0403_0201),
    case!(Nothing only_what_was_written, 2, 32, 256).gives(|h| h.out[..64].iter().all(|&w| w == 496)),
    case!(Nothing stored_atomically_first, 1, 32, 256).gives(|h| h.out[0] == 35),
    case!(OutOfBounds array_read, 1, 32, 0),
    case!(OutOfBounds array_write, 1, 32, 0),
    case!(OutOfBounds array_atomic, 1, 32, 0),
    case!(OutOfBounds array_claim, 1, 32, 0),
    case!(OutOfBounds array_word, 1, 32, 0),
    case!(OutOfBounds array_of_bytes, 1, 32, 0),
    case!(OutOfBounds words_get, 1, 32, 256),
    case!(OutOfBounds words_set, 1, 32, 256),
    case!(OutOfBounds words_atomic, 1, 32, 256),
    case!(OutOfBounds raw_array_of_words, 1, 32, 256),
    case!(OutOfBounds raw_array_too_long, 1, 32, 256),
    case!(OutOfBounds more_words_than_the_launch_has, 1, 32, 256),
    case!(OutOfBounds address_after_the_end, 1, 32, 256),
    case!(Nothing last_elements, 1, 32, 256).gives(|h| h.out[255] == 256 + 63 && h.bytes[255] == 9),
    case!(Nothing four_at_the_end, 1, 32, 0).gives(|h| h.out[0] == 11 && h.out[1] == 4),
    case!(Spin flag_that_nobody_sets, 2, 32, 0),
    case!(Spin flag_that_nobody_sets_without_sleep, 2, 32, 0),
    case!(Spin lock_that_nobody_gives_back, 2, 32, 0),
    case!(Spin flag_set_after_a_barrier_of_both, 1, 64, 0),
    case!(Spin claim_without_sleep, 2, 32, 0),
    case!(Spin waits_for_each_other, 2, 32, 0),
    case!(Spin plain_wait_for_nothing, 2, 32, 0),
    case!(Nothing long_wait, 2, 32, 0).gives(|h| h.out[0] == 1),
    case!(Nothing long_loop_over_an_atomic, 2, 32, 0).gives(|h| h.out[0] == 100_000),
    case!(Nothing wait_for_a_word_set_before_the_barrier, 1, 64, 0).gives(|h| h.out[63] == 1),
    case!(NothingLater wait_without_sleep, 2, 32, 0).gives(|h| h.out[0] == 1),
    case!(NothingLater wait_without_sleep_in_a_warp, 1, 32, 0).gives(|h| h.out[0] == 1),
];

/// The block writes the first 31 words and reads 32.
fn one_word_too_few_at_first(m: &Memory) {
    let words = words(32);
    if tid() < 31 {
        words.set(tid(), 0);
    }
    thread::sync_threads();
    m.out.write(tid(), words.get(tid())); //~ one_word_too_few_at_first here
}

/// Block 0 writes its shared memory; that of block 1 is another.
fn another_blocks_memory(m: &Memory) {
    let words = words(32);
    if bid() == 0 {
        words.set(tid(), 1);
    }
    thread::sync_threads();
    m.out.write(thread::index_1d(), words.get(tid())); //~ another_blocks_memory here
}

/// The launch before.
fn fills_shared_memory(_: &Memory) {
    zeros(64);
}

/// Shared memory does not outlive a launch.
fn left_by_the_launch_before(m: &Memory) {
    m.out.write(tid(), words(64).get(tid())); //~ left_by_the_launch_before here
}

/// Block 39 may get the memory that block 0 had, but not its words.
fn left_by_the_block_before(m: &Memory) {
    let words = words(64);
    if bid() < 39 {
        words.set(tid(), 1);
    }
    thread::sync_threads();
    if tid() == 0 {
        m.out.write(bid(), words.get(0u32)); //~ left_by_the_block_before here
    }
}

/// One byte of the word is not written.
fn three_bytes_of_four(m: &Memory) {
    let bytes = unsafe { Words::<u8>::at(0, 4) };
    if tid() < 3 {
        bytes.set(tid(), 1);
    }
    thread::sync_threads();
    m.out.write(tid(), words(1).get(0u32)); //~ three_bytes_of_four here
}

/// The content of an array of constant size is undefined at the beginning as well.
fn array_of_constant_size(m: &Memory) {
    let (other, words) =
        unsafe { (Array::from_raw(shared_array![u32; 32], 32), Array::from_raw(shared_array![u32; 32], 32)) };
    other.write(tid(), 0);
    thread::sync_threads();
    m.out.write(tid(), words.read(31 - tid())); //~ array_of_constant_size here
}

/// An addition reads the word, which nobody has set to zero.
fn addition_to_nothing(m: &Memory) {
    words(1).atomic(0u32).add(1); //~ addition_to_nothing here
    thread::sync_threads();
    m.out.write(tid(), words(1).get(0u32));
}

/// A load of four words, of which three are written.
fn fourth_of_four_words(m: &Memory) {
    if tid() < 3 {
        words(4).set(tid(), 1);
    }
    thread::sync_threads();
    let four = unsafe { Address::of_dynamic().read_four() }; //~ fourth_of_four_words here
    m.out.write(tid(), four[0]);
}

/// All four bytes of the word are written, by four threads.
fn four_bytes_make_a_word(m: &Memory) {
    let bytes = unsafe { Words::<u8>::at(0, 4) };
    if tid() < 4 {
        bytes.set(tid(), tid() as u8 + 1);
    }
    sync_warp(u32::MAX);
    if tid() == 9 {
        m.out.write(0u32, words(1).get(0u32));
    }
}

/// Half of the memory is never written, and never read.
fn only_what_was_written(m: &Memory) {
    let words = words(64);
    words.set(2 * tid(), tid());
    thread::sync_threads();
    m.out.write(thread::index_1d(), (0..32u32).map(|i| words.get(2 * i)).sum());
}

/// An atomic store writes as a plain one does.
fn stored_atomically_first(m: &Memory) {
    let word = words(1).atomic(0u32);
    if tid() == 0 {
        word.store(3);
    }
    thread::sync_threads();
    word.add(1);
    thread::sync_threads();
    if tid() == 31 {
        m.out.write(0u32, words(1).get(0u32));
    }
}

/// The index is the length.
fn array_read(m: &Memory) {
    if tid() == 31 {
        m.out.write(0u32, m.data.read(256u32)); //~ array_read here
    }
}

/// The last thread of the last round is past the end.
fn array_write(m: &Memory) {
    for i in 0..8 {
        m.out.write(32 * i + tid() + 1, i); //~ array_write here
    }
}

/// Atomic operations are checked too.
fn array_atomic(m: &Memory) {
    m.wide.atomic(256 + tid()).add(1); //~ array_atomic here
}

/// A claim is an atomic operation.
fn array_claim(m: &Memory) {
    let _ = m.flags.claim(256 + tid(), 0, 1); //~ array_claim here
}

/// To get the reference is an error already.
fn array_word(m: &Memory) {
    if tid() == 1 {
        m.words.get(256u32).store_relaxed(1); //~ array_word here
    }
}

/// The bytes of the elements end where the elements end.
fn array_of_bytes(m: &Memory) {
    if tid() == 1 {
        m.out.bytes().write(1024u32, 1); //~ array_of_bytes here
    }
}

/// The launch has more memory, but these words end before.
fn words_get(m: &Memory) {
    zeros(64);
    m.out.write(tid(), words(31).get(tid())); //~ words_get here
}

/// As before, by a write.
fn words_set(_: &Memory) {
    if tid() < 5 {
        words(4).set(tid(), 1); //~ words_set here
    }
}

/// As before, by an atomic operation.
fn words_atomic(_: &Memory) {
    zeros(64);
    words(4).atomic(4 + tid()).store(1); //~ words_atomic here
}

/// An array made of words has a length of its own.
fn raw_array_of_words(m: &Memory) {
    zeros(64);
    let array = unsafe { Words::<u8>::at(0, 256).array::<u32>(0, 16) };
    if tid() == 2 {
        m.out.write(0u32, array.read(16u32)); //~ raw_array_of_words here
    }
}

/// The array would end four bytes after the words that it is made of.
fn raw_array_too_long(m: &Memory) {
    zeros(64);
    let bytes = unsafe { Words::<u8>::at(0, 128) };
    let array = unsafe { bytes.array::<u32>(4, 32) }; //~ raw_array_too_long here
    m.out.write(tid(), array.read(tid())); //~ raw_array_too_long here
}

/// The launch asked for 256 bytes, and these words end at byte 260.
fn more_words_than_the_launch_has(_: &Memory) {
    let words = unsafe { Words::<u32>::at(256 - 4, 2) }; //~ more_words_than_the_launch_has here
    if tid() == 0 {
        words.set(1u32, 1); //~ more_words_than_the_launch_has here
    }
}

/// Addresses have no length, but the shared memory has.
fn address_after_the_end(_: &Memory) {
    if tid() == 0 {
        unsafe { Address::of_dynamic().plus(256).write([1]) }; //~ address_after_the_end here
    }
}

/// The last element of each kind.
fn last_elements(m: &Memory) {
    let words = zeros(64);
    if tid() == 31 {
        words.set(63u32, 63);
        m.bytes.write(255u32, 9);
        let last = unsafe { Words::<u8>::at(0, 256).array::<u32>(252, 1) };
        m.out.write(255u32, m.data.read(255usize) + last.read(0u32));
        unsafe { Address::of_dynamic().plus(252).write([1]) };
    }
}

/// Four elements are loaded where three are left: the fourth has any value, and a prefetch may go anywhere.
fn four_at_the_end(m: &Memory) {
    let short = unsafe { Array::<u32>::from_raw(m.data.address() as *mut u32, 7) };
    short.prefetch(100u32);
    let [a, b, _, _] = short.four(1);
    if tid() == 0 {
        m.out.write(0u32, a + b);
        m.out.write(1u32, short.four_here(0)[3]);
    }
}

/// The thread sleeps for ever.
fn flag_that_nobody_sets(m: &Memory) {
    if bid() == 1 && tid() == 4 {
        loop {
            let found = m.flags.atomic(0u32).load(); //~ flag_that_nobody_sets here
            if found != 0 {
                break;
            }
            thread::nanosleep(100); //~ flag_that_nobody_sets here
        }
    }
}

/// The thread loads for ever, and never lets others run.
fn flag_that_nobody_sets_without_sleep(m: &Memory) {
    if bid() == 1 && tid() == 4 {
        loop {
            let found = m.flags.atomic(0u32).load(); //~ flag_that_nobody_sets_without_sleep here
            if found != 0 {
                break;
            }
            std::hint::spin_loop();
        }
    }
}

/// The first thread that gets the lock keeps it.
fn lock_that_nobody_gives_back(m: &Memory) {
    if tid() == 0 {
        loop {
            let found = m.words.get(0u32).compare_exchange(0, 1); //~ lock_that_nobody_gives_back here
            if found.is_ok() {
                break;
            }
            thread::nanosleep(100); //~ lock_that_nobody_gives_back here
        }
    }
}

/// Thread 0 sets the flag after the barrier, and thread 1 waits for it before.
fn flag_set_after_a_barrier_of_both(m: &Memory) {
    if tid() == 1 {
        loop {
            let found = m.flags.atomic(0u32).load(); //~ flag_set_after_a_barrier_of_both here
            if found != 0 {
                break;
            }
            thread::nanosleep(100); //~ flag_set_after_a_barrier_of_both here
        }
    }
    thread::sync_threads(); //~ flag_set_after_a_barrier_of_both here
    if tid() == 0 {
        m.flags.atomic(0u32).store(1);
    }
}

/// No thread changes the word from 5 to anything, so that no claim of 0 succeeds.
fn claim_without_sleep(m: &Memory) {
    if tid() == 0 {
        m.flags.atomic(bid()).store(5);
        loop {
            let found = m.flags.claim(bid(), 0, 1); //~ claim_without_sleep here
            if found.is_ok() {
                break;
            }
            std::hint::spin_loop();
        }
    }
}

/// Each block waits for the other before it sets its own flag.
fn waits_for_each_other(m: &Memory) {
    if tid() == 0 {
        loop {
            let found = m.words.get(1 - bid()).load_acquire(); //~ waits_for_each_other here
            if found != 0 {
                break;
            }
            thread::nanosleep(100); //~ waits_for_each_other here
        }
        m.words.get(bid()).store_release(1);
    }
}

/// A wait by plain reads, for a word that nobody writes.
fn plain_wait_for_nothing(m: &Memory) {
    if tid() == 0 && bid() == 1 {
        loop {
            let found = m.flags.read(0u32); //~ plain_wait_for_nothing here
            if found != 0 {
                break;
            }
        }
    }
}

/// The other block sleeps long before it sets the flag.
fn long_wait(m: &Memory) {
    if tid() == 0 && bid() == 0 {
        for _ in 0..10_000 {
            thread::nanosleep(100);
        }
        m.flags.atomic(0u32).store(1);
    }
    if tid() == 0 && bid() == 1 {
        until(|| m.flags.atomic(0u32).load() != 0);
        m.out.write(0u32, 1);
    }
}

/// The loop loads the same word again and again, and ends by its own count.
fn long_loop_over_an_atomic(m: &Memory) {
    if tid() == 3 && bid() == 1 {
        let mut zeros = 0;
        for _ in 0..100_000 {
            zeros += (m.flags.atomic(0u32).load() == 0) as u32;
        }
        m.out.write(0u32, zeros);
    }
}

/// The loop does not sleep, and need not: the barrier came after the store.
fn wait_for_a_word_set_before_the_barrier(m: &Memory) {
    if tid() == 0 {
        m.flags.atomic(0u32).store(1);
    }
    thread::sync_threads();
    while m.flags.atomic(0u32).load() == 0 {
        std::hint::spin_loop();
    }
    m.out.write(tid(), 1);
}

/// The other block sets the flag, if it comes to run.
fn wait_without_sleep(m: &Memory) {
    if tid() == 0 && bid() == 0 {
        m.flags.atomic(0u32).store(1);
    }
    if tid() == 0 && bid() == 1 {
        while m.flags.atomic(0u32).load() == 0 {
            std::hint::spin_loop();
        }
        m.out.write(0u32, 1);
    }
}

/// Another lane of the warp sets the flag: the lanes of a warp make progress each.
fn wait_without_sleep_in_a_warp(m: &Memory) {
    if tid() == 31 {
        m.flags.atomic(0u32).store(1);
    } else if tid() == 0 {
        while m.flags.atomic(0u32).load() == 0 {
            std::hint::spin_loop();
        }
        m.out.write(0u32, 1);
    }
}
