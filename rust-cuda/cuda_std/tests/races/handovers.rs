//! Races of threads that hand data over by flags, locks and counters, with something missing. Table:
//! [`CASES`].
//!
//! Invariant: unless a row says `sometimes`, a thread waits for the flag, so that the accesses come under
//! every schedule. In `handovers_right.rs` are the same kernels with what is missing here.

use crate::{bid, first_of, tid, until, wait, wait_acquire, Case, Memory};
use cuda_std::thread;

pub const CASES: &[Case] = &[
    case!(Race flag_without_fences, 2, 32, 0).between_blocks(),
    case!(Race flag_waited_for_by_plain_reads, 2, 32, 0).between_blocks(),
    case!(Race flag_with_the_first_fence_alone, 2, 32, 0).between_blocks(),
    case!(Race flag_with_the_second_fence_alone, 2, 32, 0).between_blocks(),
    case!(Race fence_after_the_store, 2, 32, 0).between_blocks(),
    case!(Race fence_before_the_load, 2, 32, 0).between_blocks(),
    case!(Race block_fence_of_the_writer, 2, 32, 0).between_blocks(),
    case!(Race block_fence_of_the_reader, 2, 32, 0).between_blocks(),
    case!(Race flag_in_a_block_without_fences, 1, 64, 0),
    case!(Race release_and_relaxed_load, 2, 32, 0).between_blocks(),
    case!(Race relaxed_store_and_acquire, 2, 32, 0).between_blocks(),
    case!(Race released_too_early, 2, 32, 0).between_blocks(),
    case!(Race acquired_another_word, 2, 32, 0).between_blocks(),
    case!(Race relaxed_store_ends_the_chain, 3, 32, 0).between_blocks().sometimes(),
    case!(Race failed_exchange_acquires_nothing, 2, 32, 0).between_blocks(),
    case!(Race last_block_without_fence, 4, 32, 0).between_blocks(),
    case!(Race last_block_without_barrier, 4, 32, 0),
    case!(Race another_thread_reads, 2, 64, 0).between_blocks(),
    case!(Race another_thread_writes, 2, 64, 0).between_blocks(),
    case!(Race lock_given_back_relaxed, 3, 32, 0).between_blocks(),
    case!(Race lock_taken_relaxed, 3, 32, 0).between_blocks(),
    case!(Race lock_without_fences, 3, 32, 0).between_blocks(),
    case!(Race look_after_the_lock, 3, 32, 0).between_blocks(),
    case!(Race slot_taken_but_not_published, 2, 32, 0).between_blocks(),
    case!(Race made_once_without_fences, 3, 32, 0).between_blocks(),
    case!(Race written_again_after_the_flag, 2, 32, 0).between_blocks(),
    case!(Race peek_without_fences, 2, 32, 0).between_blocks().sometimes(),
    case!(Race first_of_two_flags, 2, 32, 0).between_blocks().sometimes(),
];

/// A wait by plain reads: a GPU's compiler may read the flag once and wait for ever.
fn flag_waited_for_by_plain_reads(m: &Memory) {
    if first_of(0) {
        m.flags.atomic(0u32).store(1); //~ flag_waited_for_by_plain_reads first
    }
    if first_of(1) {
        loop {
            let found = m.flags.read(0u32); //~ flag_waited_for_by_plain_reads second
            if found != 0 {
                break;
            }
        }
    }
}

/// Relaxed operations on a flag order nothing else.
fn flag_without_fences(m: &Memory) {
    if first_of(0) {
        m.data.write(0u32, 77); //~ flag_without_fences first
        m.flags.atomic(0u32).store(1);
    }
    if first_of(1) {
        wait(m, 0, 1);
        m.out.write(0u32, m.data.read(0u32)); //~ flag_without_fences second
    }
}

/// The writer has its fence, the reader has none.
fn flag_with_the_first_fence_alone(m: &Memory) {
    if first_of(0) {
        m.data.write(0u32, 77); //~ flag_with_the_first_fence_alone first
        thread::device_fence();
        m.flags.atomic(0u32).store(1);
    }
    if first_of(1) {
        wait(m, 0, 1);
        m.out.write(0u32, m.data.read(0u32)); //~ flag_with_the_first_fence_alone second
    }
}

