#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The netra authors
# SPDX-License-Identifier: MIT
"""Makes tests/golden/tokenizer/{strings,small,ids}.json: the ids that Hugging Face's tokenizers give for many strings.

usage: tokenizer.py SmolLM2-135M-Instruct.Q4_1.gguf     (pip install tokenizers gguf)

strings.json   the strings; {"hex": ...} where the bytes are not UTF-8
small.json     a tokenizer.json with 1,000 merges, trained on those strings
ids.json       for the vocabulary of SmolLM2 and for the small one, for each kind of pre-tokenizer: a 64-bit FNV-1a hash of the ids of each
               string (first with special tokens parsed, then 0xffffffff, then with special tokens as text; each id as 4 bytes, the lowest
               first), and the ids and the decoded text of every 20th string
"""
import importlib.metadata
import json
import pathlib
import random
import sys
import unicodedata

import gguf
import tokenizers
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

HERE = pathlib.Path(__file__).resolve().parents[2] / "tests/golden/tokenizer"
CONTRACTIONS = r"'s|'t|'re|'ve|'m|'ll|'d"
LLAMA_3 = (r"(?i:" + CONTRACTIONS + r")|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+")
QWEN_2 = LLAMA_3.replace(r"\p{N}{1,3}", r"\p{N}")
SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]


def byte_level(use_regex):
    return pre_tokenizers.ByteLevel(add_prefix_space=False, trim_offsets=True, use_regex=use_regex)


def split(pattern):
    return pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(pattern), "isolated", invert=False), byte_level(False)])


KINDS = {
    "gpt-2": (byte_level(True), None, False),
    "smollm": (pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True), byte_level(True)]), None, False),
    "llama-bpe": (split(LLAMA_3), None, True),
    "qwen2": (split(QWEN_2), normalizers.NFC(), False),
}

SAMPLES = """
The quick brown fox jumps over the lazy dog. It's what we'll do; they've said I'm late, you're not, he'd wait.
DON'T SHOUT: IT'S WHAT WE'LL DO, THEY'VE SAID I'M LATE, YOU'RE NOT, HE'D WAIT. Mixed'S case'Re 'Ll 'vE 'D 'M 'T 'ſ 'ſs 'K 'x '' 'é
int main(int argc, char** argv) { return argc > 1 ? argv[1][0] : 0; }  // done
def f(x, *, y=3.14e-10):\n\t\"\"\"doc\"\"\"\n\treturn [i ** 2 for i in range(0x1F, 1_000_000) if i % 3 != 0]\n\n\nclass A:\n    pass\n
#include <vector>\r\n#define X(a, b) ((a) + (b))\r\n\r\ntemplate <class T> constexpr auto v = sizeof(T);\r\n
SELECT * FROM t WHERE a <= 'x''y' AND b <> 10 ORDER BY 1;\tUPDATE t SET a=a+1;
{"a": [1, 2.5, -3e8, null, true], "b": {"c": "\\u00e9\\n"}}
<html><body class="x">&amp; &lt;p&gt;</body></html> https://example.org/a?b=c&d=%20#e someone@example.org
Größe, façade, naïve, coöperate, smörgåsbord, Ærøskøbing, İstanbul, Łódź, Dvořák, Αθήνα, Москва, Київ, Тбилиси თბილისი Երևան
日本語のテキストと漢字、カタカナ。中文字符，繁體中文！한국어 문장입니다. ｆｕｌｌｗｉｄｔｈ １２３
اللغة العربية ١٢٣٤ والنص مُشَكَّل، עברית עם נִיקּוּד, فارسی ۱۲۳ اردو
हिन्दी में लिखा हुआ पाठ १२३, বাংলা ৪৫৬, தமிழ் ௧௨, ไทยไม่มีช่องว่าง ๑๒๓, ລາວ, မြန်မာ ၁၂, ខ្មែរ, አማርኛ ፩፪፫, བོད་ཡིག
👍🏽 👨‍👩‍👧‍👦 🏳️‍🌈 🇩🇪🇫🇷 ☕️ ❤️‍🔥 🤷🏻‍♀️ 1️⃣ ©️ ™ ℃ ½ ² ₃ Ⅻ ⑳ ㊿ 𝟘𝔸𝒷 𐍈 𝄞 🀄
e\u0301 é a\u030a å \u1100\u1161\u11a8 각 q\u0323\u0307 q\u0307\u0323 \u0344 \u2126 Ω \u212b \ufb01 ﬁ \u0958 \u0cc6\u0cc2 x\u0300\u0301\u0302\u0303\u0304
\u00a0nbsp\u00a0\u2003em\u2009thin\u3000ideographic\u200bzero\u200cwidth\u200djoiner\ufeffbom\u2028line\u2029para\u0085next\u1680ogham\u180emvs
∀x∈ℝ: ⌈x⌉ = −⌊−x⌋, α ∧ ¬β → ∑∏∫ ≤≥≠ ±×÷ √2 ≈ 1.41421 €100 £5 ¥3 $4.50 10% 20‰ §3 ¶ … – — “quotes” ‘single’ «guillemets»
100 1000 10000 123456789 1,234,567.89 0.1 00 007 3rd 2nd x86_64 v1.2.3-rc1 2026-11-30T04:13:00Z 0b1010 ١٢٣٤٥٦ ①②③④
"""


