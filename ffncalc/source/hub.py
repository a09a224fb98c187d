"""The Hub, asked once and within a bound, with huggingface_hub's session, token, endpoint and cache.

Its own download function is not used: it retries for minutes, prints, and reports every failure alike.
"""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar
from urllib.parse import quote, urlsplit

from ffncalc.errors import NetworkError, NotFound
from ffncalc.source import cache, folder, hub_errors, reading

TIMEOUT = 3.0  # seconds that a server may be silent
DEADLINE = 5.0  # seconds for all requests of one reference, name resolution included
PAUSE = 30.0  # seconds for which a server that was silent is not asked again: many references wait for it once

T = TypeVar("T")

_resting: dict[str, float] = {}  # endpoint → when it may be asked again


@dataclass(frozen=True, kw_only=True)
class Fetched:
    """A config from the Hub or its cache: bytes, `source` (hub, cache), commit, and the file in the repository."""

    data: bytes
    source: str
    commit: str | None
    file: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What came back for one address. `headers` are those of all hops, in lower case; the last hop wins."""

    status: int
    headers: dict[str, str]
    body: bytes
    path: str  # of the last hop that names a repository


def fetch(repo_id: str, revision: str | None, file: str | None = None, *, offline: bool = False) -> Fetched:
    """The config of a repository: from the Hub, or from the cache when offline or when the Hub cannot be asked.

    Raises:
        SourceError: with the cause that the server names.
        FileError: the repository holds something else than a model.
    """
    if offline or _offline():
        if (found := _cached(repo_id, revision, file)) is None:
            raise _not_cached(repo_id, revision, offline)
        return found
    if revision and cache.COMMIT.fullmatch(revision) and (found := _cached(repo_id, revision, file)):
        return found
    repository = Repository(repo_id, revision)
    try:
        return _ask(repository, file)
    except NetworkError as error:
        if (found := _cached(repo_id, revision, file, f"the Hub could not be asked ({error.message})")) is None:
            error.hint = hub_errors.meant(repo_id) + error.hint
            raise
        return found


@dataclass(kw_only=True)
class Repository:
    """One repository at one revision, asked file by file until `ends`."""

    repo_id: str = field(kw_only=False)
    revision: str | None = field(kw_only=False)
    endpoint: str = field(default_factory=lambda: _endpoint())
    ends: float = field(default_factory=lambda: time.monotonic() + DEADLINE)

    def config(self, file: str | None) -> Fetched:
        """The config, whichever file it is."""
        if file is not None:
            return self.file(file)
        answer = self.get(self.address("config.json"))
        if answer.headers.get("x-error-code") != "EntryNotFound":
            return self.fetched(answer, "config.json")
        names, base = self.listing()
        missing = [name for name in names if name != "config.json"]
        return self.file(folder.config_in(missing, lambda name: self.file(name).data, self.repo_id, base))

    def file(self, name: str) -> Fetched:
        """One file."""
        return self.fetched(self.get(self.address(name)), name)

    def fetched(self, answer: Answer, name: str) -> Fetched:
        """The file in an answer, kept in the cache."""
        self.check(answer, name)
        commit = answer.headers.get("x-repo-commit")
        if commit is None and answer.body.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] not in (b"{", b"["):
            raise hub_errors.not_the_hub(self.endpoint, "answers with something else than the file")
        etag = (answer.headers.get("x-linked-etag") or answer.headers.get("etag", "")).removeprefix("W/").strip('"')
        if commit and len(answer.body) <= reading.LIMIT:
            cache.keep(self.repo_id, name, self.revision, commit, etag, answer.body)
        return Fetched(data=answer.body, source="hub", commit=commit, file=name, notes=self.moved(answer))

    def moved(self, answer: Answer) -> tuple[str, ...]:
        """A note where the repository has another name by now."""
        there = re.match(r".*?/([^/]+(?:/[^/]+)?)/resolve/", answer.path)
        name = there[1] if there else self.repo_id
        return () if name.casefold() == self.repo_id.casefold() else (f"{self.repo_id} has moved to {name}",)

    def listing(self) -> tuple[list[str], str]:
        """The names of all files, and the model it was made from ("" when not known)."""
        at = f"/revision/{quote(self.revision, safe='')}" if self.revision else ""
        answer = self.get(f"{self.endpoint}/api/models/{self.repo_id}{at}")
        try:
            info = json.loads(answer.body) if answer.status < 400 else {}
            names = [str(entry["rfilename"]) for entry in info.get("siblings", [])]
            base = (info.get("cardData") or {}).get("base_model", "")
        except (ValueError, TypeError, KeyError, AttributeError):  # no listing: look for what there may be
            names, base = [], ""
        if not names:
            found = ((name, self.get(self.address(name)).status) for name in folder.MARKERS)
            names = [name for name, status in found if status < 400]
        first = base[0] if isinstance(base, list) and base else base
        return names, first if isinstance(first, str) else ""

    def address(self, name: str) -> str:
        """Where a file is."""
        revision = quote(self.revision or "main", safe="")
        return f"{self.endpoint}/{self.repo_id}/resolve/{revision}/{quote(name)}"

    def check(self, answer: Answer, name: str) -> None:
        """Raise what the status says."""
        if answer.status >= 400:
            raise hub_errors.of_status(
                answer.status,
                answer.headers,
                repo=self.repo_id,
                revision=self.revision or "main",
                file=name,
                endpoint=_public(self.endpoint),
                token=_token() is not None,
            )

    def get(self, url: str) -> Answer:
        """One request, without retries."""
        from huggingface_hub import get_session

        try:
            session: Any = get_session()
            with session.stream("GET", url, headers=_headers(), timeout=TIMEOUT, follow_redirects=True) as response:
                body = b""
                for chunk in response.iter_bytes(65536):
                    body += chunk
                    if len(body) > reading.LIMIT or time.monotonic() > self.ends:
                        break
                hops = [*response.history, response]
        except Exception as error:  # the client's classes differ between versions of huggingface_hub
            if (told := hub_errors.of_exception(error, _public(self.endpoint), TIMEOUT)) is None:
                raise
            raise told from None
        if time.monotonic() > self.ends:
            raise hub_errors.silent(_public(self.endpoint), DEADLINE)
        merged = {name.lower(): value for hop in hops for name, value in hop.headers.items()}
        paths = [str(hop.url.path) for hop in hops if "/resolve/" in str(hop.url.path)]
        return Answer(status=hops[-1].status_code, headers=merged, body=body, path=paths[-1] if paths else "")


def _ask(repository: Repository, file: str | None) -> Fetched:
    """The config of a repository; an error at once where the server was silent just before."""
    endpoint = repository.endpoint
    if time.monotonic() < _resting.get(endpoint, 0.0):
        raise hub_errors.silent_before(_public(endpoint))
    try:
        return _within(DEADLINE, lambda: repository.config(file), endpoint)
    except hub_errors.Silent:
        _resting[endpoint] = time.monotonic() + PAUSE
        raise


def _within(seconds: float, work: Callable[[], T], endpoint: str) -> T:
    """The result of `work`, or a NetworkError when it takes longer: name resolution cannot be bounded otherwise."""
    done: list[T] = []
    failed: list[BaseException] = []

    def run() -> None:
        try:
            done.append(work())
        except BaseException as error:  # handed to the waiting thread
            failed.append(error)

    thread = threading.Thread(target=run, daemon=True, name="ffncalc-hub")
    thread.start()
    thread.join(seconds)
    if failed:
        raise failed[0]
    if not done:
        raise hub_errors.silent(_public(endpoint), seconds)
    return done[0]


def _cached(repo_id: str, revision: str | None, file: str | None, why: str = "") -> Fetched | None:
    for name in (file,) if file else ("config.json", "params.json"):
        if found := cache.find(repo_id, name, revision):
            notes = (f"{why}: this is the cached copy",) if why else ()
            return Fetched(data=found[0], source="cache", commit=found[1], file=name, notes=notes)
    return None


def _not_cached(repo_id: str, revision: str | None, asked: bool) -> NotFound:
    at = f" at revision {revision!r}" if revision else ""
    why = "--offline was given" if asked else "offline mode is on (HF_HUB_OFFLINE)"
    return NotFound(
        f"{repo_id}: {why}, and its config{at} is not in the cache",
        f"{hub_errors.meant(repo_id)}Run it once with the network.",
    )


def _offline() -> bool:
    from huggingface_hub import constants

    return bool(constants.HF_HUB_OFFLINE)


def _endpoint() -> str:
    from huggingface_hub import constants

    return constants.ENDPOINT


def _token() -> str | None:
    """The token to send: HF_TOKEN or the stored one, unless the user forbids that."""
    from huggingface_hub import constants, get_token

    return None if constants.HF_HUB_DISABLE_IMPLICIT_TOKEN else get_token()


def _headers() -> dict[str, str]:
    """Our own: huggingface_hub's would first ask the Hub which agents it knows, and send what runs here."""
    import huggingface_hub

    import ffncalc

    headers = {"user-agent": f"ffncalc/{ffncalc.__version__}; hf_hub/{huggingface_hub.__version__}"}
    token = _token()
    return headers | {"authorization": f"Bearer {token}"} if token else headers


def _public(endpoint: str) -> str:
    """The endpoint without a user name and password."""
    url = urlsplit(endpoint)
    return f"{url.scheme}://{url.netloc.rpartition('@')[2]}" if url.netloc else endpoint