/// The reader has its fence, the writer has none.
fn flag_with_the_second_fence_alone(m: &Memory) {
    if first_of(0) {
        m.data.write(0u32, 77); //~ flag_with_the_second_fence_alone first
        m.flags.atomic(0u32).store(1);
    }
    if first_of(1) {
        wait(m, 0, 1);
        thread::device_fence();
        m.out.write(0u32, m.data.read(0u32)); //~ flag_with_the_second_fence_alone second
    }
}

/// The writer's fence comes too late: after the flag.
fn fence_after_the_store(m: &Memory) {
    if first_of(0) {
        m.data.write(0u32, 77); //~ fence_after_the_store first
        m.flags.atomic(0u32).store(1);
        thread::device_fence();
    }
    if first_of(1) {
        wait(m, 0, 1);
        thread::device_fence();
        m.out.write(0u32, m.data.read(0u32)); //~ fence_after_the_store second
    }
}

/// The reader's fence comes too early: before the flag.
fn fence_before_the_load(m: &Memory) {
    if first_of(0) {
        m.data.write(0u32, 77); //~ fence_before_the_load first
        thread::device_fence();
        m.flags.atomic(0u32).store(1);
    }
    if first_of(1) {
        thread::device_fence();
        wait(m, 0, 1);
        m.out.write(0u32, m.data.read(0u32)); //~ fence_before_the_load second
    }
}

/// The writer's fence orders for its own block alone.
fn block_fence_of_the_writer(m: &Memory) {
    if first_of(0) {
        m.data.write(0u32, 77); //~ block_fence_of_the_writer first
        thread::block_fence();
        m.flags.atomic(0u32).store(1);
    }
    if first_of(1) {
        wait(m, 0, 1);
        thread::device_fence();
        m.out.write(0u32, m.data.read(0u32)); //~ block_fence_of_the_writer second
    }
}

/// The reader's fence orders for its own block alone.
fn block_fence_of_the_reader(m: &Memory) {
    if first_of(0) {
        m.data.write(0u32, 77); //~ block_fence_of_the_reader first
        thread::device_fence();
        m.flags.atomic(0u32).store(1);
    }
    if first_of(1) {
        wait(m, 0, 1);
        thread::block_fence();
        m.out.write(0u32, m.data.read(0u32)); //~ block_fence_of_the_reader second
    }
}

/// Threads of one block need fences as well.
fn flag_in_a_block_without_fences(m: &Memory) {
    if tid() == 0 {
        m.data.write(0u32, 77); //~ flag_in_a_block_without_fences first
        m.flags.atomic(0u32).store(1);
    }
    if tid() == 40 {
        wait(m, 0, 1);
        m.out.write(0u32, m.data.read(0u32)); //~ flag_in_a_block_without_fences second
    }
}

/// The store releases, but the load does not acquire.
fn release_and_relaxed_load(m: &Memory) {
    if first_of(0) {
        m.data.write(0u32, 77); //~ release_and_relaxed_load first
        m.words.get(0u32).store_release(1);
    }
    if first_of(1) {
        until(|| m.words.get(0u32).load_relaxed() != 0);
        m.out.write(0u32, m.data.read(0u32)); //~ release_and_relaxed_load second
    }
}

/// The load acquires, but the store does not release.
fn relaxed_store_and_acquire(m: &Memory) {
    if first_of(0) {
        m.data.write(0u32, 77); //~ relaxed_store_and_acquire first
        m.words.get(0u32).store_relaxed(1);
    }
    if first_of(1) {
        wait_acquire(m, 0, 1);
        m.out.write(0u32, m.data.read(0u32)); //~ relaxed_store_and_acquire second
    }
}

/// The writer releases the flag, and writes the data only then.
fn released_too_early(m: &Memory) {
    if first_of(0) {
        m.words.get(0u32).store_release(1);
        m.data.write(0u32, 77); //~ released_too_early first
    }
    if first_of(1) {
        wait_acquire(m, 0, 1);
        m.out.write(0u32, m.data.read(0u32)); //~ released_too_early second
    }
}

