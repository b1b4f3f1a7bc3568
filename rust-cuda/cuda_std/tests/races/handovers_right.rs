//! Kernels whose threads hand data over by flags, locks and counters as they may. Table: [`CASES`].

use crate::{bid, first_of, sync_warp, tid, until, wait, wait_acquire, words, Case, Memory};
use cuda_std::thread;

pub const CASES: &[Case] = &[
    case!(Nothing flag_and_fences, 2, 32, 0).gives(|h| h.out[0] == 77),
    case!(Nothing fences_of_a_block, 1, 64, 256).gives(|h| h.out[0] == 77 && h.out[1] == 78),
    case!(Nothing release_and_acquire, 2, 32, 0).gives(|h| h.out[0] == 77),
    case!(Nothing release_and_fence, 2, 32, 0).gives(|h| h.out[0] == 77),
    case!(Nothing fence_and_acquire, 2, 32, 0).gives(|h| h.out[0] == 77),
    case!(Nothing exchange_releases, 2, 32, 0).gives(|h| h.out[0] == 77),
    case!(Nothing exchange_acquires, 2, 32, 0).gives(|h| h.out[0] == 77),
    case!(Nothing addition_keeps_the_chain, 3, 32, 0).gives(|h| h.out[0] == 77),
    case!(Nothing one_fence_for_two_flags, 2, 32, 0).gives(|h| h.out[0] == 77),
    case!(Nothing one_fence_after_two_flags, 3, 32, 0).gives(|h| h.out[0] == 77 + 78),
    case!(Nothing read_before_the_other_writes, 2, 32, 0).gives(|h| h.out[0] == 1 && h.data[0] == 77),
    case!(Nothing last_block, 4, 32, 0).gives(|h| h.out[0] == 6),
    case!(Nothing last_block_of_many_threads, 4, 32, 256)
        .gives(|h| h.out[..32].iter().all(|&w| w == 4 * 496)),
    case!(Nothing barrier_leads_on, 2, 64, 0).gives(|h| (0..64).all(|i| h.out[i] == 77 + i as u32)),
    case!(Nothing sync_warp_leads_on, 2, 32, 0).gives(|h| h.out[..32].iter().all(|&w| w == 77)),
    case!(Nothing flags_lead_on, 3, 32, 0).gives(|h| h.out[0] == 77),
    case!(Nothing lock, 3, 32, 0).gives(|h| h.out[0] == 3),
    case!(Nothing lock_of_fences, 3, 32, 0).gives(|h| h.out[0] == 3),
    case!(Nothing lock_of_lanes, 1, 32, 0).gives(|h| h.out[0] == 32),
    case!(Nothing flag_of_each_slot, 3, 32, 0).gives(|h| h.out[0] == 2 * 77),
    case!(Nothing turns, 2, 32, 0).gives(|h| h.out[0] == 0b10101),
    case!(Nothing made_once, 3, 32, 0).gives(|h| h.out[..3].iter().all(|&w| w == 77)),
    case!(Nothing peek, 2, 32, 0).gives(|h| h.out[0] == 77 || h.out[0] == 0),
    case!(Nothing flag_of_no_data, 2, 32, 0).gives(|h| h.out[0] == 1),
    case!(Nothing wide_word_carries_the_data, 2, 32, 0).gives(|h| h.out[0] == 77),
];

/// Thread 0 of block 0 writes an element, and hands it over.
fn sends(m: &Memory, hand_over: impl Fn(&Memory)) {
    if first_of(0) {
        m.data.write(0u32, 77);
        hand_over(m);
    }
}

/// Thread 0 of a block takes the element over, and reads it.
fn takes(m: &Memory, block: u32, take_over: impl Fn(&Memory)) {
    if first_of(block) {
        take_over(m);
        m.out.write(0u32, m.data.read(0u32));
    }
}

fn release(m: &Memory) {
    m.words.get(0u32).store_release(1);
}

fn flag(m: &Memory) {
    thread::device_fence();
    m.flags.atomic(0u32).store(1);
}

fn sees(m: &Memory, i: u32) {
    wait(m, i, 1);
    thread::device_fence();
}

/// A fence stands before the store of the flag, another after the load that sees it.
fn flag_and_fences(m: &Memory) {
    sends(m, flag);
    takes(m, 1, |m| sees(m, 0));
}

