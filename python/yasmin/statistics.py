"""The user's own statistics, which callbacks of `solve` write, as in clingo: numbers in maps and arrays.

A value that is set is merged into the one that is there: maps by their keys, arrays place by place. A function in place of
a number is called with the number that is there, or None.
"""


def _merged(old, new):
    """What becomes of a value."""
    if callable(new):
        return float(new(old if isinstance(old, float) else None))
    if isinstance(new, dict):
        merged = old if isinstance(old, Map) else Map()
        merged.update(new)
        return merged
    if isinstance(new, (list, tuple)):
        merged = old if isinstance(old, Array) else Array()
        merged.update(new)
        return merged
    return float(new)


class Map(dict):
    """Values by name."""

    def __setitem__(self, name, value):
        super().__setitem__(name, _merged(self.get(name), value))

    def __delitem__(self, name):
        raise NotImplementedError("statistics cannot be deleted")

    def update(self, values):
        """Sets several values."""
        for name, value in values.items():
            self[name] = value


class Array(list):
    """Values one after the other."""

    def __setitem__(self, at, value):
        super().__setitem__(at, _merged(self[at], value))

    def __delitem__(self, at):
        raise NotImplementedError("statistics cannot be deleted")

    def __add__(self, other):
        raise NotImplementedError("statistics are extended in place")

    def __iadd__(self, other):
        self.extend(other)
        return self

    def append(self, value):
        """Adds a value."""
        super().append(_merged(None, value))

    def insert(self, at, value):
        raise NotImplementedError("statistics are extended at the end")

    def extend(self, values):
        """Adds several values."""
        for value in values:
            self.append(value)

    def update(self, values):
        """Sets the first values, and adds those for which there is no place yet."""
        for at, value in enumerate(values):
            if at < len(self):
                self[at] = value
            else:
                self.append(value)
