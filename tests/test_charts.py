"""Charts of FLOPs: in a terminal of any width, as SVG, as PNG."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

import ffncalc
from ffncalc.report import chart, curves
from ffncalc.report.entry import Entry, Screen
from ffncalc.report.flops import Costed
from tests.command import DEEPSEEK, LLAMA, Here

GEMMA = "google/gemma-2-9b"


def costed(*refs: str, **options: Any) -> list[Entry[Costed]]:
    loaded = [ffncalc.load(ref) for ref in refs]
    return [Entry(ref=m.name, model=m, result=Costed(flops=ffncalc.flops(m, **options))) for m in loaded]


class TestCharts:
    def test_columns_show_the_shares(self) -> None:
        lines = chart.page(costed(LLAMA), Screen(width=100, ascii=True)).splitlines()
        rows = [line[6:] for line in lines[2:18]]
        first, last = ([row[i] for row in rows] for i in (0, len(rows[0]) - 1))
        assert first.count("#") == 12  # 75.1 % of 16 rows
        assert last.count("#") == 2  # 13.5 % at 131,072
        assert {row.index("|") for row in rows} == {77}  # 91 × log(21,504) / log(131,072)
        assert "the core overtakes the FFN at 21,504 ^" in lines[19]

    def test_plain_terminals_get_plain_characters(self) -> None:
        assert chart.page(costed(DEEPSEEK), Screen(width=80, ascii=True)).isascii()
        assert "\x1b" not in chart.page(costed(DEEPSEEK), Screen(width=80))
        assert "\x1b[38;5;" in chart.page(costed(DEEPSEEK), Screen(width=80, color=True))

    def test_nothing_is_drawn_into_a_pipe_or_a_narrow_terminal(self, run: Here) -> None:
        assert "▓" not in run("flops").out
        assert chart.page(costed(LLAMA), Screen(width=30)) == ""

    def test_several_models_overlay(self) -> None:
        page = chart.page(costed(LLAMA, DEEPSEEK), Screen(width=90, ascii=True))
        assert "a meta-llama/Llama-3.1-8B, crossover at 21,504" in page
        assert "b deepseek-ai/DeepSeek-V3, crossover at 9,677" in page

    @pytest.mark.parametrize("width", [40, 41, 50, 60, 72, 80, 120])
    @pytest.mark.parametrize(
        ("refs", "options"),
        [
            (("google-t5/t5-base",), {}),
            (("google-t5/t5-base",), {"encoder_ctx": 50}),
            ((GEMMA,), {"full": True}),
            ((DEEPSEEK,), {"mla": "absorbed"}),
            (("ai21labs/Jamba-v0.1",), {"ctx": [1, 10**12]}),
            (("google-bert/bert-base-uncased",), {"ctx": 7}),
            (("state-spaces/mamba-130m-hf",), {}),
            ((LLAMA, GEMMA, DEEPSEEK), {}),
        ],
    )
    def test_no_line_is_wider_than_the_screen(self, refs: tuple[str, ...], options: dict[str, Any], width: int) -> None:
        for color in (True, False):
            page = chart.page(costed(*refs, **options), Screen(width=width, color=color))
            lines = re.sub(r"\x1b\[[0-9;]*m", "", page).splitlines()
            assert max(map(len, lines)) <= width
            words = " ".join(page.split())
            assert all(ref in words for ref in refs)
            assert words.count(" context") == 1

    def test_what_does_not_fit_stands_on_a_line_of_its_own(self) -> None:
        # 60 columns less 6 of the margin and 2 of air are 52; 51 × log(1,536) / log(131,072) = 31.75, so column 32.
        lines = chart.page(costed("google-t5/t5-base"), Screen(width=60, ascii=True)).splitlines()
        assert lines[18:] == [
            "      1        8       64       512      4Ki     32Ki",
            " " * 51 + "context",
            " " * (6 + 32) + "^",
            "      the core overtakes the FFN at 1,536",
            "      . attention core  = projections  h head  # FFN",
        ]
        assert {line.index("|") for line in lines[2:18]} == {38}

    def test_a_legend_is_broken_between_its_names(self) -> None:
        lines = chart.page(costed(DEEPSEEK), Screen(width=40)).splitlines()
        assert lines[-2:] == ["      ░░ attention core  ▓▓ projections", "      ▒▒ head  ▚▚ router  ██ FFN"]

    def test_a_chart_of_prompts_marks_no_crossover(self) -> None:
        assert "overtakes" not in chart.page(costed(LLAMA, phase="prefill"), Screen(width=90))

    def test_the_axis_has_round_contexts(self) -> None:
        assert curves.ticks(1, 131_072) == [1, 8, 64, 512, 4096, 32_768]
        assert [curves.tick(n) for n in (1, 8192, 2**20, 1000)] == ["1", "8Ki", "1Mi", "1,000"]

    def test_svg(self, run: Here, tmp_path: Path) -> None:
        path = tmp_path / "shares.svg"
        code, out, err = run("flops", "--chart", str(path), "--format", "json")
        assert code == 0
        assert json.loads(out)["models"]
        assert err == f"chart written to {path}\n"
        text = path.read_text()
        assert text.startswith("<svg ")
        assert "core overtakes FFN at 21,504" in text
        assert text.count("<polygon") == 4

    def test_svg_of_several_models(self, run: Here, tmp_path: Path) -> None:
        path = tmp_path / "shares.svg"
        assert run("flops", LLAMA, GEMMA, "--chart", str(path)).code == 0
        assert path.read_text().count("<polyline") == 2

    def test_png_without_matplotlib_says_what_to_do(self, run: Here, tmp_path: Path) -> None:
        run.monkeypatch.setitem(sys.modules, "matplotlib", None)
        run.monkeypatch.setattr("ffncalc.report.picture.find_spec", lambda name: None)
        code, out, err = run("flops", "--chart", str(tmp_path / "a.png"))
        assert (code, out) == (2, "")
        assert "ffncalc[chart]" in err

    def test_png(self, run: Here, tmp_path: Path) -> None:
        pytest.importorskip("matplotlib")
        path = tmp_path / "a.png"
        assert run("flops", "--chart", str(path)).code == 0
        assert path.read_bytes().startswith(b"\x89PNG")

    @pytest.mark.parametrize("name", ["a.gif", "a", "nowhere/a.svg"])
    def test_a_file_that_cannot_be_drawn_is_refused_at_once(self, run: Here, tmp_path: Path, name: str) -> None:
        code, out, err = run("flops", "--chart", str(tmp_path / name))
        assert (code, out) == (2, "")
        assert "--chart" in err
