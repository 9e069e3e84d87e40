# SPDX-FileCopyrightText: 2026 The netra authors
# SPDX-License-Identifier: MIT
"""The compilers that compile-time tests run on."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SKIP = 77  # ctest shows such a test as skipped

COMMANDS = {
    "g++": ["g++"],
    "clang-14": ["clang++-14"],
    "clang-19": ["clang++-19"],
    "nvcc": ["nvcc", "-x", "cu"],
}
WARNINGS = ["-Wall", "-Wextra"]


class Compiler:
    def __init__(self, name, command):
        self.name = name
        self.command = command

    def compile(self, file, to="-c"):
        """Compiles one file to nothing; returns whether it was accepted and what the compiler said."""
        with tempfile.TemporaryDirectory() as scratch:
            warnings = [] if self.name == "nvcc" else WARNINGS
            run = subprocess.run(
                self.command + ["-std=c++20", *warnings, f"-I{ROOT / 'include'}", to, str(file), "-o", f"{scratch}/out.o"],
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", cwd=ROOT,
                env={**os.environ, "LC_ALL": "C"}, check=False)
        return run.returncode == 0, run.stdout

    def version(self):
        """As in 12.2.0."""
        said = subprocess.run([self.command[0], "--version"], capture_output=True, text=True, check=True).stdout
        found = re.search(r"\bV(\d+\.\d+\.\d+)" if self.name == "nvcc" else r"\b(\d+\.\d+\.\d+)\b", said)
        return found[1] if found else "unknown"


def find(name):
    """The compiler of that name; ends the script as skipped where the machine has none."""
    command = COMMANDS[name]
    path = os.environ.get("PATH", "") + os.pathsep + "/usr/local/cuda/bin"
    program = shutil.which(command[0], path=path)
    if program is None:
        print(f"skipped: this machine has no {command[0]}")
        sys.exit(SKIP)
    return Compiler(name, [program, *command[1:]])
