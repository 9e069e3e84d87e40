#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The netra authors
# SPDX-License-Identifier: MIT
"""torch_decode.py [--json FILE] [--mode MODE] [NAME ...]: microseconds a token of PyTorch for the shapes of decode_bench.

A bf16 step of one token at context 128 with random weights: torch.compile, then a CUDA graph of it. The cache has just the positions that the step
sees, and the next token is the argmax, so nothing but the model's own work is timed. The distance of the compiled step's logits from those of the same step run eagerly is printed.
"""
import argparse
import json

import torch
import torch.nn.functional as F

CONTEXT = 128
SHAPES = {  # hidden, layers, heads, kv heads, head_dim, intermediate, vocab, tied head, norms of queries and keys
    "SmolLM2-135M": (576, 30, 9, 3, 64, 1536, 49152, True, False),
    "Qwen3-0.6B": (1024, 28, 16, 8, 128, 3072, 151936, True, True),
    "Llama-3.2-1B": (2048, 16, 32, 8, 64, 8192, 128256, True, False),
    "Llama-3.1-8B": (4096, 32, 32, 8, 128, 14336, 128256, False, False),
}


class Decoder(torch.nn.Module):
    def __init__(self, shape, dtype):
        super().__init__()
        self.hidden, self.layers, self.heads, self.kv, self.dim, self.inner, self.vocab, self.tied, self.qk_norm = shape

        def matrix(rows, columns):
            return torch.nn.Parameter((torch.rand(rows, columns, device="cuda", dtype=dtype) * 2 - 1) * (3.0 / columns) ** 0.5, requires_grad=False)

        self.embedding = matrix(self.vocab, self.hidden)
        self.head = self.embedding if self.tied else matrix(self.vocab, self.hidden)
        self.qkv = torch.nn.ParameterList(matrix((self.heads + 2 * self.kv) * self.dim, self.hidden) for _ in range(self.layers))
        self.o = torch.nn.ParameterList(matrix(self.hidden, self.heads * self.dim) for _ in range(self.layers))
        self.gate_up = torch.nn.ParameterList(matrix(2 * self.inner, self.hidden) for _ in range(self.layers))
        self.down = torch.nn.ParameterList(matrix(self.hidden, self.inner) for _ in range(self.layers))
        ones = [torch.ones(n, device="cuda", dtype=dtype) for n in (self.hidden, self.dim)]
        self.norm, self.head_norm = ones
        self.keys = [torch.randn(1, self.kv, CONTEXT + 1, self.dim, device="cuda", dtype=dtype) for _ in range(self.layers)]
        self.values = [torch.randn(1, self.kv, CONTEXT + 1, self.dim, device="cuda", dtype=dtype) for _ in range(self.layers)]
        angle = CONTEXT * 500000.0 ** (-torch.arange(0, self.dim, 2, device="cuda").float() / self.dim)
        self.cos, self.sin = angle.cos().to(dtype), angle.sin().to(dtype)

    def turn(self, x):
        a, b = x.chunk(2, -1)
        return torch.cat((a * self.cos - b * self.sin, b * self.cos + a * self.sin), -1)

    def forward(self, token):
        h = F.embedding(token, self.embedding)
        for i in range(self.layers):
            x = F.rms_norm(h, (self.hidden,), self.norm, 1e-5)
            q, k, v = F.linear(x, self.qkv[i]).view(1, -1, 1, self.dim).split((self.heads, self.kv, self.kv), 1)
            if self.qk_norm:
                q, k = F.rms_norm(q, (self.dim,), self.head_norm, 1e-6), F.rms_norm(k, (self.dim,), self.head_norm, 1e-6)
            self.keys[i][:, :, CONTEXT:] = self.turn(k)
            self.values[i][:, :, CONTEXT:] = v
            a = F.scaled_dot_product_attention(self.turn(q), self.keys[i], self.values[i], enable_gqa=True)
            h = h + F.linear(a.reshape(1, -1), self.o[i])
            g, u = F.linear(F.rms_norm(h, (self.hidden,), self.norm, 1e-5), self.gate_up[i]).chunk(2, -1)
            h = h + F.linear(F.silu(g) * u, self.down[i])
        logits = F.linear(F.rms_norm(h, (self.hidden,), self.norm, 1e-5), self.head)
        return logits, logits.argmax(-1)


def measure(name, mode):
    torch.manual_seed(1)
    model = Decoder(SHAPES[name], torch.bfloat16).eval()
    token = torch.tensor([7], device="cuda")
    with torch.no_grad():
        plain = model(token)[0].float()
        step = torch.compile(model, mode=mode, fullgraph=True)
        compiled = step(token)[0].float()
        distance = ((compiled - plain).norm() / plain.norm()).item()
        for _ in range(3):
            step(token)
        torch.cuda.synchronize()
        stream = torch.cuda.Stream()
        with torch.cuda.stream(stream):
            step(token)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            step(token)
        times = []
        for _ in range(9):
            begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            begin.record()
            for _ in range(20):
                graph.replay()
            end.record()
            torch.cuda.synchronize()
            times.append(begin.elapsed_time(end) * 1e3 / 20)
    times.sort()
    return {"model": name, "context": CONTEXT, "us": times[len(times) // 2], "us_least": times[0], "relative_l2_to_eager": distance, "mode": mode}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json")
    parser.add_argument("--mode", default="max-autotune-no-cudagraphs")
    parser.add_argument("names", nargs="*", metavar="NAME", default=list(SHAPES))
    options = parser.parse_args()
    for name in options.names:
        if name not in SHAPES:
            parser.error(f"there is no shape {name}; there are {', '.join(SHAPES)}")
    cases = []
    for name in options.names or SHAPES:
        cases.append(measure(name, options.mode))
        print("{model:13s} {us:8.1f} us a token (PyTorch {version}, {mode}, in a CUDA graph; within {relative_l2_to_eager:.1e} of eager)".format(
            version=torch.__version__, **cases[-1]), flush=True)
        torch._dynamo.reset()
        torch.cuda.empty_cache()
        if options.json:  # after each: compiling the largest takes minutes
            with open(options.json, "w", encoding="utf-8") as file:
                json.dump({"peer": f"PyTorch {torch.__version__}", "device": torch.cuda.get_device_name(), "cases": cases}, file, indent=1)


if __name__ == "__main__":
    main()
