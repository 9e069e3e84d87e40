#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The netra authors
# SPDX-License-Identifier: MIT
"""measure.py [FILE...]: seconds and peak memory of compiling each file here, and the demo (built in build/), with g++ and clang 19."""
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
COMPILERS = ("g++", "clang++-19")
REPEATS = 3


def build_options(file):
    """How build/ compiles the file: headers that are generated there, and the machine, which decides what kernels are made of."""
    commands = ROOT / "build" / "compile_commands.json"
    for entry in json.loads(commands.read_text()) if commands.exists() else []:
        if pathlib.Path(entry["file"]) == file:
            return [word for word in shlex.split(entry["command"]) if word.startswith(("-I", "-m"))]
    return [f"-I{ROOT / 'include'}"]


def measure(compiler, file):
    """Best seconds and largest process in MB of a few compilations; None where the compiler refuses."""
    best, largest = float("inf"), 0
    with tempfile.TemporaryDirectory() as scratch:
        for _ in range(REPEATS):
            process = subprocess.Popen(
                [compiler, "-std=c++20", "-O2", "-ffp-contract=off", *build_options(file), "-c", str(file), "-o", f"{scratch}/out.o"])
            _, status, usage = os.wait4(process.pid, 0)
            if status != 0:
                return None
            best = min(best, usage.ru_utime + usage.ru_stime)
            largest = max(largest, usage.ru_maxrss / 1024)
    return best, largest


def main():
    files = [pathlib.Path(f) for f in sys.argv[1:]] or [*sorted(HERE.glob("*.cpp")), *ROOT.glob("examples/smollm2.cpp")]
    failed = False
    print(f"{'file':32} {'compiler':12} {'CPU s':>8} {'peak MB':>8}")
    for file in files:
        for compiler in COMPILERS:
            if shutil.which(compiler) is None:
                print(f"{file.name:32} {compiler:12} {'not installed':>17}")
                continue
            result = measure(compiler, file)
            failed |= result is None
            print(f"{file.name:32} {compiler:12} {'refused':>17}" if result is None else f"{file.name:32} {compiler:12} {result[0]:8.2f} {result[1]:8.0f}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
