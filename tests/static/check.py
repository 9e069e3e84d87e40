# SPDX-FileCopyrightText: 2026 The netra authors
# SPDX-License-Identifier: MIT
"""check.py COMPILER: compiles every static/*.cpp, whose static_asserts are the tests."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import compilers

here = pathlib.Path(__file__).resolve().parent
compiler = compilers.find(sys.argv[1])
failed = 0
for file in sorted(here.glob("*.cpp")):
    accepted, output = compiler.compile(file)
    print(f"{'accepted' if accepted else 'REFUSED '} {file.name}")
    if not accepted:
        failed += 1
        print(output)
sys.exit(1 if failed else 0)
