# SPDX-FileCopyrightText: 2026 The netra authors
# SPDX-License-Identifier: MIT
"""tests/golden/rope_partial.json: rotary embedding and rotary tables in float64 from the definition, by numpy and math alone."""
import math

import common
import numpy as np

POSITIONS = (0, 1, 17, 1000, 8191, 100000)
TABLES = [
    ("default", 64, 100000.0, {"rope_type": "default"}),
    ("linear", 64, 10000.0, {"rope_type": "linear", "factor": 4.0}),
    ("llama3_factor8", 128, 500000.0, {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 8192}),
    ("llama3_factor32", 64, 500000.0, {"rope_type": "llama3", "factor": 32.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 8192}),
    ("partial", 20, 10000.0, {"rope_type": "default"}),
]
# name, heads, head_dim, rotary_dim, theta, position
VECTORS = [
    ("full", 2, 64, 64, 10000.0, 17),
    ("quarter", 2, 80, 20, 10000.0, 17),
    ("half_far", 1, 128, 64, 10000000.0, 8191),
    ("quarter_of_256", 1, 256, 64, 10000000.0, 1000),
    ("all_but_two", 3, 18, 16, 500000.0, 1),
    ("one_pair", 1, 24, 2, 10000.0, 100000),
]


def inverse_frequencies(rotary_dim, theta, scaling):
    result = []
    for i in range(rotary_dim // 2):
        value = math.exp(-math.log(theta) * (2 * i) / rotary_dim)
        if scaling["rope_type"] == "linear":
            value /= scaling["factor"]
        elif scaling["rope_type"] == "llama3":
            wavelength = 2 * math.pi / value
            longest = scaling["original_max_position_embeddings"] / scaling["low_freq_factor"]
            shortest = scaling["original_max_position_embeddings"] / scaling["high_freq_factor"]
            if wavelength > longest:
                value /= scaling["factor"]
            elif wavelength >= shortest:
                kept = (scaling["original_max_position_embeddings"] / wavelength - scaling["low_freq_factor"]) / (
                    scaling["high_freq_factor"] - scaling["low_freq_factor"]
                )
                value = (1 - kept) * value / scaling["factor"] + kept * value
        result.append(value)
    return result


def rotated(vector, rotary_dim, theta, position):
    """One head: entries i and i + rotary_dim / 2 turn by position * theta^(-2 i / rotary_dim), entries from rotary_dim on stay."""
    result = [float(v) for v in vector]
    half = rotary_dim // 2
    for i, frequency in enumerate(inverse_frequencies(rotary_dim, theta, {"rope_type": "default"})):
        angle = position * frequency
        a, b = float(vector[i]), float(vector[i + half])
        result[i] = a * math.cos(angle) - b * math.sin(angle)
        result[i + half] = b * math.cos(angle) + a * math.sin(angle)
    return result


def rounded(values, digits=15):
    return [common.significant(v, digits) for v in values]


def main():
    tables = []
    for name, rotary_dim, theta, scaling in TABLES:
        frequencies = inverse_frequencies(rotary_dim, theta, scaling)
        entries = []
        for position in POSITIONS:
            entries.append({
                "position": position,
                "cos": rounded(math.cos(position * f) for f in frequencies),
                "sin": rounded(math.sin(position * f) for f in frequencies),
            })
        tables.append({"name": name, "rotary_dim": rotary_dim, "theta": theta, "scaling": scaling, "inverse_frequencies": rounded(frequencies), "angles": entries})
    vectors = []
    for name, heads, head_dim, rotary_dim, theta, position in VECTORS:
        inputs = common.uniform(f"rope.{name}", 1, heads * head_dim).reshape(heads, head_dim)
        vectors.append({
            "name": name, "heads": heads, "head_dim": head_dim, "rotary_dim": rotary_dim, "theta": theta, "position": position,
            "input_hash": f"rope.{name}", "seed": 1,
            "input": [float(v) for v in inputs.ravel()],
            "output": rounded(np.concatenate([rotated(head, rotary_dim, theta, position) for head in inputs])),
        })
    common.write_json(common.GOLDEN / "rope_partial.json", {"made_with": common.versions(), "vectors": vectors, "tables": tables})


if __name__ == "__main__":
    main()
