"""The manifest of a built release: a SHA-256 for every file, and whether a folder is still what was built.

In: a folder that `release build` wrote. Refused, with ReleaseError that names the file: one that was changed, that is
missing, and a JSON file that the manifest does not list, for readers take every such file of a folder.
"""

import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from impossible_rubrics_env.release.errors import ReleaseError
from impossible_rubrics_env.release.files import plain, read_text
from impossible_rubrics_env.release.strict_json import parse

MANIFEST = "RELEASE_MANIFEST.json"
NAME = "impossible-rubrics release"
"""By its `name`, a manifest of ours: the published release has one of another form under the same file name."""
MAX_BYTES = 16 * 2**20
"""Longest manifest."""
_PATH = re.compile(r"(?:[A-Za-z0-9_-][A-Za-z0-9._-]*/)*[A-Za-z0-9_-][A-Za-z0-9._-]*", re.ASCII)
_DATA = (".json", ".jsonl")


def manifest_of(files: Mapping[str, str], about: Mapping[str, Any]) -> dict[str, Any]:
    """The manifest of files by path; `about` is what else it says."""
    return {
        "name": NAME,
        **about,
        "files": {path: sha256(text.encode("utf-8")) for path, text in sorted(files.items())},
    }


def manifest_text(manifest: Mapping[str, Any]) -> str:
    """The manifest's own file."""
    return json.dumps(manifest, indent=2, sort_keys=True) + "\n"


def sha256(content: bytes) -> str:
    """In hex."""
    return hashlib.sha256(content).hexdigest()


def is_ours(folder: Path) -> bool:
    """Whether the folder has a manifest of ours, or one that cannot be read and so tells nothing."""
    if not (folder / MANIFEST).exists():
        return False
    try:
        found = parse(read_text(folder / MANIFEST, MAX_BYTES))
    except ValueError:
        return True
    return isinstance(found, dict) and found.get("name") == NAME


def require_unchanged(folder: Path) -> None:
    """Raise ReleaseError where the folder is no built release, or a file of it is changed, missing or not listed."""
    hashes = _hashes(folder)
    for path, digest in hashes.items():
        if not (folder / path).is_file():
            raise ReleaseError(f"{plain(folder)}: {path}: {MANIFEST} lists it, but there is no such file")
        if sha256((folder / path).read_bytes()) != digest:
            raise ReleaseError(f"{plain(folder)}: {path}: not the file of {MANIFEST}, its SHA-256 is another")
    for file in sorted(folder.rglob("*")):
        path = file.relative_to(folder).as_posix()
        if file.suffix in _DATA and path != MANIFEST and path not in hashes:
            raise ReleaseError(f"{plain(folder)}: {plain(path)}: {MANIFEST} does not list it")


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest of a folder, as it stands there. Raises ReleaseError where it is none of ours."""
    try:
        found = parse(read_text(folder / MANIFEST, MAX_BYTES))
    except (FileNotFoundError, NotADirectoryError):
        raise ReleaseError(f"{plain(folder)}: no {MANIFEST}; it is no folder that `release build` wrote") from None
    except ValueError as error:
        raise ReleaseError(f"{plain(folder)}: {MANIFEST} cannot be read: {plain(error)}") from None
    if not isinstance(found, dict) or found.get("name") != NAME:
        raise ReleaseError(f"{plain(folder)}: {MANIFEST} is not one that `release build` wrote: name is not {NAME!r}")
    return found


def _hashes(folder: Path) -> dict[str, str]:
    hashes = read_manifest(folder).get("files")
    if not isinstance(hashes, dict) or not hashes:
        raise ReleaseError(f"{plain(folder)}: {MANIFEST} is not one that `release build` wrote: it has no files")
    for path in hashes:
        if not _PATH.fullmatch(path):
            raise ReleaseError(f"{plain(folder)}: {MANIFEST}: files: {plain(path)} is no path within the folder")
    return hashes
