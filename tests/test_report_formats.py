"""The formats: quoting, escaping, rounding, and whole pages worked out by hand."""

from __future__ import annotations

import csv as reader
import io
import re

import pytest

from ffncalc.report import Screen, csv, markdown, table
from ffncalc.report.document import Column, Facts, Lines, Row, Section, Table
from ffncalc.report.numbers import grouped, percent, ratio, runs, short
from tests.command import DEEPSEEK, LLAMA, Here

LLAMA_PAGE = """\
meta-llama/Llama-3.1-8B
LlamaForCausalLM · config: bundled

                     parameters    share
────────────────────────────────────────
FFN               5,637,144,576   70.2 %
attention         1,342,177,280   16.7 %
embedding + head  1,050,673,152   13.1 %
  embedding         525,336,576    6.5 %
  head              525,336,576    6.5 %
norm                    266,240  0.003 %
total             8,030,261,248    100 %

total             8,030,261,248 (8.03 B)
active per token  8,030,261,248 (8.03 B), every parameter
that multiply     7,504,658,432 (7.50 B), without lookups, norms and biases
FFN               SwiGLU, 14,336 wide = 3.5 × 4,096, in 32 layers; 1.3125 × the parameters of a two-matrix 4× FFN
key–value slots   458,752 FFN hidden units in all layers
output head       its own weights
"""

LLAMA_NARROW = """\
meta-llama/Llama-3.1-8B
LlamaForCausalLM · config:
  bundled

     parameters    share
────────────────────────
FFN
  5,637,144,576   70.2 %
attention
  1,342,177,280   16.7 %
embedding + head
  1,050,673,152   13.1 %
  embedding
    525,336,576    6.5 %
"""

LLAMA_MARKDOWN = """\
### meta-llama/Llama-3.1-8B

LlamaForCausalLM · config: bundled

|  | parameters | share |
| --- | ---: | ---: |
| FFN | 5,637,144,576 | 70.2 % |
| attention | 1,342,177,280 | 16.7 % |
| embedding + head | 1,050,673,152 | 13.1 % |
| &emsp;embedding | 525,336,576 | 6.5 % |
| &emsp;head | 525,336,576 | 6.5 % |
| norm | 266,240 | 0.003 % |
| **total** | 8,030,261,248 | 100 % |

- **total**: 8,030,261,248 (8.03 B)
"""

DEEPSEEK_LAYERS = [
    ["layers", "count", "mixer", "FFN kind", "attention", "FFN", "router", "norm", "per layer", "all of them"],
    ["0–2", "3", "latent attention", "dense", "187,105,280", "396,361,728", "16,384", "583,483,392", "1,750,450,176"],
    [
        *("3–60", "58", "latent attention", "moe", "187,105,280", "11,318,329,344", "1,835,008", "16,384"),
        *("11,507,286,016", "667,422,588,928"),
    ],
]

COMPARED = """\
2 models

model                    layers  hidden  FFN width  ratio  FFN      experts            total          active  FFN share\
  crossover
───────────────────────────────────────────────────────────────────────────────────────────────────────────────────────\
───────────
meta-llama/Llama-3.1-8B      32   4,096     14,336    3.5  SwiGLU              8,030,261,248   8,030,261,248     70.2 %\
     21,504
deepseek-ai/DeepSeek-V3      61   7,168      2,048  0.286  SwiGLU  8 of 256  671,026,404,352  37,552,282,624     98.0 %\
      9,677
"""


def test_page_of_llama(run: Here) -> None:
    assert run("params", LLAMA) == (0, LLAMA_PAGE, "")


def test_page_of_llama_on_a_narrow_terminal(run: Here) -> None:
    run.monkeypatch.setenv("COLUMNS", "30")
    assert run("params", LLAMA).out.startswith(LLAMA_NARROW)


def test_page_of_llama_in_markdown(run: Here) -> None:
    assert run("params", LLAMA, "--format", "markdown").out.startswith(LLAMA_MARKDOWN)


def test_layers_of_deepseek(run: Here) -> None:
    head, _, *rows = run("params", DEEPSEEK, "--layers").out.splitlines()[-4:]
    assert [re.split(r" {2,}", line) for line in (head, *rows)] == DEEPSEEK_LAYERS


def test_comparison(run: Here) -> None:
    assert run("compare", LLAMA, DEEPSEEK).out == COMPARED


