"""Sequences, which are clingo's."""

from clingo.util import Slice, SlicedMutableSequence, SlicedSequence

__all__ = ["Slice", "SlicedMutableSequence", "SlicedSequence"]
