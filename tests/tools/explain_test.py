# SPDX-FileCopyrightText: 2026 The netra authors
# SPDX-License-Identifier: MIT
"""`netra explain` on a config.json and, where there is one, on the demo's GGUF file."""
import collections
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(os.environ.get("NETRA_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[2]))
PROGRAM = pathlib.Path(os.environ.get("NETRA_BINARY_DIR", ROOT / "build"), "netra")
CONFIG = ROOT / "tests" / "import" / "configs" / "llama_3_2_1b.json"
GGUF = os.environ.get("NETRA_DEMO_GGUF", "")
LOWERINGS = (
    ["--no-fuse-norm"], ["--no-fuse-qkv"], ["--no-fuse-gate-up"], ["--no-fuse-residual"], ["--per-head-waits", "--tile-outputs", "64"],
    ["--round-robin", "--tile-outputs", "64"], ["--kv-splits", "1"], ["--tile-outputs", "100"],
    ["--no-fuse-norm", "--no-fuse-qkv", "--no-fuse-gate-up", "--no-fuse-residual", "--kv-splits", "2", "--round-robin"],
)


def explain(*arguments, status=0):
    run = subprocess.run([PROGRAM, "explain", *map(str, arguments)], capture_output=True, text=True, check=False)
    assert run.returncode == status, f"{arguments}: exit status {run.returncode}, expected {status}\n{run.stdout}{run.stderr}"
    return run.stdout if status == 0 else run.stderr + run.stdout


def total(rows, key):
    return sum(row["cost"][key] for row in rows)


class Explain(unittest.TestCase):
    def check_json(self, model, *options):
        out = json.loads(explain(model, "--json", *options))
        for key in out["cost"]:
            self.assertEqual(total(out["groups"], key), out["cost"][key], key)
            self.assertEqual(total(out["queues"], key), out["cost"][key], key)
        self.assertEqual(sum(g["tiles"] for g in out["groups"]), sum(q["tiles"] for q in out["queues"]))
        self.assertEqual(out["verdict"], "accepted")
        self.assertRegex(out["identity"], r"^nk_[0-9a-f]{16}$")
        signalled = set()
        for group in out["groups"]:
            for wait in group["waits"]:
                self.assertTrue(set(range(wait["first"], wait["last"] + 1)) <= signalled, group)
            first, last = group["counters"]
            signalled |= set(range(first, last + 1))
        self.assertEqual(signalled, set(range(out["counters"])))
        for buffer in out["buffers"]:
            if "arena_offset" in buffer:
                self.assertLessEqual(buffer["arena_offset"] + buffer["rows"] * buffer["row_bytes"], out["arena_bytes"])
        return out

    def test_config(self):
        out = self.check_json(CONFIG, "--threads", 4)
        self.assertTrue(out["contract"].startswith("decoder hidden=2048 layers=16 heads=32 kv_heads=8 head_dim=64 "), out["contract"])
        self.assertIn("q=bf16", out["contract"])  # torch_dtype
        self.assertEqual(len(out["queues"]), 4)
        self.assertEqual(sum(g["name"].startswith("o_proj[") for g in out["groups"]), 16)
        for name in ("llama", "smollm", "Llama"):
            self.assertNotIn(name, out["contract"].replace("scaling=llama3", ""))

    def test_lowerings(self):
        plain = self.check_json(CONFIG, "--threads", 3)
        for options in LOWERINGS:
            with self.subTest(options=options):
                out = self.check_json(CONFIG, "--threads", 3, *options)
                self.assertEqual(out["identity"], plain["identity"])
                self.assertFalse(out["groups"] == plain["groups"])

    def test_formats(self):
        identities = set()
        weights = {}
        for dtype in ("f32", "f16", "bf16", "q8_0", "q4_0", "q4_1"):
            out = self.check_json(CONFIG, "--threads", 1, "--dtype", dtype)
            identities.add(out["identity"])
            weights[dtype] = out["cost"]["weights_read"]
        self.assertEqual(len(identities), 6)
        self.assertEqual(weights["f16"], weights["bf16"])
        self.assertLess(weights["q4_0"], weights["q4_1"])
        self.assertLess(weights["q4_1"], weights["q8_0"])
        self.assertLess(weights["q8_0"], weights["bf16"])

    def test_format_in_config(self):
        config = json.loads(CONFIG.read_text())
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "config.json")
            for value, format in (("float32", "f32"), ("float16", "f16"), ("bfloat16", "bf16"), (None, "f32")):
                file.write_text(json.dumps(dict(config, torch_dtype=value)))
                self.assertIn(f"embedding={format} ", self.check_json(file, "--threads", 1)["contract"])
            for value in ("float8_e4m3fn", "auto", "", 7, ["float32"]):
                file.write_text(json.dumps(dict(config, torch_dtype=value)))
                refusal = explain(file, status=1)
                self.assertIn(f"{file}: torch_dtype is {json.dumps(value).replace(', ', ',')}", refusal)
                self.assertIn("--dtype", refusal)
                self.assertIn("embedding=q8_0 ", self.check_json(file, "--threads", 1, "--dtype", "q8_0")["contract"])

    @unittest.skipUnless(os.path.exists("/dev/full"), "this machine has no /dev/full")
    def test_full_disk(self):
        for options in ([], ["--json"]):
            with open("/dev/full", "w") as full:
                run = subprocess.run([PROGRAM, "explain", CONFIG, *options], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
            self.assertEqual(run.returncode, 1, run.stderr)
            self.assertIn("standard output cannot be written", run.stderr)

    def test_step(self):
        first = self.check_json(CONFIG, "--threads", 2)
        later = self.check_json(CONFIG, "--threads", 2, "--rows", 4, "--past", 1000)
        position = 16 * 2 * 8 * 64 * 4  # fp32 keys and values of all layers
        self.assertEqual(first["cost"]["cache_written"], position)
        self.assertEqual(later["cost"]["cache_written"], 4 * position)
        self.assertEqual(later["cost"]["cache_read"], 1004 * position)

    def test_tables(self):
        lines = explain(CONFIG, "--threads", 2).splitlines()
        out = json.loads(explain(CONFIG, "--threads", 2, "--json"))
        self.assertEqual(lines[0], "contract  " + out["contract"])
        self.assertEqual(lines[1], "identity  " + out["identity"])
        self.assertEqual(lines[2], "verdict   accepted")
        at = next(i for i, line in enumerate(lines) if line.split()[:2] == ["#", "group"])
        for line, group in zip(lines[at + 1:], out["groups"]):
            self.assertEqual(line.split()[1:4], [group["name"], group["op"], str(group["tiles"])])
        self.assertEqual(lines[-1].split()[:3], ["all", str(sum(g["tiles"] for g in out["groups"])), str(out["cost"]["weights_read"])])

    def test_dot(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "graph.dot")
            out = json.loads(explain(CONFIG, "--threads", 2, "--json", "--dot", file))
            text = file.read_text()
            self.assertEqual(text.count(" -> "), sum(len(g["waits"]) + len(g["words"]) for g in out["groups"]))
            self.assertIn("cannot be written", explain(CONFIG, "--dot", pathlib.Path(folder, "no", "x.dot"), status=1))
            if shutil.which("dot") is None:
                self.skipTest("this machine has no dot (package graphviz)")
            drawn = subprocess.run(["dot", "-Tsvg", file], capture_output=True, text=True, check=True)
            self.assertEqual(drawn.stderr, "")
            self.assertEqual(drawn.stdout.count('class="node"'), len(out["groups"]))

    def test_html(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "schedule.html")
            out = json.loads(explain(CONFIG, "--threads", 3, "--past", 7, "--json", "--html", file))
            text = file.read_text()
            data = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.S)[1])
            self.assertEqual(data["title"], "llama_3_2_1b.json, 1 token after 7 positions")
            self.assertEqual((data["reason"], data["sentence"], data["refused"]), ("accepted", "", []))
            self.assertEqual(data["queues"], 3)
            self.assertEqual([b[0] for b in data["buffers"]], [b["name"] for b in out["buffers"]])
            self.assertEqual(data["names"], [[g["name"], g["op"]] for g in out["groups"]])
            tasks = [data["tasks"][i:i + 7] for i in range(0, len(data["tasks"]), 7)]
            tiles = collections.Counter(name for name, *_ in tasks)
            self.assertEqual([tiles[i] for i in range(len(tiles))], [g["tiles"] for g in out["groups"]])
            self.assertEqual({level for _, _, _, level, *_ in tasks}, set(range(data["levels"])))
            self.assertEqual(len({(queue, level) for _, _, queue, level, *_ in tasks}), len(tasks))
            for column, key in ((4, "signals"), (5, "waits"), (6, "accesses")):
                width = {"signals": 1, "waits": 3, "accesses": 5}[key]
                self.assertEqual(width * sum(task[column] for task in tasks), len(data[key]))
            self.assertEqual(sum(data["costs"][0::4]), out["cost"]["weights_read"])
            self.assertEqual(sum(data["costs"][3::4]), out["cost"]["flops"])
            self.assertIn("cannot be written", explain(CONFIG, "--html", pathlib.Path(folder, "no", "x.html"), status=1))
            self.assertIn("use a larger --tile-outputs", explain(CONFIG, "--tile-outputs", 1, "--html", file, status=1))
            self.check_in_browser(file, f"{len(tasks):,} tasks on 3 queues, {data['levels']} levels", out["groups"][2]["name"])

    def check_in_browser(self, file, facts, searched):
        browser = shutil.which("chromium") or shutil.which("google-chrome")
        if browser is None:
            self.skipTest("this machine has no chromium")

        def shown(page, fragment):
            run = subprocess.run(
                [browser, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={file.parent / 'profile'}",
                 "--virtual-time-budget=2000", "--dump-dom", f"{page.as_uri()}#{fragment}"],
                capture_output=True, text=True, timeout=300, check=True)
            return run.stdout

        page = shown(file, f"task=0&find={searched}")
        self.assertIn(f'<span id="facts" class="quiet">{facts}</span>', page)
        self.assertIn('<span id="verdict" class="chip">accepted</span>', page)
        self.assertRegex(page, r'<aside id="side" aria-live="polite"><h2>rope_table</h2><table>')
        self.assertRegex(page, r'<span id="found" class="quiet" role="status">\d+ tasks?</span>')

        refused = file.parent / "refused.html"
        text = file.read_text().replace('"reason":"accepted","sentence":""', '"reason":"data_race","sentence":"x \\u003cb\\u003e y"')
        refused.write_text(text.replace('"refused":[]', '"refused":[1,4,0]'))
        page = shown(refused, "theme=dark")
        self.assertIn('<span id="verdict" class="chip bad">refused: data race</span>', page)
        self.assertIn('<p id="refusal">x &lt;b&gt; y</p>', page)
        self.assertRegex(page, r"<h3>Named by the checker</h3><ul><li><a tabindex=\"0\">embedding</a> on queue 0</li><li>")

    def test_refusals(self):
        self.assertIn("no such file", explain("/nowhere.gguf", status=1))
        self.assertIn("no such file", explain("/nowhere.json", status=1))
        with tempfile.TemporaryDirectory() as folder:
            self.assertIn("config.json", explain(folder, status=1))
            config = json.loads(CONFIG.read_text())
            config["mystery"] = 1
            file = pathlib.Path(folder, "config.json")
            file.write_text(json.dumps(config))
            self.assertIn("mystery", explain(file, status=1))
            for text in ("[]", "{", ""):
                file.write_text(text)
                self.assertIn(str(file), explain(file, status=1))
        self.assertIn("not a multiple", explain(ROOT / "tests/import/configs/least.json", "--dtype", "q4_1", status=1))

    def test_outputs_apart(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            config = folder / "config.json"
            shutil.copy(CONFIG, config)
            whole = config.read_bytes()
            for option in ("--html", "--dot", "--schedule"):
                for path in (config, folder / "." / "config.json"):
                    message = explain(config, option, path, status=2)
                    for part in (option, "MODEL", str(path)):
                        self.assertIn(part, message)
            (folder / "tokenizer.json").write_text("{}")
            (folder / "model.safetensors").write_text("x")
            for file in ("config.json", "tokenizer.json", "model.safetensors"):
                self.assertIn("MODEL", explain(folder, "--html", folder / file, status=2))
            self.assertEqual(config.read_bytes(), whole)
            self.assertEqual((folder / "model.safetensors").read_text(), "x")
            (folder / "to_a").symlink_to("a")  # a is not there yet
            for other in (folder / "a", folder / "sub" / ".." / "a", folder / "to_a"):
                message = explain(config, "--html", folder / "a", "--dot", other, status=2)
                for part in ("--html", "--dot", str(folder / "a")):
                    self.assertIn(part, message)
            self.assertFalse((folder / "a").exists())
            (folder / "a").write_text("old")
            explain(config, "--schedule", folder / "to_a", "--dot", folder / "a", status=2)
            self.assertEqual((folder / "a").read_text(), "old")
            for _ in range(2):
                explain(config, "--threads", 1, "--dot", folder / "g.dot", "--html", folder / "p.html", "--schedule", "/dev/null")
            explain(config, "--threads", 1, "--dot", "/dev/null", "--html", "/dev/null")

    def test_step_beyond_context(self):
        config = json.loads(CONFIG.read_text())
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "config.json")
            file.write_text(json.dumps(dict(config, max_position_embeddings=8192)))
            for past, rows in ((100000, 1), (8190, 16), (8192, 1)):
                message = explain(file, "--past", past, "--rows", rows, "--html", pathlib.Path(folder, "p.html"), status=2)
                for part in ("--past", str(past + rows), "8192"):
                    self.assertIn(part, message)
                self.assertFalse(pathlib.Path(folder, "p.html").exists())
            explain(file, "--threads", 1, "--past", 8191)
            explain(file, "--threads", 1, "--past", 8176, "--rows", 16)

    def test_usage(self):
        explain(status=2)
        for wrong in (["--threads", 0], ["--dtype", "f64"], ["--rows", 17], ["--kv-splits", 300], ["--mystery"]):
            explain(CONFIG, *wrong, status=2)
        if GGUF:
            explain(GGUF, "--dtype", "q8_0", status=2)
        self.assertIn("--no-fuse-gate-up", explain("--help"))

    @unittest.skipUnless(GGUF, "NETRA_DEMO_GGUF names no file")
    def test_gguf(self):
        out = self.check_json(GGUF, "--threads", 2)
        self.assertIn("embedding=q8_0 q=q4_1", out["contract"])
        other = self.check_json(GGUF, "--threads", 2, "--dtype", "bf16")
        self.assertNotEqual(out["identity"], other["identity"])


if __name__ == "__main__":
    if not PROGRAM.exists():
        print(f"skipped: {PROGRAM} was not built")
        sys.exit(77)
    unittest.main()
