"""The configs that come with the package, by repository id."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

# Organisations that took over the models whose ids once had none (gpt2, bert-base-uncased, t5-small).
SUCCESSORS = (
    "openai-community",
    "google-bert",
    "google-t5",
    "FacebookAI",
    "distilbert",
    "albert",
    "almanach",
    "transfo-xl",
    "xlnet",
)


@cache
def root() -> Path:
    """The folder of bundled configs: inside the installed package, or beside it in a checkout."""
    package = Path(__file__).parent.parent
    inside = package / "configs"
    return inside if inside.is_dir() else package.parent / "configs"


def find(repo_id: str) -> Path | None:
    """The bundled config of a repository id, whatever the case of its letters."""
    exact = root() / f"{repo_id}.json"
    if exact.is_file() and root() in exact.resolve().parents:
        return exact
    wanted = repo_id.casefold()
    return next((path for name, path in entries() if name.casefold() == wanted), None)


def find_legacy(name: str) -> Path | None:
    """The bundled config of an id without an organisation, under the organisation that took it over."""
    return next((path for org in SUCCESSORS if (path := root() / org / f"{name}.json").is_file()), None)


def entries() -> Iterator[tuple[str, Path]]:
    """(repository id, path) of every bundled config, sorted."""
    for path in sorted(root().glob("*/*.json")):
        yield f"{path.parent.name}/{path.stem}", path
