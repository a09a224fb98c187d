"""Count the FLOPs of a forward pass with torch's own counter, on the meta device.

    python tests/oracle/flops.py                      write flops.json: every bundled config
    python tests/oracle/flops.py Qwen/Qwen3-8B …      these, the others stay as they are
    python tests/oracle/flops.py --print FILE…        print the counts of any config file

The counter multiplies every key, masked or not, so its count is that of --full × positions. It knows matrix products
and convolutions; it does not see element-wise arithmetic, and so no scan that is written as such.
Needs torch and transformers (`pip install 'ffncalc[oracle]'`).
"""

from __future__ import annotations

import contextlib
import inspect
import json
import logging
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))
from tests.oracle import refresh

FILE = Path(__file__).parent / "flops.json"
LENGTHS = (1, 96)
Counts = dict[str, int]


class Unwatched(contextlib.nullcontext[None]):
    """In place of the counter's watch over modules, which only costs time here."""

    parents = frozenset({"Global"})


def prepared(raw: dict[str, Any]) -> Any:
    """The model of a config with its attention and its experts written out as matrix products."""
    model = refresh.build(raw)
    model.set_attn_implementation("eager")
    with contextlib.suppress(Exception):  # types without experts refuse
        model.set_experts_implementation("batched_mm")
    return model.eval()


def count(model: Any, length: int) -> Counts:
    """FLOPs of one pass over `length` tokens, by operation; of encoder–decoders, over as many source tokens too.

    Raises:
        RuntimeError: the model looks at values, which a meta tensor does not have.
    """
    import torch
    from torch.utils.flop_counter import FlopCounterMode

    problem: Exception | None = None
    for module in _modules(model):
        for inputs in _inputs(module, length):
            counter = FlopCounterMode(display=False)
            counter.mod_tracker = Unwatched()
            try:
                with torch.no_grad(), counter:
                    module(**inputs)
            except Exception as error:
                problem = problem or error
                continue
            counts = counter.get_flop_counts()["Global"]
            return {str(operation).removeprefix("aten."): int(n) for operation, n in counts.items()}
    raise RuntimeError(f"{type(problem).__name__}: {problem}")


def _modules(model: Any) -> Iterator[Any]:
    """The model, then the language model with its head inside a composite that runs with images only."""
    yield model
    for name in ("language_model", "thinker"):
        if hasattr(getattr(model, name, None), "lm_head"):
            yield getattr(model, name)


def _inputs(model: Any, length: int) -> Iterator[dict[str, Any]]:
    """Arguments of the forward pass, fewer each time: not every class takes a mask, or positions."""
    import torch

    ids = torch.zeros(1, length, dtype=torch.long, device="meta")
    mask = torch.zeros(1, 1, length, length, device="meta")
    known = inspect.signature(model.forward).parameters
    base = {"input_ids": ids}
    if "decoder_input_ids" in known:
        base |= {"decoder_input_ids": ids}
    if "use_cache" in known:
        base |= {"use_cache": False}
    more = {"attention_mask": mask, "position_ids": ids, "decoder_attention_mask": mask}
    for names in (
        ("attention_mask", "position_ids", "decoder_attention_mask"),
        ("attention_mask", "position_ids"),
        ("position_ids",),
        (),
    ):
        yield base | {name: more[name] for name in names if name in known}


def counts(raw: dict[str, Any]) -> dict[str, Any]:
    """The class of a config and its counts by length, or why there are none."""
    try:
        model = prepared(raw)
        return {"class": type(model).__name__, **{str(n): count(model, n) for n in LENGTHS}}
    except Exception as error:
        return {"error": " ".join(str(error).split())[:120]}


def main(args: list[str]) -> int:
    logging.disable(logging.WARNING)
    if args[:1] == ["--print"]:
        for name in args[1:]:
            print(json.dumps({name: counts(json.loads(Path(name).read_bytes()))}), flush=True)
        return 0
    found = json.loads(FILE.read_text()) if FILE.is_file() else {}
    for name in args or refresh.bundled():
        found[name] = counts(json.loads((refresh.CONFIGS / f"{name}.json").read_bytes()))
    rows = (f"{json.dumps(name)}: {json.dumps(found[name])}" for name in sorted(found))
    FILE.write_text("{\n" + ",\n".join(rows) + "\n}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
