# SPDX-FileCopyrightText: 2026 The netra authors
# SPDX-License-Identifier: MIT
"""`netra run` as a person uses it: on the demo's GGUF file, on a small model directory, and on what must be refused."""
import array
import json
import os
import pathlib
import signal
import struct
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(os.environ.get("NETRA_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[2]))
PROGRAM = pathlib.Path(os.environ.get("NETRA_BINARY_DIR", ROOT / "build"), "netra")
GGUF = os.environ.get("NETRA_DEMO_GGUF", "")
GOLDEN = json.loads((ROOT / "tests" / "golden" / "smollm2.json").read_text())
PROMPTS = {p["name"]: p for p in GOLDEN["prompts"]}


def run(*arguments, status=0, stdin=""):
    done = subprocess.run([PROGRAM, "run", *map(str, arguments)], capture_output=True, text=True, check=False, input=stdin)
    assert done.returncode == status, f"{arguments}: exit status {done.returncode}, expected {status}\n{done.stdout}{done.stderr}"
    return done.stdout if status == 0 else done.stderr + done.stdout


def run_json(*arguments, **more):
    return json.loads(run(*arguments, "--json", **more))


def read_npy(path):
    data = pathlib.Path(path).read_bytes()
    assert data[:8] == b"\x93NUMPY\x01\x00", data[:8]
    values = array.array("f")
    values.frombytes(data[10 + struct.unpack("<H", data[8:10])[0]:])
    return values


def write_model(folder, **changes):
    """A random Llama of one layer with 20 tokens and no tokenizer."""
    config = {"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 16, "intermediate_size": 24, "num_hidden_layers": 1,
              "num_attention_heads": 2, "num_key_value_heads": 1, "head_dim": 8, "vocab_size": 20, "max_position_embeddings": 32,
              "rms_norm_eps": 1e-5, "rope_theta": 10000.0, "hidden_act": "silu", "tie_word_embeddings": True, "eos_token_id": 2}
    config.update(changes)
    (folder / "config.json").write_text(json.dumps(config))
    layer = "model.layers.0."
    shapes = {"model.embed_tokens.weight": [20, 16], "model.norm.weight": [16], layer + "input_layernorm.weight": [16],
              layer + "post_attention_layernorm.weight": [16], layer + "self_attn.q_proj.weight": [16, 16],
              layer + "self_attn.k_proj.weight": [8, 16], layer + "self_attn.v_proj.weight": [8, 16], layer + "self_attn.o_proj.weight": [16, 16],
              layer + "mlp.gate_proj.weight": [24, 16], layer + "mlp.up_proj.weight": [24, 16], layer + "mlp.down_proj.weight": [16, 24]}
    header, data, state = {}, b"", 1
    for name, shape in shapes.items():
        count = shape[0] * (shape[1] if len(shape) == 2 else 1)
        values = array.array("f")
        for _ in range(count):
            state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
            values.append((state >> 40) / 2**23 - 1.0)
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [len(data), len(data) + 4 * count]}
        data += values.tobytes()
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
        self.assertEqual(sorted(out["stats"]), ["decode_s", "decode_tokens", "decode_tokens_per_s", "load_s", "prompt_s", "prompt_tokens",
                                                "prompt_tokens_per_s", "threads"])
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

    def test_whole_characters(self):
        prompt = PROMPTS["unicode"]
        out = run_json(GGUF, "--prompt-ids", ",".join(map(str, prompt["ids"])), "--max-tokens", 64, "--ignore-eos")
        self.assertEqual(out["ids"], prompt["greedy"])
        self.assertEqual(run(GGUF, "--prompt-ids", ",".join(map(str, prompt["ids"])), "--max-tokens", 64, "--ignore-eos"), out["text"] + "\n")

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
        done = subprocess.run([PROGRAM, "run", GGUF, "Hello", "--max-tokens", "4", "--stats"], capture_output=True, text=True, check=True)
        for word in ("load", "prompt", "decode", "threads", "tokens/s"):
            self.assertIn(word, done.stderr)

    def test_interrupt(self):
        with subprocess.Popen([PROGRAM, "run", GGUF, "Count to a thousand.", "--max-tokens", "8000", "--ignore-eos", "--threads", "1"],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as program:
            first = program.stdout.read(1)
            program.send_signal(signal.SIGINT)
            rest, errors = program.communicate(timeout=60)
            self.assertEqual(program.returncode, 130, errors)
            self.assertTrue((first + rest).endswith(b"\n"))

    def test_reader_that_goes_away(self):
        with subprocess.Popen([PROGRAM, "run", GGUF, "Count to a thousand.", "--max-tokens", "8000", "--ignore-eos"],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as program:
            program.stdout.read(1)
            program.stdout.close()
            program.wait(timeout=60)

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
        write_model(self.folder, vocab_size=21)
        self.assertIn("model.embed_tokens.weight", run(self.folder, "--prompt-ids", "1", status=1))

    def test_usage(self):
        for wrong in (["--threads", "0"], ["--threads", "257"], ["--temperature", "nan"], ["--temperature", "-1"], ["--top-p", "0"], ["--top-p", "2"],
                      ["--max-tokens", "0"], ["--dtype", "f64"], ["--no-such-option"], ["--seed", "x"], ["--seed", "-1"]):
            message = run(self.folder, "--prompt-ids", "1", *wrong, status=2)
            self.assertIn(wrong[0], message)
        for ids, wrong in (("1,x", "x"), ("-1", "-1"), ("1,99999999999", "99999999999"), ("1.5", "1.5"), ("0x1", "0x1"), ("", "")):
            message = run(self.folder, "--prompt-ids", ids, status=2)
            self.assertIn("--prompt-ids", message)
            self.assertIn(f"'{wrong}' is no token id", message)
        run(self.folder, "text", "--prompt-ids", "1", status=2)
        run(status=2)
        self.assertIn("MODEL", run("--help"))


if __name__ == "__main__":
    if not PROGRAM.exists():
        print(f"skipped: {PROGRAM} was not built")
        sys.exit(77)
    unittest.main()
