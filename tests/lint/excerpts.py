# SPDX-FileCopyrightText: 2026 The netra authors
# SPDX-License-Identifier: MIT
"""Code shown in README.md and docs/ is a contiguous excerpt of the file named above it, so that it compiles; links lead somewhere."""
import re

import lint

BLOCK = re.compile(r"(?:^<!-- from (?P<file>\S+) -->\n+)?^```(?P<language>\w*)\n(?P<code>.*?)^```$", re.M | re.S)
LINK = re.compile(r"\[[^\]]*\]\((?!https?:|#)([^)#\s]+)")
UNMARKED = "<!-- not from a file: "  # a cpp block below this says why it is not an excerpt


def check(root):
    for path, name in lint.files(root, "*.md"):
        if "/" in name and not name.startswith("docs/"):
            continue
        content = lint.text(path)
        for block in BLOCK.finditer(content):
            source = block["file"]
            where = f"{name}:{content[: block.start('code')].count(chr(10))}"
            if source is None:
                before = content[: block.start()].rstrip().rsplit("\n", 1)[-1]
                if block["language"] == "cpp" and not before.startswith(UNMARKED):
                    yield f"{where}: a cpp block that names no file: put <!-- from examples/x.cpp --> above it"
            elif not (root / source).exists():
                yield f"{where}: {source} does not exist"
            elif dedent(block["code"]) not in dedent_all(lint.text(root / source), block["code"]):
                yield f"{where}: not an excerpt of {source}"
        for target in LINK.findall(content):
            if not (path.parent / target).exists():
                yield f"{name}: the link to {target} leads nowhere"


def margin(code):
    return min((len(line) - len(line.lstrip()) for line in code.splitlines() if line.strip()), default=0)


def dedent(code):
    return "\n".join(line[margin(code):] for line in code.splitlines())


def dedent_all(source, code):
    """The source with the margin removed at which the code may stand in it."""
    first = next((line.strip() for line in code.splitlines() if line.strip()), "")
    for line in source.splitlines():
        if line.strip() == first:
            width = len(line) - len(line.lstrip())
            return "\n".join(other[width:] if not other[:width].strip() else other for other in source.splitlines())
    return source


if __name__ == "__main__":
    good = "int main() {\n    int a = 1;\n    return a;\n}\n"
    lint.main(
        check,
        good={
            "examples/a.cpp": good,
            "README.md": f"[start](docs/start.md)\n<!-- from examples/a.cpp -->\n```cpp\n{good}```\n```sh\nmake\n```\n",
            "docs/start.md": "<!-- from examples/a.cpp -->\n```cpp\nint a = 1;\nreturn a;\n```\n",
        },
        bad={
            "changed": {"docs/a.md": "<!-- from examples/a.cpp -->\n```cpp\nint a = 2;\n```\n"},
            "gap": {"docs/a.md": "<!-- from examples/a.cpp -->\n```cpp\nint main() {\n    return a;\n```\n"},
            "unnamed": {"docs/a.md": "```cpp\nint a = 1;\n```\n"},
            "no file": {"docs/a.md": "<!-- from examples/b.cpp -->\n```cpp\nint a = 1;\n```\n"},
            "link": {"docs/a.md": "[there](nowhere.md)\n"},
        },
    )
