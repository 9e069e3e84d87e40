#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The netra authors
# SPDX-License-Identifier: MIT
"""netra against llama.cpp (llama-cpp-python) on one GGUF file and one machine: tokens per second of decode and of prompt, each beside a check of the
tokens. Every measurement is a fresh process, the two programs take turns, and the ratios are of medians within this run."""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "tests" / "golden" / "smollm2.json"
DECODE_PROMPT = "story"


def llama_worker(request):
    """Runs in its own process: one load, one prompt, `tokens` greedy tokens through the C interface; prints one JSON object."""
    sys.path.remove(str(pathlib.Path(__file__).resolve().parent))  # this file has the name of the package
    import llama_cpp
    import numpy as np

    silent = llama_cpp.llama_log_callback(lambda *_: None)
    llama_cpp.llama_log_set(silent, None)
    start = time.perf_counter()
    parameters = llama_cpp.llama_model_default_params()
    parameters.use_extra_bufts = request["repack"]
    model = llama_cpp.llama_model_load_from_file(request["model"].encode(), parameters)
    if not model:
        sys.exit(f"llama.cpp does not load {request['model']}")
    ids, tokens = request["ids"], request["tokens"]
    options = llama_cpp.llama_context_default_params()
    options.n_ctx = len(ids) + tokens + 8
    options.n_batch = options.n_ubatch = 512
    options.n_threads = options.n_threads_batch = request["threads"]
    context = llama_cpp.llama_init_from_model(model, options)
    vocab = llama_cpp.llama_vocab_n_tokens(llama_cpp.llama_model_get_vocab(model))
    loaded = time.perf_counter()

    def step(values):
        """Decodes `values` after what is there and returns the id of the largest logit that follows."""
        array = (llama_cpp.llama_token * len(values))(*values)
        if llama_cpp.llama_decode(context, llama_cpp.llama_batch_get_one(array, len(values))) != 0:
            sys.exit("llama_decode failed")
        return int(np.argmax(np.ctypeslib.as_array(llama_cpp.llama_get_logits_ith(context, -1), (vocab,))))

    generated = [step(ids)]
    prompted = time.perf_counter()
    while len(generated) < tokens:
        generated.append(step(generated[-1:]))
    done = time.perf_counter()
    print(json.dumps({
        "ids": generated,
        "version": llama_cpp.__version__,
        "features": llama_cpp.llama_print_system_info().decode().strip(),
        "stats": {
            "load_s": loaded - start, "prompt_tokens": len(ids), "prompt_s": prompted - loaded, "decode_tokens": tokens - 1, "decode_s": done - prompted,
        },
    }))


def run_llama(arguments, ids, tokens):
    request = json.dumps({"model": str(arguments.model), "ids": ids, "tokens": tokens, "threads": arguments.threads, "repack": not arguments.no_repack})
    command = [sys.executable, __file__, "--worker"]
    done = subprocess.run(command, input=request, capture_output=True, text=True)
    if done.returncode != 0:
        hint = "; builds by g++ 12 crash where the processor has AMX: see README.md" if done.returncode < 0 else ""
        sys.exit(f"the process that runs llama.cpp ended with {done.returncode}: {done.stderr.strip()}{hint}")
    return json.loads(done.stdout)


def run_netra(arguments, ids, tokens):
    command = [
        str(arguments.netra), "run", str(arguments.model), "--prompt-ids", ",".join(map(str, ids)), "--max-tokens", str(tokens),
        "--backend", "cpu", "--threads", str(arguments.threads), "--json", "--ignore-eos",
    ]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command[:3])} ... ended with {done.returncode}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def rate(result, part):
    return result["stats"][f"{part}_tokens"] / result["stats"][f"{part}_s"]


def agreement(ids, golden):
    """How many leading ids are those of the golden file."""
    for n, (a, b) in enumerate(zip(ids, golden)):
        if a != b:
            return n
    return min(len(ids), len(golden))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=pathlib.Path, help="SmolLM2-135M-Instruct.Q4_1.gguf")
    parser.add_argument("--netra", type=pathlib.Path, default=ROOT / "build" / "netra")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--decode", type=int, default=128, help="tokens generated after a short prompt")
    parser.add_argument("--peer-only", action="store_true", help="measure llama.cpp alone")
    parser.add_argument("--no-repack", action="store_true", help="llama.cpp without AMX and repacked weights")
    parser.add_argument("--json", type=pathlib.Path, help="write all measurements to this file")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.worker:
        llama_worker(json.load(sys.stdin))
        return
    if arguments.model is None:
        parser.error("--model is needed")

    if not arguments.peer_only and not arguments.netra.is_file():
        parser.error(f"{arguments.netra} is not there; run make, name it by --netra, or give --peer-only")

    golden = json.loads(GOLDEN.read_text(encoding="utf-8"))
    short = next(p for p in golden["prompts"] if p["name"] == DECODE_PROMPT)
    long = golden["prompt_512"]
    works = {"decode": (short["ids"], arguments.decode, short["greedy"]), "prompt": (long["ids"], len(long["greedy"]), long["greedy"])}
    programs = {"llama.cpp": run_llama} if arguments.peer_only else {"llama.cpp": run_llama, "netra": run_netra}

    results = {program: {work: [] for work in works} for program in programs}
    for number in range(arguments.rounds):
        for program in list(programs)[:: 1 if number % 2 == 0 else -1]:
            for work, (ids, tokens, expected) in works.items():
                result = programs[program](arguments, ids, tokens)
                result["agreement"] = agreement(result["ids"], expected)
                result["rate"] = rate(result, work)
                results[program][work].append(result)
        print(f"round {number + 1}: load average {os.getloadavg()[0]:.2f}; " + "; ".join(
            f"{program} " + ", ".join(f"{work} {runs[work][-1]['rate']:.1f} tokens/s" for work in works) for program, runs in results.items()), flush=True)

    first = results["llama.cpp"]["decode"][0]
    print(f"\nllama-cpp-python {first['version']}, {arguments.threads} threads{', without AMX and repacked weights' if arguments.no_repack else ''}: {first['features']}")
    failed = False
    for program, runs in results.items():
        for work, (ids, tokens, expected) in works.items():
            rates = [r["rate"] for r in runs[work]]
            checked = min(tokens, len(expected))
            agreed = min(r["agreement"] for r in runs[work])
            print(f"{program:9} {work:6} median {statistics.median(rates):8.1f}  best {max(rates):8.1f} tokens/s;"
                  f" {agreed} of {checked} leading tokens are those of the float32 reference")
            failed |= program == "netra" and agreed < checked
    if not arguments.peer_only:
        for work in works:
            medians = [statistics.median([r["rate"] for r in results[p][work]]) for p in ("netra", "llama.cpp")]
            print(f"ratio netra / llama.cpp, {work}: {medians[0] / medians[1]:.2f}")
    if arguments.json:
        arguments.json.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    if failed:
        sys.exit("netra's tokens differ from the golden file: its speed does not count")


if __name__ == "__main__":
    main()
