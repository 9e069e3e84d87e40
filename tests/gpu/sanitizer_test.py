# SPDX-FileCopyrightText: 2026 The netra authors
# SPDX-License-Identifier: MIT
"""compute-sanitizer finds nothing in the persistent kernels of a small model; skipped, with the reason, where there is no GPU or no sanitizer."""
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(os.environ.get("NETRA_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[2]))
PROGRAM = pathlib.Path(os.environ.get("NETRA_BINARY_DIR", ROOT / "build"), "netra")
SKIP = 77
CLEAN = {"memcheck": "ERROR SUMMARY: 0 errors", "racecheck": "RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)"}


def main():
    sanitizer = shutil.which("compute-sanitizer") or shutil.which("/usr/local/cuda/bin/compute-sanitizer")
    if sanitizer is None:
        print("skipped: this machine has no compute-sanitizer")
        return SKIP
    # minutes of patience: a sanitized kernel runs a hundred times slower
    checks = [PROGRAM, "conformance", "--only", "tiny", "--checks", "logits,greedy,draws", "--greedy", "20", "--patience", "300000"]
    for tool, clean in CLEAN.items():
        more = ["--race-check"] if tool == "racecheck" else []
        done = subprocess.run([sanitizer, "--tool", tool, *map(str, checks), *more], capture_output=True, text=True, check=False)
        print(done.stdout, done.stderr, sep="")
        if done.returncode == SKIP:
            return SKIP
        assert done.returncode == 0, f"{tool}: exit status {done.returncode}"
        assert clean in done.stdout, f"{tool} does not say '{clean}'"
    return 0


if __name__ == "__main__":
    sys.exit(main())
