# SPDX-FileCopyrightText: 2026 The netra authors
# SPDX-License-Identifier: MIT
"""A forward pass of the Llama family in float64, written from the equations; it shares no code with transformers, which keeps
norms, rotary tables and softmax in float32 whatever the dtype of the model."""
import math

import torch

F64 = torch.float64


def rope_inverse_frequencies(rotary_dim, theta, scaling=None):
    """Radians per position for each of rotary_dim / 2 pairs; `scaling` is None or a dict with `rope_type` linear or llama3."""
    exponents = torch.arange(0, rotary_dim, 2, dtype=F64) / rotary_dim
    inverse = torch.as_tensor(float(theta), dtype=F64) ** (-exponents)
    kind = (scaling or {}).get("rope_type", "default")
    if kind == "default":
        return inverse
    factor = float(scaling["factor"])
    if kind == "linear":
        return inverse / factor
    if kind != "llama3":
        raise ValueError(f"rope_type {kind} has no reference")
    low, high = float(scaling["low_freq_factor"]), float(scaling["high_freq_factor"])
    rotations = float(scaling["original_max_position_embeddings"]) * inverse / (2 * math.pi)
    smooth = ((rotations - low) / (high - low)).clamp(0.0, 1.0)
    return inverse * ((1 - smooth) / factor + smooth)


def rotate(x, angles):
    """x [positions, heads, head_dim]: pairs (i, i + rotary_dim / 2) of the leading rotary_dim entries turn by angles [positions, rotary_dim / 2]."""
    half = angles.shape[-1]
    cos, sin = torch.cos(angles)[:, None, :], torch.sin(angles)[:, None, :]
    a, b, rest = x[..., :half], x[..., half : 2 * half], x[..., 2 * half :]
    return torch.cat((a * cos - b * sin, b * cos + a * sin, rest), dim=-1)


def rms_norm(x, weight, eps):
    return x / torch.sqrt((x * x).mean(-1, keepdim=True) + eps) * weight


def activation(kind, x):
    if kind == "silu":
        return x / (1 + torch.exp(-x))
    if kind == "gelu":
        return 0.5 * x * (1 + torch.erf(x / math.sqrt(2)))
    if kind == "gelu_pytorch_tanh":
        return 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
    raise ValueError(f"hidden_act {kind} has no reference")


def logits(shape, weights, ids):
    """Logits [positions, vocab] for all positions of `ids`. `shape` has the keys of normalise(); `weights` maps names to float64 tensors."""

    def linear(x, name):
        y = x @ weights[name + ".weight"].T
        bias = weights.get(name + ".bias")
        return y if bias is None else y + bias

    heads, kv_heads, head_dim, eps = shape["heads"], shape["kv_heads"], shape["head_dim"], shape["eps"]
    n = len(ids)
    position = torch.arange(n)
    angles = position.to(F64)[:, None] * rope_inverse_frequencies(shape["rotary_dim"], shape["theta"], shape["scaling"])[None, :]
    distance = position[:, None] - position[None, :]
    x = weights["model.embed_tokens.weight"][torch.as_tensor(ids)]
    for layer in range(shape["layers"]):
        at = f"model.layers.{layer}."
        h = rms_norm(x, weights[at + "input_layernorm.weight"], eps)
        q = linear(h, at + "self_attn.q_proj").reshape(n, heads, head_dim)
        k = linear(h, at + "self_attn.k_proj").reshape(n, kv_heads, head_dim)
        v = linear(h, at + "self_attn.v_proj").reshape(n, kv_heads, head_dim)
        if at + "self_attn.q_norm.weight" in weights:
            q = rms_norm(q, weights[at + "self_attn.q_norm.weight"], eps)
            k = rms_norm(k, weights[at + "self_attn.k_norm.weight"], eps)
        q, k = rotate(q, angles), rotate(k, angles)
        window = shape["windows"][layer]
        seen = (distance >= 0) & (distance < window if window else distance >= 0)
        mixed = []
        for head in range(heads):
            kv = head // (heads // kv_heads)
            scores = (q[:, head] @ k[:, kv].T) / math.sqrt(head_dim)
            scores = scores.masked_fill(~seen, -math.inf)
            weight = torch.exp(scores - scores.max(-1, keepdim=True).values)
            mixed.append((weight / weight.sum(-1, keepdim=True)) @ v[:, kv])
        x = x + linear(torch.cat(mixed, dim=-1), at + "self_attn.o_proj")
        h = rms_norm(x, weights[at + "post_attention_layernorm.weight"], eps)
        x = x + linear(activation(shape["act"], linear(h, at + "mlp.gate_proj")) * linear(h, at + "mlp.up_proj"), at + "mlp.down_proj")
    head = weights.get("lm_head.weight", weights["model.embed_tokens.weight"])
    return rms_norm(x, weights["model.norm.weight"], eps) @ head.T


def normalise(config):
    """The numbers of a config.json, in either spelling of the rotary keys."""
    rope = dict(config.get("rope_parameters") or config.get("rope_scaling") or {})
    rope.setdefault("rope_theta", config.get("rope_theta", 10000.0))
    rope.setdefault("rope_type", rope.get("type", "default"))
    layers, heads = config["num_hidden_layers"], config["num_attention_heads"]
    head_dim = config.get("head_dim") or config["hidden_size"] // heads
    window = config.get("sliding_window")
    windows = [window] * layers
    if config["model_type"] in ("qwen2", "qwen3"):
        from_layer = config.get("max_window_layers", 28)
        windows = [window if config.get("use_sliding_window") and i >= from_layer else None for i in range(layers)]
    elif config["model_type"] != "mistral":
        windows = [None] * layers
    return {
        "heads": heads,
        "kv_heads": config.get("num_key_value_heads") or heads,
        "head_dim": head_dim,
        "rotary_dim": head_dim,
        "layers": layers,
        "eps": config["rms_norm_eps"],
        "theta": rope["rope_theta"],
        "scaling": rope,
        "windows": windows,
        "act": config["hidden_act"],
    }
