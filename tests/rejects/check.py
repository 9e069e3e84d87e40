# SPDX-FileCopyrightText: 2026 The netra authors
# SPDX-License-Identifier: MIT
"""check.py COMPILER [--update]: every x.cpp must be refused with the words it expects, its twin x_ok.cpp must compile.

The words stand at the top of x.cpp, one `// expect: words` a line; `// expect[clang-14]: words` holds for that compiler only and
then replaces the plain ones. The first of them must stand in the first lines of the output, where a reader looks.

What some refusals look like on one version of each compiler is kept in golden/<compiler>/x.txt: the first lines of the output, without
the numbers of source lines. --update writes these files again; look at the difference before you commit it.
"""
import difflib
import pathlib
import re
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from support import compilers

FIRST_LINES = 20
SHOWN_LINES = 8

GOLDEN = pathlib.Path(__file__).resolve().parent / "golden"
GOLDEN_LINES = 12
# name of a compiler -> the folder of the version that the golden files are of
GOLDEN_VERSIONS = {"g++": "g++-12", "clang-14": "clang-14", "clang-19": "clang-19", "nvcc": "nvcc-13"}
GOLDEN_CASES = ("cyclic_wait", "unsatisfiable_wait", "data_race", "uncovered_read", "queue_deadlock", "too_much_shared_memory", "megakernel_weights")
NUMBERS = (
    (re.compile(r":\d+(?::\d+)?(?=[:,]| *$)", re.M), ":N"),
    (re.compile(r"\(\d+\)(?=: )"), "(N)"),
    (re.compile(r"\bat line \d+\b"), "at line N"),
    (re.compile(r"^ *\d+ \|", re.M), "    N |"),
)


def golden_text(output):
    """The first lines of a compiler's output, the same wherever the project lies and on whichever line its code stands."""
    text = output.replace(f"{compilers.ROOT}/", "")
    for number, letter in NUMBERS:
        text = number.sub(letter, text)
    return "".join(line.rstrip() + "\n" for line in text.splitlines()[:GOLDEN_LINES])


def golden_problems(file, compiler, output, update=False):
    """How the output differs from the one that is kept."""
    folder = GOLDEN / GOLDEN_VERSIONS[compiler.name]
    kept = folder / f"{file.stem}.txt"
    new = golden_text(output)
    if update:
        folder.mkdir(parents=True, exist_ok=True)
        kept.write_text(new)
    if not kept.exists():
        return [f"there is no {kept}; --update writes it"]
    if kept.read_text() == new:
        return []
    difference = difflib.unified_diff(kept.read_text().splitlines(), new.splitlines(), "kept", "new", lineterm="")
    return [f"the first lines are no longer those of {kept} (--update accepts them):\n" + "\n".join(difference)]


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


def problems_of(file, compiler, golden, update, accepted_twins):
    """What is wrong with one pair of files. Twins of the same text are compiled once."""
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
    if file.stem in golden:
        problems += golden_problems(file, compiler, output, update)
    if not twin.exists():
        problems.append(f"has no twin {twin.name}")
    elif twin.read_text() not in accepted_twins:
        # note: static/ has files that go through the whole of nvcc
        accepted, output = compiler.compile(twin, "-ptx" if compiler.name == "nvcc" else "-fsyntax-only")
        if accepted:
            accepted_twins.add(twin.read_text())
        else:
            problems.append(f"{twin.name} is refused:\n{output}")
    return problems


def golden_cases(compiler):
    """The refusals whose output is compared with a golden file: none on another version of the compiler."""
    wanted = GOLDEN_VERSIONS[compiler.name].rpartition("-")[2]
    version = compiler.version()
    if version.split(".")[0] == wanted:
        return GOLDEN_CASES
    print(f"golden files are of {GOLDEN_VERSIONS[compiler.name]}, this is version {version}: not compared")
    return ()


def check(folder, compiler, golden=(), update=False):
    """The number of failing pairs in a folder."""
    failed = 0
    files = sorted(folder.glob("*.cpp"))
    names = {f.stem for f in files}
    accepted_twins = set()
    for missing in set(golden) - names:
        print(f"FAILED: there is no {missing}.cpp for the golden files")
        failed += 1
    for file in files:
        if file.stem.endswith("_ok"):
            if file.stem[:-3] not in names:
                print(f"--- {file.name}\nFAILED: the twin of no file")
                failed += 1
            continue
        problems = problems_of(file, compiler, golden, update, accepted_twins)
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
    first = "In file included from {0}/tests/a.hpp:6,\n  from {0}/tests/a.cpp:5:\n{0}/a.hpp:12:34: error: 5 of 4\n   12 | int x;  // 7\n"
    text = golden_text(first.format(compilers.ROOT) + "a.cu(7): error: at line 8 of a.cu\n" + "more\n" * 20)
    if text != "In file included from tests/a.hpp:N,\n  from tests/a.cpp:N:\na.hpp:N: error: 5 of 4\n    N | int x;  // 7\n" \
               "a.cu(N): error: at line N of a.cu\n" + "more\n" * (GOLDEN_LINES - 5):
        wrong.append(f"golden text:\n{text}")
    print("self-test:", "passed" if not wrong else f"FAILED for {', '.join(wrong)}")
    return len(wrong)


if __name__ == "__main__":
    if sys.argv[1] == "--self-test":
        sys.exit(1 if self_test() else 0)
    found = compilers.find(sys.argv[1])
    sys.exit(1 if check(pathlib.Path(__file__).resolve().parent, found, golden_cases(found), "--update" in sys.argv[2:]) else 0)