/// The writer releases word 0, and the reader acquires word 1, whose store is relaxed.
fn acquired_another_word(m: &Memory) {
    if first_of(0) {
        m.data.write(0u32, 77); //~ acquired_another_word first
        m.words.get(0u32).store_release(1);
        m.words.get(1u32).store_relaxed(1);
    }
    if first_of(1) {
        wait_acquire(m, 1, 1);
        m.out.write(0u32, m.data.read(0u32)); //~ acquired_another_word second
    }
}

/// The reader sees the store of block 1, which is relaxed, and not the releasing one of block 0. (Or it sees
/// both, in the order of their values: then it acquires what block 0 wrote.)
fn relaxed_store_ends_the_chain(m: &Memory) {
    let word = m.words.get(0u32);
    if first_of(0) {
        m.data.write(0u32, 77); //~ relaxed_store_ends_the_chain first
        word.store_release(1);
    }
    if first_of(1) {
        until(|| word.load_relaxed() == 1);
        word.store_relaxed(2);
    }
    if first_of(2) {
        until(|| word.load_acquire() == 2);
        m.out.write(0u32, m.data.read(0u32)); //~ relaxed_store_ends_the_chain second
    }
}

/// The reader learns the value from a compare-exchange that fails, which is relaxed.
fn failed_exchange_acquires_nothing(m: &Memory) {
    let word = m.words.get(0u32);
    if first_of(0) {
        m.data.write(0u32, 77); //~ failed_exchange_acquires_nothing first
        word.store_release(1);
    }
    if first_of(1) {
        until(|| word.compare_exchange(5, 6) == Err(1));
        m.out.write(0u32, m.data.read(0u32)); //~ failed_exchange_acquires_nothing second
    }
}

/// Blocks count themselves after their write, but no fence stands between the two.
fn last_block_without_fence(m: &Memory) {
    if tid() == 0 {
        m.data.write(bid(), bid()); //~ last_block_without_fence first
        if m.flags.atomic(0u32).add(1) == 3 {
            thread::device_fence();
            let mut sum = 0;
            for block in 0..4u32 {
                sum += m.data.read(block); //~ last_block_without_fence second
            }
            m.out.write(0u32, sum);
        }
    }
}

/// Thread 0 counts its block before the block's other threads have come to a barrier.
fn last_block_without_barrier(m: &Memory) {
    m.data.write(thread::index_1d(), tid()); //~ last_block_without_barrier first
    if tid() == 0 {
        thread::device_fence();
        if m.flags.atomic(0u32).add(1) == 3 {
            thread::device_fence();
            let mut sum = 0;
            for i in 0..128u32 {
                sum += m.data.read(i); //~ last_block_without_barrier second
            }
            m.out.write(0u32, sum);
        }
    }
}

/// Thread 0 acquires, and thread 33 of its block reads without a barrier after that.
fn another_thread_reads(m: &Memory) {
    if first_of(0) {
        m.data.write(0u32, 77); //~ another_thread_reads first
        m.words.get(0u32).store_release(1);
    }
    if bid() == 1 {
        if tid() == 0 {
            wait_acquire(m, 0, 1);
        }
        if tid() == 33 {
            m.out.write(0u32, m.data.read(0u32)); //~ another_thread_reads second
        }
    }
}

/// Thread 33 writes, and thread 0 of its block releases without a barrier before that.
fn another_thread_writes(m: &Memory) {
    if bid() == 0 {
        if tid() == 33 {
            m.data.write(0u32, 77); //~ another_thread_writes first
        }
        if tid() == 0 {
            m.words.get(0u32).store_release(1);
        }
    }
    if first_of(1) {
        wait_acquire(m, 0, 1);
        m.out.write(0u32, m.data.read(0u32)); //~ another_thread_writes second
    }
}