def strings():
    rng = random.Random(20261130)
    lines = [line for line in SAMPLES.split("\n") if line]
    out = ["", " ", "  ", "\n", "\r\n", "\t", "'", "''", "0", "a", "\0", "\x7f", "\ufffd", "\U0010ffff", "\ue000"]
    out += lines
    # every white space, control and odd character between two others
    for c in [chr(i) for i in range(0x21)] + list("\x7f\x85\xa0\u1680\u180e\u2000\u2007\u200a\u200b\u2028\u2029\u202f\u205f\u3000\ufeff\xad\u061c"):
        out += [c, "a" + c + "b", "1" + c + "2", "a" + c + c + "b", " " + c + "b", c + " b", "." + c + ".", "a " + c + "\n" + c + " \nb"]
    for n in (1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 31, 33, 64, 100, 257):
        out += [" " * n, "\n" * n, "a" * n, "1" * n, "." * n, " a" * n, "ab" * n, "\r\n" * n, "é" * n, "中" * n, "'s" * n, " " * n + "x",
                "\t" * n + "x", "\n" * n + " x", " \n" * n + "x", "-" * n + "\n", "👍" * n, "=" * n + " 1"]
    for s in ["'s", "'S", "'ſ", "'re", "'RE", "'rE", "'ve", "'ll", "'Ll", "'d", "'m", "'t", "'", "'r", "'l", "'v", "'x", "'ss", "'ls"]:
        out += [s, "a" + s, " " + s, "1" + s, s + "a", s + s, "." + s, "\n" + s, "é" + s + " ", s + "1"]
    for s in SPECIAL + ["<|im_start|", "|im_end|>", "<repo_name>", "<|IM_END|>"]:
        out += [s, "a" + s, s + "b", " " + s + " ", s + s, "x " + s + "\n" + s + "y", s[:-1] + s, "<" + s + ">", "e" + s + "\u0301"]
    out += ["<|im_start|>user\nHi there<|im_end|>\n<|im_start|>assistant\n", "\U0002ebf0x 1", "\u1c89\u1c8a", "\U00010d40\U00010d41 9", "\ua7cbx"]
    # pieces of the samples, and mixtures of characters from many scripts
    text = "\n".join(lines)
    for _ in range(420):
        at = rng.randrange(len(text))
        out.append(text[at:at + rng.choice((3, 8, 20, 45, 90, 200))])
    ranges = [(0x20, 0x7f)] * 6 + [(0, 0x20), (0xa0, 0x250), (0x300, 0x370), (0x370, 0x530), (0x590, 0x700), (0x900, 0xe80), (0x1100, 0x1200),
                                   (0x1e00, 0x2000), (0x2000, 0x2070), (0x2070, 0x2c00), (0x3000, 0x3100), (0x4e00, 0x9fa0), (0xac00, 0xd7a0),
                                   (0xf900, 0xfb50), (0xfe00, 0x10000), (0x10000, 0x10400), (0x1d400, 0x1d800), (0x1f000, 0x1fa00), (0x20000, 0x2a000)]

    def character():
        while True:
            c = chr(rng.randrange(*rng.choice(ranges)))
            if unicodedata.category(c) not in ("Cn", "Cs"):
                return c
    for _ in range(520):
        out.append("".join(character() if rng.random() < 0.8 else rng.choice(" \n1'") for _ in range(rng.choice((1, 2, 4, 9, 18, 40)))))
    alphabet = " \t\n\r1٣aé中.'s!\u0301\u3000_"
    for _ in range(420):
        out.append("".join(rng.choice(alphabet) for _ in range(rng.choice((2, 3, 5, 8, 13, 21)))))
    for _ in range(60):
        out.append("".join(rng.choice(SPECIAL + [" ", "\n", "a", "\u0301", "1", "'s", "<", "|>"]) for _ in range(rng.randrange(2, 12))))
    # bytes that are not UTF-8
    for b in ["80", "bf", "c0", "c1", "c2", "c3a9", "e0", "e080", "e0a0", "e28082", "e282", "ed9fbf", "eda080", "edbfbf", "f0", "f08080", "f0908080",
              "f09f91", "f09f918d", "f4908080", "f48fbfbf", "f5", "ff", "fe", "c2c2", "e2e282ac", "f0f09f918d", "f09fe282ac"]:
        out += [bytes.fromhex(b), b"a" + bytes.fromhex(b) + b"b", bytes.fromhex(b + b) + b" 1", b" " + bytes.fromhex(b)]
    for _ in range(150):
        s = bytearray(rng.choice(lines).encode())
        s = s[:rng.choice((12, 30, 70))]
        for _ in range(rng.randrange(1, 5)):
            i = rng.randrange(len(s))
            if rng.random() < 0.5:
                s[i] = rng.randrange(128, 256)
            else:
                del s[i]
                s += b"!"
        out.append(bytes(s))
    unique = {}
    for s in out:
        b = s if isinstance(s, bytes) else s.encode()
        unique.setdefault(b, None)
    return list(unique)


