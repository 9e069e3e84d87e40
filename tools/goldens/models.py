# SPDX-FileCopyrightText: 2026 The netra authors
# SPDX-License-Identifier: MIT
"""tests/golden/models/NAME.json: what transformers makes of small models whose weights are a hash of their names (common.tensor)."""
import json
import sys

import common
import numpy as np
import reference
import torch
import transformers

TOKENS = 32
LEAST_MARGIN = 2e-3
DTYPES = {"f32": torch.float32, "bf16": torch.bfloat16, "f16": torch.float16}
LINEAR = {"rope_type": "linear", "factor": 4.0}
LLAMA3_1 = {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 64}
LLAMA3_2 = {"rope_type": "llama3", "factor": 32.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 8192}


def shape(hidden, layers, heads, kv_heads, intermediate, vocab, **more):
    return {
        "hidden_size": hidden, "num_hidden_layers": layers, "num_attention_heads": heads, "num_key_value_heads": kv_heads,
        "intermediate_size": intermediate, "vocab_size": vocab, "hidden_act": "silu", "rms_norm_eps": 1e-5, "max_position_embeddings": 2048,
        "tie_word_embeddings": False, "rope_theta": 10000.0, **more,
    }


# name: (model_type, dtype of the weights, how config.json spells the rotary keys, the configuration, lengths of the prompts)
# "classic": rope_theta and rope_scaling, as transformers 4 wrote them; "parameters": rope_parameters alone, as transformers 5 writes it.
CLASSIC, PARAMETERS = "classic", "parameters"
SHORT, LONG = (1, 5, 17), (1, 16, 70)
MODELS = {
    "llama_heads5": ("llama", "f32", CLASSIC, shape(320, 2, 5, 5, 864, 512, head_dim=64), SHORT),
    "llama_heads9_kv3_tied": ("llama", "f32", CLASSIC, shape(144, 3, 9, 3, 384, 600, tie_word_embeddings=True, rope_theta=100000.0), LONG),
    "llama_heads7_kv1": ("llama", "f32", CLASSIC, shape(168, 2, 7, 1, 200, 333), LONG),
    "llama_head_dim80": ("llama", "f32", PARAMETERS, shape(96, 2, 3, 1, 256, 257, head_dim=80, rms_norm_eps=1e-6), SHORT),
    "llama_head_dim128_tied": ("llama", "f32", CLASSIC, shape(48, 4, 2, 1, 160, 97, head_dim=128, tie_word_embeddings=True), SHORT),
    "llama_odd_sizes": ("llama", "f32", CLASSIC, shape(90, 3, 5, 1, 101, 131), LONG),
    "llama_attention_bias": ("llama", "f32", CLASSIC, shape(128, 2, 4, 2, 320, 400, attention_bias=True), SHORT),
    "llama_mlp_bias": ("llama", "f32", PARAMETERS, shape(80, 2, 5, 1, 216, 300, mlp_bias=True), SHORT),
    "llama_all_biases_tied": ("llama", "f32", CLASSIC, shape(64, 3, 4, 4, 96, 288, attention_bias=True, mlp_bias=True, tie_word_embeddings=True), LONG),
    "llama_gelu": ("llama", "f32", CLASSIC, shape(96, 2, 4, 2, 224, 320, hidden_act="gelu"), SHORT),
    "llama_gelu_tanh": ("llama", "f32", PARAMETERS, shape(96, 2, 4, 2, 224, 320, hidden_act="gelu_pytorch_tanh"), SHORT),
    "llama_rope_linear": ("llama", "f32", CLASSIC, shape(128, 2, 4, 2, 256, 384, rope_scaling=LINEAR), LONG),
    "llama_rope_llama3": ("llama", "f32", CLASSIC, shape(128, 2, 4, 1, 256, 500, rope_theta=500000.0, rope_scaling=LLAMA3_1), LONG),
    "llama_rope_llama3_parameters": ("llama", "f32", PARAMETERS, shape(192, 2, 6, 2, 352, 416, rope_theta=500000.0, rope_scaling=LLAMA3_2, tie_word_embeddings=True), LONG),
    "llama_rope_parameters": ("llama", "f32", PARAMETERS, shape(64, 4, 4, 2, 192, 200, rope_theta=5000000.0), LONG),
    "llama_bf16": ("llama", "bf16", PARAMETERS, shape(256, 3, 8, 2, 640, 512, rope_theta=500000.0), LONG),
    "llama_f16": ("llama", "f16", CLASSIC, shape(160, 3, 5, 1, 448, 352), LONG),
    "mistral_window16": ("mistral", "f32", CLASSIC, shape(128, 3, 8, 2, 320, 256, sliding_window=16), LONG),
    "mistral_head_dim40_no_window": ("mistral", "f32", PARAMETERS, shape(96, 2, 6, 3, 240, 450, head_dim=40, sliding_window=None, rope_theta=1000000.0), SHORT),
    "qwen2": ("qwen2", "f32", CLASSIC, shape(112, 2, 7, 1, 304, 540, rope_theta=1000000.0, rms_norm_eps=1e-6, tie_word_embeddings=True), LONG),
    "qwen2_window_layers": ("qwen2", "f32", CLASSIC, shape(96, 4, 6, 2, 256, 320, rope_theta=1000000.0, rms_norm_eps=1e-6, use_sliding_window=True, sliding_window=8, max_window_layers=2), LONG),
    "qwen2_window_unused": ("qwen2", "bf16", PARAMETERS, shape(64, 2, 2, 2, 176, 250, rms_norm_eps=1e-6, use_sliding_window=False, sliding_window=4), SHORT),
    "qwen3": ("qwen3", "f32", PARAMETERS, shape(64, 3, 4, 2, 192, 380, head_dim=40, rope_theta=1000000.0, rms_norm_eps=1e-6, tie_word_embeddings=True), LONG),
    "qwen3_biases": ("qwen3", "f32", CLASSIC, shape(72, 2, 3, 1, 168, 230, head_dim=128, attention_bias=True, rope_theta=1000000.0, rms_norm_eps=1e-6), SHORT),
}
CLASSES = {
    "llama": (transformers.LlamaConfig, transformers.LlamaForCausalLM),
    "mistral": (transformers.MistralConfig, transformers.MistralForCausalLM),
    "qwen2": (transformers.Qwen2Config, transformers.Qwen2ForCausalLM),
    "qwen3": (transformers.Qwen3Config, transformers.Qwen3ForCausalLM),
}