/// The lock is taken with an acquiring operation, but given back by a relaxed store.
fn lock_given_back_relaxed(m: &Memory) {
    let lock = m.words.get(0u32);
    if tid() == 0 {
        until(|| lock.compare_exchange(0, 1).is_ok());
        m.out.write(0u32, m.out.read(0u32) + 1); //~ lock_given_back_relaxed both
        lock.store_relaxed(0);
    }
}

/// The lock is given back by a releasing store, but taken by a relaxed operation.
fn lock_taken_relaxed(m: &Memory) {
    let lock = m.words.get(0u32);
    if tid() == 0 {
        until(|| lock.compare_exchange_relaxed(0, 1).is_ok());
        m.out.write(0u32, m.out.read(0u32) + 1); //~ lock_taken_relaxed both
        lock.store_release(0);
    }
}

/// One thread at a time has the lock, but no fence orders what they do with it.
fn lock_without_fences(m: &Memory) {
    if tid() == 0 {
        until(|| m.flags.claim(0u32, 0, 1).is_ok());
        m.out.write(0u32, m.out.read(0u32) + 1); //~ lock_without_fences both
        m.flags.atomic(0u32).store(0);
    }
}

/// A thread looks at the count once more when it has given the lock back.
fn look_after_the_lock(m: &Memory) {
    let lock = m.words.get(0u32);
    if tid() == 0 {
        until(|| lock.compare_exchange(0, 1).is_ok());
        let count = m.out.read(0u32);
        m.out.write(0u32, count + 1); //~ look_after_the_lock first
        lock.store_release(0);
        m.out.write(1 + bid(), m.out.read(0u32)); //~ look_after_the_lock second
    }
}

/// The counter says that the slot is taken, not that the slot is written.
fn slot_taken_but_not_published(m: &Memory) {
    if first_of(0) {
        let slot = m.flags.atomic(0u32).add(1);
        m.data.write(slot, 77); //~ slot_taken_but_not_published first
        thread::device_fence();
    }
    if first_of(1) {
        wait(m, 0, 1);
        thread::device_fence();
        m.out.write(0u32, m.data.read(0u32)); //~ slot_taken_but_not_published second
    }
}

/// One block makes the value and others wait until it is made, without fences.
fn made_once_without_fences(m: &Memory) {
    if tid() == 0 {
        if m.flags.claim(1u32, 0, 1).is_ok() {
            m.data.write(0u32, 77); //~ made_once_without_fences first
            m.flags.atomic(0u32).store(1);
        }
        wait(m, 0, 1);
        m.out.write(bid(), m.data.read(0u32)); //~ made_once_without_fences second
    }
}

/// The first write is handed over as it should be, but the writer writes once more.
fn written_again_after_the_flag(m: &Memory) {
    if first_of(0) {
        m.data.write(0u32, 76);
        m.words.get(0u32).store_release(1);
        m.data.write(0u32, 77); //~ written_again_after_the_flag first
    }
    if first_of(1) {
        wait_acquire(m, 0, 1);
        m.out.write(0u32, m.data.read(0u32)); //~ written_again_after_the_flag second
    }
}

/// The reader looks at the flag once, and reads the data only if the flag is set.
fn peek_without_fences(m: &Memory) {
    if first_of(0) {
        m.data.write(0u32, 77); //~ peek_without_fences first
        m.flags.atomic(0u32).store(1);
    }
    if first_of(1) && m.flags.atomic(0u32).load() == 1 {
        m.out.write(0u32, m.data.read(0u32)); //~ peek_without_fences second
    }
}

/// The second element is published by the value 2, and a reader that sees 1 already reads it.
fn first_of_two_flags(m: &Memory) {
    if first_of(0) {
        m.data.write(0u32, 76);
        m.words.get(0u32).store_release(1);
        thread::nanosleep(100);
        m.data.write(1u32, 77); //~ first_of_two_flags first
        m.words.get(0u32).store_release(2);
    }
    if first_of(1) {
        wait_acquire(m, 0, 1);
        m.out.write(0u32, m.data.read(0u32));
        m.out.write(1u32, m.data.read(1u32)); //~ first_of_two_flags second
    }
}
