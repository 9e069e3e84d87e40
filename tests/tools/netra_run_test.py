# SPDX-FileCopyrightText: 2026 The netra authors
# SPDX-License-Identifier: MIT
"""`netra run` as a person uses it: on the demo's GGUF file, on a small model directory, and on what must be refused."""
import array
import ast
import json
import os
import pathlib
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(os.environ.get("NETRA_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[2]))
PROGRAM = pathlib.Path(os.environ.get("NETRA_BINARY_DIR", ROOT / "build"), "netra")
CPU_RUN = [PROGRAM, "run", "--backend", "cpu"]  # the bits that are expected here are the CPU's
GGUF = os.environ.get("NETRA_DEMO_GGUF", "")
GOLDEN = json.loads((ROOT / "tests" / "golden" / "smollm2.json").read_text())
PROMPTS = {p["name"]: p for p in GOLDEN["prompts"]}


def run(*arguments, status=0, stdin=""):
    backend = [] if "--backend" in arguments else ["--backend", "cpu"]
    done = subprocess.run([PROGRAM, "run", *backend, *map(str, arguments)], capture_output=True, text=True, check=False, input=stdin)
    assert done.returncode == status, f"{arguments}: exit status {done.returncode}, expected {status}\n{done.stdout}{done.stderr}"
    return done.stdout if status == 0 else done.stderr + done.stdout


def run_json(*arguments, **more):
    return json.loads(run(*arguments, "--json", **more))


def read_npy(path):
    data = pathlib.Path(path).read_bytes()
    assert data[:8] == b"\x93NUMPY\x01\x00", data[:8]
    begin = 10 + struct.unpack("<H", data[8:10])[0]
    header = ast.literal_eval(data[10:begin].decode("ascii"))
    values = array.array("f")
    values.frombytes(data[begin:])
    assert header == {"descr": "<f4", "fortran_order": False, "shape": (len(values),)}, header
    return values


def write_model(folder, dtypes=lambda name: "F32", **changes):
    """A random Llama of one layer with 20 tokens and no tokenizer; dtypes(tensor) is F32, or BF16 to cut its values to that."""
    config = {"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 16, "intermediate_size": 24, "num_hidden_layers": 1,
              "num_attention_heads": 2, "num_key_value_heads": 1, "head_dim": 8, "vocab_size": 20, "max_position_embeddings": 32,
              "rms_norm_eps": 1e-5, "rope_theta": 10000.0, "hidden_act": "silu", "tie_word_embeddings": True, "eos_token_id": 2}
    config.update(changes)
    (folder / "config.json").write_text(json.dumps(config))
    shapes = {"model.embed_tokens.weight": [config["vocab_size"], 16], "model.norm.weight": [16]}
    for layer in range(config["num_hidden_layers"]):
        parts = {"input_layernorm": [16], "post_attention_layernorm": [16], "self_attn.q_proj": [16, 16], "self_attn.k_proj": [8, 16],
                 "self_attn.v_proj": [8, 16], "self_attn.o_proj": [16, 16], "mlp.gate_proj": [24, 16], "mlp.up_proj": [24, 16], "mlp.down_proj": [16, 24]}
        shapes.update({f"model.layers.{layer}.{part}.weight": shape for part, shape in parts.items()})
    header, data, state = {}, b"", 1
    for name, shape in shapes.items():
        count = shape[0] * (shape[1] if len(shape) == 2 else 1)
        values = array.array("f")
        for _ in range(count):
            state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
            values.append((state >> 40) / 2**23 - 1.0)
        stored = values.tobytes()
        if dtypes(name) == "BF16":
            stored = b"".join(stored[i + 2:i + 4] for i in range(0, len(stored), 4))
        header[name] = {"dtype": dtypes(name), "shape": shape, "data_offsets": [len(data), len(data) + len(stored)]}
        data += stored
    text = json.dumps(header).encode()
    (folder / "model.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + data)
    return folder


@unittest.skipUnless(GGUF and os.path.exists(GGUF), "NETRA_DEMO_GGUF names no file; make demo fetches it")
class Demo(unittest.TestCase):
    def test_chat_prompt(self):
        prompt = PROMPTS["gravity"]
        out = run_json(GGUF, prompt["messages"][0]["content"], "--max-tokens", 64, "--ignore-eos")
        self.assertEqual(sorted(out), ["finish", "ids", "prompt_ids", "stats", "text"])
        self.assertEqual(out["prompt_ids"], prompt["ids"])
        self.assertEqual(out["ids"], prompt["greedy"])
        self.assertEqual(out["finish"], "length")
        self.assertEqual(out["stats"]["prompt_tokens"], len(prompt["ids"]))
        self.assertEqual(out["stats"]["decode_tokens"], 63)
        self.assertEqual(sorted(out["stats"]), ["backend", "decode_s", "decode_tokens", "decode_tokens_per_s", "device", "load_s", "note", "prompt_s",
                                                "prompt_tokens", "prompt_tokens_per_s", "threads"])
        self.assertEqual((out["stats"]["backend"], out["stats"]["device"], out["stats"]["note"]), ("cpu", "cpu", ""))
        for key in ("load_s", "prompt_s", "decode_s"):
            self.assertGreater(out["stats"][key], 0)
        self.assertEqual(run(GGUF, prompt["messages"][0]["content"], "--max-tokens", 64, "--ignore-eos"), out["text"] + "\n")
        self.assertEqual(run(GGUF, "--max-tokens", 64, "--ignore-eos", stdin=prompt["messages"][0]["content"] + "\n"), out["text"] + "\n")

    def test_end_token(self):
        prompt = PROMPTS["conversation"]
        out = run_json(GGUF, "--prompt-ids", ",".join(map(str, prompt["ids"])), "--max-tokens", 64)
        self.assertEqual(out["ids"], prompt["greedy"][: prompt["first_eos"] + 1])
        self.assertEqual((out["ids"][-1], out["finish"]), (GOLDEN["eos"], "eos"))
        self.assertNotIn("<|im_end|>", out["text"])

    def test_raw_prompt_threads_and_types(self):
        prompt = PROMPTS["story"]
        for options in (["--threads", 1], ["--threads", 2], ["--threads", 3], ["--dtype", "f32"], ["--dtype", "as-stored"]):
            out = run_json(GGUF, prompt["text"], "--raw", "--max-tokens", 16, "--ignore-eos", *options)
            self.assertEqual(out["prompt_ids"], prompt["ids"], options)
            self.assertEqual(out["ids"], prompt["greedy"][:16], options)
        self.assertEqual(len(run_json(GGUF, prompt["text"], "--raw", "--max-tokens", 4, "--dtype", "bf16")["ids"]), 4)
        # f16 keeps three more bits of a weight than bf16: enough for the same first tokens
        self.assertEqual(run_json(GGUF, prompt["text"], "--raw", "--max-tokens", 4, "--dtype", "f16")["ids"], prompt["greedy"][:4])

    def test_whole_characters(self):
        prompt = PROMPTS["unicode"]
        out = run_json(GGUF, "--prompt-ids", ",".join(map(str, prompt["ids"])), "--max-tokens", 64, "--ignore-eos")
        self.assertEqual(out["ids"], prompt["greedy"])
        self.assertTrue(any(ord(c) > 0x2000 for c in out["text"]), out["text"])
        with subprocess.Popen([*CPU_RUN, GGUF, "--prompt-ids", ",".join(map(str, prompt["ids"])), "--max-tokens", "64", "--ignore-eos"],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as program:
            pieces = list(iter(lambda: os.read(program.stdout.fileno(), 65536), b""))
        self.assertEqual(program.returncode, 0)
        self.assertEqual("".join(piece.decode("utf-8") for piece in pieces), out["text"] + "\n")  # each decodes alone

    def test_bytes_that_are_no_text(self):
        done = subprocess.run([*CPU_RUN, GGUF, b"\xff\xfe", "--max-tokens", "4", "--json"], capture_output=True, check=True)
        self.assertEqual(len(json.loads(done.stdout.decode("utf-8"))["ids"]), 4)

    def test_logits(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "logits.npy")
            out = run_json(GGUF, "--prompt-ids", ",".join(map(str, PROMPTS["gravity"]["ids"])), "--max-tokens", 3, "--logits", file)
            logits = read_npy(file)
            self.assertEqual(max(range(len(logits)), key=logits.__getitem__), out["ids"][0])
            expected = read_npy(ROOT / "tests" / "golden" / "smollm2_logits.npy")
            error = sum((a - b) ** 2 for a, b in zip(logits, expected)) / sum(b * b for b in expected)
            self.assertLessEqual(error ** 0.5, 1e-5)
        self.assertIn("folder", run(GGUF, "x", "--max-tokens", 1, "--logits", "/no/such/folder/logits.npy", status=1))

    def test_sampling(self):
        same = [run(GGUF, "Say something.", "--max-tokens", 24, "--temperature", 0.9, "--top-k", 40, "--top-p", 0.95, "--seed", seed)
                for seed in (5, 5, 6)]
        self.assertEqual(same[0], same[1])
        self.assertNotEqual(same[0], same[2])

    def test_stats(self):
        done = subprocess.run([*CPU_RUN, GGUF, "Hello", "--max-tokens", "4", "--stats"], capture_output=True, text=True, check=True)
        for word in ("load", "prompt", "decode", "threads", "tokens/s", "backend cpu"):
            self.assertIn(word, done.stderr)

    def test_interrupt(self):
        with subprocess.Popen([*CPU_RUN, GGUF, "Count to a thousand.", "--max-tokens", "8000", "--ignore-eos", "--threads", "1"],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as program:
            first = program.stdout.read(1)
            program.send_signal(signal.SIGINT)
            rest, errors = program.communicate(timeout=60)
            self.assertEqual(program.returncode, 130, errors)
            self.assertTrue((first + rest).endswith(b"\n"))
            (first + rest).decode("utf-8")

    def test_interrupt_of_json(self):
        with tempfile.TemporaryDirectory() as folder:
            logits = pathlib.Path(folder, "logits.npy")
            with subprocess.Popen([*CPU_RUN, GGUF, "Count to a thousand.", "--max-tokens", "8000", "--ignore-eos", "--json", "--threads", "1",
                                   "--logits", logits], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as program:
                while not logits.exists() and program.poll() is None:  # it exists once there is a first token
                    time.sleep(0.05)
                program.send_signal(signal.SIGINT)
                output, errors = program.communicate(timeout=60)
            self.assertEqual(program.returncode, 130, errors)
            out = json.loads(output)
            self.assertEqual(out["finish"], "stopped")
            self.assertGreaterEqual(len(out["ids"]), 1)
            self.assertLess(len(out["ids"]), 8000)

    def test_reader_that_goes_away(self):
        with subprocess.Popen([*CPU_RUN, GGUF, "Count to a thousand.", "--max-tokens", "8000", "--ignore-eos"],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as program:
            program.stdout.read(1)
            program.stdout.close()
            self.assertEqual(program.stderr.read(), b"")
            self.assertEqual(program.wait(timeout=60), 128 + signal.SIGPIPE)

    def test_damaged_file(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "half.gguf")
            with open(GGUF, "rb") as whole:
                file.write_bytes(whole.read(3_000_000))
            self.assertIn("half.gguf", run(file, "x", status=1))
            os.truncate(file, os.path.getsize(GGUF) - 1)  # all but the last byte, most of them zero
            self.assertIn("half.gguf", run(file, "x", status=1))
            for size in (1000, 20, 3, 0):
                os.truncate(file, size)
                self.assertIn("half.gguf", run(file, "x", status=1))

    def test_refused_prompts(self):
        self.assertIn("49152", run(GGUF, "--prompt-ids", "1,49152", status=1))
        self.assertIn("8192", run(GGUF, "--prompt-ids", ",".join(["1"] * 8193), status=1))
        self.assertIn("at least one", run(GGUF, "", "--raw", status=1))


class Directory(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.folder = write_model(pathlib.Path(self.temporary.name))

    def test_ids_without_a_tokenizer(self):
        out = run_json(self.folder, "--prompt-ids", "1,2,3", "--max-tokens", 8, "--ignore-eos")
        self.assertEqual((out["prompt_ids"], len(out["ids"]), out["text"], out["finish"]), ([1, 2, 3], 8, "", "length"))
        self.assertEqual(run(self.folder, "--prompt-ids", "1,2,3", "--max-tokens", 8, "--ignore-eos"), ",".join(map(str, out["ids"])) + "\n")
        longest = run_json(self.folder, "--prompt-ids", "1,2,3", "--ignore-eos")
        self.assertEqual(len(longest["ids"]), 30)  # 32 positions, and the last token needs none

    def test_end_token(self):
        free = run_json(self.folder, "--prompt-ids", "1,2,3", "--max-tokens", 8, "--ignore-eos")["ids"]
        write_model(self.folder, eos_token_id=[19 if free[4] != 19 else 18, free[4]])
        out = run_json(self.folder, "--prompt-ids", "1,2,3", "--max-tokens", 8)
        until = min(i for i, token in enumerate(free) if token in (free[4], 19 if free[4] != 19 else 18))
        self.assertEqual((out["ids"], out["finish"]), (free[: until + 1], "eos"))

    def test_context(self):
        full = run_json(self.folder, "--prompt-ids", ",".join(["3"] * 32))
        self.assertEqual((len(full["ids"]), full["finish"]), (1, "eos" if full["ids"] == [2] else "length"))
        message = run(self.folder, "--prompt-ids", ",".join(["3"] * 33), status=1)
        self.assertIn("33 tokens", message)
        self.assertIn("32", message)

    def test_types_and_threads_change_no_bit(self):
        write_model(self.folder, dtypes=lambda name: "BF16")
        logits = self.folder / "logits.npy"
        seen = []
        for options in ([], ["--dtype", "as-stored"], ["--dtype", "f32"], ["--dtype", "bf16"], ["--threads", 1], ["--threads", 3], ["--threads", 7]):
            out = run_json(self.folder, "--prompt-ids", "4,5,6,7", "--max-tokens", 8, "--ignore-eos", "--logits", logits, *options)
            values = read_npy(logits)
            self.assertEqual(len(values), 20)
            self.assertEqual(values.index(max(values)), out["ids"][0])
            seen.append((out["ids"], values.tobytes()))
        self.assertEqual(seen, seen[:1] * len(seen))
        write_model(self.folder)
        run(self.folder, "--prompt-ids", "4,5,6,7", "--max-tokens", 1, "--logits", logits)
        exact = read_npy(logits)
        run(self.folder, "--prompt-ids", "4,5,6,7", "--max-tokens", 1, "--logits", logits, "--dtype", "bf16")
        rounded = read_npy(logits)
        self.assertNotEqual(exact.tobytes(), rounded.tobytes())
        distance = sum((a - b) ** 2 for a, b in zip(exact, rounded)) / sum(a * a for a in exact)
        self.assertLess(distance ** 0.5, 0.05)

    def test_mixed_types_ask_for_one(self):
        write_model(self.folder, num_hidden_layers=2, dtypes=lambda name: "BF16" if "q_proj" in name or "norm" in name else "F32")
        run(self.folder, "--prompt-ids", "1", "--max-tokens", 1)  # layers agree, and vectors may have any type
        write_model(self.folder, num_hidden_layers=2, dtypes=lambda name: "BF16" if "layers.1.mlp.up" in name else "F32")
        message = run(self.folder, "--prompt-ids", "1", status=1)
        self.assertIn("model.layers.1.mlp.up_proj.weight", message)
        self.assertIn("--dtype f32", message)
        for option in ("f32", "bf16"):
            run(self.folder, "--prompt-ids", "1", "--max-tokens", 1, "--dtype", option)

    def test_sampling(self):
        def ids(*options):
            return run_json(self.folder, "--prompt-ids", "1,2,3", "--max-tokens", 20, "--ignore-eos", *options)["ids"]
        greedy = ids()
        self.assertEqual(ids("--temperature", 2, "--top-k", 1), greedy)
        self.assertEqual(ids("--temperature", 2, "--top-p", 0.00001), greedy)
        self.assertEqual(ids("--temperature", 0, "--seed", 9), greedy)
        drawn = {seed: ids("--temperature", 50, "--seed", seed) for seed in (0, 1, 18446744073709551615)}
        for seed, tokens in drawn.items():
            self.assertEqual(ids("--temperature", 50, "--seed", seed, "--threads", 1), tokens)
        self.assertEqual(len({tuple(tokens) for tokens in drawn.values()}), 3)

    def test_output_that_cannot_be_written(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        for options in ([], ["--json"]):
            with open("/dev/full", "wb") as full:
                done = subprocess.run([*CPU_RUN, self.folder, "--prompt-ids", "1", "--max-tokens", "4", *options], stdout=full,
                                      stderr=subprocess.PIPE, text=True, check=False)
            self.assertEqual(done.returncode, 1)
            self.assertIn("standard output cannot be written", done.stderr)

    def test_refusals(self):
        self.assertIn("--prompt-ids", run(self.folder, "some text", status=1))
        self.assertIn("20", run(self.folder, "--prompt-ids", "20", status=1))
        (self.folder / "model.safetensors").unlink()
        self.assertIn("safetensors", run(self.folder, "--prompt-ids", "1", status=1))
        (self.folder / "config.json").unlink()
        self.assertIn("config.json", run(self.folder, "--prompt-ids", "1", status=1))
        self.assertIn("no such file", run(self.folder / "absent.gguf", "x", status=1).lower())
        write_model(self.folder, rope_scaling={"rope_type": "yarn", "factor": 4.0})
        refused = run(self.folder, "--prompt-ids", "1", status=1)
        self.assertIn("yarn", refused)
        write_model(self.folder, unheard_of=3)
        self.assertIn("unheard_of", run(self.folder, "--prompt-ids", "1", status=1))
        config = json.loads((write_model(self.folder) / "config.json").read_text())
        (self.folder / "config.json").write_text(json.dumps({**config, "vocab_size": 21}))
        self.assertIn("model.embed_tokens.weight", run(self.folder, "--prompt-ids", "1", status=1))

    def test_output_is_input(self):
        weights = next(self.folder.glob("*.safetensors"))
        for file in (weights, self.folder / "config.json"):
            whole = file.read_bytes()
            message = run(self.folder, "--prompt-ids", "1", "--logits", file, status=2)
            for part in ("--logits", "MODEL", str(file)):
                self.assertIn(part, message)
            self.assertEqual(file.read_bytes(), whole)
        with tempfile.TemporaryDirectory() as name:
            model = pathlib.Path(name, "cp.gguf")
            model.write_bytes(b"GGUF")
            link = pathlib.Path(name, "link.npy")
            link.symlink_to(model)
            for file in (model, link):
                self.assertIn("MODEL", run(model, "hi", "--logits", file, status=2))
            self.assertEqual(model.read_bytes(), b"GGUF")

    def test_usage(self):
        for wrong in (["--threads", "0"], ["--threads", "257"], ["--temperature", "nan"], ["--temperature", "-1"], ["--top-p", "0"], ["--top-p", "2"],
                      ["--max-tokens", "0"], ["--dtype", "f64"], ["--no-such-option"], ["--seed", "x"], ["--seed", "-1"]):
            message = run(self.folder, "--prompt-ids", "1", *wrong, status=2)
            self.assertIn(wrong[0], message)
        for ids, wrong in (("1,x", "x"), ("-1", "-1"), ("1,99999999999", "99999999999"), ("1.5", "1.5"), ("0x1", "0x1"), ("", ""), ("1,,2", ""), ("1,2,", "")):
            message = run(self.folder, "--prompt-ids", ids, status=2)
            self.assertIn("--prompt-ids", message)
            self.assertIn(f"'{wrong}' is no token id", message)
        for wrong in (["--max-tokens", "-3"], ["--max-tokens", "99999999999"], ["--top-k", "-1"], ["--top-k", "4294967296"], ["--top-p", "nan"], ["--temperature", "inf"],
                      ["--threads", "x"], ["--seed", "18446744073709551616"], ["--logits"]):
            self.assertIn(wrong[0], run(self.folder, "--prompt-ids", "1", *wrong, status=2))
        self.assertIn("neither in .svg nor in .json", run(self.folder, "--prompt-ids", "1", "--trace", self.folder / "trace.txt", status=2))
        for option in ("--logits", "--trace"):
            self.assertIn("there is no folder", run(self.folder, "--prompt-ids", "1", option, self.folder / "absent" / "file.json", status=1))
        run(self.folder, "text", "--prompt-ids", "1", status=2)
        run(status=2)
        for said in (run("--help"), run(self.folder, "--prompt-ids", "1", "--dtype", "f64", status=2)):
            for dtype in ("as-stored", "f32", "bf16", "f16"):
                self.assertIn(dtype, said)
            self.assertTrue(all(c.isprintable() or c == "\n" for c in said), repr(said))
        self.assertIn("MODEL", run("--help"))

    def test_backends(self):
        asked = (self.folder, "--prompt-ids", "1,2,3", "--max-tokens", 6, "--ignore-eos")
        cpu = run_json(*asked, "--backend", "cpu")
        self.assertEqual((cpu["stats"]["backend"], cpu["stats"]["note"]), ("cpu", ""))
        # f32 weights stay on the CPU, whether there is a GPU or not
        out = run_json(*asked, "--backend", "auto", "--dtype", "f32")
        self.assertEqual(out["ids"], cpu["ids"])
        self.assertEqual(out["stats"]["backend"], "cpu")
        self.assertIn("cuda not used: ", out["stats"]["note"])
        run(*asked, "--backend", "cuda", "--dtype", "f32", status=1)
        done = subprocess.run([PROGRAM, "run", *map(str, asked), "--backend", "auto", "--dtype", "f32", "--stats"], capture_output=True, text=True, check=True)
        self.assertRegex(done.stderr, "backend cpu; cuda not used: .+\n")
        out = run_json(*asked, "--backend", "auto")
        self.assertEqual(len(out["ids"]), 6)
        if out["stats"]["backend"] == "cpu":
            message = run(*asked, "--backend", "cuda", status=1)
            self.assertIn("CUDA", message)
            self.assertEqual(len(message.splitlines()), 1)
        else:
            self.assertNotEqual(out["stats"]["device"], "cpu")
            self.assertIn("bf16", out["stats"]["note"])
        self.assertIn("--backend", run(*asked, "--backend", "tpu", status=2))
        with tempfile.TemporaryDirectory() as folder:
            trace = pathlib.Path(folder, "trace.json")
            self.assertIn("GPU", run(*asked, "--backend", "cpu", "--trace", trace, status=1))
            self.assertFalse(trace.exists())
            if out["stats"]["backend"] == "cuda":
                run(*asked, "--backend", "cuda", "--trace", trace)
                self.assertTrue(json.loads(trace.read_text()))


class Text(unittest.TestCase):
    """A directory with a tokenizer.json of 1264 tokens."""

    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.folder = write_model(pathlib.Path(self.temporary.name), vocab_size=1264, max_position_embeddings=128)
        shutil.copy(ROOT / "tests" / "golden" / "tokenizer" / "small.json", self.folder / "tokenizer.json")

    def configure(self, **config):
        (self.folder / "tokenizer_config.json").write_text(json.dumps({"eos_token": "<|im_end|>", "add_bos_token": False, **config}))

    def test_raw(self):
        vocabulary = json.loads((self.folder / "tokenizer.json").read_text())["model"]["vocab"]
        out = run_json(self.folder, "a", "--raw", "--max-tokens", 4, "--ignore-eos")
        self.assertEqual(out["prompt_ids"], [vocabulary["a"]])
        self.assertEqual(run(self.folder, "a", "--raw", "--max-tokens", 4, "--ignore-eos"), out["text"] + "\n")
        self.assertEqual(run(self.folder, "--raw", "--max-tokens", 4, "--ignore-eos", stdin="a\r\n\n"), out["text"] + "\n")
        for other in ("b", " a", "a\nb"):
            self.assertNotEqual(run_json(self.folder, "--raw", "--max-tokens", 1, stdin=other)["prompt_ids"], out["prompt_ids"])
        self.configure(bos_token="<|endoftext|>", add_bos_token=True)
        self.assertEqual(run_json(self.folder, "a", "--raw", "--max-tokens", 1)["prompt_ids"], [0, vocabulary["a"]])

    def test_chat(self):
        self.configure(chat_template="{% for message in messages %}{{'<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' + '\n'}}"
                                     "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}")
        written = run_json(self.folder, "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n", "--raw", "--max-tokens", 1)["prompt_ids"]
        self.assertEqual(run_json(self.folder, "Hi", "--max-tokens", 1)["prompt_ids"], written)
        self.assertEqual((written.count(1), written.count(2)), (2, 1))

    def test_templates_that_are_not_known(self):
        self.assertIn("--raw", run(self.folder, "Hi", status=1))
        self.configure(chat_template="{{ messages[0].content }}")
        message = run(self.folder, "Hi", status=1)
        self.assertIn("--raw", message)
        self.assertIn("{{ messages[0].content }}", message)
        run(self.folder, "Hi", "--raw", "--max-tokens", 1)
        run(self.folder, "--prompt-ids", "5", "--max-tokens", 1)

    def test_empty_prompt(self):
        for how in ([""], []):
            self.assertIn("at least one", run(self.folder, *how, "--raw", status=1))

    def test_tokenizers_that_do_not_fit(self):
        write_model(self.folder, vocab_size=1263, max_position_embeddings=128)
        message = run(self.folder, "Hi", "--raw", status=1)
        self.assertIn("1264", message)
        self.assertIn("1263", message)
        (self.folder / "tokenizer.json").write_text("{")
        self.assertIn("tokenizer.json", run(self.folder, "Hi", "--raw", status=1))


if __name__ == "__main__":
    if not PROGRAM.exists():
        print(f"skipped: {PROGRAM} was not built")
        sys.exit(77)
    unittest.main()
