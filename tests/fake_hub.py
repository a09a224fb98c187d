"""A server on 127.0.0.1 that speaks the Hub's protocol, with the faults that networks and hubs have."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha1
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote

COMMIT = "0e9e39f249a16976918f6564b8830bc894c89659"
CONFIG = {
    "model_type": "llama",
    "architectures": ["LlamaForCausalLM"],
    "vocab_size": 1000,
    "hidden_size": 64,
    "intermediate_size": 176,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "tie_word_embeddings": False,
}
TOTAL = 220_480  # by hand: 2 × 64,000 for the tables, 2 × 46,208 per layer, 64 for the last norm


@dataclass(kw_only=True)
class Repo:
    """Files by name, at any of `revisions`; or a `fault` that answers in their place."""

    files: dict[str, bytes] = field(default_factory=dict)
    revisions: tuple[str, ...] = ("main", COMMIT, "v1.0", "refs/pr/3")
    fault: str = ""
    moved_to: str = ""
    card: dict[str, object] = field(default_factory=dict)
    listed: bool = True


@dataclass(kw_only=True)
class Hub:
    """The running server: its address, its repositories, and what it was asked."""

    url: str
    repos: dict[str, Repo] = field(default_factory=dict)
    asked: list[tuple[str, str]] = field(default_factory=list)
    tokens: list[str] = field(default_factory=list)
    closing: threading.Event = field(default_factory=threading.Event)

    def add(self, name: str, files: dict[str, object] | None = None, **more: object) -> None:
        """A repository; dictionaries become JSON files."""
        texts = {"config.json": CONFIG} if files is None else files
        data = {n: f if isinstance(f, bytes) else json.dumps(f).encode() for n, f in texts.items()}
        self.repos[name] = Repo(files=data, **more)  # type: ignore[arg-type]


@contextmanager
def running() -> Iterator[Hub]:
    """A Hub on a free port of 127.0.0.1 until the end of the block."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    hub = Hub(url=f"http://127.0.0.1:{server.server_address[1]}")
    server.hub = hub  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield hub
    finally:
        hub.closing.set()
        server.shutdown()
        server.server_close()
        thread.join()


class Handler(BaseHTTPRequestHandler):
    """GET and HEAD of /{id}/resolve/{revision}/{file}, GET of /api/models/{id}."""

    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:
        """Tests read what was asked from `Hub.asked`."""

    @property
    def hub(self) -> Hub:
        found: Hub = self.server.hub  # type: ignore[attr-defined]
        return found

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        self.hub.asked.append((self.command, self.path))
        if token := self.headers.get("Authorization"):
            self.hub.tokens.append(token)
        if self.path.startswith("/api/models/"):
            self.listing(self.path.removeprefix("/api/models/").partition("/revision/")[0])
            return
        if self.path.startswith("/portal"):
            self.answer(200, b"<html>Welcome to the hotel. Log in.</html>", {"Content-Type": "text/html"})
            return
        name, _, rest = self.path.partition("/resolve/")
        revision, _, file = rest.partition("/")
        self.resolve(name.strip("/"), unquote(revision), unquote(file))

    def listing(self, name: str) -> None:
        repo = self.hub.repos.get(name)
        if repo is None or not repo.listed:
            self.answer(404, b"{}", {"X-Error-Code": "RepoNotFound"})
            return
        info = {"id": name, "siblings": [{"rfilename": file} for file in repo.files], "cardData": repo.card}
        self.answer(200, json.dumps(info).encode(), {"Content-Type": "application/json"})

    def resolve(self, name: str, revision: str, file: str) -> None:
        repo = self.hub.repos.get(name)
        if repo is None:
            self.refuse(404, "RepoNotFound", "Repository not found")
        elif repo.fault:
            getattr(self, f"fault_{repo.fault}")()
        elif repo.moved_to:
            target = self.path.replace(name, repo.moved_to, 1)
            self.answer(307, b"", {"Location": target})
        elif revision not in repo.revisions:
            self.refuse(404, "RevisionNotFound", f"Invalid rev id: {revision}")
        elif file not in repo.files:
            self.refuse(404, "EntryNotFound", "Entry not found", {"X-Repo-Commit": COMMIT})
        else:
            body = repo.files[file]
            etag = {"ETag": f'"{sha1(body).hexdigest()}"', "X-Repo-Commit": COMMIT, "Content-Type": "text/plain"}
            self.answer(200, body, etag)

    def answer(self, status: int, body: bytes, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def refuse(self, status: int, code: str, message: str, headers: dict[str, str] | None = None) -> None:
        self.answer(status, b"", {"X-Error-Code": code, "X-Error-Message": message, **(headers or {})})

    def fault_private(self) -> None:
        self.refuse(401, "RepoNotFound", "Repository not found")

    def fault_gated(self) -> None:
        self.refuse(401, "GatedRepo", "Access to this model is restricted")

    def fault_gated_pending(self) -> None:
        self.refuse(403, "GatedRepo", "Your request is awaiting a review")

    def fault_bad_token(self) -> None:
        self.answer(401, b'{"error": "Invalid credentials"}', {"X-Error-Message": "Invalid credentials"})

    def fault_forbidden(self) -> None:
        self.answer(403, b"{}", {"X-Error-Message": "token hf_secretsecret lacks a right"})

    def fault_busy(self) -> None:
        self.answer(429, b"", {"Retry-After": "42"})

    def fault_broken(self) -> None:
        self.answer(500, b"", {"X-Error-Message": "Internal Error - We're working hard to fix this"})

    def fault_portal(self) -> None:
        self.answer(302, b"", {"Location": "/portal?from=hub"})

    def fault_proxy_page(self) -> None:
        self.answer(403, b"<html>blocked by your company</html>", {"Content-Type": "text/html; charset=utf-8"})

    def fault_truncated(self) -> None:
        self.send_response(200)
        self.send_header("X-Repo-Commit", COMMIT)
        self.send_header("Content-Length", "5000")
        self.end_headers()
        self.wfile.write(b'{"model_type": "llama",')
        self.close_connection = True

    def fault_silent(self) -> None:
        self.hub.closing.wait(30)
        self.close_connection = True

    def fault_trickle(self) -> None:
        self.send_response(200)
        self.send_header("X-Repo-Commit", COMMIT)
        self.send_header("Content-Length", "5000")
        self.end_headers()
        for _ in range(5000):
            if self.hub.closing.wait(0.05):
                break
            self.wfile.write(b" ")
            self.wfile.flush()

    def fault_loop(self) -> None:
        self.answer(302, b"", {"Location": self.path})
