"""What went wrong at the Hub, told by its own headers and by the exceptions of the HTTP client.

The Hub says the cause in X-Error-Code, not in the status: 401 is also its answer for a repository that does not exist.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from http import HTTPStatus

from ffncalc.errors import AccessDenied, NetworkError, NotFound, SourceError, nearest
from ffncalc.source import bundled

LOGIN = "`hf auth login` (or set HF_TOKEN)"
PORTAL = "A proxy, a log-in page of the network, or a wrong HF_ENDPOINT answers in its place."
NO_NETWORK = "Bundled configs and --offline need no network."
CLIENT = {"HTTPError", "InvalidURL", "OSError", "ValueError"}  # bases of what the HTTP client raises


class Silent(NetworkError):
    """A server that does not answer in time."""


def of_status(
    status: int, headers: Mapping[str, str], *, repo: str, revision: str, file: str, endpoint: str, token: bool
) -> SourceError:
    """The error for an answer of the Hub with a status of 400 or more."""
    code = headers.get("x-error-code", "")
    said = _one_line(headers.get("x-error-message", ""))
    if code == "GatedRepo":
        return _gated(status, repo, f"{endpoint}/{repo}", token)
    if code == "RepoNotFound":
        return _no_repository(status, repo, token)
    if code == "RevisionNotFound":
        return NotFound(
            f"{repo}: no revision {revision!r}", f"See the branches and tags on {endpoint}/{repo}/tree/main"
        )
    if code == "EntryNotFound":
        return NotFound(f"{repo}: no {file} at revision {revision!r}")
    if status == 429:
        return _too_many(headers, endpoint, token)
    if "html" in headers.get("content-type", "") or status in (407, 511):
        return not_the_hub(endpoint, f"answers {_named(status)} with a web page")
    if status == 401:
        sent = token or "credential" in said.lower()
        refused = "the token was not accepted" if sent else "access is refused, and no token was sent"
        return AccessDenied(f"{repo}: {refused}" + (f" ({said})" if said else ""), f"Run {LOGIN}.")
    if status == 403:
        return AccessDenied(f"{repo}: access is refused" + (f" ({said})" if said else ""), f"See {endpoint}/{repo}")
    if status in (404, 410):
        return NotFound(f"{repo}: {file} was not found on {endpoint} ({_named(status)})")
    text = f"{endpoint} answers {_named(status)}" + (f" ({said})" if said else "")
    return NetworkError(f"{repo}: {text}", "Try again later." if status >= 500 else "")


def _gated(status: int, repo: str, page: str, token: bool) -> AccessDenied:
    if status == 403:
        return AccessDenied(
            f"{repo}: gated, and your account has no access to it",
            f"Accept its licence on {page}, and wait until access is granted.",
        )
    with_token = ", and your token was not accepted" if token else ", and no token was sent"
    return AccessDenied(f"{repo}: gated{with_token}", f"Accept its licence on {page}, then run {LOGIN}.")


def _no_repository(status: int, repo: str, token: bool) -> NotFound:
    hint = meant(repo) or "Check the name. "
    if status in (401, 403):
        private = "make sure that your token may read it" if token else f"run {LOGIN}"
        return NotFound(f"{repo}: not found on the Hub, or private", f"{hint}If it is private, {private}.")
    return NotFound(f"{repo}: not found on the Hub", hint.strip())


def _too_many(headers: Mapping[str, str], endpoint: str, token: bool) -> NetworkError:
    wait = headers.get("retry-after", "").strip()
    if not wait and (found := re.search(r";\s*t\s*=\s*(\d+)", headers.get("ratelimit", ""))):
        wait = found[1]
    when = f" Try again in {wait} s." if wait.isdigit() else f" Try again after {_one_line(wait)}." if wait else ""
    hint = "Try again later." if not when else when.strip()
    more = "" if token else f" A token raises the limit: {LOGIN}."
    return NetworkError(f"{endpoint}: too many requests (429)", hint + more)


def not_the_hub(endpoint: str, what: str) -> NetworkError:
    """The error for an answer that the Hub would not give."""
    return NetworkError(f"{endpoint} {what}, which the Hub does not", PORTAL)


def of_exception(error: Exception, endpoint: str, timeout: float) -> SourceError | None:
    """The error for a request without an answer, by the names of the exception's classes; None for a fault of ours.

    They differ in package, not in name, between versions of huggingface_hub (requests, httpx and its forks).
    """
    kinds = {kind.__name__ for kind in type(error).__mro__}
    if not kinds & CLIENT:
        return None
    if "TimeoutException" in kinds:
        return silent(endpoint, timeout)
    if kinds & {"LocalProtocolError", "UnicodeEncodeError"}:  # their text would show the token
        return AccessDenied("the token holds characters that no token has", f"Set it again: {LOGIN}.")
    text = _one_line(str(error)) or type(error).__name__
    if "ProxyError" in kinds:
        return NetworkError(f"the proxy on the way to {endpoint} refuses: {text}", "Check HTTPS_PROXY and NO_PROXY.")
    if kinds & {"UnsupportedProtocol", "InvalidURL"}:
        return NetworkError(f"{endpoint}: not an address ({text})", "Check HF_ENDPOINT.")
    if kinds & {"RemoteProtocolError", "ReadError", "DecodingError", "WriteError"}:
        return NetworkError(f"{endpoint}: the answer broke off ({text})", "Try again.")
    if "TooManyRedirects" in kinds:
        return not_the_hub(endpoint, "redirects without end")
    return NetworkError(f"{endpoint} cannot be reached: {text}", NO_NETWORK)


def silent(endpoint: str, seconds: float) -> Silent:
    """The error for a server that does not answer in time."""
    return Silent(f"{endpoint} did not answer within {seconds:g} s", NO_NETWORK)


def silent_before(endpoint: str) -> Silent:
    """The error for a server that is not asked, since it did not answer just before."""
    return Silent(f"{endpoint} did not answer a moment ago, and is not asked again", NO_NETWORK)


def meant(repo: str) -> str:
    """The bundled configs that a repository id may stand for, as the start of a hint; "" where none is near."""
    if bundled.find(repo) or bundled.find_legacy(repo):
        return "Without --refresh and a revision the bundled config is read. "
    names = [name for name, _ in bundled.entries()]
    ends: dict[str, list[str]] = {}
    for name in names:
        ends.setdefault(name.rpartition("/")[2].casefold(), []).append(name)
    end = repo.rpartition("/")[2].casefold()
    base = max((name for name in ends if end.startswith(f"{name}-")), key=len, default=end)
    near = ends.get(base) or nearest(repo, names) or [name for found in nearest(end, ends) for name in ends[found]]
    if near:
        return f"Did you mean {' or '.join(near[:2])}? "
    held = len(end) > 2 and any(end in name.casefold() for name in names)
    return f"`ffncalc models {end}` lists bundled ones. " if held else ""


def _named(status: int) -> str:
    return f"{status} ({HTTPStatus(status).phrase})" if status in set(HTTPStatus) else str(status)


def _one_line(text: str) -> str:
    """A server's words: on one line, short, and without anything that looks like a token."""
    words = re.sub(r"hf_\w+|(?i:bearer)\s+\S+|(?<=//)[^/@\s]+@", "…", " ".join(text.split()))
    return words if len(words) <= 160 else words[:157] + "..."
