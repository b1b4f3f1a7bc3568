"""Programs with the command's options and output, and options and a `main` of their own: `Application` and `clingo_main`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

from clingo.application import Application, Flag
from clingo.application import ApplicationOptions as _Clingos

from .command import run
from .errors import coded

__all__ = ["Application", "ApplicationOptions", "Flag", "clingo_main"]


class ApplicationOptions(_Clingos):
    """Options of an application, besides those of the command."""

    def __init__(self) -> None:
        # What takes the value of each option, by its long and short names; and whether it is a flag, or may come again.
        self._takes: dict[str, tuple[str, Callable[[str], bool], bool, bool]] = {}
        self._help: dict[str, list[str]] = {}

    def add(
        self,
        group: str,
        option: str,
        description: str,
        parser: Callable[[str], bool],
        multi: bool = False,
        argument: str | None = None,
    ) -> None:
        """Adds an option, whose name may be followed by `,` and a letter for a short one. `parser` takes the value, and returns
        whether it is one. With `multi` the option may come several times. `argument` is what help calls the value."""
        self._add(group, option, description, parser, False, multi, f"={argument or '<arg>'}")

    def add_flag(self, group: str, option: str, description: str, target: Flag) -> None:
        """Adds an option that sets `target.flag`, or unsets it as `--no-NAME`."""

        def sets(value: str) -> bool:
            words = {"yes": True, "on": True, "true": True, "1": True, "no": False, "off": False, "false": False, "0": False}
            if value in words:
                target.flag = words[value]
            return value in words

        self._add(group, option, description, sets, True, False, "")

    def _add(
        self, group: str, option: str, description: str, parser: Callable[[str], bool], is_flag: bool, multi: bool, value: str
    ) -> None:
        long, *more = option.split(",")
        names = [f"--{long}", *(f"-{word}" for word in more if not word.startswith("@"))]
        for name in names:
            if name in self._takes:
                raise coded("usage", f"the application adds the option {name} twice")
            self._takes[name] = (f"--{long}", parser, is_flag, multi)
        self._help.setdefault(group, []).append(f"  {','.join(names) + value:<22} {description}")

    def _take(self, arguments: Sequence[str]) -> list[str]:
        """Takes the application's options out of the arguments. Returns the others."""
        left: list[str] = []
        seen: set[str] = set()
        words = iter(arguments)
        for word in words:
            if word == "--":
                return [*left, word, *words]
            name, equals, value = word.partition("=") if word.startswith("--") else (word[:2], word[2:], word[2:])
            if name not in self._takes and name.startswith("--no-") and "--" + name[5:] in self._takes:
                name, equals, value = "--" + name[5:], "=", "no"
            if name not in self._takes:
                left.append(word)
                continue
            long, parser, is_flag, multi = self._takes[name]
            if not equals:
                value = "yes" if is_flag else next(words, "")
            if long in seen and not multi:
                raise coded("usage", f"the option {long} is given twice")
            seen.add(long)
            if not parser(value):
                raise coded("usage", f"`{value}` is no value of {long}")
        return left

    def _text(self) -> str:
        return "".join(f"\n{group}:\n" + "\n".join(lines) + "\n" for group, lines in self._help.items())


def _overwritten(application: Any, name: str) -> Any:
    """What the application has under a name, unless that is the base class's; None if it has nothing."""
    own = getattr(application, name, None)
    return None if getattr(type(application), name, own) is getattr(Application, name, None) else own


class _Run:
    """What the command asks of an application."""

    def __init__(self, application: Any) -> None:
        def of(name: str) -> Any:
            return _overwritten(application, name)

        self.name, self.version = of("program_name") or "yasmin", of("version")
        self.main, self.print_model, self.logger = of("main"), of("print_model"), of("logger")
        limit = of("message_limit")
        self.message_limit = 20 if limit is None else limit
        self._validates = of("validate_options")
        self._options = ApplicationOptions()
        if (registers := of("register_options")) is not None:
            registers(self._options)

    def take(self, arguments: Sequence[str]) -> list[str]:
        """Takes the options of the application out of the arguments. Returns the others."""
        left = self._options._take(arguments)
        if self._validates is not None and self._validates() is False:
            raise coded("usage", f"{self.name} refuses its options")
        return left

    @property
    def help(self) -> str:
        """What help says of the application's options."""
        return self._options._text()


def clingo_main(application: Application, arguments: Sequence[str] | None = None) -> int:
    """Runs an application with the options, output, signals and exit codes of `python3 -m yasmin`. Its `main` gets a `Control`
    and the names of the files. Without arguments, those of the process are taken. Returns the exit code."""
    return run(sys.argv[1:] if arguments is None else list(arguments), _Run(application))
