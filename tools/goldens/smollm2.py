# SPDX-FileCopyrightText: 2026 The netra authors
# SPDX-License-Identifier: MIT
"""tests/golden/smollm2.json and smollm2_logits.npy: what transformers makes of the dequantised weights of SmolLM2-135M-Instruct.Q4_1.gguf."""
import hashlib
import sys

import common
import gguf
import jinja2
import numpy as np
import reference
import tokenizers
import torch
import transformers

SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
TOKENS = 64
CHAT, RAW = "chat", "raw"
PROMPTS = [
    ("gravity", CHAT, "What is gravity?"),
    ("code", CHAT, "Write a Python function that returns the n-th Fibonacci number, with a short explanation."),
    ("conversation", CHAT, [
        {"role": "system", "content": "You are a terse librarian."},
        {"role": "user", "content": "Which book should I read about the sea?"},
        {"role": "assistant", "content": "Moby-Dick."},
        {"role": "user", "content": "And a shorter one?"},
    ]),
    ("unicode", CHAT, "Übersetze ins Englische: „Der Fluß fließt über 3½ Brücken — schön, nicht?“ 🙂"),
    ("story", RAW, "Once upon a time, in a village at the edge of the forest, there lived"),
    ("source", RAW, "#include <vector>\n\nint sum(const std::vector<int>& values) {\n    int total = 0;\n"),
    ("digits", RAW, "1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144,"),
    ("long", RAW, "The history of the lighthouse is a history of light itself. The first towers burned wood, and the keepers carried it up the stairs "
     "by night and by day. Later came coal, which smoked the windows, and then oil lamps with silvered mirrors behind them. In 1822 a French "
     "engineer found that a lens could be cut into rings, each of which bends the light a little, so that a small flame could be seen twenty "
     "miles away. Sailors learned the rhythm of each tower: two flashes and a pause, or one long beam of red. Electricity ended the work of "
     "the keepers, and satellites nearly ended the work of the towers, but the lenses remain. The most important lesson of this history is"),
]


def permuted_rows(tensor, heads):
    """GGUF keeps the two halves of a rotary pair in adjacent rows; transformers keeps them head_dim / 2 apart."""
    rows, columns = tensor.shape
    return tensor.reshape(heads, rows // heads // 2, 2, columns).swapaxes(1, 2).reshape(rows, columns)


def load(path):
    reader = gguf.GGUFReader(path)
    keys = {name: field.contents() for name, field in reader.fields.items()}
    config = transformers.LlamaConfig(
        vocab_size=keys["llama.vocab_size"],
        hidden_size=keys["llama.embedding_length"],
        intermediate_size=keys["llama.feed_forward_length"],
        num_hidden_layers=keys["llama.block_count"],
        num_attention_heads=keys["llama.attention.head_count"],
        num_key_value_heads=keys["llama.attention.head_count_kv"],
        max_position_embeddings=keys["llama.context_length"],
        rms_norm_eps=keys["llama.attention.layer_norm_rms_epsilon"],
        rope_parameters={"rope_type": "default", "rope_theta": keys["llama.rope.freq_base"]},
        tie_word_embeddings=True,
        bos_token_id=keys["tokenizer.ggml.bos_token_id"],
        eos_token_id=keys["tokenizer.ggml.eos_token_id"],
    )
    names = {
        "token_embd": "model.embed_tokens", "output_norm": "model.norm", "attn_norm": "input_layernorm", "ffn_norm": "post_attention_layernorm",
        "attn_q": "self_attn.q_proj", "attn_k": "self_attn.k_proj", "attn_v": "self_attn.v_proj", "attn_output": "self_attn.o_proj",
        "ffn_gate": "mlp.gate_proj", "ffn_up": "mlp.up_proj", "ffn_down": "mlp.down_proj",
    }
    heads = {"attn_q": config.num_attention_heads, "attn_k": config.num_key_value_heads}
    weights = {}
    for entry in reader.tensors:
        # d * q is exact in float32 (11 and at most 8 bits), so that d * q + m rounds once, as fma(d, q, m) does.
        value = gguf.quants.dequantize(entry.data, entry.tensor_type).astype(np.float32)
        *layer, kind, suffix = entry.name.split(".")
        if kind in heads:
            value = permuted_rows(value, heads[kind])
        weights[(f"model.layers.{layer[1]}." if layer else "") + names[kind] + "." + suffix] = torch.from_numpy(np.ascontiguousarray(value))
    return keys, config, weights


def build_tokenizer(keys):
    tokens, types = keys["tokenizer.ggml.tokens"], keys["tokenizer.ggml.token_type"]
    assert keys["tokenizer.ggml.pre"] == "smollm" and not keys["tokenizer.ggml.add_bos_token"]
    merges = [tuple(merge.split(" ")) for merge in keys["tokenizer.ggml.merges"]]
    result = tokenizers.Tokenizer(tokenizers.models.BPE(vocab={t: i for i, t in enumerate(tokens)}, merges=merges))
    result.pre_tokenizer = tokenizers.pre_tokenizers.Sequence(
        [tokenizers.pre_tokenizers.Digits(individual_digits=True), tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)]
    )
    result.decoder = tokenizers.decoders.ByteLevel()
    control = [token for token, kind in zip(tokens, types) if kind == gguf.TokenType.CONTROL]
    result.add_special_tokens([tokenizers.AddedToken(token, special=True, normalized=False) for token in control])
    assert result.get_vocab_size() == len(tokens)
    return result


