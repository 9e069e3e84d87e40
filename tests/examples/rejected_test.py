# SPDX-FileCopyrightText: 2026 The netra authors
# SPDX-License-Identifier: MIT
"""examples/rejected.cpp is refused with -DSHOW_REFUSAL, in the very words that it quotes; the quote is g++ 12's."""
import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import compilers

EXAMPLE = compilers.ROOT / "examples" / "rejected.cpp"
QUOTE = re.compile(r"^// REJECTED .*g\+\+ 12 .*\n//\n((?:// .*\n)+)", re.M)


def compile_example(compiler, *options):
    run = subprocess.run(
        [*compiler.command, "-std=c++20", "-Iinclude", "-fsyntax-only", *options, str(EXAMPLE.relative_to(compilers.ROOT))],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=compilers.ROOT, env={**os.environ, "LC_ALL": "C"}, check=False)
    return run.returncode == 0, run.stdout


def main():
    compiler = compilers.find("g++")
    quoted = QUOTE.search(EXAMPLE.read_text())
    assert quoted, f"{EXAMPLE} quotes no message"
    quote = " ".join(line.removeprefix("// ") for line in quoted[1].splitlines())
    assert "REJECTED<" in quote and "580" in quote and "multiple of 32" in quote, quote
    accepted, output = compile_example(compiler)
    assert accepted, output
    accepted, output = compile_example(compiler, "-DSHOW_REFUSAL")
    print(output)
    assert not accepted, "compiles with -DSHOW_REFUSAL"
    assert "not_a_multiple" in output and "linear: in (elements of a weight row) is 580, which is not a multiple of 32" in output
    version = subprocess.run([*compiler.command, "-dumpversion"], capture_output=True, text=True, check=True).stdout.strip()
    if version.split(".")[0] == "12":
        assert quote in output.splitlines(), f"the quote is not a line of the output:\n{quote}"


if __name__ == "__main__":
    main()
