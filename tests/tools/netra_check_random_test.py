# SPDX-FileCopyrightText: 2026 The netra authors
# SPDX-License-Identifier: MIT
"""`netra check` on random changes of small `amk` programs: every verdict against the definition of safety, element by element.

NETRA_FUZZ_SEED repeats a run, NETRA_FUZZ_COUNT is the number of programs."""
import collections
import copy
import json
import math
import os
import pathlib
import random
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(os.environ.get("NETRA_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[2]))
PROGRAM = pathlib.Path(os.environ.get("NETRA_BINARY_DIR", ROOT / "build"), "netra")
SEED = int(os.environ.get("NETRA_FUZZ_SEED") or random.SystemRandom().randrange(2**32))
COUNT = int(os.environ.get("NETRA_FUZZ_COUNT") or 3000)
READ_ONLY = ("WEIGHT", "CONST", "IO_INPUT")


class Builder:
    def __init__(self):
        self.program = {"meta": {"pos": 3}, "buffers": [], "counters": [], "tasks": []}

    def buffer(self, kind, shape, dtype="F32"):
        buffers = self.program["buffers"]
        buffers.append({"id": len(buffers), "name": f"b{len(buffers)}", "kind": kind, "dtype": dtype, "shape": shape})
        return len(buffers) - 1

    def counter(self):
        self.program["counters"].append({"id": len(self.program["counters"]), "init": 0})
        return len(self.program["counters"]) - 1

    def task(self, op, inputs, output, counter, waits=(), **params):
        tasks = self.program["tasks"]
        tasks.append({"id": len(tasks), "op": op, "inputs": list(inputs), "outputs": [output], "out_counter": counter,
                      "waits": [{"counter": c, "threshold": t} for c, t in waits], "params": params, "sm": None, "label": f"t{len(tasks)}"})

    def step(self, *arguments, **params):
        counter = self.counter()
        self.task(*arguments[:3], counter, *arguments[3:], **params)
        return counter, 1


def chain(dice):
    """Buffers of 8 columns, each made of one or two before it, some of them in two or four tiles."""
    b = Builder()
    made = [(b.buffer("IO_INPUT", [1, 8]), None)]
    weight, norm = b.buffer("WEIGHT", [8, 8]), b.buffer("WEIGHT", [8])
    for step in range(dice.randrange(2, 10)):
        first, second = made[-1], dice.choice(made)
        waits = {source[1] for source in (first, second) if source[1]}
        to = b.buffer("ACTIVATION", [1, 8])
        op = dice.choice(("COPY", "ADD", "SILU_MUL", "RMSNORM", "tiles", "tiles"))
        if op == "tiles":
            tiles, counter = dice.choice((1, 2, 4)), b.counter()
            for t in range(tiles):
                b.task("GEMV_TILE", [first[0], weight], to, counter, {first[1]} - {None}, K=8, N_tile=8 // tiles, n_off=8 // tiles * t)
            made.append((to, (counter, tiles)))
        elif op == "RMSNORM":
            made.append((to, b.step(op, [first[0], norm], to, {first[1]} - {None}, eps=1e-6, hidden=8)))
        elif op == "COPY":
            made.append((to, b.step(op, [first[0]], to, {first[1]} - {None})))
        else:
            made.append((to, b.step(op, [first[0], second[0]], to, waits)))
    b.program["buffers"][made[-1][0]]["kind"] = "IO_OUTPUT"
    return b.program


def decoder(_):
    """One attention step with caches."""
    b = Builder()
    q, k, v = (b.buffer("IO_INPUT", [rows, 4]) for rows in (2, 1, 1))
    keys, values = b.buffer("KV_CACHE", [6, 1, 4]), b.buffer("KV_CACHE", [6, 1, 4])
    heads, out = b.buffer("ACTIVATION", [1, 8]), b.buffer("IO_OUTPUT", [1, 8])
    weight = b.buffer("WEIGHT", [8, 8])
    c_k = b.step("KV_APPEND", [k, keys], keys, pos=3)
    c_v = b.step("KV_APPEND", [v, values], values, pos=3)
    c_h = b.step("ATTENTION_TILE", [q, keys, values], heads, [c_k, c_v], head_dim=4, kv_start=0, kv_len=4, scale=0.5, n_heads=2, n_kv_heads=1)
    c_o = b.counter()
    for t in range(2):
        b.task("GEMV_TILE", [heads, weight], out, c_o, [c_h], K=8, N_tile=4, n_off=4 * t)
    return b.program


def change(p, dice):
    tasks, counters = p["tasks"], p["counters"]
    if dice.random() < 0.6:
        queues = dice.choice((1, 2, 3, 5))
        for t in tasks:
            t["sm"] = dice.randrange(queues) if dice.random() < 0.8 else None
    for _ in range(dice.choice((0, 1, 1, 2))):
        t = dice.choice(tasks)
        params = t["params"]
        what = dice.randrange(10)
        if what == 0 and t["waits"]:
            t["waits"].pop(dice.randrange(len(t["waits"])))
        elif what == 1 and t["waits"]:
            dice.choice(t["waits"])["threshold"] = dice.randrange(1, 6)
        elif what == 2:
            dice.choice(counters)["init"] = dice.randrange(2)
        elif what == 3:
            t["out_counter"] = dice.randrange(len(counters))
        elif what == 4:
            i, j = dice.randrange(len(tasks)), dice.randrange(len(tasks))
            tasks[i], tasks[j] = tasks[j], tasks[i]
            for place, task in enumerate(tasks):
                task["id"] = place
        elif what == 5 and len(t["waits"]) < 8:
            t["waits"].append({"counter": dice.randrange(len(counters)), "threshold": dice.randrange(1, 3)})
        elif what == 6 and t["op"] in ("ADD", "COPY", "SILU_MUL", "RMSNORM"):
            t["outputs"] = [dice.choice([b["id"] for b in p["buffers"] if b["kind"] in ("ACTIVATION", "IO_OUTPUT")])]
        elif what == 7 and "N_tile" in params:
            params["n_off"] = dice.randrange(8)
            params["N_tile"] = dice.randrange(1, 9 - params["n_off"])
        elif what == 8 and "pos" in params:
            params["pos"] = dice.randrange(6)
        elif what == 9 and "kv_len" in params:
            params["kv_start"] = dice.randrange(6)
            params["kv_len"] = dice.randrange(1, 7 - params["kv_start"])


def touched(p, t):
    """Elements that a task reads and writes: buffer -> set."""
    reads, writes = collections.defaultdict(set), collections.defaultdict(set)
    whole = lambda b: range(math.prod(p["buffers"][b]["shape"]))
    params = t["params"]
    if t["op"] == "GEMV_TILE":
        reads[t["inputs"][0]].update(whole(t["inputs"][0]))
        writes[t["outputs"][0]].update(range(params["n_off"], params["n_off"] + params["N_tile"]))
    elif t["op"] == "KV_APPEND":
        reads[t["inputs"][0]].update(whole(t["inputs"][0]))
        writes[t["outputs"][0]].update(range(4 * params["pos"], 4 * params["pos"] + 4))
    elif t["op"] == "ATTENTION_TILE":
        reads[t["inputs"][0]].update(whole(t["inputs"][0]))
        for cache in t["inputs"][1:]:
            reads[cache].update(range(4 * params["kv_start"], 4 * (params["kv_start"] + params["kv_len"])))
        writes[t["outputs"][0]].update(whole(t["outputs"][0]))
    else:
        for b in t["inputs"]:
            reads[b].update(whole(b))
        writes[t["outputs"][0]].update(whole(t["outputs"][0]))
    return reads, writes


def finished(p, held):
    """The tasks that run when task `held` never does."""
    counters = [c["init"] for c in p["counters"]]
    queues = collections.defaultdict(list)
    for i, t in enumerate(p["tasks"]):
        queues[("own", i) if t["sm"] is None else t["sm"]].append(i)
    done, moved = set(), True
    while moved:
        moved = False
        for queue in queues.values():
            while queue and queue[0] != held and all(counters[w["counter"]] >= w["threshold"] for w in p["tasks"][queue[0]]["waits"]):
                done.add(queue[0])
                counters[p["tasks"][queue.pop(0)]["out_counter"]] += 1
                moved = True
    return done


def safe(p):
    """By definition, and slowly."""
    tasks, buffers = p["tasks"], p["buffers"]
    everyone = set(range(len(tasks)))
    if any(p["counters"][w["counter"]]["init"] >= w["threshold"] for t in tasks for w in t["waits"]):
        return False
    if finished(p, None) != everyone:
        return False
    after = [everyone - finished(p, i) - {i} for i in everyone]
    reads, writes = zip(*(touched(p, t) for t in tasks))
    for a in everyone:
        for b in everyone - after[a] - {a}:
            if a not in after[b] and any(own & (reads[b].get(buffer, set()) | writes[b].get(buffer, set())) for buffer, own in writes[a].items()):
                return False
    first_append = {b["id"]: p["meta"]["pos"] for b in buffers if b["kind"] == "KV_CACHE"}
    for cache in first_append:
        first_append[cache] = min((t["params"]["pos"] for t in tasks if t["op"] == "KV_APPEND" and t["outputs"] == [cache]), default=first_append[cache])
    for i in everyone:
        for buffer, elements in reads[i].items():
            if buffers[buffer]["kind"] in READ_ONLY:
                continue
            held = set(range(4 * first_append.get(buffer, 0)))
            before = set().union(*(writes[a].get(buffer, set()) for a in everyone if i in after[a]))
            if elements - held - before:
                return False
    written = lambda b: set().union(*(w.get(b["id"], set()) for w in writes))
    return all(len(written(b)) == math.prod(b["shape"]) for b in buffers if b["kind"] == "IO_OUTPUT")


def main():
    if not PROGRAM.exists():
        print(f"skipped: {PROGRAM} was not built")
        return 77
    print(f"NETRA_FUZZ_SEED={SEED} NETRA_FUZZ_COUNT={COUNT}")
    dice = random.Random(SEED)
    programs = []
    for _ in range(COUNT):
        p = copy.deepcopy(dice.choice((chain, chain, decoder))(dice))
        change(p, dice)
        programs.append(p)
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "programs.jsonl")
        file.write_text("".join(json.dumps({"id": i, "schedule": p}) + "\n" for i, p in enumerate(programs)))
        run = subprocess.run([PROGRAM, "check", file], capture_output=True, text=True, check=False)
    verdicts = [json.loads(line) for line in run.stdout.splitlines()]
    assert len(verdicts) == COUNT, run.stderr
    counts = collections.Counter()
    for p, verdict in zip(programs, verdicts):
        expected = safe(p)
        counts[expected, verdict["safe"]] += 1
        if expected != verdict["safe"] and counts[True, False] + counts[False, True] == 1:
            print(f"safe is {expected}, but netra says {verdict}\n{json.dumps(p)}")
    print(f"{counts[True, True]} accepted, {counts[False, False]} refused, {counts[False, True]} accepted wrongly, {counts[True, False]} refused wrongly")
    enough = COUNT < 1000 or min(counts[True, True], counts[False, False]) > COUNT // 10
    return 0 if enough and counts[True, False] + counts[False, True] == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
