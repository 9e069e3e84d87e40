# SPDX-FileCopyrightText: 2026 The netra authors
# SPDX-License-Identifier: MIT
"""What the golden makers share: the weight hash, greedy decoding with transformers, and how JSON is written."""
import json
import os
import pathlib
import platform

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TRANSFORMERS_OFFLINE", "1")

import numpy as np
import torch

torch.set_num_threads(1)
torch.use_deterministic_algorithms(True)
GOLDEN = pathlib.Path(__file__).resolve().parents[2] / "tests" / "golden"
GAMMA = 0x9E3779B97F4A7C15
MASK = (1 << 64) - 1


def versions():
    import gguf  # noqa: F401
    import importlib.metadata as metadata

    return {"python": platform.python_version(), **{p: metadata.version(p) for p in ("torch", "transformers", "tokenizers", "gguf", "numpy")}}


def fnv1a64(name):
    h = 0xCBF29CE484222325
    for byte in name.encode():
        h = ((h ^ byte) * 0x100000001B3) & MASK
    return h


def mix(x):
    """The finaliser of splitmix64, on one number or on an array of uint64."""
    if isinstance(x, int):
        x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & MASK
        return x ^ (x >> 31)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def hashes(name, seed, count):
    """uint64 number i = mix(mix(fnv1a64(name) + seed * GAMMA) + (i + 1) * GAMMA), modulo 2^64."""
    key = mix((fnv1a64(name) + seed * GAMMA) & MASK)
    return mix(np.uint64(key) + (np.arange(count, dtype=np.uint64) + np.uint64(1)) * np.uint64(GAMMA))


def uniform(name, seed, count):
    """float32 in [-1, 1): the upper 24 bits of hashes() as a multiple of 2^-23, shifted by 1; every value is exact."""
    top = (hashes(name, seed, count) >> np.uint64(40)).astype(np.int64) - (1 << 23)
    return top.astype(np.float32) * np.float32(2.0**-23)


def tensor(name, seed, shape):
    """The weights of a synthetic model: see tests/golden/README.md. No step rounds twice, so a contraction to fma changes no bit."""
    u = uniform(name, seed, int(np.prod(shape)))
    if name.endswith("norm.weight"):
        return (np.float32(1) + np.float32(0.25) * u).reshape(shape)
    if name.endswith(".bias"):
        return (np.float32(0.25) * u).reshape(shape)
    c = 2.0
    if name.endswith(("embed_tokens.weight", "lm_head.weight")):
        c = 4.0
    elif name.endswith(("q_proj.weight", "k_proj.weight")):
        c = 3.0
    return (np.float32(c / np.sqrt(np.float64(shape[-1]))) * u).reshape(shape)


def greedy(model, ids, tokens):
    """`tokens` ids after `ids`, the end token being an id like any other; the logits of each step [tokens, vocab]."""
    model.generation_config.eos_token_id = None
    model.generation_config.bos_token_id = None
    model.generation_config.pad_token_id = 0
    prompt = torch.tensor([ids])
    with torch.no_grad():
        out = model.generate(
            prompt, attention_mask=torch.ones_like(prompt), do_sample=False, max_new_tokens=tokens, output_logits=True, return_dict_in_generate=True
        )
    generated = out.sequences[0, len(ids) :].tolist()
    steps = torch.stack([step[0] for step in out.logits])
    assert len(generated) == tokens and steps.argmax(-1).tolist() == generated
    return generated, steps


def smallest_margin(steps):
    top = steps.topk(2, dim=-1).values
    return float((top[:, 0] - top[:, 1]).min())


def relative_l2(value, reference):
    return float((value.double() - reference.double()).norm() / reference.double().norm())


def significant(x, digits):
    return float(f"{float(x):.{digits - 1}e}")


def write_json(path, value):
    """One key a line at the top, prompts and long arrays on lines of their own."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = []
    for key, item in value.items():
        if isinstance(item, list) and item and isinstance(item[0], dict):
            entries = [" {" + ",\n  ".join(f"{json.dumps(k)}: {json.dumps(v, ensure_ascii=False)}" for k, v in e.items()) + "}" for e in item]
            lines.append(f"{json.dumps(key)}: [\n" + ",\n".join(entries) + "]")
        else:
            lines.append(f"{json.dumps(key)}: {json.dumps(item, ensure_ascii=False)}")
    path.write_text("{" + ",\n".join(lines) + "}\n", encoding="utf-8")
