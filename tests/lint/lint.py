# SPDX-FileCopyrightText: 2026 The netra authors
# SPDX-License-Identifier: MIT
"""What the lints share. A lint is a function from a tree to its findings, and small trees that it must accept or refuse."""
import os
import pathlib
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SKIPPED = ("build", ".git", ".cache", "__pycache__")


def files(root, *patterns):
    """The files below root that match one of the patterns, builds and the like left out, as (path, path from root)."""
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(f for f in folders if not f.startswith(SKIPPED))
        for name in sorted(names):
            path = pathlib.Path(folder, name)
            relative = path.relative_to(root)
            if not patterns or any(relative.match(p) for p in patterns):
                yield path, relative.as_posix()


def text(path):
    """The text of a file, or nothing where it is not text."""
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return ""


def finds(check, tree):
    """The findings of a lint on a tree given as {path: text}."""
    with tempfile.TemporaryDirectory() as folder:
        for name, content in tree.items():
            path = pathlib.Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content, encoding="utf-8")
        return list(check(pathlib.Path(folder)))


def main(check, good, bad):
    """Runs the lint on the repository or, with --self-test, on trees: each of `bad` must give a finding, `good` none."""
    if sys.argv[1:] == ["--self-test"]:
        wrong = [f"refused: {finding}" for finding in finds(check, good)]
        wrong += [f"accepted: {name}" for name, tree in bad.items() if not finds(check, {**good, **tree})]
        print("\n".join(wrong) or f"accepts a good tree, refuses {len(bad)} bad ones")
        sys.exit(1 if wrong or not bad else 0)
    findings = list(check(ROOT))
    print("\n".join(findings) or "nothing found")
    sys.exit(1 if findings else 0)
