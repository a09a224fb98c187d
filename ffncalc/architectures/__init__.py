"""Supported model types: which module describes each, and how a raw config becomes a model.

A module has `Config` (its fields) and `build(config) -> Model`; it is imported when its type is first met.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from ffncalc.errors import ConfigError, UnsupportedModel, shown
from ffncalc.ir import Model
from ffncalc.schema import BaseConfig

MODULES: dict[str, str] = {
    "BaiChuan": "baichuan",
    "Baichuan": "baichuan",
    "Emu3": "dense",
    "RefinedWeb": "refined_web",
    "RefinedWebModel": "refined_web",
    "afmoe": "afmoe",
    "albert": "albert",
    "apertus": "dense",
    "arcee": "dense",
    "aria": "aria",
    "aria_text": "aria_text",
    "aya_vision": "aya_vision",
    "baichuan": "baichuan",
    "bamba": "bamba",
    "bart": "bart",
    "bert": "bert",
    "bert-generation": "bert_generation",
    "big_bird": "big_bird",
    "bigbird_pegasus": "bigbird_pegasus",
    "biogpt": "xglm",
    "bitnet": "bitnet",
    "blenderbot": "bart",
    "blenderbot-small": "bart",
    "blip": "blip",
    "blip-2": "blip_2",
    "blip_2_qformer": "qformer",
    "blip_2_vision_model": "blip_vision",
    "blip_text_model": "blip_text",
    "blip_vision_model": "blip_vision",
    "bloom": "bloom",
    "blt": "blt",
    "camembert": "bert",
    "chameleon": "chameleon",
    "chameleon_vqgan": "chameleon_vqgan",
    "chatglm": "chatglm",
    "clip": "clip",
    "clip_text_model": "clip_text",
    "clip_vision_model": "vit",
    "codegen": "gptj",
    "cohere": "cohere",
    "cohere2": "dense",
    "cohere2_vision": "aya_vision",
    "colpali": "colpali",
    "colqwen2": "colpali",
    "convbert": "convbert",
    "cpmant": "cpmant",
    "ctrl": "ctrl",
    "cwm": "dense",
    "data2vec-text": "bert",
    "dbrx": "dbrx",
    "deberta": "deberta",
    "deberta-v2": "deberta",
    "deepseek": "deepseek",
    "deepseek_v2": "deepseek_v3",
    "deepseek_v3": "deepseek_v3",
    "deepseek_v32": "deepseek_v32",
    "deepseek_v4": "deepseek_v4",
    "deepseek_vl": "deepseek_vl",
    "deepseek_vl_hybrid": "deepseek_vl",
    "deit": "vit_alone",
    "diffllama": "diffllama",
    "distilbert": "distilbert",
    "doge": "doge",
    "dots1": "glm4_moe",
    "electra": "electra",
    "emu3": "emu3",
    "emu3_text_model": "dense",
    "emu3_vqgan": "emu3_vqgan",
    "encodec": "encodec",
    "encoder-decoder": "encoder_decoder",
    "ernie": "ernie",
    "ernie4_5": "ernie4_5",
    "ernie4_5_moe": "ernie4_5_moe",
    "esm": "esm",
    "esmc": "esmc",
    "eurobert": "eurobert",
    "exaone": "exaone",
    "exaone4": "dense",
    "exaone4_5": "exaone4_5",
    "exaone4_5_vision": "qwen_vision",
    "exaone_moe": "exaone_moe",
    "falcon": "falcon",
    "falcon_h1": "falcon_h1",
    "falcon_mamba": "mamba",
    "fast_vlm": "fast_vlm",
    "flaubert": "xlm",
    "flex_olmo": "moe",
    "florence2": "florence2",
    "florence_vision": "florence_vision",
    "fnet": "fnet",
    "fsmt": "fsmt",
    "funnel": "funnel",
    "fuyu": "fuyu",
    "gemma": "dense",
    "gemma2": "dense",
    "gemma3": "gemma3_vl",
    "gemma3_text": "dense",
    "gemma3n": "gemma3n_vl",
    "gemma3n_audio": "gemma3n_audio",
    "gemma3n_text": "gemma3n",
    "gemma3n_vision": "gemma3n_vision",
    "gemma4": "gemma4_vl",
    "gemma4_assistant": "gemma4_assistant",
    "gemma4_audio": "gemma4_audio",
    "gemma4_text": "gemma4",
    "gemma4_vision": "gemma4_vision",
    "git": "git",
    "git_vision_model": "vit",
    "glm": "dense",
    "glm4": "dense",
    "glm4_moe": "glm4_moe",
    "glm4_moe_lite": "glm4_moe_lite",
    "glm4v": "glm4v",
    "glm4v_moe": "glm4v",
    "glm4v_moe_text": "glm4_moe",
    "glm4v_moe_vision": "glm4v_vision",
    "glm4v_text": "dense",
    "glm4v_vision": "glm4v_vision",
    "glm_moe_dsa": "deepseek_v32",
    "glm_ocr": "glm4v",
    "glm_ocr_text": "dense",
    "glm_ocr_vision": "glm_ocr_vision",
    "glmasr": "audio_llm",
    "glmasr_encoder": "glmasr_encoder",
    "got_ocr2": "got_ocr2",
    "got_ocr2_vision": "sam_vision",
    "gpt-sw3": "gpt2",
    "gpt2": "gpt2",
    "gpt_bigcode": "gpt_bigcode",
    "gpt_neo": "gpt_neo",
    "gpt_neox": "gpt_neox",
    "gpt_neox_japanese": "gpt_neox_japanese",
    "gpt_oss": "gpt_oss",
    "gptj": "gptj",
    "granite": "dense",
    "granite4_vision": "granite4_vision",
    "granite4_vision_text": "dense",
    "granite_speech": "granite_speech",
    "granite_speech_encoder": "granite_speech_encoder",
    "granite_speech_plus": "granite_speech",
    "granite_speech_plus_encoder": "granite_speech_encoder",
    "granite_swa": "granite_swa",
    "granitemoe": "granitemoe",
    "granitemoehybrid": "granitemoehybrid",
    "granitemoeshared": "granitemoe",
    "gte": "gte",
    "helium": "dense",
    "hunyuan_v1_dense": "dense",
    "hunyuan_v1_moe": "hunyuan_v1_moe",
    "hy_v3": "hy_v3",
    "hyperclovax": "hyperclovax",
    "ibert": "bert",
    "idefics2": "idefics2",
    "idefics2_vision": "vit",
    "idefics3": "idefics3",
    "idefics3_vision": "vit",
    "instructblip": "blip_2",
    "instructblip_qformer": "qformer",
    "instructblip_vision_model": "blip_vision",
    "intern_vit_6b": "intern_vit",
    "internlm": "internlm",
    "internlm2": "internlm2",
    "internlm3": "internlm3",
    "internvl": "internvl",
    "internvl_chat": "internvl_chat",
    "internvl_vision": "internvl_vision",
    "iquestcoder": "dense",
    "jais2": "dense",
    "jamba": "jamba",
    "janus": "janus",
    "janus_vision_model": "janus_vision",
    "janus_vqgan": "janus_vqgan",
    "jetmoe": "jetmoe",
    "jina_embeddings_v3": "jina_embeddings_v3",
    "kimi_k2": "deepseek_v3",
    "kimi_k25": "kimi_k25",
    "kimi_k25_vision": "kimi_k25_vision",
    "kimi_linear": "kimi_linear",
    "kosmos-2": "kosmos_2_5",
    "kosmos-2.5": "kosmos_2_5",
    "kosmos_2_5_text_model": "kosmos_2_5_text",
    "kosmos_2_5_vision_model": "kosmos_2_5_vision",
    "kosmos_2_text_model": "kosmos_2_5_text",
    "kosmos_2_vision_model": "vit",
    "laguna": "laguna",
    "layoutlm": "layoutlm",
    "led": "led",
    "lfm2": "lfm2",
    "lfm2_moe": "lfm2_moe",
    "lfm2_vl": "lfm2_vl",
    "lighton_ocr": "mistral3",
    "llama": "dense",
    "llama4": "llama4_vl",
    "llama4_text": "llama4_text",
    "llama4_vision_model": "llama4_vision",
    "llava": "llava",
    "llava_next": "llava",
    "llava_next_video": "llava",
    "llava_onevision": "llava",
    "longcat_flash": "longcat_flash",
    "longformer": "longformer",
    "longt5": "t5",
    "luke": "luke",
    "m2m_100": "bart",
    "mamba": "mamba",
    "mamba2": "mamba2",
    "marian": "bart",
    "mbart": "bart",
    "megatron-bert": "prenorm_bert",
    "mimo": "mimo",
    "mimo_v2_flash": "mimo_v2_flash",
    "minicpm": "minicpm",
    "minicpm3": "minicpm3",
    "minicpmv4_6": "minicpmv4_6",
    "minicpmv4_6_vision": "minicpmv4_6_vision",
    "minimax": "minimax",
    "minimax_m1": "minimax",
    "minimax_m2": "moe",
    "minimax_m3": "minimax_m3",
    "ministral": "dense",
    "ministral3": "dense",
    "mistral": "dense",
    "mistral3": "mistral3",
    "mistral4": "mistral4",
    "mixtral": "moe",
    "mllama": "mllama",
    "mllama_text_model": "mllama_text",
    "mllama_vision_model": "mllama_vision",
    "mobilebert": "mobilebert",
    "modernbert": "modernbert",
    "modernbert-decoder": "modernbert_decoder",
    "modernvbert": "modernvbert",
    "mpnet": "bert",
    "mpt": "mpt",
    "mt5": "t5",
    "musicgen": "musicgen",
    "musicgen_decoder": "musicgen_decoder",
    "musicgen_melody": "musicgen",
    "musicgen_melody_decoder": "musicgen_decoder",
    "mvp": "mvp",
    "nanochat": "dense",
    "nemotron": "dense",
    "nemotron-nas": "nemotron_nas",
    "nemotron_h": "nemotron_h",
    "nllb-moe": "nllb_moe",
    "nomic_bert": "nomic_bert",
    "olmo": "dense",
    "olmo2": "dense",
    "olmo3": "dense",
    "olmo_hybrid": "olmo_hybrid",
    "olmoe": "moe",
    "openai-gpt": "openai_gpt",
    "openelm": "openelm",
    "opt": "opt",
    "orion": "dense",
    "ovis2": "ovis2",
    "ovis2_vision": "ovis2_vision",
    "paddleocr_vl": "paddleocr_vl",
    "paddleocr_vl_text": "paddleocr_vl_text",
    "paddleocr_vl_vision": "vit",
    "paligemma": "paligemma",
    "pegasus": "bart",
    "pegasus_x": "pegasus_x",
    "persimmon": "persimmon",
    "phi": "phi",
    "phi3": "dense",
    "phi3small": "phi3small",
    "phi4_multimodal": "phi4_multimodal",
    "phi4_multimodal_audio": "phi4_multimodal_audio",
    "phi4_multimodal_vision": "vit",
    "phimoe": "moe",
    "pix2struct": "pix2struct",
    "pix2struct_vision_model": "kosmos_2_5_vision",
    "pixtral": "pixtral",
    "plbart": "bart",
    "pp_chart2table": "got_ocr2",
    "prophetnet": "prophetnet",
    "qwen": "qwen",
    "qwen2": "dense",
    "qwen2_5_omni": "qwen2_5_omni",
    "qwen2_5_omni_audio_encoder": "qwen2_5_omni_audio",
    "qwen2_5_omni_text": "dense",
    "qwen2_5_omni_thinker": "qwen2_5_omni",
    "qwen2_5_omni_vision_encoder": "qwen_vision",
    "qwen2_5_vl": "qwen_vl",
    "qwen2_5_vl_text": "dense",
    "qwen2_5_vl_vision": "qwen_vision",
    "qwen2_audio": "audio_llm",
    "qwen2_audio_encoder": "whisper_encoder",
    "qwen2_moe": "moe",
    "qwen2_vl": "qwen_vl",
    "qwen2_vl_text": "dense",
    "qwen2_vl_vision": "qwen_vision",
    "qwen3": "dense",
    "qwen3_5": "qwen3_5",
    "qwen3_5_moe": "qwen3_5",
    "qwen3_5_moe_text": "qwen3_5_moe_text",
    "qwen3_5_moe_vision": "qwen_vision",
    "qwen3_5_text": "qwen3_5_text",
    "qwen3_5_vision": "qwen_vision",
    "qwen3_asr": "qwen3_asr",
    "qwen3_asr_encoder": "qwen3_asr_encoder",
    "qwen3_moe": "moe",
    "qwen3_next": "qwen3_next",
    "qwen3_omni_moe": "qwen3_omni_moe",
    "qwen3_omni_moe_audio_encoder": "qwen3_asr_encoder",
    "qwen3_omni_moe_text": "moe",
    "qwen3_omni_moe_thinker": "qwen3_omni_moe",
    "qwen3_omni_moe_vision_encoder": "qwen_vision",
    "qwen3_vl": "qwen_vl",
    "qwen3_vl_moe": "qwen_vl",
    "qwen3_vl_moe_text": "moe",
    "qwen3_vl_moe_vision": "qwen_vision",
    "qwen3_vl_text": "dense",
    "qwen3_vl_vision": "qwen_vision",
    "recurrent_gemma": "recurrent_gemma",
    "reformer": "reformer",
    "rembert": "rembert",
    "roberta": "bert",
    "roberta-prelayernorm": "prenorm_bert",
    "roc_bert": "roc_bert",
    "roformer": "roformer",
    "rwkv": "rwkv",
    "sam_vision_model": "sam_vision",
    "sarvam_moe": "sarvam_moe",
    "seamless_m4t": "seamless_m4t",
    "seamless_m4t_v2": "seamless_m4t",
    "seed_oss": "seed_oss",
    "siglip": "clip",
    "siglip2_vision_model": "vit",
    "siglip_text_model": "clip_text",
    "siglip_vision_model": "vit",
    "smollm3": "smollm3",
    "smolvlm": "idefics3",
    "smolvlm_vision": "vit",
    "solar_open": "solar_open",
    "squeezebert": "squeezebert",
    "stablelm": "stablelm",
    "starcoder2": "starcoder2",
    "step3p5": "step3p5",
    "step3p5_vision": "step3p5_vision",
    "step3p7": "step3p7",
    "switch_transformers": "switch_transformers",
    "t5": "t5",
    "t5gemma": "t5gemma",
    "tapas": "tapas",
    "telechat": "telechat",
    "timm_wrapper": "fastvit",
    "transformer": "transformer",
    "trocr": "trocr",
    "umt5": "t5",
    "vaultgemma": "dense",
    "video_llama_3": "video_llama_3",
    "video_llama_3_vision": "vit",
    "video_llava": "llava",
    "vipllava": "llava",
    "vision-encoder-decoder": "encoder_decoder",
    "vit": "vit_alone",
    "voxtral": "audio_llm",
    "voxtral_encoder": "whisper_encoder",
    "voxtral_realtime": "voxtral_realtime",
    "voxtral_realtime_encoder": "voxtral_realtime_encoder",
    "voxtral_realtime_text": "voxtral_realtime_text",
    "whisper": "whisper",
    "xglm": "xglm",
    "xlm": "xlm",
    "xlm-roberta": "bert",
    "xlm-roberta-xl": "prenorm_bert",
    "xlnet": "xlnet",
    "xlstm": "xlstm",
    "xmod": "xmod",
    "xverse": "xverse",
    "youtu": "youtu",
    "zamba": "zamba",
    "zamba2": "zamba2",
}

TABLES = ("dense", "moe")  # modules that hold many families, one row each
DRAFTS = re.compile("draft|eagle|medusa", re.IGNORECASE)


@cache
def module(model_type: str) -> ModuleType:
    """The module that describes a model type.

    Raises:
        UnsupportedModel: with the nearest known types.
    """
    try:
        name = MODULES[model_type]
    except KeyError:
        raise UnsupportedModel(model_type, MODULES) from None
    return import_module(f"{__name__}.{name}")


@cache
def defaults() -> dict[str, dict[str, Any]]:
    """What a config class of transformers assumes for absent keys, by model type.

    Written by tests/oracle/defaults.py; types that transformers lacks have their defaults in their own Config.
    """
    found: dict[str, dict[str, Any]] = json.loads(Path(__file__).with_name("defaults.json").read_bytes())
    return found


def parse(raw: Mapping[str, Any], *, prefix: str = "", nested: bool = False) -> BaseConfig:
    """The typed config of a raw one; `nested` parts of a composite may lack any field (see `BaseConfig.parse`)."""
    model_type = model_type_of(raw, prefix)
    config_class: type[BaseConfig] = module(model_type).Config
    own = dict(raw) | {"model_type": model_type}
    return config_class.parse(own, defaults().get(model_type, {}), prefix=prefix, nested=nested)


def build(raw: Mapping[str, Any], *, prefix: str = "", nested: bool = False) -> Model:
    """Describe the model of a raw config.

    Raises:
        UnsupportedModel: the model_type is not known.
        ConfigError: fields are missing, wrong or in conflict.
    """
    config = parse(raw, prefix=prefix, nested=nested)
    try:
        model: Model = module(config.model_type).build(config)
    except ConfigError as error:
        raise _about(error, config, prefix) from None
    named = tuple(
        (prefix + key, value) for key, value in config.taken.items() if key not in ("architectures", "model_type")
    )
    unnamed = () if raw.get("model_type") else (f"model_type is missing: read as {config.model_type}, by its class",)
    notes = (*unnamed, *model.notes, *drafting(config), *contradicting(config))
    return replace(model, defaults=(*named, *model.defaults), notes=notes)


def _about(error: ConfigError, config: BaseConfig, prefix: str) -> ConfigError:
    """The error, with a note for each field that it names whose value is a class default and not in the file."""
    taken = {
        field: config.taken.get(field.removeprefix(prefix)) for field in error.message.partition(":")[0].split(", ")
    }
    notes = (f"{k} is not in the file: {v} is the default of the class" for k, v in taken.items() if type(v) is int)
    return ConfigError("; ".join((error.message, *notes)), error.hint)


def drafting(config: BaseConfig) -> tuple[str, ...]:
    """A note where the class is a draft head of speculative decoding that borrows the model_type of its target."""
    if not DRAFTS.search(config.architecture):
        return ()
    return (
        f"{config.architecture} is a draft head for speculative decoding: counted as a plain {config.model_type}, "
        "without the tensors that it adds or leaves out",
    )


def contradicting(config: BaseConfig) -> tuple[str, ...]:
    """A note where the class is that of another type; names that contain each other are one family (`mt5`, `t5`)."""
    other = type_of_class(config.architecture)
    own = config.model_type
    if other is None or other in own or own in other or MODULES[other] == MODULES[own] not in TABLES:
        return ()
    return (f"architectures names {config.architecture}, a class of {other}: counted as model_type says, {own}",)


@cache
def type_of_class(architecture: str) -> str | None:
    """The known model type that a class is named after, or None."""
    known = {name.replace("_", "").replace("-", ""): name for name in MODULES}
    for end in ("ForCausalLM", "ForMaskedLM", "ForConditionalGeneration", "LMHeadModel", "Model"):
        if architecture.endswith(end) and (name := known.get(architecture.removesuffix(end).lower())):
            return name
    return None


def model_type_of(raw: Mapping[str, Any], prefix: str = "") -> str:
    """The model type a config names, or the one whose class it names in `architectures`.

    Raises:
        ConfigError: it names neither.
    """
    model_type = raw.get("model_type")
    if isinstance(model_type, str) and model_type:
        return model_type
    if model_type is not None:
        raise ConfigError(f"{prefix}model_type: must be a non-empty string, got {shown(model_type)}")
    classes = raw.get("architectures")
    first = classes[0] if isinstance(classes, list) and classes else None
    if isinstance(first, str) and (name := type_of_class(first)):
        return name
    raise ConfigError(f"{prefix}model_type: missing, and `architectures` does not tell which it is")
