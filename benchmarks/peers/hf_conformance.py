#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The netra authors
# SPDX-License-Identifier: MIT
"""Compares netra's logits on a GPU with those of Hugging Face transformers on the same random weights.

For every shape a model directory (config.json, safetensors in bf16) is written, random tokens go through
  - transformers with fp32 weights and arithmetic (no TF32), the reference,
  - transformers in bf16, what users would run,
  - netra with one token a step (activations with high and low parts) and with sixteen (activations as f16, and rounded to bf16),
and the relative L2 of all logits to the reference is compared: netra's activations rounded to bf16 may be 1.1 times as far from it as transformers
in bf16, the others 0.4 times. Choices (the largest logit) are compared where the reference's two largest logits differ by more than the root mean
square of what bf16 changes (transformers in bf16 against the reference, at that position); all positions are printed too. More than 99.5 % must be
equal for what netra takes by default; bf16 activations, which nothing takes unless it is asked to, change choices as transformers in bf16 does.
"""
import argparse
import gc
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

import numpy as np
import torch
import transformers

# rows, activations, the most that the ratio may be, the least share of equal choices
WAYS = ((1, "high-low", 0.4, 0.995), (16, "half", 0.4, 0.995), (16, "single", 1.1, 0.0))


def llama3(factor, original=8192):
    return {"rope_type": "llama3", "rope_theta": 500000.0, "factor": factor, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
            "original_max_position_embeddings": original}


def plain(theta):
    return {"rope_type": "default", "rope_theta": theta}


def shapes():
    """name -> (kind, configuration); hidden_size, intermediate_size, num_hidden_layers, num_attention_heads, num_key_value_heads, head_dim, vocab_size first"""
    keys = ("hidden_size", "intermediate_size", "num_hidden_layers", "num_attention_heads", "num_key_value_heads", "head_dim", "vocab_size")
    made = {}

    def add(name, kind, sizes, rope, **more):
        made[name] = (kind, {**dict(zip(keys, sizes, strict=True)), "rope_parameters": rope, "max_position_embeddings": 8192, **more})

    add("SmolLM2-135M", "llama", (576, 1536, 30, 9, 3, 64, 49152), plain(100000.0), tie_word_embeddings=True, rms_norm_eps=1e-5)
    add("Qwen3-0.6B", "qwen3", (1024, 3072, 28, 16, 8, 128, 151936), plain(1e6), tie_word_embeddings=True, rms_norm_eps=1e-6)
    add("Llama-3.2-1B", "llama", (2048, 8192, 16, 32, 8, 64, 128256), llama3(32.0), tie_word_embeddings=True, rms_norm_eps=1e-5,
        max_position_embeddings=131072)
    add("Llama-3.1-8B", "llama", (4096, 14336, 32, 32, 8, 128, 128256), llama3(8.0), tie_word_embeddings=False, rms_norm_eps=1e-5,
        max_position_embeddings=131072)
    add("llama-grouped", "llama", (256, 704, 6, 8, 2, 32, 4000), plain(10000.0), tie_word_embeddings=True, rms_norm_eps=1e-5)
    add("llama-heads", "llama", (384, 1024, 4, 6, 6, 64, 3001), plain(10000.0), tie_word_embeddings=False, rms_norm_eps=1e-5)
    add("llama-biases", "llama", (320, 800, 4, 5, 1, 64, 2500), plain(10000.0), tie_word_embeddings=True, attention_bias=True, mlp_bias=True)
    add("llama-head-dim-80", "llama", (640, 1700, 3, 8, 4, 80, 5000), plain(10000.0), tie_word_embeddings=False, rms_norm_eps=1e-5)
    add("llama3-scaling", "llama", (512, 1400, 4, 8, 4, 64, 6000), llama3(8.0, 128), tie_word_embeddings=True, rms_norm_eps=1e-5)
    add("qwen2", "qwen2", (448, 1216, 5, 7, 1, 64, 7000), plain(1e6), tie_word_embeddings=True, rms_norm_eps=1e-6)
    add("qwen3", "qwen3", (256, 768, 6, 8, 4, 128, 8000), plain(1e6), tie_word_embeddings=True, rms_norm_eps=1e-6)
    add("mistral-window", "mistral", (512, 1024, 4, 8, 2, 64, 3000), plain(10000.0), tie_word_embeddings=False, sliding_window=24, rms_norm_eps=1e-5)
    return made


def write_model(kind, sizes, seed, device, folder):
    """The model in bf16, written to `folder`. Matrices are so large that normed vectors keep their size; norms are around 1, biases around 0."""
    classes = {"llama": transformers.LlamaConfig, "qwen2": transformers.Qwen2Config, "qwen3": transformers.Qwen3Config,
               "mistral": transformers.MistralConfig}
    config = classes[kind](**sizes, initializer_range=sizes["hidden_size"] ** -0.5, bos_token_id=1, eos_token_id=2)
    torch.manual_seed(seed)
    with torch.device(device):
        model = transformers.AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16, attn_implementation="sdpa").eval()
    generator = torch.Generator(device=device).manual_seed(seed)
    with torch.no_grad():
        for name, weight in model.named_parameters():
            noise = 0.1 * torch.randn(weight.shape, generator=generator, device=device) if weight.dim() == 1 else None
            if noise is not None:
                weight.copy_(1 + noise if "norm" in name else noise)
    model.save_pretrained(folder)
    return model


def netra_logits(netra, folder, ids_file, rows, activations, out):
    run = subprocess.run([netra, "conformance", str(folder), "--ids", str(ids_file), "--logits-out", str(out), "--rows", str(rows),
                          "--activations", activations], capture_output=True, text=True, check=False)
    print("   ", (run.stdout + run.stderr).strip().replace("\n", "\n    "), flush=True)
    if run.returncode != 0:
        raise RuntimeError(f"netra ended with {run.returncode}: {run.stderr.strip()}")
    return np.load(out)


