# SPDX-FileCopyrightText: 2026 The netra authors
# SPDX-License-Identifier: MIT
"""What may lie in the root, and how large a file may be."""
import subprocess

import lint

ROOT_FILES = {
    ".clang-format", ".gitignore", "CHANGELOG.md", "CITATION.cff", "CMakeLists.txt", "CMakePresets.json", "CONTRIBUTING.md", "LICENSE",
    "Makefile", "README.md", "SECURITY.md",
}
ROOT_FOLDERS = {".ci", "benchmarks", "cmake", "docs", "examples", "include", "tests", "tools"}
LARGEST_BYTES = 1 << 20


def listed(root):
    """The files that belong to the tree: what git tracks, or all of them outside a checkout."""
    if (root / ".git").exists():
        run = subprocess.run(["git", "-c", "safe.directory=*", "ls-files", "-z"], cwd=root, stdout=subprocess.PIPE, check=True)
        return [name for name in run.stdout.decode().split("\0") if name]
    return [name for _, name in lint.files(root)]


def check(root):
    for name in listed(root):
        first, _, rest = name.partition("/")
        if rest and first not in ROOT_FOLDERS:
            yield f"{name}: the root has no folder {first} (tests/lint/tree.py)"
        if not rest and first not in ROOT_FILES:
            yield f"{name}: the root has no such file (tests/lint/tree.py)"
        path = root / name
        if path.is_file() and path.stat().st_size > LARGEST_BYTES:
            yield f"{name}: {path.stat().st_size} bytes; at most {LARGEST_BYTES}"


if __name__ == "__main__":
    lint.main(
        check,
        good={"README.md": "", "docs/start.md": ""},
        bad={
            "file": {"notes.txt": ""},
            "folder": {"scratch/a.cpp": ""},
            "large": {"docs/a.md": "x" * (LARGEST_BYTES + 1)},
        },
    )
