# SPDX-FileCopyrightText: 2026 The netra authors
# SPDX-License-Identifier: MIT
"""Words that must not appear: model families where kernels are identified, and what belongs to one machine anywhere."""
import re

import lint

# folders whose contents are identified by contracts alone
NO_MODELS = ("include/netra/contracts/ops/", "include/netra/codegen/", "include/netra/schedule/", "include/netra/backends/")
MODELS = re.compile(r"llama|qwen|smollm|mistral|mixtral|gemma|phi[-_]?[234]|deepseek|falcon|starcoder|gpt[-_]?2|gpt[-_]?neo|olmo", re.I)
# files of such a folder -> what may be there all the same
EXCEPTIONS = {
    "include/netra/contracts/ops/rope": r"\bllama3\b",  # the published name of a rule that scales rotary frequencies
    "include/netra/schedule/": r"\bllama(_\w+)?\b|\bLlama-family\b",  # the model contract that lower() takes
}

# written so that this file does not contain what it looks for
NOWHERE = {
    r"/wor[k]/": "a path of one machine",
    r"/hom[e]/\w+|/roo[t]/\w+": "a path of one machine",
    r"py[p]i\.org|pythonhos[t]ed|deb\.deb[i]an|pack[a]ges\.cloud": "the host of a registry",
    r"\bTOD[O]\b|\bFIXM[E]\b|\bXX[X]\b": "work left undone; file an issue",
    r"<{7} |^>{7} ": "a merge conflict",
}
BINARY = ("*.safetensors", "*.gguf", "*.npy", "*.bin")


def check(root):
    for path, name in lint.files(root):
        if any(path.match(p) for p in BINARY):
            continue
        for number, line in enumerate(lint.text(path).splitlines(), 1):
            for pattern, what in NOWHERE.items():
                found = re.search(pattern, line)
                if found:
                    yield f"{name}:{number}: {found[0]}: {what}"
            if name.startswith(NO_MODELS):
                for start, allowed in EXCEPTIONS.items():
                    if name.startswith(start):
                        line = re.sub(allowed, "", line)
                found = MODELS.search(line)
                if found:
                    yield f"{name}:{number}: {found[0]}: a kernel is identified by its contract, never by a model"


if __name__ == "__main__":
    lint.main(
        check,
        good={
            "include/netra/contracts/models/llama.hpp": "struct llama;\n",
            "include/netra/schedule/lower.hpp": "void lower(const llama&);\n",
            "docs/start.md": "Install it with pip.\n",
        },
        bad={
            "model in an operation": {"include/netra/contracts/ops/a.hpp": "// as Qwen does\n"},
            "model in a schedule": {"include/netra/schedule/a.hpp": "int smollm2_layers;\n"},
            "model contract in code generation": {"include/netra/codegen/a.hpp": "struct llama;\n"},
            "machine": {"docs/a.md": "see /wor" + "k/notes\n"},
            "host": {"docs/a.md": "from py" + "pi.org\n"},
            "undone": {"docs/a.md": "TO" + "DO\n"},
            "conflict": {"docs/a.md": "<" * 7 + " ours\n"},
        },
    )
