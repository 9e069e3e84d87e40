# SPDX-FileCopyrightText: 2026 The netra authors
# SPDX-License-Identifier: MIT
"""check.py COMPILER: every x.cpp must be refused with the words it expects, its twin x_ok.cpp must compile.

The words stand at the top of x.cpp, one `// expect: words` a line; `// expect[clang-14]: words` holds for that compiler only and
then replaces the plain ones. The first of them must stand in the first lines of the output, where a reader looks.
"""
import pathlib
import re
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import compilers

FIRST_LINES = 20
SHOWN_LINES = 8


def expectations(text, compiler):
    """The words that the output of that compiler must contain."""
    plain, special = [], []
    for which, words in re.findall(r"^// expect(?:\[([\w+-]+)\])?: (.+)$", text, re.M):
        if which and which not in compilers.COMMANDS:
            raise SystemExit(f"expect[{which}]: unknown compiler; known: {', '.join(compilers.COMMANDS)}")
        if not which:
            plain.append(words.strip())
        elif which == compiler:
            special.append(words.strip())
    return special or plain


def problems_of(file, compiler):
    """What is wrong with one pair of files."""
    expected = expectations(file.read_text(), compiler.name)
    twin = file.with_name(file.stem + "_ok.cpp")
    problems = []
    if not expected:
        problems.append("no '// expect: words' line")
    accepted, output = compiler.compile(file)
    print(f"--- {file.name}")
    print("\n".join(line[:400] for line in output.splitlines()[:SHOWN_LINES]))
    if accepted:
        problems.append("compiles, but must be refused")
    problems += [f"the output lacks: {words}" for words in expected if words not in output]
    if expected and expected[0] in output and expected[0] not in "\n".join(output.splitlines()[:FIRST_LINES]):
        problems.append(f"only below line {FIRST_LINES} of the output: {expected[0]}")
    if not twin.exists():
        problems.append(f"has no twin {twin.name}")
    else:
        accepted, output = compiler.compile(twin)
        if not accepted:
            problems.append(f"{twin.name} is refused:\n{output}")
    return problems


def check(folder, compiler):
    """The number of failing pairs in a folder."""
    failed = 0
    files = sorted(folder.glob("*.cpp"))
    names = {f.stem for f in files}
    for file in files:
        if file.stem.endswith("_ok"):
            if file.stem[:-3] not in names:
                print(f"--- {file.name}\nFAILED: the twin of no file")
                failed += 1
            continue
        problems = problems_of(file, compiler)
        failed += bool(problems)
        for problem in problems:
            print(f"FAILED: {problem}")
    print(f"{len(files)} files, {failed} failed")
    return failed


def self_test():
    """The driver must notice each way in which a pair can be wrong."""
    ok = "int x;\n"
    refused = '// expect: need 8 bytes\nstatic_assert(sizeof(int) == 8, "need 8 bytes");\n'
    cases = {
        "good pair": (0, refused, ok),
        "compiles": (1, "// expect: need 8 bytes\nint x;\n", ok),
        "other words": (1, refused.replace("expect: need", "expect: needs"), ok),
        "late words": (1, "int a = ;\n" * 20 + refused, ok),
        "no words": (1, "static_assert(sizeof(int) == 8);\n", ok),
        "bad twin": (1, refused, "int x = ;\n"),
        "no twin": (1, refused, None),
        "words for this compiler": (1, "// expect[g++]: other words\n" + refused, ok),
        "words for another compiler": (0, "// expect[clang-14]: other words\n" + refused, ok),
    }
    wrong = []
    for name, (failures, first, twin) in cases.items():
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "x.cpp").write_text(first)
            if twin:
                pathlib.Path(folder, "x_ok.cpp").write_text(twin)
            if check(pathlib.Path(folder), compilers.find("g++")) != failures:
                wrong.append(name)
    print("self-test:", "passed" if not wrong else f"FAILED for {', '.join(wrong)}")
    return len(wrong)


if __name__ == "__main__":
    if sys.argv[1] == "--self-test":
        sys.exit(1 if self_test() else 0)
    sys.exit(1 if check(pathlib.Path(__file__).resolve().parent, compilers.find(sys.argv[1])) else 0)
