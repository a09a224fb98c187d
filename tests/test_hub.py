"""The Hub: found, cached, moved, and every way in which it fails, against a server that speaks its protocol."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import huggingface_hub
import pytest
from huggingface_hub import constants
from huggingface_hub.utils import _http as hub_http

import ffncalc
from ffncalc import source
from ffncalc.errors import AccessDenied, FfncalcError, FileError, NetworkError, NotFound
from ffncalc.source import hub, hub_errors
from tests import fake_hub
from tests.fake_hub import COMMIT, TOTAL, Hub

SECRET = "hf_abcdefghijklmnopqrstuvwxyz"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Hub]:
    """A Hub with an empty cache and no token; huggingface_hub reads its environment when it is imported."""
    monkeypatch.setattr(hub, "_resting", {})  # the port may have been that of a server that was silent
    with fake_hub.running() as running:
        monkeypatch.setattr(constants, "ENDPOINT", running.url)
        template = running.url + "/{repo_id}/resolve/{revision}/{filename}"
        monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", template)
        monkeypatch.setattr(constants, "HF_HUB_DISABLE_TELEMETRY", True)
        monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
        monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
        monkeypatch.setattr(constants, "HF_TOKEN_PATH", str(tmp_path / "token"))
        for name in ("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN"):
            monkeypatch.delenv(name, raising=False)
        yield running
        hub_http.close_session()


def test_a_config_is_fetched_with_its_commit(server: Hub) -> None:
    server.add("org/name")
    model = ffncalc.load("org/name")
    assert ffncalc.params(model).total == TOTAL
    assert str(model.origin) == "hub @ 0e9e39f"
    assert server.asked == [("GET", "/org/name/resolve/main/config.json")]


@pytest.mark.parametrize("revision", ["v1.0", "refs/pr/3", COMMIT])
def test_a_revision_is_asked_for(server: Hub, revision: str) -> None:
    server.add("org/name")
    assert source.load("org/name", revision=revision).origin.revision == COMMIT
    assert source.load(f"org/name@{revision}").raw == fake_hub.CONFIG


def test_what_was_fetched_is_found_by_huggingface_hub_and_offline(server: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    server.add("org/name")
    source.load("org/name")
    path = huggingface_hub.hf_hub_download("org/name", "config.json", local_files_only=True)
    assert json.loads(Path(path).read_bytes()) == fake_hub.CONFIG
    asked = len(server.asked)
    assert str(source.load("org/name", offline=True).origin) == "cache @ 0e9e39f"
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    assert str(source.load("org/name").origin) == "cache @ 0e9e39f"
    assert len(server.asked) == asked


def test_what_huggingface_hub_fetched_is_found_offline(server: Hub) -> None:
    server.add("org/name")
    huggingface_hub.hf_hub_download("org/name", "config.json")
    loaded = source.load("org/name", offline=True)
    assert (loaded.raw, str(loaded.origin)) == (fake_hub.CONFIG, "cache @ 0e9e39f")


def test_a_cached_commit_needs_no_request(server: Hub) -> None:
    server.add("org/name")
    source.load("org/name")
    server.asked.clear()
    assert str(source.load(f"org/name@{COMMIT}").origin) == "cache @ 0e9e39f"
    assert not server.asked


@pytest.mark.parametrize("fault", ["broken", "busy", "portal", "truncated"])
def test_the_cache_stands_in_for_a_hub_that_fails(server: Hub, fault: str) -> None:
    server.add("org/name")
    source.load("org/name")
    server.repos["org/name"].fault = fault
    loaded = source.load("org/name")
    assert str(loaded.origin) == "cache @ 0e9e39f"
    assert "cached copy" in loaded.notes[0]


def test_the_cache_does_not_stand_in_for_a_repository_that_is_gone(server: Hub) -> None:
    server.add("org/name")
    source.load("org/name")
    del server.repos["org/name"]
    with pytest.raises(NotFound):
        source.load("org/name")


def test_a_newer_commit_replaces_the_cached_one(server: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    server.add("org/name")
    source.load("org/name")
    newer = "f" * 40
    monkeypatch.setattr(fake_hub, "COMMIT", newer)
    server.add("org/name", {"config.json": fake_hub.CONFIG | {"num_hidden_layers": 3}})
    assert source.load("org/name").raw["num_hidden_layers"] == 3
    assert source.load("org/name", offline=True).origin.revision == newer
    assert source.load("org/name", revision=COMMIT, offline=True).raw["num_hidden_layers"] == 2


def test_a_cache_that_cannot_be_written_is_no_error(server: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    server.add("org/name")
    monkeypatch.setattr(constants, "HF_HUB_CACHE", "/proc/nowhere")
    assert source.load("org/name").raw == fake_hub.CONFIG


def test_a_moved_repository_is_followed_and_said(server: Hub) -> None:
    server.add("org/new")
    server.add("org/old", {}, moved_to="org/new")
    loaded = source.load("org/old")
    assert loaded.raw == fake_hub.CONFIG
    assert loaded.notes == ("org/old has moved to org/new",)


def test_params_json_is_read_where_there_is_no_config(server: Hub) -> None:
    dims = {"dim": 64, "n_layers": 2, "head_dim": 16, "hidden_dim": 176, "n_heads": 4, "n_kv_heads": 2}
    server.add("org/native", {"params.json": dims | {"vocab_size": 1000}, "tokenizer.model": b"x"})
    model = ffncalc.load("org/native")
    assert ffncalc.params(model).total == TOTAL
    assert model.origin.path == "params.json"
    assert ffncalc.load("org/native", offline=True).origin.path == "params.json"


def test_sentence_transformers_lead_to_their_transformer(server: Hub) -> None:
    modules = [{"idx": 0, "path": "0_Transformer", "type": "sentence_transformers.models.Transformer"}]
    server.add("org/embed", {"modules.json": modules, "0_Transformer/config.json": fake_hub.CONFIG})
    assert source.load("org/embed").origin.path == "0_Transformer/config.json"


@pytest.mark.parametrize("listed", [True, False], ids=["listed", "not listed"])
def test_a_lora_adapter_names_its_base(server: Hub, listed: bool) -> None:
    adapter = {"peft_type": "LORA", "base_model_name_or_path": "org/base-7b"}
    server.add("org/lora", {"adapter_config.json": adapter, "README.md": b"#"}, listed=listed)
    with pytest.raises(FileError, match=r"LoRA adapter[\s\S]*org/base-7b"):
        source.load("org/lora")


def test_a_diffusers_pipeline_is_named(server: Hub) -> None:
    server.add("org/sd", {"model_index.json": {"_class_name": "StableDiffusionPipeline"}})
    with pytest.raises(FileError, match="diffusers pipeline"):
        source.load("org/sd")


def test_a_gguf_repository_names_its_files_and_the_base(server: Hub) -> None:
    server.add("org/name-GGUF", {"b-Q8.gguf": b"GGUF", "a-Q4.gguf": b"GGUF"}, card={"base_model": ["org/name"]})
    with pytest.raises(FileError, match=r"GGUF files \(a-Q4.gguf and 1 more\)[\s\S]*base model: org/name"):
        source.load("org/name-GGUF")


def test_a_repository_without_config_says_what_it_holds(server: Hub) -> None:
    server.add("org/text", {"README.md": b"#", "data.csv": b"1"})
    with pytest.raises(NotFound, match=r"no config.json; it holds README.md, data.csv"):
        source.load("org/text")


FAILURES: list[tuple[str, type[FfncalcError], str]] = [
    ("private", NotFound, r"not found on the Hub, or private[\s\S]*hf auth login"),
    ("gated", AccessDenied, r"gated, and no token was sent[\s\S]*Accept its licence on http\S+/org/name[\s\S]*hf auth"),
    ("gated_pending", AccessDenied, r"gated, and your account has no access[\s\S]*Accept its licence"),
    ("bad_token", AccessDenied, r"token was not accepted[\s\S]*hf auth login"),
    ("forbidden", AccessDenied, r"access is refused"),
    ("busy", NetworkError, r"too many requests \(429\)[\s\S]*in 42 s"),
    ("broken", NetworkError, r"500 \(Internal Server Error\)"),
    ("portal", NetworkError, r"something else than the file[\s\S]*log-in page"),
    ("proxy_page", NetworkError, r"403 \(Forbidden\) with a web page[\s\S]*proxy"),
    ("truncated", NetworkError, r"broke off"),
    ("loop", NetworkError, r"redirects without end"),
]


@pytest.mark.parametrize(("fault", "kind", "text"), FAILURES, ids=[row[0] for row in FAILURES])
def test_a_failure_is_told_by_its_cause_at_once(
    server: Hub, fault: str, kind: type[FfncalcError], text: str, capfd: pytest.CaptureFixture[str]
) -> None:
    server.add("org/name", fault=fault)
    start = time.monotonic()
    with pytest.raises(kind, match=text) as caught:
        source.load("org/name")
    assert time.monotonic() - start < 3
    assert len(str(caught.value).splitlines()) <= 3
    assert capfd.readouterr() == ("", "")


def test_a_missing_repository_is_not_found_and_the_nearest_bundled_one_named(server: Hub) -> None:
    with pytest.raises(NotFound, match=r"not found on the Hub[\s\S]*Did you mean meta-llama/Llama-3.1-8B or "):
        source.load("meta-llama/Llama-3.1-8")


MEANT = [
    ("Llama-3.1-8B", "Did you mean meta-llama/Llama-3.1-8B? "),
    ("llama-3.1-8b", "Did you mean meta-llama/Llama-3.1-8B? "),
    ("meta-llama/Llama-3.1-8B-Instruct", "Did you mean meta-llama/Llama-3.1-8B? "),
    ("llama", "`ffncalc models llama` lists bundled ones. "),
    ("someone/Llama-3.1-8B", "Did you mean meta-llama/Llama-3.1-8B? "),
    ("deepseek-v3.5", "Did you mean deepseek-ai/DeepSeek-V3."),
    ("meta-llama/Llama-3.1-8B", "Without --refresh and a revision the bundled config is read. "),
    ("org/something-else-altogether", ""),
    ("org/b1", ""),
]


@pytest.mark.parametrize(("name", "hint"), MEANT, ids=[row[0] for row in MEANT])
def test_what_may_be_meant_is_said_wherever_a_config_is_not_had(
    server: Hub, monkeypatch: pytest.MonkeyPatch, name: str, hint: str
) -> None:
    asked: list[tuple[str, str, bool]] = [
        ("not found on the Hub", name, False),
        ("not in the cache", name, True),
        ("cannot be reached", f"{name}@v1", False),
    ]
    for raised, ref, offline in asked:
        if raised == "cannot be reached":
            monkeypatch.setattr(constants, "ENDPOINT", "http://127.0.0.1:9")  # the discard port: nobody listens
        with pytest.raises(FfncalcError, match=raised) as caught:
            source.load(ref, refresh=True, offline=offline)
        assert caught.value.hint.startswith(hint.strip() or ("Check", "Run", "Bundled"))


def test_a_missing_revision_is_named(server: Hub) -> None:
    server.add("org/name")
    with pytest.raises(NotFound, match=r"org/name: no revision 'v9'"):
        source.load("org/name@v9")


def test_a_refused_connection_is_said(server: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound, not listening: a connection is refused
        monkeypatch.setattr(constants, "ENDPOINT", f"http://127.0.0.1:{taken.getsockname()[1]}")
        with pytest.raises(NetworkError, match="cannot be reached"):
            source.load("org/name")


def test_an_unknown_host_is_said(server: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(constants, "ENDPOINT", "http://hub.invalid")
    with pytest.raises(NetworkError, match=r"hub\.invalid"):
        source.load("org/name")


@pytest.mark.parametrize("fault", ["silent", "trickle"])
def test_a_silent_or_slow_server_is_given_up(server: Hub, monkeypatch: pytest.MonkeyPatch, fault: str) -> None:
    server.add("org/name", fault=fault)
    monkeypatch.setattr(hub, "TIMEOUT", 0.3)
    monkeypatch.setattr(hub, "DEADLINE", 0.6)
    with pytest.raises(NetworkError, match="did not answer within"):
        source.load("org/name")


def test_many_references_wait_for_a_silent_server_once(server: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    names = [f"org/name-{i}" for i in range(20)]
    for name in names:
        server.add(name, fault="silent")
    monkeypatch.setattr(hub, "TIMEOUT", 0.5)
    start = time.monotonic()
    with pytest.raises(NetworkError, match=r"did not answer within 0\.5 s"):
        source.load(names[0])
    for name in names[1:]:
        with pytest.raises(NetworkError, match="did not answer a moment ago, and is not asked again"):
            source.load(name)
    assert time.monotonic() - start < 5  # of 10 if each waited
    assert len(server.asked) == 1


def test_a_server_that_was_silent_is_asked_again_later(server: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    server.add("org/name", fault="silent")
    monkeypatch.setattr(hub, "TIMEOUT", 0.2)
    monkeypatch.setattr(hub, "PAUSE", 0.0)
    with pytest.raises(NetworkError):
        source.load("org/name")
    server.repos["org/name"].fault = ""
    assert source.load("org/name").origin.source == "hub"


def test_a_silent_server_is_given_up_within_ten_seconds(server: Hub) -> None:
    server.add("org/name", fault="silent")
    start = time.monotonic()
    with pytest.raises(NetworkError, match="did not answer within 3 s"):
        source.load("org/name")
    assert time.monotonic() - start < 10


def test_everything_together_is_bounded_below_ten_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    assert hub.TIMEOUT <= hub.DEADLINE < 6  # leaves time to start on a slow machine
    monkeypatch.setattr(hub, "DEADLINE", 0.2)
    start = time.monotonic()
    with pytest.raises(NetworkError, match=r"did not answer within 0\.2 s"):
        hub._within(0.2, lambda: time.sleep(1), "http://somewhere")  # as a name server that is down would
    assert time.monotonic() - start < 0.9


@pytest.mark.parametrize("env", [False, True], ids=["--offline", "HF_HUB_OFFLINE"])
def test_offline_without_a_cached_copy_is_said_without_asking(
    server: Hub, monkeypatch: pytest.MonkeyPatch, env: bool
) -> None:
    server.add("org/name")
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", env)
    with pytest.raises(NotFound, match=r"(--offline was given|HF_HUB_OFFLINE).*not in the cache"):
        source.load("org/name", offline=not env)
    assert not server.asked


def test_bundled_configs_are_not_asked_for_unless_wanted(server: Hub) -> None:
    server.add("meta-llama/Llama-3.1-8B")
    assert source.load("meta-llama/Llama-3.1-8B").origin.source == "bundled"
    assert not server.asked
    assert source.load("meta-llama/Llama-3.1-8B", refresh=True).origin.source == "hub"
    assert source.load("meta-llama/Llama-3.1-8B", revision="main").origin.source == "hub"


@pytest.mark.parametrize("fault", ["", *(row[0] for row in FAILURES)])
def test_the_token_is_sent_and_never_shown(
    server: Hub, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], fault: str
) -> None:
    monkeypatch.setenv("HF_TOKEN", SECRET)
    server.add("org/name", fault=fault)
    shown = ""
    try:
        shown = repr(source.load("org/name"))
    except FfncalcError as error:
        shown = f"{error}{error!r}{error.__cause__}"
    assert server.tokens[0] == f"Bearer {SECRET}"
    assert SECRET not in shown + "".join(capfd.readouterr())
    assert "hf_secretsecret" not in shown


def test_a_broken_token_is_said_and_not_shown(server: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_abc\u2019def")
    server.add("org/name")
    with pytest.raises(AccessDenied, match="token holds characters") as caught:
        source.load("org/name")
    assert "abc" not in str(caught.value)
    assert caught.value.__cause__ is None


def test_a_header_that_the_client_refuses_is_not_shown() -> None:
    class LocalProtocolError(OSError):
        """As httpx calls it; its text holds the header."""

    error = hub_errors.of_exception(LocalProtocolError(f"Illegal header value b'Bearer {SECRET}'"), "http://x", 1)
    assert SECRET not in str(error)


def test_a_file_that_is_too_long_is_refused(server: Hub) -> None:
    server.add("org/long", {"config.json": b'{"a": "' + b"x" * (9 * 2**20) + b'"}'})
    with pytest.raises(FileError, match="longer than 8 MB"):
        source.load("org/long")


def test_an_empty_and_a_wrong_file_are_named(server: Hub) -> None:
    server.add("org/empty", {"config.json": b""})
    server.add("org/lfs", {"config.json": b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 3\n"})
    with pytest.raises(FileError, match=r"org/empty/config\.json: the file is empty"):
        source.load("org/empty")
    with pytest.raises(FileError, match="Git LFS pointer"):
        source.load("org/lfs")


def test_a_pasted_address_of_a_mirror_is_read(server: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", server.url)
    server.add("org/name")
    assert source.load(f"{server.url}/org/name/blob/v1.0/config.json").origin.revision == COMMIT


@pytest.mark.parametrize(("token", "words"), [(True, "the token was not accepted"), (False, "no token was sent")])
def test_a_bare_401_says_whether_a_token_was_sent(token: bool, words: str) -> None:
    error = hub_errors.of_status(
        401, {}, repo="org/name", revision="main", file="config.json", endpoint="http://hub", token=token
    )
    assert isinstance(error, AccessDenied)
    assert words in error.message
