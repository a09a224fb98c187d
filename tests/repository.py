"""Git repositories and small configs for tests."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

# embedding and head 10 × 8 each, attention 4 × 8 × 8, FFN 3 × 8 × 16, three norms of 8
TINY: dict[str, Any] = {
    "architectures": ["LlamaForCausalLM"],
    "model_type": "llama",
    "vocab_size": 10,
    "hidden_size": 8,
    "intermediate_size": 16,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "num_key_value_heads": 2,
    "max_position_embeddings": 64,
    "tie_word_embeddings": False,
    "dtype": "bfloat16",
}
TOTAL = 2 * 80 + 256 + 384 + 24


def save(path: Path, **changes: Any) -> Path:
    """TINY with some fields changed, as a file; folders are made."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(TINY | changes, indent=2) + "\n", encoding="utf-8")
    return path


def git(folder: Path, *args: str) -> str:
    """Run git in a folder, whatever the machine's own settings are."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
    env = clean | {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    names = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "commit.gpgsign=false")
    done = subprocess.run(["git", *names, *args], cwd=folder, env=env, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def commit(folder: Path, message: str = "change") -> str:
    """Commit everything in a folder, a repository or not yet one; gives the commit's name."""
    if not (folder / ".git").exists():
        git(folder, "init", "--quiet", "--initial-branch=main")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", message)
    return git(folder, "rev-parse", "HEAD")