def written_config(model_type, dtype, style, values):
    """The object of config.json, and the transformers configuration that reads it."""
    config_class, model_class = CLASSES[model_type]
    config = config_class(**values, bos_token_id=None, eos_token_id=None, pad_token_id=None)
    config.architectures = [model_class.__name__]
    config.dtype = DTYPES[dtype]
    written = json.loads(config.to_json_string())
    if style == CLASSIC:
        rope = written.pop("rope_parameters")
        written["rope_theta"] = rope.pop("rope_theta")
        written["rope_scaling"] = rope if rope["rope_type"] != "default" else None
        written["torch_dtype"] = written.pop("dtype")
        for key in ("layer_types", "transformers_version") + (() if "head_dim" in values else ("head_dim",)):
            written.pop(key, None)
        written = dict(sorted(written.items()))
    read = config_class.from_dict(dict(written))
    assert reference.normalise(read.to_dict()) == reference.normalise(written), "the two spellings differ"
    read._attn_implementation = "eager"
    return written, read, model_class


def build(read, model_class, dtype, seed):
    """The model in float32 with weights rounded to `dtype`, and the same weights in float64."""
    model = model_class(read).to(torch.float32).eval()
    rounded = {}
    state = model.state_dict()
    for name, parameter in state.items():
        if name == "lm_head.weight" and read.tie_word_embeddings:
            continue
        value = torch.from_numpy(common.tensor(name, seed, tuple(parameter.shape)))
        rounded[name] = value.to(DTYPES[dtype]).to(torch.float32)
    missing, unexpected = model.load_state_dict(rounded, strict=False)
    assert missing == (["lm_head.weight"] if read.tie_word_embeddings else []) and not unexpected
    model.tie_weights()
    assert (model.lm_head.weight is model.model.embed_tokens.weight) == read.tie_word_embeddings
    return model, {name: value.double() for name, value in rounded.items()}


def prompt_ids(number, seed, length, vocab):
    return [int(h % np.uint64(vocab)) for h in common.hashes(f"prompt.{number}", seed, length) >> np.uint64(8)]


def checksum(weights):
    """Sum over tensors and elements i of (i + 1) times the bits of the float32, modulo 2^64, in hexadecimal."""
    total = 0
    for value in weights.values():
        bits = value.to(torch.float32).numpy().view(np.uint32).ravel().astype(np.uint64)
        total += int((bits * (np.arange(bits.size, dtype=np.uint64) + np.uint64(1))).sum(dtype=np.uint64))
    return f"{total & common.MASK:016x}"


