"""The tuples of minimize statements that the grounder knows: `forget`.

A tuple counts once, so that the grounder writes a known one as a change of what it has written before. After
`remove_minimize` nothing is known any more. clingo's library does this for a control that solves, and refuses it for one
whose solver an observer has replaced, as ours, although its grounder is the same. A private word of the control says which
it is. The word is found by what changes when an observer replaces the solver of another control, and the library itself
says whether it was the right one: else it refuses as before.

Nothing public does the same. For a known tuple the grounder writes a literal that holds if the old condition or the new one
does, and nobody can take the old condition out of it.
"""

from __future__ import annotations

import functools
from typing import Any

from .errors import coded
from .symbols import grounder, internals

# The word is among so many bytes. Controls of 5.7 and 5.8 have more than 1700; the word is about the 1050th.
_BYTES = 1280


def _bytes_of(control: Any) -> Any:
    ffi, _ = internals()
    return ffi.buffer(ffi.cast("unsigned char*", control._rep), _BYTES)


@functools.lru_cache(maxsize=None)
def _place() -> int | None:
    """Where the word is; None if that is not clear, or if this release has nothing to forget by."""
    clingo = grounder()
    control = clingo.Control()
    if not hasattr(control, "remove_minimize"):
        return None
    before = bytes(_bytes_of(control))
    control.register_observer(clingo.Observer(), replace=True)
    after = bytes(_bytes_of(control))
    changed = [at for at in range(_BYTES) if before[at] != after[at]]
    return changed[0] if [(before[at], after[at]) for at in changed] == [(1, 0)] else None


def forget(control: Any) -> None:
    """Has the grounder forget all tuples of minimize statements. An observer has replaced its solver.

    Raises an Error if this release of clingo's package cannot be made to.
    """
    place, word = _place(), _bytes_of(control)
    refused = coded("grounder-failed", "clingo's package of this release does not forget minimize statements; use 5.8.3")
    if place is None or word[place] != b"\0":
        raise refused
    word[place] = b"\1"
    try:
        control.remove_minimize()
    except RuntimeError as error:
        raise refused from error
    finally:
        word[place] = b"\0"
