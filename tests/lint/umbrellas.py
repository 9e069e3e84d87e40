# SPDX-FileCopyrightText: 2026 The netra authors
# SPDX-License-Identifier: MIT
"""include/netra/x.hpp includes every header below include/netra/x/ and nothing else; umbrellas.py --write makes it so."""
import sys

import lint

# umbrella -> the sentence in it; netra.hpp includes umbrellas
LAYERS = {
    "contracts": "All contracts: operations, models, their checks and identities.",
    "schedule": "All of schedules: lowering, checks, memory plan, costs, exports.",
    "engine": "All of the engine: readers of model files, tokenizers, sessions.",
}
ALL = ("netra", "Everything that needs no engine: contracts, schedules and the CPU backend.", ("contracts", "schedule", "backends/cpu"))
HEAD = """// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// {}
#pragma once

"""


def expected(root):
    """Name and text of every umbrella."""
    base = root / "include" / "netra"
    for layer, sentence in LAYERS.items():
        headers = sorted(path.relative_to(base).as_posix() for path, _ in lint.files(base / layer, "*.hpp"))
        if headers:
            yield f"include/netra/{layer}.hpp", HEAD.format(sentence) + "".join(f"#include <netra/{h}>\n" for h in headers)
    name, sentence, parts = ALL
    if base.exists():
        yield f"include/netra/{name}.hpp", HEAD.format(sentence) + "".join(f"#include <netra/{p}.hpp>\n" for p in sorted(parts))


def check(root):
    for name, content in expected(root):
        path = root / name
        if not path.exists() or lint.text(path) != content:
            yield f"{name}: does not include exactly its layer; run tests/lint/umbrellas.py --write"


def written(files):
    """The files of a tree with the umbrellas that belong to it."""
    umbrellas = {"include/netra/netra.hpp": HEAD.format(ALL[1]) + "".join(f"#include <netra/{p}.hpp>\n" for p in sorted(ALL[2]))}
    for layer, sentence in LAYERS.items():
        headers = sorted(f.removeprefix("include/") for f in files if f.startswith(f"include/netra/{layer}/"))
        if headers:
            umbrellas[f"include/netra/{layer}.hpp"] = HEAD.format(sentence) + "".join(f"#include <{h}>\n" for h in headers)
    return {**files, **umbrellas}


if __name__ == "__main__":
    if "--write" in sys.argv:
        for name, content in expected(lint.ROOT):
            (lint.ROOT / name).write_text(content)
        sys.exit(0)
    tree = {"include/netra/contracts/a.hpp": "", "include/netra/contracts/ops/b.hpp": "", "include/netra/engine/c.hpp": ""}
    good = written(tree)
    lint.main(
        check,
        good=good,
        bad={
            "new header": {"include/netra/contracts/d.hpp": ""},
            "changed": {"include/netra/engine.hpp": good["include/netra/engine.hpp"] + "#include <vector>\n"},
            "no umbrella": {"include/netra/schedule/e.hpp": ""},
        },
    )