/// Within a block, fences of the block are enough, for shared memory as well.
fn fences_of_a_block(m: &Memory) {
    let words = words(1);
    if tid() == 0 {
        m.data.write(0u32, 77);
        words.set(0u32, 78);
        thread::block_fence();
        m.flags.atomic(0u32).store(1);
    }
    if tid() == 40 {
        until(|| m.flags.atomic(0u32).in_block() != 0);
        thread::block_fence();
        m.out.write(0u32, m.data.read(0u32));
        m.out.write(1u32, words.get(0u32));
    }
}

/// The load acquires what the store releases.
fn release_and_acquire(m: &Memory) {
    sends(m, release);
    takes(m, 1, |m| wait_acquire(m, 0, 1));
}

/// A relaxed load with a fence after it acquires.
fn release_and_fence(m: &Memory) {
    sends(m, release);
    if first_of(1) {
        until(|| m.words.get(0u32).load_relaxed() != 0);
        thread::device_fence();
        m.out.write(0u32, m.data.read(0u32));
    }
}

/// A relaxed store with a fence before it releases.
fn fence_and_acquire(m: &Memory) {
    if first_of(0) {
        m.data.write(0u32, 77);
        thread::device_fence();
        m.words.get(0u32).store_relaxed(1);
    }
    takes(m, 1, |m| wait_acquire(m, 0, 1));
}

/// A compare-exchange that succeeds releases.
fn exchange_releases(m: &Memory) {
    if first_of(0) {
        m.data.write(0u32, 77);
        let _ = m.words.get(0u32).compare_exchange(0, 1);
    }
    takes(m, 1, |m| wait_acquire(m, 0, 1));
}

/// A compare-exchange that succeeds acquires.
fn exchange_acquires(m: &Memory) {
    sends(m, release);
    if first_of(1) {
        until(|| m.words.get(0u32).compare_exchange(1, 2).is_ok());
        m.out.write(0u32, m.data.read(0u32));
    }
}

/// The reader sees the addition of block 1, which is relaxed but hands on what block 0 released.
fn addition_keeps_the_chain(m: &Memory) {
    let word = m.words.get(0u32);
    if first_of(0) {
        m.data.write(0u32, 77);
        word.store_release(1);
    }
    if first_of(1) {
        until(|| word.load_relaxed() == 1);
        word.fetch_add(1);
    }
    takes(m, 2, |m| wait_acquire(m, 0, 2));
}

/// One fence stands before all later stores.
fn one_fence_for_two_flags(m: &Memory) {
    if first_of(0) {
        m.data.write(0u32, 77);
        thread::device_fence();
        m.flags.atomic(0u32).store(1);
        m.out.write(1u32, 1);
        m.flags.atomic(1u32).store(1);
    }
    takes(m, 1, |m| sees(m, 1));
}

/// One fence stands after all earlier loads.
fn one_fence_after_two_flags(m: &Memory) {
    if tid() == 0 && bid() < 2 {
        m.data.write(bid(), 77 + bid());
        thread::device_fence();
        m.flags.atomic(bid()).store(1);
    }
    if first_of(2) {
        wait(m, 0, 1);
        wait(m, 1, 1);
        thread::device_fence();
        m.out.write(0u32, m.data.read(0u32) + m.data.read(1u32));
    }
}

/// The flag says that the element is read, so that the other block may write it.
fn read_before_the_other_writes(m: &Memory) {
    if first_of(0) {
        m.out.write(0u32, m.data.read(0u32));
        thread::device_fence();
        m.flags.atomic(0u32).store(1);
    }
    if first_of(1) {
        sees(m, 0);
        m.data.write(0u32, 77);
    }
}

/// The last block's addition sees the additions of all others, each with a fence before it.
fn last_block(m: &Memory) {
    if tid() == 0 {
        m.data.write(bid(), bid());
        thread::device_fence();
        if m.flags.atomic(0u32).add(1) == 3 {
            thread::device_fence();
            m.out.write(0u32, (0..4u32).map(|block| m.data.read(block)).sum());
        }
    }
}

/// As before: barriers lead from each thread to thread 0, and from thread 0 of the last block to each.
fn last_block_of_many_threads(m: &Memory) {
    let last = words(1);
    m.data.write(thread::index_1d(), tid());
    thread::sync_threads();
    if tid() == 0 {
        thread::device_fence();
        last.set(0u32, (m.flags.atomic(0u32).add(1) == 3) as u32);
        thread::device_fence();
    }
    thread::sync_threads();
    if last.get(0u32) == 1 {
        m.out.write(tid(), (0..128u32).map(|i| m.data.read(i)).sum());
    }
}