def distance(a, b):
    return ((a - b).double().norm() / b.double().norm()).item()


def agreement(logits, reference, resolved):
    same = logits.argmax(-1) == reference.argmax(-1)
    return {"positions": same.numel(), "equal": int(same.sum()), "resolved_positions": int(resolved.sum()), "resolved_equal": int((same & resolved).sum())}


def compare(name, kind, sizes, options, scratch):
    started = time.time()
    folder = scratch / name
    model = write_model(kind, sizes, options.seed, options.device, folder)
    generator = torch.Generator().manual_seed(options.seed)
    ids = torch.randint(3, sizes["vocab_size"], (options.positions,), generator=generator)
    ids_file = scratch / "ids.txt"
    ids_file.write_text(",".join(str(i) for i in ids.tolist()))
    on_device = ids.to(options.device)[None]
    with torch.no_grad():
        rounded = model(on_device).logits[0].float()
        model = model.float()
        reference = model(on_device).logits[0].float()
    del model
    gc.collect()
    if options.device == "cuda":
        torch.cuda.empty_cache()
    of_bf16 = distance(rounded, reference)
    two = reference.topk(2, dim=-1).values
    resolved = two[:, 0] - two[:, 1] > (rounded - reference).pow(2).mean(-1).sqrt()
    result = {"shape": name, "kind": kind, "layers": sizes["num_hidden_layers"], "positions": options.positions,
              "transformers_bf16": {"relative_l2": of_bf16, **agreement(rounded, reference, resolved)}, "netra": []}
    print(f"{name}: transformers in bf16 {of_bf16:.3e} from fp32, {result['transformers_bf16']['equal']}/{options.positions} choices", flush=True)
    for rows, activations, bound, least in WAYS:
        got = torch.from_numpy(netra_logits(options.netra, folder, ids_file, rows, activations, scratch / "logits.npy")).to(options.device)
        d = distance(got, reference)
        each = ((got - reference).double().norm(dim=-1) / reference.double().norm(dim=-1)).max().item()
        ratio = d / of_bf16
        line = {"rows": rows, "activations": activations, "relative_l2": d, "relative_l2_of_a_position": each, "ratio": ratio, "ratio_bound": bound,
                **agreement(got, reference, resolved)}
        share = line["resolved_equal"] / max(1, line["resolved_positions"])
        line["passed"] = bool(ratio <= bound and share > least)
        result["netra"].append(line)
        print(f"  {'ok' if line['passed'] else 'FAILED'}: netra, {rows} a step, {activations}: {d:.3e}, {ratio:.3f} of transformers in bf16 "
              f"(at most {bound}); choices {line['equal']}/{line['positions']}, where resolved {line['resolved_equal']}/"
              f"{line['resolved_positions']}", flush=True)
        del got
    result["seconds"] = time.time() - started
    shutil.rmtree(folder)
    return result


def main():
    known = shapes()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--netra", default="build/netra")
    parser.add_argument("--shapes", default=",".join(known), help="of " + ", ".join(known))
    parser.add_argument("--layers", default="", help="SHAPE=N,...: fewer layers than the shape has")
    parser.add_argument("--positions", type=int, default=256)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--device", default="cuda", help="of transformers")
    parser.add_argument("--json", help="write the results to this file")
    parser.add_argument("--commit", default=os.environ.get("NETRA_COMMIT", ""))
    options = parser.parse_args()
    fewer = dict(part.split("=") for part in options.layers.split(",") if part)
    for name in [*options.shapes.split(","), *fewer]:
        if name not in known:
            parser.error(f"there is no shape {name}; there are {', '.join(known)}")
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    torch.set_float32_matmul_precision("highest")
    transformers.utils.logging.disable_progress_bar()

    out = {"torch": torch.__version__, "transformers": transformers.__version__, "commit": options.commit, "seed": options.seed,
           "device": torch.cuda.get_device_name(0) if options.device == "cuda" else options.device, "shapes": []}
    if options.device == "cuda":
        said = subprocess.run(["nvidia-smi", "--query-gpu=driver_version,clocks.sm,clocks.mem,clocks.max.sm", "--format=csv,noheader,nounits"],
                              capture_output=True, text=True, check=False).stdout.strip().splitlines()
        if said:
            out.update(zip(("driver", "mhz", "memory_mhz", "mhz_most"), said[0].split(", ")))
    failed = 0
    with tempfile.TemporaryDirectory() as scratch:
        for name in options.shapes.split(","):
            kind, sizes = known[name]
            if name in fewer:
                sizes = {**sizes, "num_hidden_layers": int(fewer[name])}
            try:
                result = compare(name, kind, sizes, options, pathlib.Path(scratch))
                failed += sum(not line["passed"] for line in result["netra"])
            except RuntimeError as e:  # the next shape may work
                print(f"  FAILED: {name}: {e}", flush=True)
                result = {"shape": name, "error": str(e)}
                failed += 1
            out["shapes"].append(result)
            if options.json:
                pathlib.Path(options.json).write_text(json.dumps(out, indent=1) + "\n")
    for index, (rows, activations, _, _) in enumerate(WAYS):
        lines = [s["netra"][index] for s in out["shapes"] if "netra" in s]
        total = {k: sum(line[k] for line in lines) for k in ("positions", "equal", "resolved_positions", "resolved_equal")}
        print(f"all shapes, {rows} a step, {activations}: choices {total['equal']}/{total['positions']}, where resolved {total['resolved_equal']}/{total['resolved_positions']}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