def text_of(b):
    return b.decode("utf-8", errors="replace")


def fnv(ids):
    h = 0xcbf29ce484222325
    for i in ids:
        for b in i.to_bytes(4, "little"):
            h = (h ^ b) * 0x100000001b3 & 0xffffffffffffffff
    return f"{h:016x}"


def encode(tokenizer, s, special_as_text=False):
    tokenizer.encode_special_tokens = special_as_text
    return tokenizer.encode(s, add_special_tokens=False).ids


def goldens(tokenizer, all_strings):
    hashes, full = [], []
    for i, b in enumerate(all_strings):
        s = text_of(b)
        ids = encode(tokenizer, s)
        hashes.append(fnv(ids + [0xffffffff] + encode(tokenizer, s, True)))
        if i % 20 == 0 and len(ids) <= 200:
            full.append([i, ids, tokenizer.decode(ids, skip_special_tokens=False)])
    return {"fnv": ["".join(hashes[i:i + 8]) for i in range(0, len(hashes), 8)], "every_20th": full}


def with_kind(vocab, merges, kind, special):
    words, normalizer, ignore_merges = KINDS[kind]
    tokenizer = Tokenizer(models.BPE(vocab=vocab, merges=merges, ignore_merges=ignore_merges))
    tokenizer.pre_tokenizer = words
    if normalizer is not None:
        tokenizer.normalizer = normalizer
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens(special)
    return tokenizer


def smollm2(path):
    fields = gguf.GGUFReader(path).fields
    tokens = fields["tokenizer.ggml.tokens"].contents()
    types = fields["tokenizer.ggml.token_type"].contents()
    merges = [tuple(m.split(" ")) for m in fields["tokenizer.ggml.merges"].contents()]
    special = [AddedToken(t, special=True, normalized=False) for t, kind in zip(tokens, types) if kind == 3]
    return {t: i for i, t in enumerate(tokens)}, merges, special


def small(all_strings):
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = byte_level(True)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(vocab_size=1000 + 256 + len(SPECIAL), special_tokens=SPECIAL, show_progress=False,
                                  initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()))
    tokenizer.train_from_iterator([text_of(b) for b in all_strings] + [SAMPLES] * 3, trainer)
    state = json.loads(tokenizer.to_str())
    # words that merges do not reach, for ignore_merges
    for word in ("Ġunreachable", "xyzzyxyzzy", "\u0123nothing", "123", "<think>"):
        state["model"]["vocab"].setdefault(word, len(state["model"]["vocab"]))
    return state


