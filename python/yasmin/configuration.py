"""The options of a control, by the names that clingo's configuration has."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from ._yasmin import Options
from .errors import coded

if TYPE_CHECKING:
    from clingo.configuration import Configuration as _Clingos
else:
    try:
        # Packages ask whether it is clingo's.
        from clingo.configuration import Configuration as _Clingos
    except ImportError:
        _Clingos = object

_PARTS = ("asp", "solve", "solver")


class Configuration(_Clingos):
    """Options that can be changed between two searches, or a part of them: `asp`, `solve` or `solver`.

    Each option is an attribute, whose value is text. An option that is set to None is what it is if nobody sets it. A name
    that is none of an option raises an AttributeError, and a wrong value an Error.
    """

    _options: Options
    _tell: Callable[[list[str]], None]
    _part: str
    # Whether it is the part of one searcher.
    _is_one: bool

    def __init__(
        self, options: Options, tell: Callable[[list[str]], None], part: str = "", is_one: bool = False
    ) -> None:
        for name, value in (("_options", options), ("_tell", tell), ("_part", part), ("_is_one", is_one)):
            object.__setattr__(self, name, value)

    def __getattr__(self, name: str) -> Any:
        if name in self._parts():
            return Configuration(self._options, self._tell, name)
        self._look_up(name)
        return self._options.get(self._part, name)

    def __setattr__(self, name: str, value: object) -> None:
        if name in self._parts():
            raise coded("usage", f"{name} is no option; its options are {', '.join(Options.keys(name) or [])}")
        self._look_up(name)
        notes = self._options.set(self._part, name, None if value is None else str(value))
        if self._is_one and self._options.threads() > 1:
            notes.append("what is set for one searcher in configuration.solver is set for all")
        self._tell(notes)

    def __len__(self) -> int:
        return self._options.threads() if self.is_array else 0

    def __getitem__(self, at: int) -> Configuration:
        return list(self)[at]

    def __iter__(self) -> Iterator[Configuration]:
        return (Configuration(self._options, self._tell, self._part, True) for _ in range(len(self)))

    def __repr__(self) -> str:
        return f"<Configuration {self._part or 'of a control'}>"

    def _parts(self) -> tuple[str, ...]:
        return () if self._part else _PARTS

    def _look_up(self, name: str) -> None:
        if name not in (Options.keys(self._part) or []):
            raise AttributeError(f"there is no option {name}")

    @property
    def keys(self) -> list[str]:
        """The names of the options, and of the parts."""
        return [*self._parts(), *(Options.keys(self._part) or [])]

    @property
    def is_array(self) -> bool:
        """Whether it has a part for each searcher by its number; all searchers have the same options."""
        return self._part == "solver" and not self._is_one

    def description(self, name: str) -> str:
        """What an option does."""
        if name in self._parts():
            return f"The options of {name}"
        found = Options.description(self._part, name)
        if found is None:
            raise coded("usage", f"there is no option {name}")
        return found