/// Thread 0 acquires, and the barrier leads on from thread 0 to its block.
fn barrier_leads_on(m: &Memory) {
    if bid() == 0 {
        m.data.write(tid(), 77 + tid());
        thread::sync_threads();
        if tid() == 0 {
            m.words.get(0u32).store_release(1);
        }
    } else {
        if tid() == 0 {
            wait_acquire(m, 0, 1);
        }
        thread::sync_threads();
        m.out.write(63 - tid(), m.data.read(63 - tid()));
    }
}

/// Lane 7 acquires, and the other lanes wait for it.
fn sync_warp_leads_on(m: &Memory) {
    sends(m, flag);
    if bid() == 1 {
        if tid() == 7 {
            wait(m, 0, 1);
            thread::device_fence();
        }
        sync_warp(u32::MAX);
        m.out.write(tid(), m.data.read(0u32));
    }
}

/// Block 0 hands over to block 1, and block 1 to block 2, which never looks at the first flag.
fn flags_lead_on(m: &Memory) {
    sends(m, release);
    if first_of(1) {
        wait_acquire(m, 0, 1);
        thread::device_fence();
        m.flags.atomic(0u32).store(1);
    }
    takes(m, 2, |m| sees(m, 0));
}

/// The lock is taken by an acquiring operation and given back by a releasing store.
fn lock(m: &Memory) {
    let lock = m.words.get(0u32);
    if tid() == 0 {
        until(|| lock.compare_exchange(0, 1).is_ok());
        m.out.write(0u32, m.out.read(0u32) + 1);
        lock.store_release(0);
    }
}

/// As before, by relaxed operations and fences.
fn lock_of_fences(m: &Memory) {
    if tid() == 0 {
        until(|| m.flags.claim(0u32, 0, 1).is_ok());
        thread::device_fence();
        m.out.write(0u32, m.out.read(0u32) + 1);
        thread::device_fence();
        m.flags.atomic(0u32).store(0);
    }
}

/// The lanes of a warp take a lock one after the other: each lane makes progress of its own.
fn lock_of_lanes(m: &Memory) {
    until(|| m.words.get(0u32).compare_exchange(0, 1).is_ok());
    m.out.write(0u32, m.out.read(0u32) + 1);
    m.words.get(0u32).store_release(0);
}

/// The counter says which slot is taken, and the slot's own flag that the slot is written.
fn flag_of_each_slot(m: &Memory) {
    if tid() == 0 && bid() < 2 {
        let slot = m.flags.atomic(0u32).add(1);
        m.data.write(slot, 77);
        m.words.get(slot).store_release(1);
    }
    if first_of(2) {
        wait_acquire(m, 0, 1);
        wait_acquire(m, 1, 1);
        m.out.write(0u32, m.data.read(0u32) + m.data.read(1u32));
    }
}

/// Two blocks write one element by turns.
fn turns(m: &Memory) {
    let turn = m.words.get(0u32);
    if tid() == 0 {
        for round in 0..3 {
            until(|| turn.load_acquire() == 2 * round + bid());
            m.out.write(0u32, 2 * m.out.read(0u32) + 1 - bid());
            turn.store_release(2 * round + bid() + 1);
        }
        if bid() == 1 {
            m.out.write(0u32, m.out.read(0u32) / 2);
        }
    }
}

/// One block makes the value, and all wait until it is made.
fn made_once(m: &Memory) {
    if tid() == 0 {
        if m.flags.claim(1u32, 0, 1).is_ok() {
            m.data.write(0u32, 77);
            flag(m);
        }
        sees(m, 0);
        m.out.write(bid(), m.data.read(0u32));
    }
}

/// A reader that does not see the flag does not read the data.
fn peek(m: &Memory) {
    sends(m, release);
    if first_of(1) && m.words.get(0u32).load_acquire() == 1 {
        m.out.write(0u32, m.data.read(0u32));
    }
}

/// The flag has no fences, and no data follows it.
fn flag_of_no_data(m: &Memory) {
    if first_of(0) {
        m.data.write(0u32, 77);
        m.flags.atomic(0u32).store(1);
    }
    if first_of(1) {
        wait(m, 0, 1);
        m.out.write(0u32, m.flags.atomic(0u32).load());
    }
}

/// The flag is a bit of the word that carries the data.
fn wide_word_carries_the_data(m: &Memory) {
    let word = m.wide.atomic(0u32);
    if first_of(0) {
        word.store(1 << 32 | 77);
    }
    if first_of(1) {
        let seen = loop {
            let seen = word.load();
            if seen >> 32 == 1 {
                break seen;
            }
            thread::nanosleep(100);
        };
        m.out.write(0u32, seen as u32);
    }
}
