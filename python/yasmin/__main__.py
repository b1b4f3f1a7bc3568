"""`python3 -m yasmin`. Scripts of programs run in this module, so that it has no names of its own."""

import sys as _sys

from yasmin.command import run as _run

_sys.exit(_run(_sys.argv[1:]))
