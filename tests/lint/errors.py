# SPDX-FileCopyrightText: 2026 The netra authors
# SPDX-License-Identifier: MIT
"""docs/errors.md has one section per refusal reason, in the order of the table, with the table's sentence."""
import re

import lint

TABLE = "include/netra/contracts/reasons.hpp"
DOCUMENT = "docs/errors.md"
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


if __name__ == "__main__":
    table = '{reason::accepted, "accepted", "accepted"},\n{reason::one, "one",\n "{subject} is " "{value}"},\n'
    section = "### one\n\n> `{subject} is {value}`\n\nMake it less.\n"
    lint.main(
        check,
        good={TABLE: table, DOCUMENT: section},
        bad={
            "missing": {DOCUMENT: "nothing\n"},
            "sentence": {DOCUMENT: section.replace("is", "was")},
            "no advice": {DOCUMENT: section.replace("Make it less.", "")},
            "left over": {DOCUMENT: section + "\n" + section.replace("one", "two")},
            "empty table": {TABLE: ""},
        },
    )