# Added tokens with each of the flags, for one more variant of the small tokenizer.
FLAGS = [AddedToken("<l>", lstrip=True, special=True, normalized=False), AddedToken("<r>", rstrip=True, special=True, normalized=False),
         AddedToken("<lr>", lstrip=True, rstrip=True, special=False, normalized=True),
         AddedToken("word", single_word=True, special=False, normalized=False), AddedToken("caf\u00e9", special=False, normalized=True),
         AddedToken("cafe\u0301s", special=False, normalized=True), AddedToken("<think>", special=False, normalized=False),
         AddedToken(" <s> ", special=True, normalized=False), AddedToken("<thin", special=True, normalized=False)]


def flag_strings():
    rng = random.Random(7)
    parts = ["<l>", "<r>", "<lr>", "word", "caf\u00e9", "cafe\u0301", "cafe\u0301s", "<think>", "<thin", " <s> ", " ", "  ", "\n", "\u3000", "a", "_", "1", ".", "k>",
             "\u0301", "\u200d", "<|im_end|>"]
    return ["".join(rng.choice(parts) for _ in range(rng.randrange(1, 9))) for _ in range(300)]


def write(name, value, **style):
    text = json.dumps(value, ensure_ascii=False, **style)
    text = text.replace("\x7f", "\\u007f").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029").replace("\ufeff", "\\ufeff")
    (HERE / name).write_text(text + "\n", encoding="utf-8")
    print(f"{name}: {len(text.encode())} bytes")


def main():
    all_strings = strings()
    listed = []
    for b in all_strings:
        try:
            listed.append(b.decode())
        except UnicodeDecodeError:
            listed.append({"hex": b.hex()})
    (HERE / "strings.json").write_text("[\n" + ",\n".join(json.dumps(s) for s in listed) + "\n]\n")

    vocab, merges, special = smollm2(sys.argv[1])
    state = small(all_strings)
    small_vocab, small_merges = state["model"]["vocab"], [tuple(m) for m in state["model"]["merges"]]
    write("small.json", state, separators=(",", ":"))
    ids = {"made_with": {"tokenizers": tokenizers.__version__, "gguf": importlib.metadata.version("gguf"), "python": sys.version.split()[0]},
           "strings": len(all_strings), "kinds": {}, "smollm2": {}, "small": {}}
    for kind in KINDS:
        ids["smollm2"][kind] = goldens(with_kind(vocab, merges, kind, special), all_strings)
        tokenizer = with_kind(small_vocab, small_merges, kind, SPECIAL)
        if kind == "llama-bpe":
            tokenizer.post_processor = processors.Sequence([processors.ByteLevel(trim_offsets=False), processors.TemplateProcessing(
                single="<|im_start|> $A", pair="<|im_start|> $A $B", special_tokens=[("<|im_start|>", 1)])])
        ids["small"][kind] = goldens(tokenizer, all_strings)
        made = json.loads(tokenizer.to_str())
        ids["kinds"][kind] = {key: made[key] for key in ("pre_tokenizer", "normalizer", "post_processor", "added_tokens")}
        ids["kinds"][kind]["ignore_merges"] = made["model"]["ignore_merges"]
    tokenizer = with_kind(small_vocab, small_merges, "qwen2", SPECIAL)
    for token in FLAGS:
        (tokenizer.add_special_tokens if token.special else tokenizer.add_tokens)([token])
    ids["flags"] = {"added_tokens": json.loads(tokenizer.to_str())["added_tokens"],
                    "cases": [[s, encode(tokenizer, s), encode(tokenizer, s, True)] for s in flag_strings()]}
    rng = random.Random(3)
    lists = [[rng.randrange(256 + 40) for _ in range(rng.randrange(1, 14))] for _ in range(200)]
    ids["decodes"] = [[i, tokenizer.decode(i, skip_special_tokens=False), tokenizer.decode(i, skip_special_tokens=True)] for i in lists]
    write("ids.json", ids, separators=(",", ":"))
    print(len(all_strings), "strings")


if __name__ == "__main__":
    main()
