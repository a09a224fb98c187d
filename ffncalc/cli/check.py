"""ffncalc check."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Iterator
from typing import Annotated, Any, TypeVar

import typer

from ffncalc.checks.finding import Severity
from ffncalc.cli.output import Ended, complain, debugging, screen, write
from ffncalc.errors import FfncalcError, UsageError
from ffncalc.report.findings import CheckFormat, Summary

T = TypeVar("T")

RULES_PANEL, SPLIT_PANEL, BUDGET_PANEL = "Rules", "Deployment", "Budgets, of every file"

Paths = Annotated[
    list[str],
    typer.Argument(metavar="PATH", help="File, folder, pattern, - for standard input, or Hub id."),
]
Output = Annotated[CheckFormat, typer.Option("--format", "-f", help="How to print the findings.")]
FailOn = Annotated[
    Severity | None,
    typer.Option(help="Exit 1 for findings at least this bad; error unless set.", show_default=False),
]
Codes = list[str] | None
Select = Annotated[
    Codes,
    typer.Option(
        metavar="CODES",
        help="Rules to run besides F001: codes or their start, with commas. Repeatable.",
        rich_help_panel=RULES_PANEL,
        show_default=False,
    ),
]
Ignore = Annotated[
    Codes,
    typer.Option(
        metavar="CODES", help="Rules to leave out. Repeatable.", rich_help_panel=RULES_PANEL, show_default=False
    ),
]
ForceExclude = Annotated[
    bool,
    typer.Option("--force-exclude", help="Leave out named files that the settings exclude, too.", show_default=False),
]
Tp = Annotated[
    int | None,
    typer.Option(
        metavar="N", help="Ranks that tensors are split over.", rich_help_panel=SPLIT_PANEL, show_default=False
    ),
]
Ep = Annotated[
    int | None,
    typer.Option(
        metavar="N", help="Ranks that experts are dealt out to.", rich_help_panel=SPLIT_PANEL, show_default=False
    ),
]
Pp = Annotated[
    int | None,
    typer.Option(metavar="N", help="Stages of layers.", rich_help_panel=SPLIT_PANEL, show_default=False),
]
Budget = str | None


def _budget(metavar: str, help: str) -> Any:
    return typer.Option(metavar=metavar, help=help, rich_help_panel=BUDGET_PANEL, show_default=False)


MaxParams = Annotated[Budget, _budget("N", "Most parameters: 8B.")]
MaxActive = Annotated[Budget, _budget("N", "Most parameters that one token uses.")]
MinFfnShare = Annotated[Budget, _budget("SHARE", "Least share of the FFN in the FLOPs of a token: 50%@8k, 0.5.")]
MaxFfnShare = Annotated[Budget, _budget("SHARE", "Largest share of the FFN; at 8,192 unless @ says otherwise.")]
MinCrossover = Annotated[Budget, _budget("N", "Shortest context at which attention may overtake the FFN.")]
MaxKv = Annotated[Budget, _budget("BYTES", "Most cache bytes that a token adds: 128KiB.")]
Jobs = Annotated[
    int | None,
    typer.Option("--jobs", "-j", metavar="N", help="Processes; one per processor for many files.", show_default=False),
]


def check(
    paths: Paths,
    fmt: Output = CheckFormat.TEXT,
    fail_on: FailOn = None,
    select: Select = None,
    ignore: Ignore = None,
    force_exclude: ForceExclude = False,
    tp: Tp = None,
    ep: Ep = None,
    pp: Pp = None,
    max_params: MaxParams = None,
    max_active: MaxActive = None,
    min_ffn_share: MinFfnShare = None,
    max_ffn_share: MaxFfnShare = None,
    min_crossover: MinCrossover = None,
    max_kv_bytes_per_token: MaxKv = None,
    jobs: Jobs = None,
) -> None:
    """Rules over config files, for CI: exit 1 for errors, 2 for what could not be checked."""
    from ffncalc.checks import budgets, discovery, settings

    limits = {
        "max_params": max_params,
        "max_active": max_active,
        "min_ffn_share": min_ffn_share,
        "max_ffn_share": max_ffn_share,
        "min_crossover": min_crossover,
        "max_kv_bytes_per_token": max_kv_bytes_per_token,
    }
    options = {
        "select": _codes(select, "--select"),
        "ignore": _codes(ignore, "--ignore"),
        "fail_on": fail_on,
        "tp": None if tp is None else settings.parts(tp, "--tp"),
        "ep": None if ep is None else settings.parts(ep, "--ep"),
        "pp": None if pp is None else settings.parts(pp, "--pp"),
        "budgets": budgets.given(limits),
    }
    if jobs is not None and jobs < 1:
        raise UsageError(f"--jobs: must be at least 1, got {jobs}")
    paths = discovery.included(paths, force_exclude)
    summary = _run(paths, fmt, {name: value for name, value in options.items() if value is not None}, jobs)
    if summary.failed or summary.fails:
        raise Ended(2 if summary.failed else 1)


def _run(paths: list[str], fmt: CheckFormat, options: dict[str, object], jobs: int | None) -> Summary:
    from ffncalc.checks import RULES, discovery, elsewhere, runner
    from ffncalc.cli.progress import Progress
    from ffncalc.report.findings import writer

    shown, summary = screen(sys.stdout), Summary()
    out = writer(fmt, tuple(RULES), color=shown.color, ascii=shown.ascii)

    def failed(ref: str, error: FfncalcError) -> None:
        late.append(runner.Checked(ref, error=error))

    def results() -> Iterator[runner.Checked]:
        for checked in runner.check_all(discovery.targets(paths, failed), options, jobs, progress.step):
            yield from _taken(late)
            yield checked
        yield from _taken(late)
        if not summary.files and not summary.failed:
            yield from (runner.Checked(path, error=elsewhere.instead(path)) for path in paths)

    late: list[runner.Checked] = []
    with Progress(
        lambda: sum(1 for _ in discovery.targets(paths, lambda ref, error: None)), wanted=fmt is CheckFormat.TEXT
    ) as progress:
        write(out.begin())
        for checked in results():
            summary.add(checked)
            if text := out.file(checked):
                progress.clear()
                write(text)
            if checked.error is not None:
                progress.clear()
                _report(checked.error)
    if summary.files or fmt is not CheckFormat.TEXT:
        write(out.end(summary))
    return summary


def _taken(late: list[T]) -> Iterator[T]:
    while late:
        yield late.pop(0)


def _report(error: FfncalcError) -> None:
    if debugging():
        traceback.print_exception(error)
    complain(error.message, error.hint)


def _codes(given: Codes, where: str) -> tuple[str, ...] | None:
    """Codes of an option, which may be separated by commas.

    Raises:
        UsageError: it was given without any, as by an empty variable: a gate that checks nothing does not pass.
    """
    from ffncalc.checks.settings import codes

    if not given:
        return None
    listed = [code.strip() for text in given for code in text.split(",") if code.strip()]
    if not listed:
        raise UsageError(f"{where}: no rule is named", "Leave the option out, or give codes: --select S,M.")
    return codes(listed, where)
