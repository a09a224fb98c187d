"""The command line: every failure becomes a few lines on stderr and an exit code here, and only here."""

from __future__ import annotations

import os
import sys

BROKEN_PIPE = 141  # what a shell reports for a program that SIGPIPE ended
INTERRUPTED = 130


def main() -> int:
    """Run the command line. 0: done; 1: `check` found something; 2: could not do it."""
    try:  # around the imports too, which take most of the time in which a user may change their mind
        return _main()
    except KeyboardInterrupt:
        return INTERRUPTED


def _main() -> int:
    from ffncalc.cli import output
    from ffncalc.errors import FfncalcError

    output.prepare()
    try:
        code = _run()
        output.flush()
    except BrokenPipeError:
        output.silence()
        return BROKEN_PIPE
    except FfncalcError as error:
        if output.debugging():
            raise
        output.complain(error.message, error.hint)
        return 2
    except Exception as error:
        if output.debugging():
            raise
        output.complain(
            f"this is a bug in ffncalc: {type(error).__name__}: {error}",
            "Run it again with FFNCALC_DEBUG=1 for the traceback, and please report it.",
        )
        return 2
    return code


def _run() -> int:
    """The exit code of the command that `sys.argv` names."""
    from ffncalc.cli.commands import plain
    from ffncalc.cli.output import Ended

    args = sys.argv[1:] or ["--help"]
    try:
        if command := plain(args):
            command(args[1:] or None)
            return 0
        from ffncalc.cli.app import run

        return run(args, "hf-ffn" if "hf-ffn" in os.path.basename(sys.argv[0]) else "ffncalc")
    except Ended as ended:
        return ended.code


if __name__ == "__main__":
    sys.exit(main())
