# SPDX-FileCopyrightText: 2026 The netra authors
# SPDX-License-Identifier: MIT
"""Which folder may include which, and where macros may be defined."""
import re

import lint

# folder of include/netra -> the folders and headers that it may include besides its own
ALLOWED = {
    "detail": [],
    "contracts": ["detail"],
    "schedule": ["detail", "contracts"],
    "codegen": ["detail", "contracts", "schedule"],
    "backends": ["detail", "contracts", "schedule", "codegen/kernel_image", "codegen/stall_record"],
    "engine": ["detail", "contracts", "schedule", "codegen", "backends"],
}
CONSTEXPR_LAYERS = ("detail", "contracts", "schedule", "codegen")  # these include <netra/...> and nothing else
# header that may define macros -> why
MACROS = {
    "detail/config.hpp": "the place for them",
    "backends/cpu/simd_target.hpp": "switches that Highway reads when it is included",
}
INCLUDE = re.compile(r"^\s*#\s*include\s*(\S+)", re.M)


def check(root):
    base = root / "include" / "netra"
    for path, name in lint.files(base, "*.hpp"):
        layer = name.split("/")[0]
        umbrella = "/" not in name
        if not umbrella and layer not in ALLOWED:
            yield f"include/netra/{name}: the layer {layer} is not in the table of tests/lint/layers.py"
            continue
        content = lint.text(path)
        if name not in MACROS and re.search(r"^\s*#\s*define\b", content, re.M):
            yield f"include/netra/{name}: defines a macro; macros live in detail/config.hpp"
        for include in INCLUDE.findall(content):
            target = re.match(r"<netra/(.+)>", include)
            if target is None:
                if umbrella or layer in CONSTEXPR_LAYERS:
                    yield f"include/netra/{name}: includes {include}; this layer includes only <netra/...>"
                elif include.startswith('"'):
                    yield f"include/netra/{name}: includes {include}; write <netra/...>"
                continue
            if not (base / target[1]).exists():
                yield f"include/netra/{name}: includes {include}, which does not exist"
            if umbrella:
                continue
            allowed = [layer, *ALLOWED[layer]]
            if not any(target[1].startswith((a + "/", a + ".hpp")) for a in allowed):
                yield f"include/netra/{name}: includes {include}; {layer} may include {', '.join(allowed)}"
    for path, name in lint.files(root, "*.cpp", "*.hpp", "*.cu"):
        for include in re.findall(r'^\s*#\s*include\s*"(\.{1,2}/[^"]*)"', lint.text(path), re.M):
            yield f'{name}: includes "{include}"; write the path from an include directory'
    for path, name in lint.files(root / "examples", "*.cpp"):
        if re.search(r"\bdetail::|<netra/detail/", lint.text(path)):
            yield f"examples/{name}: uses netra::detail, which is private"


if __name__ == "__main__":
    header = "include/netra/"
    lint.main(
        check,
        good={
            header + "detail/text.hpp": "",
            header + "contracts/a.hpp": "#include <netra/detail/text.hpp>\n",
            header + "engine/b.hpp": "#include <netra/contracts/a.hpp>\n#include <vector>\n",
            header + "netra.hpp": "#include <netra/contracts/a.hpp>\n",
        },
        bad={
            "upwards": {header + "contracts/c.hpp": "#include <netra/engine/b.hpp>\n"},
            "standard header": {header + "contracts/c.hpp": "#include <vector>\n"},
            "quoted": {header + "engine/c.hpp": '#include "b.hpp"\n'},
            "relative": {"tests/x.cpp": '#include "../x.hpp"\n'},
            "private in an example": {"examples/x.cpp": "auto x = netra::detail::y;\n"},
            "macro": {header + "contracts/c.hpp": "#define C 1\n"},
            "new folder": {header + "other/c.hpp": ""},
            "missing": {header + "contracts/c.hpp": "#include <netra/detail/nothing.hpp>\n"},
            "backend looks into codegen": {
                header + "codegen/emitter.hpp": "",
                header + "backends/c.hpp": "#include <netra/codegen/emitter.hpp>\n",
            },
        },
    )