def render(template, messages):
    return jinja2.Environment(trim_blocks=True, lstrip_blocks=True).from_string(template).render(messages=messages, add_generation_prompt=True)


def main(path):
    assert hashlib.sha256(open(path, "rb").read()).hexdigest() == SHA256, f"{path} is another file"
    keys, config, weights = load(path)
    tokenizer = build_tokenizer(keys)
    config._attn_implementation = "eager"
    model = transformers.LlamaForCausalLM(config).eval()
    missing, unexpected = model.load_state_dict(weights, strict=False)
    assert missing == ["lm_head.weight"] and not unexpected
    model.tie_weights()
    assert model.lm_head.weight is model.model.embed_tokens.weight and model.dtype == torch.float32
    shape = reference.normalise(config.to_dict())
    doubles = {name: value.double() for name, value in weights.items()}
    eos = config.eos_token_id

    prompts = []
    for number, (name, kind, content) in enumerate(PROMPTS):
        entry = {"name": name, "kind": kind}
        text = content
        if kind == CHAT:
            messages = content if isinstance(content, list) else [{"role": "user", "content": content}]
            entry["messages"] = messages
            text = render(keys["tokenizer.chat_template"], messages)
        ids = tokenizer.encode(text, add_special_tokens=False).ids
        generated, steps = common.greedy(model, ids, TOKENS)
        with torch.no_grad():
            exact = reference.logits(shape, doubles, ids + generated[:-1])[len(ids) - 1 :]
        after = exact[0]
        assert exact.argmax(-1).tolist() == generated, f"{name}: float32 and float64 disagree"
        if number == 0:
            np.save(common.GOLDEN / "smollm2_logits.npy", after.numpy().astype("<f4"))
        top = after.topk(8)
        sample = list(range(7, config.vocab_size, 1536))
        ends = generated.index(eos) if eos in generated else -1
        entry |= {
            "text": text,
            "ids": ids,
            "greedy": generated,
            "greedy_text": tokenizer.decode(generated, skip_special_tokens=False),
            "first_eos": ends,
            "min_margin": common.significant(common.smallest_margin(steps), 4),
            "min_margin_fp64": common.significant(common.smallest_margin(exact), 4),
            "logits": {
                "norm": common.significant(after.norm(), 12),
                "top": [[int(i), common.significant(v, 10)] for i, v in zip(top.indices, top.values)],
                "sample": [[i, common.significant(after[i], 10)] for i in sample],
                "file": "smollm2_logits.npy" if number == 0 else None,
                "hf_fp32_relative_l2": common.significant(common.relative_l2(steps[0], after), 3),
            },
        }
        prompts.append(entry)
        print(name, len(ids), entry["first_eos"], entry["min_margin"], entry["min_margin_fp64"], entry["logits"]["hf_fp32_relative_l2"], repr(entry["greedy_text"][:150]), flush=True)

    # 512 tokens of prompt, for chunked prompts and for benchmarks/peers.
    ids = tokenizer.encode(" ".join([PROMPTS[-1][2]] * 4), add_special_tokens=False).ids[:512]
    generated, steps = common.greedy(model, ids, 16)
    prompt_512 = {"ids": ids, "greedy": generated, "min_margin": common.significant(common.smallest_margin(steps), 4)}
    print("prompt_512", len(ids), prompt_512["min_margin"], repr(tokenizer.decode(generated)))

    common.write_json(common.GOLDEN / "smollm2.json", {
        "file": "SmolLM2-135M-Instruct.Q4_1.gguf",
        "sha256": SHA256,
        "made_with": common.versions(),
        "eos": eos,
        "tokens": TOKENS,
        "prompts": prompts,
        "prompt_512": prompt_512,
    })


if __name__ == "__main__":
    main(sys.argv[1])
