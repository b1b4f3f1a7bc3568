"""The seeds of random tests, which are others each day, as in tests/seeds of the Rust tests."""

import os
import time

A_DAY = 100_000


def seeds(count):
    """`count` seeds from today's first one on. `YASMIN_SEED=N` begins at seed N, `YASMIN_TIMES=N` takes N times as many."""
    first = int(os.environ.get("YASMIN_SEED") or int(time.time()) // 86_400 * A_DAY)
    end = first + count * int(os.environ.get("YASMIN_TIMES") or 1)
    print(f"seeds {first} to {end - 1}; YASMIN_SEED=N begins at seed N")
    return range(first, end)