def test_explanation_of_llama(run: Here) -> None:
    lines = [line.strip() for line in run("params", LLAMA, "--explain").out.splitlines()]
    for line in (
        "FFN per layer = 3 × hidden_size × intermediate_size = 3 × 4096 × 14336 = 176,160,768",
        "attention per layer = 16,777,216 + 4,194,304 + 4,194,304 + 16,777,216 = 41,943,040",
        "norm per layer = 2 × hidden_size = 2 × 4096 = 8,192",
        "layer = attention + FFN + norm = 41,943,040 + 176,160,768 + 8,192 = 218,112,000",
        "embedding = hidden_size × vocab_size = 4096 × 128256 = 525,336,576",
        "FFN = 32 × 176,160,768 = 5,637,144,576",
        "norm = 4,096 + 32 × 8,192 = 266,240",
        "expansion of the FFN = intermediate_size / hidden_size = 14336 / 4096 = 3.5",
        "num_key_value_heads = 8",
    ):
        assert line in lines


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0, "0"),
        (999, "999"),
        (1000, "1.00 K"),
        (9_994, "9.99 K"),
        (9_996, "10.0 K"),
        (266_240, "266 K"),
        (999_600, "1.00 M"),
        (124_439_808, "124 M"),
        (8_030_261_248, "8.03 B"),
        (37_552_282_624, "37.6 B"),
        (671_026_404_352, "671 B"),
        (1_041_000_000_000, "1.04 T"),
        (-805_306_368, "-805 M"),
    ],
)
def test_short_numbers_have_three_digits(number: int, text: str) -> None:
    assert short(number) == text


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0, "0 %"),
        (1, "100 %"),
        (0.70199, "70.2 %"),
        (0.0332, "3.3 %"),
        (0.00096, "0.1 %"),
        (0.000033, "0.003 %"),
        (1e-9, "0.0000001 %"),
        (0.9996, "99.96 %"),
        (0.99999, "99.999 %"),
    ],
)
def test_shares_are_told_from_nothing_and_all(share: float, text: str) -> None:
    assert percent(share) == text


def test_other_numbers() -> None:
    assert (grouped(8_030_261_248), grouped(5, sign=True), grouped(-5, sign=True)) == ("8,030,261,248", "+5", "-5")
    assert (ratio(3.5), ratio(1.3125), ratio(11008 / 4096), ratio(4.0)) == ("3.5", "1.3125", "2.6875", "4")


@pytest.mark.parametrize(
    ("numbers", "text"),
    [
        ((3,), "3"),
        (range(61), "0–60"),
        ((0, 1, 2, 7), "0–2, 7"),
        (range(0, 42, 2), "0, 2, …, 40"),
        ((0, 2, 4), "0, 2, 4"),
        ((0, 1, 3, 4, 6, 9), "0–1, 3–4, 6, 9"),
    ],
)
def test_runs_of_layers(numbers: tuple[int, ...], text: str) -> None:
    assert runs(tuple(numbers)) == text


HOSTILE = "a|b\n`c` *d* [e](f) <g> \\ \x1b[31m"


def test_markdown_shows_any_text_as_it_is() -> None:
    page = markdown.text([Section(HOSTILE, "", (Table((Column("x|y"),), (Row((HOSTILE,)),)),))])
    head, body = page.splitlines()[0], page.splitlines()[-1]
    assert head == "### a\\|b\\\\n\\`c\\` \\*d\\* \\[e\\](f) \\<g> \\\\ \\\\x1b\\[31m"
    assert body == "| " + head.removeprefix("### ") + " |"


def test_markdown_keeps_lines_inside_their_fence() -> None:
    page = markdown.text([Section("t", "", (Lines("steps", ("a = b", "```", "# no heading")),))])
    assert page.endswith("```text\na = b\n'''\n# no heading\n```\n")
    assert page.count("```") == 2


def test_csv_quotes_and_runs_nothing() -> None:
    row = {"ref": 'x,"y"\nz', "name": "=1+1", "dash": "-", "number": -5, "flag": True, "none": None}
    assert next(reader.DictReader(io.StringIO(csv.text([row])))) == {
        "ref": 'x,"y"\nz',
        "name": "'=1+1",
        "dash": "-",
        "number": "-5",
        "flag": "true",
        "none": "",
    }


