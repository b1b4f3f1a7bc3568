"""The user's own statistics, which callbacks of `solve` write, as in clingo: numbers in maps and arrays.

A value that is set is merged into the one that is there: maps by their keys, arrays place by place. A function in place of
a number is called with the number that is there, or None.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NoReturn, Union


def _merged(old: object, new: Any) -> float | StatisticsMap | StatisticsArray:
    """What becomes of a value."""
    if callable(new):
        return float(new(old if isinstance(old, float) else None))
    if isinstance(new, dict):
        values = old if isinstance(old, StatisticsMap) else StatisticsMap()
        values.update(new)
        return values
    if isinstance(new, (list, tuple)):
        places = old if isinstance(old, StatisticsArray) else StatisticsArray()
        places.update(new)
        return places
    return float(new)


class StatisticsMap(dict[str, Any]):
    """Values by name."""

    def __setitem__(self, name: str, value: Any) -> None:
        super().__setitem__(name, _merged(self.get(name), value))

    def __delitem__(self, name: str) -> NoReturn:
        raise NotImplementedError("statistics cannot be deleted")

    def update(self, values: Mapping[str, Any]) -> None:  # type: ignore[override]
        """Sets several values."""
        for name, value in values.items():
            self[name] = value


class StatisticsArray(list[Any]):
    """Values one after the other."""

    def __setitem__(self, at: int, value: Any) -> None:  # type: ignore[override]
        super().__setitem__(at, _merged(self[at], value))

    def __delitem__(self, at: object) -> NoReturn:
        raise NotImplementedError("statistics cannot be deleted")

    def __add__(self, other: object) -> NoReturn:
        raise NotImplementedError("statistics are extended in place")

    def __iadd__(self, other: Iterable[Any]) -> StatisticsArray:  # type: ignore[misc]
        self.extend(other)
        return self

    def append(self, value: Any) -> None:
        """Adds a value."""
        super().append(_merged(None, value))

    def insert(self, at: object, value: Any) -> NoReturn:
        raise NotImplementedError("statistics are extended at the end")

    def extend(self, values: Iterable[Any]) -> None:
        """Adds several values."""
        for value in values:
            self.append(value)

    def update(self, values: Sequence[Any]) -> None:
        """Sets the first values, and adds those for which there is no place yet."""
        for at, value in enumerate(values):
            if at < len(self):
                self[at] = value
            else:
                self.append(value)


# What statistics are made of.
StatisticsValue = Union[float, StatisticsMap, StatisticsArray]