def mistakes(form, weights):
    """What a reader might get wrong in this model: (name, form, weights) with that one thing changed."""
    if any(form["windows"]):
        yield "window ignored", {**form, "windows": [None] * form["layers"]}, weights
        yield "window one longer", {**form, "windows": [w and w + 1 for w in form["windows"]]}, weights
    if len(set(form["windows"])) > 1:
        yield "window in every layer", {**form, "windows": [max(w or 0 for w in form["windows"])] * form["layers"]}, weights
    if form["scaling"]["rope_type"] != "default":
        yield "rope scaling ignored", {**form, "scaling": None}, weights
    if form["theta"] != 10000.0:
        yield "rope theta 10000", {**form, "theta": 10000.0}, weights
    if form["act"] != "silu":
        other = "gelu" if form["act"] == "gelu_pytorch_tanh" else "gelu_pytorch_tanh"
        yield f"hidden_act {other}", {**form, "act": other}, weights
    yield "other eps", {**form, "eps": 1e-5 if form["eps"] == 1e-6 else 1e-6}, weights
    biases = [f"{part}_proj.bias" for part in ("q", "k", "v", "o", "gate", "up", "down")]
    for kinds in [(bias,) for bias in biases] + [("q_norm.weight", "k_norm.weight")]:
        kept = {key: value for key, value in weights.items() if not key.endswith(kinds)}
        if len(kept) != len(weights):
            yield " and ".join(kinds) + " ignored", form, kept


def attempt(name, seed):
    model_type, dtype, style, values, lengths = MODELS[name]
    written, read, model_class = written_config(model_type, dtype, style, values)
    model, doubles = build(read, model_class, dtype, seed)
    form = reference.normalise(written)
    prompts, margins = [], []
    for number, length in enumerate(lengths):
        ids = prompt_ids(number, seed, length, read.vocab_size)
        generated, steps = common.greedy(model, ids, TOKENS)
        with torch.no_grad():
            exact = reference.logits(form, doubles, ids + generated[:-1])[length - 1 :]
        margins.append(min(common.smallest_margin(steps), common.smallest_margin(exact)))
        if margins[-1] < LEAST_MARGIN or len(set(generated)) < 8 or exact.argmax(-1).tolist() != generated:
            return None
        prompts.append({
            "ids": ids,
            "greedy": generated,
            "min_margin": common.significant(margins[-1], 3),
            "hf_fp32_relative_l2": common.significant(common.relative_l2(steps[0], exact[0]), 2),
            "logits": [common.significant(v, 9) for v in exact[0]],
        })
    if dtype != "f32":
        half = model.to(DTYPES[dtype])
        for prompt in prompts:
            with torch.no_grad():
                low = half(torch.tensor([prompt["ids"]])).logits[0, -1]
            error = common.relative_l2(low, torch.tensor(prompt["logits"], dtype=torch.float64))
            prompt[f"hf_{dtype}_relative_l2"] = common.significant(error, 3)
            prompt["logits"] = prompt.pop("logits")
    longest = prompts[-1]
    with torch.no_grad():
        wrong = {text: reference.logits(f, w, longest["ids"])[-1] for text, f, w in mistakes(form, doubles)}
    exact = torch.tensor(longest["logits"], dtype=torch.float64)
    wrong = {text: common.significant(common.relative_l2(value, exact), 2) for text, value in wrong.items()}
    assert min(wrong.values()) > 2e-5, f"{name}: a mistake would pass: {wrong}"
    return {
        "config": written,
        "seed": seed,
        "dtype": dtype,
        "parameters": sum(value.numel() for value in doubles.values()),
        "tensors": {key: list(value.shape) for key, value in doubles.items()},
        "checksum": checksum(doubles),
        "mistakes": wrong,
        "min_margin": common.significant(min(margins), 3),
        "prompts": prompts,
        "made_with": common.versions(),
    }


def main(names):
    transformers.utils.logging.set_verbosity_error()
    for name in names or MODELS:
        for seed in range(1, 200):
            golden = attempt(name, seed)
            if golden is not None:
                break
        else:
            sys.exit(f"{name}: no seed below 200 keeps every margin above {LEAST_MARGIN}")
        common.write_json(common.GOLDEN / "models" / f"{name}.json", golden)
        distinct = [len(set(p["greedy"])) for p in golden["prompts"]]
        errors = [v for p in golden["prompts"] for k, v in p.items() if k.endswith("relative_l2")]
        print(f"    {golden['mistakes']}")
        print(f"{name}: seed {seed}, {golden['parameters']} weights, margin {golden['min_margin']}, distinct {distinct}, errors {errors}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
