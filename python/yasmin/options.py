"""What the arguments of a control mean: those of clingo's options that say what is asked, and how many search."""

from dataclasses import dataclass, field

from .errors import coded

ENUM_MODES = ("auto", "brave", "cautious")
OPT_MODES = ("opt", "enum", "optN", "ignore")
PROJECTIONS = ("no", "auto", "show", "project")

# Options of clingo that change how it searches or what it prints, and nothing about the answers.
_IGNORED = (
    "--configuration", "--heuristic", "--stats", "--verbose", "--quiet", "--outf", "--keep-facts", "--opt-strategy",
    "--opt-usc-shrink", "--restarts", "--deletion", "--eq", "--trans-ext", "--sat-prepro", "--sign-def",
)


@dataclass
class Options:
    """The values of the options."""

    device: str = "auto"
    threads: "int | None" = None
    seed: int = 1
    # As many as it takes: one, or all on the way to an optimum or to consequences.
    models: int = -1
    opt_mode: str = "opt"
    opt_bound: "list[int]" = field(default_factory=list)
    enum_mode: str = "auto"
    project: str = "no"
    grounding: "list[str]" = field(default_factory=list)


def _number(option, text, least=0):
    """The number that an option is given, from `least` on; any number if this is None."""
    try:
        number = int(text)
    except ValueError:
        number = None
    if number is None or least is not None and number < least:
        from_on = "" if least is None else f" from {least} on"
        raise coded("usage", f"{option} takes a number{from_on}, and not `{text}`")
    return number


def _word(option, text, words):
    for word in words:
        if word.lower() == text.lower():
            return word
    raise coded("usage", f"{option} takes one of {', '.join(words)}, and not `{text}`")


def read(arguments):
    """Reads arguments as clingo's command does.

    Raises an Error for an argument that is not known.
    """
    options = Options()
    left = list(arguments)

    def value(option, text):
        if text is not None:
            return text
        if not left:
            raise coded("usage", f"{option} needs a value")
        return left.pop(0)

    while left:
        argument = str(left.pop(0))
        name, equals, text = argument.partition("=")
        text = text if equals else None
        if argument.isdigit():
            options.models = int(argument)
        elif name in ("-n", "--models", "--number"):
            options.models = _number(name, value(name, text), -1)
        elif argument.startswith("-n") and argument[2:].isdigit():
            options.models = int(argument[2:])
        elif name in ("-t", "--parallel-mode"):
            options.threads = _number(name, value(name, text).split(",")[0], 1)
        elif argument.startswith("-t") and argument[2:].isdigit():
            options.threads = _number("-t", argument[2:], 1)
        elif name == "--seed":
            options.seed = _number(name, value(name, text))
        elif name == "--device":
            options.device = value(name, text)
        elif name == "--opt-mode":
            mode, *bound = value(name, text).split(",")
            options.opt_mode = _word(name, mode, OPT_MODES)
            options.opt_bound = [_number(name, part, None) for part in bound]
        elif name in ("-e", "--enum-mode"):
            mode = value(name, text)
            plain = ("bt", "record", "user")
            options.enum_mode = "auto" if mode in plain else _word(name, mode, ENUM_MODES)
        elif name == "--project":
            options.project = "auto" if text is None else _word(name, text, PROJECTIONS)
        elif name in ("-c", "--const"):
            options.grounding += ["-c", value(name, text)]
        elif argument.startswith("-c") and "=" in argument:
            options.grounding += ["-c", argument[2:]]
        elif argument.startswith("-W"):
            options.grounding += ["-W", argument[2:] or value(name, text)]
        elif name == "--warn":
            options.grounding.append(argument)
        elif len(name) > 5 and any(option.startswith(name) for option in _IGNORED):
            # Names may be cut off, as long as they are clear.
            continue
        else:
            raise coded("usage", f"the option `{argument}` is not known to yasmin's Control")
    return options
