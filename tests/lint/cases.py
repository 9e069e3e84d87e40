# SPDX-FileCopyrightText: 2026 The netra authors
# SPDX-License-Identifier: MIT
"""Test files can share a translation unit (NETRA_TEST_BATCH): no two cases of a folder share a name, and no file needs the global namespace."""
import re

import lint

CASE = re.compile(r'^TEST_CASE\("((?:[^"\\]|\\.)*)"', re.MULTILINE)
GLOBAL = re.compile(r"^(namespace (?:netra|std|Catch)\b|template <>|(?:inline )?void\*? operator (?:new|delete)|int main\()", re.MULTILINE)
MACRO = re.compile(r"^#(?:define|undef)\b", re.MULTILINE)  # a file with its own macros is compiled alone


def check(root):
    seen = {}
    for path, name in lint.files(root / "tests", "*_test.cpp"):
        content = lint.text(path)
        if MACRO.search(content):
            continue
        for case in CASE.findall(content):
            key = (path.parent, case)
            if key in seen:
                yield f'tests/{name}: a case of this folder is already called "{case}", in {seen[key]}'
            seen[key] = path.name
        for found in GLOBAL.findall(content):
            yield f"tests/{name}: '{found}' cannot be inside a namespace, where this file is compiled beside others"


if __name__ == "__main__":
    one = 'namespace {\nint two() { return 2; }\n}\nTEST_CASE("one") {}\nTEST_CASE("two") {}\n'
    lint.main(
        check,
        good={"tests/a/x_test.cpp": one, "tests/b/x_test.cpp": one, "tests/a/alone_test.cpp": "#define A\nnamespace netra {}\n" + one},
        bad={
            "same name in a folder": {"tests/a/y_test.cpp": 'TEST_CASE("one") {}\n'},
            "same name in a file": {"tests/a/y_test.cpp": 'TEST_CASE("3") {}\nTEST_CASE("3", "[tag]") {}\n'},
            "a namespace of the library": {"tests/a/y_test.cpp": "namespace netra::detail {\n}\n"},
            "a specialisation": {"tests/a/y_test.cpp": "template <>\nstruct Catch::StringMaker<int> {};\n"},
            "a replaced allocation": {"tests/a/y_test.cpp": "void* operator new(std::size_t n) { return std::malloc(n); }\n"},
        })
