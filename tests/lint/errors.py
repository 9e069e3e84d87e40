# SPDX-FileCopyrightText: 2026 The netra authors
# SPDX-License-Identifier: MIT
"""docs/errors.md has one section per refusal reason with the table's sentence, and rejected.hpp one assertion; --write makes the latter so."""
import re
import sys
import textwrap

import lint

TABLE = "include/netra/contracts/reasons.hpp"
DOCUMENT = "docs/errors.md"
ASSERTIONS = "include/netra/contracts/rejected.hpp"
ASSERTION_BLOCK = re.compile(r"(?<=// made by tests/lint/errors.py --write\n)(.*?)(?=    // end of what it made\n)", re.S)
ENTRY = re.compile(r'\{\s*reason::(\w+),\s*"(\w+)",((?:\s*"(?:[^"\\]|\\.)*")+)\s*\}')
SECTION = re.compile(r"^### (\w+)\n\n> (.+)\n\n(.*(?:\n.+)*)", re.M)


def reasons(text):
    """Name -> sentence of every refusal in the table."""
    found = {}
    for enumerator, name, literals in ENTRY.findall(text):
        if enumerator != name:
            raise SystemExit(f"{TABLE}: reason::{enumerator} is named {name}")
        found[name] = "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', literals))
    found.pop("accepted", None)
    return found


def assertions(expected):
    """What a compiler says of each reason: a message must be a literal, so the table cannot be used."""
    for name, sentence in expected.items():
        yield f"    static_assert(!detail::same<Why, reason::{name}>,\n"
        pieces = textwrap.wrap(f"netra refuses this ({name}, see docs/errors.md): {sentence}", 110, break_long_words=False, drop_whitespace=False)
        yield "".join(f'                  "{piece}"\n' for piece in pieces)[:-1] + ");\n"


def check(root):
    if not (root / TABLE).exists():
        return
    expected = reasons(lint.text(root / TABLE))
    if not expected:
        yield f"{TABLE}: no reason found in the table"
    sections = {name: (sentence, body) for name, sentence, body in SECTION.findall(lint.text(root / DOCUMENT))}
    for name, sentence in expected.items():
        if name not in sections:
            yield f"{DOCUMENT}: no section '### {name}'"
            continue
        if sections[name][0].replace("`", "") != sentence:
            yield f"{DOCUMENT}: {name}: the sentence is now: {sentence}"
        if not sections[name][1].strip():
            yield f"{DOCUMENT}: {name}: say what to do"
    for name in sections:
        if name not in expected:
            yield f"{DOCUMENT}: {name} is no reason of {TABLE}"
    block = ASSERTION_BLOCK.search(lint.text(root / ASSERTIONS))
    if block is None or block[1] != "".join(assertions(expected)):
        yield f"{ASSERTIONS}: not the sentences of {TABLE}; run tests/lint/errors.py --write"


def write(root):
    block = "".join(assertions(reasons(lint.text(root / TABLE))))
    path = root / ASSERTIONS
    path.write_text(ASSERTION_BLOCK.sub(lambda _: block, lint.text(path), count=1))


if __name__ == "__main__":
    if "--write" in sys.argv:
        write(lint.ROOT)
        sys.exit(0)
    table = '{reason::accepted, "accepted", "accepted"},\n{reason::one, "one",\n "{subject} is " "{value}"},\n'
    section = "### one\n\n> `{subject} is {value}`\n\nMake it less.\n"
    assertion = "    // made by tests/lint/errors.py --write\n" + "".join(assertions({"one": "{subject} is {value}"})) + "    // end of what it made\n"
    lint.main(
        check,
        good={TABLE: table, DOCUMENT: section, ASSERTIONS: assertion},
        bad={
            "missing": {DOCUMENT: "nothing\n"},
            "sentence": {DOCUMENT: section.replace("is", "was")},
            "no advice": {DOCUMENT: section.replace("Make it less.", "")},
            "left over": {DOCUMENT: section + "\n" + section.replace("one", "two")},
            "no assertion": {ASSERTIONS: "nothing\n"},
            "another assertion": {ASSERTIONS: assertion.replace("is", "was")},
            "empty table": {TABLE: ""},
        },
    )
