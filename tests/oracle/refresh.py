"""Write the tensor lists of bundled configs from transformers' own models on the meta device.

    python tests/oracle/refresh.py                      every bundled config
    python tests/oracle/refresh.py Qwen/Qwen3-8B …      these
    python tests/oracle/refresh.py --check [NAME…]      compare instead of writing; exit 1 on a difference
    python tests/oracle/refresh.py --print FILE…        print the list of any config file

Needs torch and transformers (`pip install 'ffncalc[oracle]'`). Lists of types that transformers lacks are written
by hand from the published checkpoint; their first line says `source:` and they are left alone.
"""

from __future__ import annotations

import json
import logging
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))
from tests.oracle import categories, lists, naming

CONFIGS = Path(__file__).parents[2] / "configs"
EMPTY = "# {architecture}, transformers {version}, total {total}"

# Default class of a type whose config names none, where it is not in these auto mappings in this order.
AUTO = (
    "MODEL_FOR_CAUSAL_LM_MAPPING_NAMES",
    "MODEL_FOR_MASKED_LM_MAPPING_NAMES",
    "MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES",
    "MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES",
    "MODEL_FOR_TEXT_TO_WAVEFORM_MAPPING_NAMES",
    "MODEL_MAPPING_NAMES",
)

# Types that transformers lacks, and whose published code is that of another type.
SAME_AS = {"Emu3": "emu3_text_model", "kimi_k2": "deepseek_v3"}

# Fields without which a class cannot be made, and that no tensor depends on: the words for the codes of images.
NEEDED: dict[str, dict[str, Any]] = {
    "chameleon": {"vocabulary_map": {"<image>": 8711}},
    "emu3": {"vocabulary_map": {"<image>": 151646}},
}

# Their checkpoints have a head of their own where the file says so; transformers 5 ties it all the same.
HEADED = {"longt5", "mt5", "t5", "umt5", "paddleocr_vl"}


def build(raw: dict[str, Any]) -> Any:
    """The model of a raw config on the meta device, tied as transformers ties it."""
    import torch
    import transformers
    from transformers.models.auto import modeling_auto

    raw = {key: value for key, value in raw.items() if not key.startswith("_") and key != "quantization_config"}
    raw["model_type"] = SAME_AS.get(raw["model_type"], raw["model_type"])
    raw = NEEDED.get(raw["model_type"], {}) | raw
    if raw["model_type"] == "qwen3_asr" and "thinker_config" in raw:
        raw = unwrapped(raw)
    config = transformers.CONFIG_MAPPING[raw["model_type"]].from_dict(raw)
    if isinstance(raw.get("text_config"), dict) and "tie_word_embeddings" not in raw:
        # The files of composites leave the flag to their text config; transformers 5 reads the outer one alone.
        config.tie_word_embeddings = getattr(config.text_config, "tie_word_embeddings", False)
    known = [name for name in raw.get("architectures") or [] if hasattr(transformers, name)]
    names = known or [  # a class of remote code has the tensors of the type's own class
        next(
            getattr(modeling_auto, auto)[raw["model_type"]]
            for auto in AUTO
            if raw["model_type"] in getattr(modeling_auto, auto)
        )
    ]
    with torch.device("meta"):
        model = getattr(transformers, names[0])(config)
    if raw["model_type"] in HEADED and raw.get("tie_word_embeddings") is False and hasattr(model, "lm_head"):
        model.lm_head.weight = torch.nn.Parameter(torch.empty_like(model.lm_head.weight))
        del model.all_tied_weights_keys["lm_head.weight"]
    return model


def unwrapped(raw: dict[str, Any]) -> dict[str, Any]:
    """The first files of Qwen3-ASR as transformers reads the later ones: nothing one level down, other type names."""
    inner = raw["thinker_config"]
    return {
        **raw,
        **inner,
        "model_type": raw["model_type"],
        "text_config": {**inner["text_config"], "model_type": "qwen3"},
        "audio_config": {**inner["audio_config"], "model_type": "qwen3_asr_encoder"},
    }


def tensor_list(raw: dict[str, Any]) -> list[str]:
    """The lines of a config's list: checkpoint names and shapes, and what is tied to what."""
    import transformers

    model = build(raw)
    tied = naming.ties(model)
    learned = {name for name, _ in model.named_parameters(remove_duplicate=False)}
    state = {name: tensor for name, tensor in model.state_dict().items() if name in learned}
    stored = naming.stored(model, state)
    entries = [
        (name, lists.Entry(tuple(tensor.shape), categories.category(name, stored), tied.get(name, "")))
        for name, tensor in stored.items()
    ]
    head = EMPTY.format(
        architecture=type(model).__name__, version=transformers.__version__, total=model.num_parameters()
    )
    return [head, *lists.collapse(entries)]


def bundled() -> list[str]:
    return sorted(str(path.relative_to(CONFIGS).with_suffix("")) for path in CONFIGS.glob("*/*.json"))


def by_hand(path: Path) -> bool:
    return path.is_file() and "source:" in path.read_text().splitlines()[0]


def main(args: list[str]) -> int:
    logging.disable(logging.WARNING)
    flags, names = [a for a in args if a.startswith("--")], [a for a in args if not a.startswith("--")]
    if "--print" in flags:
        for name in names:
            print("\n".join(tensor_list(json.loads(Path(name).read_bytes()))))
        return 0
    changed = 0
    for name in names or bundled():
        path = lists.path_of(name)
        if by_hand(path):
            continue
        try:
            text = "\n".join(tensor_list(json.loads((CONFIGS / f"{name}.json").read_bytes()))) + "\n"
        except ImportError as error:  # a tower that another package builds
            print("left out", name, str(error).strip().partition("\n")[0])
            continue
        if not path.is_file() or path.read_text() != text:
            changed += 1
            print("differs" if "--check" in flags else "written", name)
            if "--check" not in flags:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
    return 1 if changed and "--check" in flags else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