def test_csv_keeps_the_columns_of_all_rows() -> None:
    assert csv.text([{"a": 1}, {"a": 2, "b": 3}]) == "a,b\n1,\n2,3\n"


def test_table_shows_control_characters_instead_of_obeying_them() -> None:
    out = table.text([Section(HOSTILE, HOSTILE, (Facts(((HOSTILE, HOSTILE),)),))], Screen(color=True))
    assert "\x1b[31m" not in out
    assert "\\x1b[31m" in out


WIDE = Table(
    (Column("name"), Column("number", number=True), Column("other", number=True)),
    (Row(("模型/名字-非常长的名字-还要更长", "1,234,567,890", "9,876,543,210")), Row(("b" * 40, "1", "2"))),
)


@pytest.mark.parametrize("width", [8, 16, 24, 32, 48, 64, 200])
def test_no_width_loses_a_character(width: int) -> None:
    out = table.text([Section("t", "", (WIDE,))], Screen(width=width))
    joined = "".join(out.split())
    for text in ("模型", "还要更长"):
        assert text in joined
    assert joined.count("b") >= 40
    if width >= 17:
        assert "1,234,567,890" in out
        assert "9,876,543,210" in out


def test_wide_characters_keep_columns_aligned() -> None:
    from rich.cells import cell_len

    lines = table.text([Section("t", "", (WIDE,))], Screen()).splitlines()[2:]
    assert len({cell_len(line) for line in lines}) == 1


def test_ascii_screens_get_ascii_rules() -> None:
    assert "─" not in table.text([Section("t", "", (WIDE,))], Screen(ascii=True))


def test_empty_columns_are_left_out() -> None:
    out = table.text([Section("t", "", (Table((Column("a"), Column("b")), (Row(("x", "")),)),))], Screen())
    assert out == "t\n\na\n─\nx\n"


def test_rows_with_fewer_digits_stand_in_where_all_do_not_fit() -> None:
    columns = (Column("m"), Column("n", number=True), Column("k", number=True))
    both = Table(columns, (Row(("model", "8,030,261,248", "8,030,261,248")),), (Row(("model", "8.03 B", "8.03 B")),))
    assert "8,030,261,248  8,030,261,248" in table.text([Section("t", "", (both,))], Screen(width=40))
    assert "8.03 B  8.03 B" in table.text([Section("t", "", (both,))], Screen(width=24))
    assert "n  8.03" not in table.text([Section("t", "", (both,))], Screen(width=8))


def test_a_fact_without_a_label_has_no_empty_bold_in_markdown() -> None:
    page = markdown.text([Section("t", "", (Facts((("form", "GELU"), ("", "two matrices"))),))])
    assert page == "### t\n\n- **form**: GELU\n- two matrices\n"


def test_a_network_in_csv_leaves_the_name_to_the_model(run: Here) -> None:
    (row,) = reader.DictReader(io.StringIO(run("ffn", "openai-community/gpt2", "--format", "csv").out))
    assert (row["name"], row["form"]) == ("openai-community/gpt2", "GELU")


NO_PLACE = [
    ("params", "--explain"),
    ("flops", "--explain"),
    ("crossover", "--explain"),
    ("memory", "--explain"),
    ("moe", "mistralai/Mixtral-8x7B-v0.1", "--explain"),
    ("ffn", "--explain"),
    ("lora", "--explain"),
    ("ffn", "--worked"),
    ("ffn", "--act", "relu"),
    ("ffn", "--ungated"),
    ("params", "--layers", "--tensors"),
]


@pytest.mark.parametrize("args", NO_PLACE, ids=" ".join)
def test_what_csv_has_no_place_for_is_refused_and_not_dropped(run: Here, args: tuple[str, ...]) -> None:
    code, out, err = run(*args, "--format", "csv")
    assert (code, out) == (2, "")
    assert err.startswith("error: --format csv has no place for ")
    named = [arg for arg in args if not arg.startswith("-") and arg != "relu"]
    for format in ("table", "markdown", "json", "jsonl"):
        code, out, err = run(*args, "--format", format)
        assert (code, err) == (0, "")
        assert out != run(*named, "--format", format).out


def test_the_numbers_of_a_split_in_csv_have_no_separators(run: Here) -> None:
    first, *_ = reader.DictReader(io.StringIO(run("parallel", LLAMA, "--format", "csv").out))
    assert (first["tp"], first["heads"], first["widths"]) == ("1", "32", "14336")
