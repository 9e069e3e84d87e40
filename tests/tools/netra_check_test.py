# SPDX-FileCopyrightText: 2026 The netra authors
# SPDX-License-Identifier: MIT
"""`netra check` on small programs, on what `netra explain --schedule` writes, on hostile files and, where it is, on the data file with verdicts."""
import collections
import copy
import gzip
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(os.environ.get("NETRA_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[2]))
PROGRAM = pathlib.Path(os.environ.get("NETRA_BINARY_DIR", ROOT / "build"), "netra")
CONFIG = ROOT / "tests" / "import" / "configs" / "least.json"
DATA = os.environ.get("NETRA_SCHEDULE_DATA", "")
KEYS = {"id", "safe", "reasons"}


def buffer(id, kind, shape):
    return {"id": id, "name": f"b{id}", "kind": kind, "dtype": "F32", "shape": shape, "space": "HBM", "source": None}


def tile(id, counter, waits, source, to, first):
    return {"id": id, "op": "GEMV_TILE", "inputs": [source, 1], "outputs": [to], "out_counter": counter,
            "waits": [{"counter": c, "threshold": t} for c, t in waits], "params": {"K": 8, "N_tile": 4, "n_off": first}, "sm": None,
            "est_bytes": 0, "est_flops": 0, "label": f"tile{id}"}


def program():
    """Two projections of two tiles each, the second after all of the first: safe."""
    return {"ir_version": "0.2.0", "abi_version": "0.2", "meta": {}, "target": None, "pages": None, "config": None,
            "buffers": [buffer(0, "IO_INPUT", [1, 8]), buffer(1, "WEIGHT", [8, 8]), buffer(2, "ACTIVATION", [1, 8]), buffer(3, "IO_OUTPUT", [1, 8])],
            "counters": [{"id": 0, "init": 0, "note": ""}, {"id": 1, "init": 0, "note": ""}],
            "tasks": [tile(0, 0, [], 0, 2, 0), tile(1, 0, [], 0, 2, 4), tile(2, 1, [(0, 2)], 2, 3, 0), tile(3, 1, [(0, 2)], 2, 3, 4)]}


def racing():
    p = program()
    p["tasks"][3]["waits"][0]["threshold"] = 1
    return p


def blocked():
    p = program()
    p["tasks"][0]["waits"] = [{"counter": 1, "threshold": 1}]
    return p


class Check(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def file(self, content, name="schedule.json"):
        path = pathlib.Path(self.folder.name, name)
        if not isinstance(content, (str, bytes)):
            content = json.dumps(content)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    def check(self, *arguments, status=0):
        run = subprocess.run([PROGRAM, "check", *map(str, arguments)], capture_output=True, text=True, check=False, timeout=300)
        self.assertEqual(run.returncode, status, f"{arguments}\n{run.stdout}{run.stderr}")
        return run

    def lines(self, path, status):
        run = self.check(path, status=status)
        out = [json.loads(line) for line in run.stdout.splitlines()]
        for line in out:
            self.assertEqual(set(line), KEYS)
        return out, run.stderr

    def test_text(self):
        lines = self.check(self.file(program())).stdout.splitlines()
        self.assertEqual(lines, ["accepted", "  amk: 4 tasks, 4 queues, 2 counters, 4 buffers"])
        lines = self.check(self.file(racing()), status=1).stdout.splitlines()
        self.assertEqual(lines[0], "refused")
        self.assertRegex(lines[2], r"^  data_race: [0-9]:tile.*3:tile3")
        self.assertNotIn("tile 0", lines[2])
        lines = self.check(self.file(blocked()), status=1).stdout.splitlines()
        self.assertRegex(lines[2], r"^  \w+: .*0:tile0")

    def test_json(self):
        out = json.loads(self.check(self.file(program()), "--json").stdout)
        self.assertEqual(out["safe"], True)
        self.assertEqual(out["reasons"], [])
        self.assertEqual(out["format"], "amk")
        self.assertEqual(out["tasks"], 4)
        out = json.loads(self.check(self.file({"id": "mine", "schedule": racing()}), "--json", status=1).stdout)
        self.assertEqual((out["id"], out["safe"], len(out["reasons"])), ("mine", False, 1))
        self.assertTrue(out["reasons"][0].startswith("data_race: "), out)
        run = self.check(self.file("{"), "--json", status=2)
        out = json.loads(run.stdout)
        self.assertEqual(set(out), KEYS)
        self.assertTrue(out["reasons"][0].startswith("unreadable: "), out)
        self.assertIn("not valid JSON", run.stderr)

    def test_html(self):
        page = pathlib.Path(self.folder.name, "page.html")
        self.check(self.file(program()), "--html", page)
        self.assertIn('"reason":"accepted","sentence":""', page.read_text())
        self.check(self.file(racing()), "--html", page, status=1)
        data = json.loads(page.read_text().split('id="data">')[1].split("</script>")[0])
        self.assertEqual((data["title"], data["reason"], data["refused"]), ("schedule.json", "data_race", [0, 3, 0]))
        self.assertIn("3:tile3", data["sentence"])
        self.assertEqual([name for name, _ in data["names"]], ["0:tile0", "1:tile1", "2:tile2", "3:tile3"])
        self.check(self.file(blocked()), "--html", page, status=1)
        data = json.loads(page.read_text().split('id="data">')[1].split("</script>")[0])
        self.assertEqual(data["levels"], 1)
        self.assertIn(1, data["refused"][2::3])
        page.unlink()
        broken = program()
        broken["tasks"][0]["inputs"] = [0, 4]
        self.assertIn("was not written", self.check(self.file(broken), "--html", page, status=1).stderr)
        self.assertFalse(page.exists())
        self.assertIn("one schedule", self.check(self.file("", "s.jsonl"), "--html", page, status=2).stderr)
        for judged, safe in ((program(), True), (racing(), False)):
            run = self.check(self.file(judged), "--html", page / "no" / "x", "--json", status=2)
            self.assertIn("cannot be written", run.stderr)
            out = json.loads(run.stdout)
            self.assertEqual((out["safe"], out["format"]), (safe, "amk"))
            self.assertNotIn("unreadable", run.stdout)
        run = self.check(self.file(program()), "--html", page / "no" / "x", status=2)
        self.assertEqual(run.stdout.splitlines()[0], "accepted")
        self.assertIn("cannot be written", run.stderr)

    def test_output_is_input(self):
        path = self.file(program())
        whole = path.read_bytes()
        link = pathlib.Path(self.folder.name, "page.html")
        link.symlink_to(path)
        hard = pathlib.Path(self.folder.name, "hard.html")
        os.link(path, hard)
        for page in (path, link, hard, pathlib.Path(self.folder.name, ".", "schedule.json")):
            message = self.check(path, "--html", page, status=2).stderr
            for part in ("--html", "FILE", str(page)):
                self.assertIn(part, message)
            self.assertEqual(path.read_bytes(), whole)
        other = pathlib.Path(self.folder.name, "copy.html")
        other.write_text("old")
        self.check(path, "--html", other)
        self.assertIn("<html", other.read_text())

    def test_lines(self):
        good, bad = {"id": "a", "schedule": program()}, {"id": "b", "kind": "x", "safe": True, "schedule": racing()}
        out, summary = self.lines(self.file("\n".join(map(json.dumps, [good, good])), "s.jsonl"), 0)
        self.assertEqual([line["id"] for line in out], ["a", "a"])
        self.assertIn("2 schedules: 2 accepted, 0 refused, 0 unreadable", summary)
        out, summary = self.lines(self.file("\n".join(map(json.dumps, [good, bad, program()])) + "\n\n", "s.jsonl"), 1)
        self.assertEqual([(line["id"], line["safe"]) for line in out], [("a", True), ("b", False), ("line 3", True)])
        out, summary = self.lines(self.file("\n".join([json.dumps(bad), "{\"id\": 1", "[]", json.dumps(good)]), "s.jsonl"), 2)
        self.assertEqual([line["safe"] for line in out], [False, False, False, True])
        self.assertIn("s.jsonl:2", out[1]["reasons"][0])
        self.assertEqual(out[2]["id"], "line 3")
        self.assertIn("4 schedules: 1 accepted, 1 refused, 2 unreadable", summary)
        for blank in ("", "\n", " \n\t\r\n"):
            run = self.check(self.file(blank, "s.jsonl"), status=2)
            self.assertEqual(run.stdout, "")
            self.assertIn("no schedule in it", run.stderr)

    def test_no_task(self):
        """Each form without anything to run is refused, by the same reason."""
        empty = program()
        empty["tasks"] = []
        tasks = {"netra_schedule": 1, "queues": 1, "counters": [], "buffers": [], "tasks": []}
        groups = json.loads(self.explained()[0].read_text())
        groups["groups"] = []
        for schedule in (empty, tasks, groups):
            out = json.loads(self.check(self.file(schedule), "--json", status=1).stdout)
            self.assertFalse(out["safe"])
            self.assertRegex(out["reasons"][0], "^zero_size: ")
        tasks["queues"] = 0
        self.check(self.file(tasks), status=1)

    def test_names(self):
        """What a file calls its tasks and buffers neither steers a terminal nor begins a line."""
        evil = "\x1b[2J\x9b31m\naccepted\r\x7f\u202e\u2028"
        schedule = racing()
        for task in schedule["tasks"]:
            task["label"] = evil
        schedule["buffers"][2]["name"] = evil
        wrong = copy.deepcopy(schedule)
        wrong["tasks"][0].update(op=evil)
        unread = copy.deepcopy(schedule)
        unread["tasks"][0]["id"] = evil
        cut = racing()
        cut["tasks"][3]["label"] = "\u00e9" * 40
        tasks = {"netra_schedule": 1, "queues": 2, "counters": [],
                 "buffers": [{"name": evil, "kind": "output", "space": 0, "offset": 0, "rows": 1, "row_bytes": 8, "held_rows": 0}],
                 "tasks": [{"name": evil, "queue": queue, "signals": [], "waits": [], "accesses": [{"buffer": 0, "write": True, "rows": [0, 1], "bytes": [0, 8]}]}
                           for queue in (0, 1)]}
        groups = json.loads(self.explained()[0].read_text())
        for group in groups["groups"]:
            group.update(name=evil[:20], waits=[])
        broken = copy.deepcopy(groups)
        broken["groups"][1]["tiles"] = 0
        for case, shown in ((schedule, "\\x1b[2J"), (wrong, "\\x1b[2J"), (unread, "\\x1b[2J"), (cut, "\\x"), (tasks, "\\x1b[2J"), (groups, "\\x1b[2J"),
                            (broken, "\\x1b[2J")):
            with self.subTest(case=json.dumps(case)[:60], shown=shown):
                done = subprocess.run([PROGRAM, "check", self.file(case)], capture_output=True, check=False)
                self.assertIn(done.returncode, (1, 2))
                said = (done.stdout + done.stderr).decode("utf-8")  # well-formed
                self.assertIn(shown, said)
                for line in said.splitlines():
                    self.assertTrue(line.isprintable(), repr(line))
                    self.assertRegex(line, "^(refused$|  |netra check: )")

    def test_help(self):
        for arguments in (["--help"], [self.file(program()), "--format", "other"]):
            done = subprocess.run([PROGRAM, "check", *map(str, arguments)], capture_output=True, text=True, check=False)
            said = done.stdout + done.stderr
            self.assertIn("netra", said)
            self.assertIn("amk", said)
            self.assertTrue(all(c.isprintable() or c == "\n" for c in said), repr(said))

    def test_group_reasons(self):
        path, _ = self.explained()
        schedule = json.loads(path.read_text())
        loose = copy.deepcopy(schedule)
        for group in loose["groups"]:
            group["waits"] = []
        lines = self.check(self.file(loose), status=1).stdout.splitlines()
        self.assertRegex(lines[1], r"^  netra groups: \d+ tasks, 3 queues, \d+ counters, \d+ buffers$")
        for line, checker in zip(lines[2:], ("group", "exact"), strict=True):
            self.assertRegex(line, rf"^  {checker} checker: \w+_\w+: ")
            self.assertNotIn("data_race: data race", line)
        out = json.loads(self.check(self.file(loose), "--json", status=1).stdout)
        self.assertIn(out["exact_checker"], out["reasons"])
        schedule["groups"][3]["accesses"][0]["buffer"] = 9999
        lines = self.check(self.file(schedule), status=1).stdout.splitlines()
        self.assertRegex(lines[1], r"^  netra groups: 3 queues, \d+ counters, \d+ buffers$")
        self.assertRegex(lines[2], r"^  group checker: unknown_buffer: ")
        self.assertEqual(len(lines), 3)
        self.assertNotIn("tasks", json.loads(self.check(self.file(schedule), "--json", status=1).stdout))

    def test_document(self):
        """The example of docs/schedule-format.md, and the same without its wait."""
        text = (ROOT / "docs" / "schedule-format.md").read_text().split("```json")[1].split("```")[0]
        self.check(self.file(text))
        self.check(self.file(text.replace('"rows": [0, 1], "bytes": [4, 8]', '"rows": [0, 1], "bytes": [3, 8]')))
        self.assertIn("data_race", self.check(self.file(text.replace("[[0, 1]]", "[]").replace("[4, 8]", "[3, 8]")), status=1).stdout)
        self.assertIn("incomplete_output", self.check(self.file(text.replace("[4, 8]", "[5, 8]")), status=1).stdout)

    def test_refused_kinds(self):
        """One change each, and how the first reason begins."""
        def page(p, nbytes, page_id=0):
            p["pages"] = {"pages": [{"id": 0, "space": "GLOBAL_SCRATCH", "nbytes": nbytes}], "buffer_to_page": {"2": page_id}}

        def queues(p):
            for task, sm in zip(p["tasks"], (0, 0, 0, 0)):
                task["sm"] = sm
            p["tasks"] = [p["tasks"][i] for i in (2, 0, 1, 3)]
            for i, task in enumerate(p["tasks"]):
                task["id"] = i

        kinds = {
            "bad_id": [lambda p: p["tasks"][1].update(id=7), lambda p: p["tasks"].reverse(), lambda p: p["buffers"][1].update(id=0),
                       lambda p: p["counters"][1].update(id=-1), lambda p: p["counters"][1].update(id=10**18)],
            "bad_input_ref": [lambda p: p["tasks"][0].update(inputs=[0, 4]), lambda p: p["tasks"][0].update(inputs=[-1, 1])],
            "bad_output_ref": [lambda p: p["tasks"][0].update(outputs=[10**12])],
            "bad_wait_counter_ref": [lambda p: p["tasks"][2]["waits"][0].update(counter=2)],
            "bad_out_counter_ref": [lambda p: p["tasks"][2].update(out_counter=2)],
            "bad_threshold": [lambda p: p["tasks"][2]["waits"][0].update(threshold=0)],
            "wait_already_satisfied": [lambda p: p["counters"][0].update(init=2)],
            "waits_over_cap": [lambda p: p["tasks"][2].update(waits=[{"counter": 0, "threshold": 2}] * 9)],
            "arity": [lambda p: p["tasks"][0].update(inputs=[0]), lambda p: p["tasks"][0].update(inputs=[0, 1, 1, 1])],
            "output_arity": [lambda p: p["tasks"][0].update(outputs=[]), lambda p: p["tasks"][0].update(outputs=[2, 3])],
            "missing_param": [lambda p: p["tasks"][0]["params"].pop("K")],
            "bad_parameter": [lambda p: p["tasks"][0]["params"].update(scale=float("nan")),
                              lambda p: p["tasks"][0]["params"].update(eps=float("-inf")), lambda p: p["tasks"][0]["params"].update(K=8.5)],
            "no_kernel": [lambda p: p["tasks"][0].update(op="LAYERNORM")],
            "unknown_operation": [lambda p: p["tasks"][0].update(op="MATMUL")],
            "writes_read_only": [lambda p: p["buffers"][2].update(kind="CONST")],
            "bad_queue": [lambda p: p["tasks"][0].update(sm=-2)],
            "bad_shape": [lambda p: p["buffers"][2].update(shape=[1, 0]), lambda p: p["buffers"][2].update(shape=[10**18, 8])],
            "out_of_bounds": [lambda p: p["tasks"][1]["params"].update(n_off=5), lambda p: p["tasks"][1]["params"].update(N_tile=-4)],
            "row_tile_ignored": [lambda p: p["tasks"][1]["params"].update(m_off=1)],
            "misfit": [lambda p: p["tasks"][1]["params"].update(K=7), lambda p: p["buffers"][1].update(dtype="I32")],
            "page_too_small": [lambda p: page(p, 31)],
            "bad_page": [lambda p: page(p, 32, 1)],
            "uncovered_read": [lambda p: p["tasks"][1]["params"].update(N_tile=3)],
            "incomplete_output": [lambda p: p["tasks"][3]["params"].update(N_tile=3)],
            "data_race": [lambda p: p["tasks"][1]["params"].update(n_off=3), lambda p: p["tasks"][2].update(waits=[])],
            "deadlock|cyclic_wait|queue_deadlock": [queues, lambda p: p["tasks"][0].update(waits=[{"counter": 1, "threshold": 1}])],
            "unsatisfiable_wait|deadlock": [lambda p: p["tasks"][2]["waits"][0].update(threshold=3)],
        }
        programs = []
        for reason, changes in kinds.items():
            for change in changes:
                changed = program()
                change(changed)
                programs.append({"id": reason, "schedule": changed})
        out, _ = self.lines(self.file("\n".join(map(json.dumps, programs)), "kinds.jsonl"), 1)
        self.assertEqual(len(out), len(programs))
        for line in out:
            self.assertFalse(line["safe"], line)
            self.assertIn(line["reasons"][0].split(":")[0], line["id"].split("|"), line)

    def test_accepted_kinds(self):
        rewritten = program()  # the activation is written again after its readers
        rewritten["counters"].append({"id": 2, "init": 0, "note": ""})
        rewritten["tasks"].append(tile(4, 2, [(1, 2)], 3, 2, 0))
        queue = program()  # order by the common queue alone
        for task in queue["tasks"]:
            task.update(sm=3, waits=[])
        two_counters = program()
        two_counters["counters"].append({"id": 2, "init": 0, "note": ""})
        two_counters["tasks"][1]["out_counter"] = 2
        for task in two_counters["tasks"][2:]:
            task["waits"] = [{"counter": 0, "threshold": 1}, {"counter": 2, "threshold": 1}]
        paged = program()
        paged["pages"] = {"pages": [{"id": 0, "space": "GLOBAL_SCRATCH", "nbytes": 32}], "buffer_to_page": {"2": 0}}
        programs = [rewritten, queue, two_counters, paged]
        out, _ = self.lines(self.file("\n".join(map(json.dumps, programs)), "kinds.jsonl"), 0)
        self.assertEqual([line["safe"] for line in out], [True] * 4, out)

    def test_no_shapes(self):
        p = program()
        p["buffers"][1]["dtype"] = "I32"
        self.check(self.file(p), status=1)
        self.check(self.file(p), "--no-shapes")

    def test_hostile(self):
        """Each is refused or unreadable, in words, in bounded time and memory."""
        whole = json.dumps(program())

        def swapped(old, new):
            self.assertIn(old, whole)
            return whole.replace(old, new, 1)

        groups = json.loads(self.explained()[0].read_text())

        def group(**changes):
            changed = copy.deepcopy(groups)
            changed["groups"][2].update(changes)
            return json.dumps(changed)

        cases = {
            "not a JSON object": ["", " ", "null", "[]", "7", '"x"', "\x00"],
            "not valid JSON": [whole[:n] for n in (1, 10, len(whole) // 2, len(whole) - 1)] + [whole + "}", '{"tasks": [1e999]}', '{"a": nan}'],
            "nests deeper": ['{"tasks":' + "[" * 100000, '{"a":' * 1000],
            "occurs twice": [swapped('"op": "GEMV_TILE"', '"op": "ADD", "op": "GEMV_TILE"')],
            "neither a schedule of netra": ["{}", '{"schedule": 5}', '{"schedule": {}}'],
            "'tasks' is": ['{"buffers": [], "counters": [], "tasks": {}}', '{"buffers": [], "counters": [], "tasks": "x"}'],
            "'tasks[0].id' is": [swapped('"tasks": [{"id": 0', '"tasks": [{"id": ' + v) for v in ("1e18", "null", '"0"', "1e-3", "NaN", "-Infinity", "[0]")],
            "63 bits": [swapped('"tasks": [{"id": 0', '"tasks": [{"id": 18446744073709551615')],
            "'netra_schedule' is": ['{"netra_schedule": 2}', '{"netra_schedule": "x"}'],
            "'groups[2].tiles'": [group(tiles=10**18), group(tiles=-1)],
            "at most 1048576 are checked": [group(tiles=4 * 10**9), group(tiles=2**28, queue=[0, 0, 1], signal=[0, 0, 1])],
            "'groups[2].waits'": [group(waits=[{"first": [0, 0, 1], "count": 1, "threshold": 1}] * 5)],
        }
        for message, texts in cases.items():
            for text in texts:
                with self.subTest(message=message, text=text[:80]):
                    run = subprocess.run([PROGRAM, "check", self.file(text)], capture_output=True, text=True, check=False, timeout=60)
                    self.assertIn(run.returncode, (1, 2), run)
                    self.assertIn(message, run.stderr + run.stdout)
        run = self.check(self.file(b'{"tasks": "\xff\xfe"}'), status=2)
        self.assertIn("not valid JSON", run.stderr)
        name = program()
        name["tasks"][3].update(label="\x1b[31m\u00e9" * 200, op="LAYERNORM")
        self.check(self.file(name), "--json", status=1)

    def test_unreadable(self):
        self.assertIn("schedule.json.gz: is compressed", self.check(self.file(gzip.compress(b"{}"), "schedule.json.gz"), status=2).stderr)
        self.assertIn("no-such-file", self.check("/no-such-file.json", status=2).stderr)
        self.check(self.folder.name, status=2)
        self.check(status=2)
        self.check(self.file(program()), "--format", "other", status=2)
        self.check(self.file(program()), "--format", "amk")
        self.assertIn("netra_schedule", self.check(self.file(program()), "--format", "netra", status=2).stderr)

    @unittest.skipUnless(os.path.exists("/dev/full"), "this machine has no /dev/full")
    def test_full_disk(self):
        with open("/dev/full", "w") as full:
            run = subprocess.run([PROGRAM, "check", self.file(program())], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual(run.returncode, 2, run.stderr)
        self.assertIn("standard output cannot be written", run.stderr)

    def explained(self, *options):
        path = pathlib.Path(self.folder.name, "explained.json")
        run = subprocess.run([PROGRAM, "explain", CONFIG, "--threads", "3", "--schedule", path, *options], capture_output=True, text=True, check=False)
        self.assertEqual(run.returncode, 0, run.stderr)
        return path, run.stdout

    def test_explained(self):
        for options in ([], ["--no-fuse-norm", "--no-fuse-qkv", "--round-robin"], ["--kv-splits", "1", "--no-fuse-residual"]):
            path, _ = self.explained(*options)
            lines = self.check(path).stdout.splitlines()
            self.assertEqual(lines[0], "accepted")
            self.assertEqual(lines[2:], ["  group checker: accepted", "  exact checker: accepted"])
            out = json.loads(self.check(path, "--json", "--format", "netra").stdout)
            self.assertEqual((out["safe"], out["group_checker"], out["exact_checker"]), (True, "accepted", "accepted"))
        refused = 0
        schedule = json.loads(path.read_text())
        for index, group in enumerate(schedule["groups"]):
            if not group["waits"]:
                continue
            changed = copy.deepcopy(schedule)
            changed["groups"][index]["waits"] = []
            run = subprocess.run([PROGRAM, "check", self.file(changed), "--json"], capture_output=True, text=True, check=False)
            out = json.loads(run.stdout)
            self.assertFalse(out["group_checker"] == "accepted" and out["exact_checker"] != "accepted", out)
            refused += run.returncode
        self.assertGreater(refused, 3)

    @unittest.skipUnless(DATA, "NETRA_SCHEDULE_DATA names no file")
    def test_data(self):
        """Every verdict of the data file; its `safe` is exact."""
        with gzip.open(DATA, "rt") as source:
            expected = [json.loads(line) for line in source]
        path = self.file("\n".join(json.dumps({"id": e["id"], "schedule": e["schedule"]}) for e in expected), "data.jsonl")
        out, _ = self.lines(path, 1)
        counts = collections.Counter()
        wrong = []
        for want, line in zip(expected, out, strict=True):
            self.assertEqual(want["id"], line["id"])
            counts[want["safe"], line["safe"]] += 1
            if want["safe"] != line["safe"]:
                wrong.append((want["id"], want["reasons"], line["reasons"][:1]))
        print(f"{len(expected)} programs: {counts[True, True]} accepted, {counts[False, False]} refused, {counts[False, True]} accepted wrongly, "
              f"{counts[True, False]} refused wrongly", file=sys.stderr)
        self.assertEqual(wrong, [])


if __name__ == "__main__":
    if not PROGRAM.exists():
        print(f"skipped: {PROGRAM} was not built")
        sys.exit(77)
    unittest.main()
