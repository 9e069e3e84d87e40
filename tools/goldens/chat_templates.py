#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The netra authors
# SPDX-License-Identifier: MIT
"""Makes tests/golden/tokenizer/chats.json: what jinja2, set up as Hugging Face's transformers do, makes of chat templates.

usage: chat_templates.py TEMPLATES     (pip install jinja2)
TEMPLATES is a folder with the chat templates of the models, one NAME.jinja each, for the names in NAMES. They belong to their authors and
are not in this repository. chats.json holds

known     for each name the hash and the length of the canonical tokens (see include/netra/engine/jinja_text.hpp), by jinja2's own lexer
renders   [name, add_generation_prompt, turns, text], with bos "<s>", eos "</s>" and the date 26 Jul 2024
tokens    [template, hash, length] for made-up templates that try the rules for white space, quotes and escapes; null where netra gives up
"""
import json
import pathlib
import random
import sys

import jinja2
from jinja2.lexer import reverse_operators
from jinja2.sandbox import ImmutableSandboxedEnvironment

OUT = pathlib.Path(__file__).resolve().parents[2] / "tests/golden/tokenizer/chats.json"
NAMES = ["smollm2", "chatml", "chatml_2", "qwen1_5", "qwen2", "qwen2_5", "qwen2_5_base", "qwen2_5_math", "qwen3_v1", "qwen3",
         "qwen3_instruct_2507", "llama3", "llama3_1", "llama3_2", "zephyr"]
ENVIRONMENT = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"])
KINDS = {"name": "n", "string": "s", "integer": "i", "data": "d", "block_begin": "%", "block_end": "~", "variable_begin": "{", "variable_end": "}"}


def canonical(source):
    tokens = []
    for token in ENVIRONMENT._tokenize(source, None):
        kind = KINDS.get(token.type)
        if kind is None:
            kind, value = "o", reverse_operators[token.type]
        else:
            value = "" if kind in "%~{}" else str(token.value)
        if kind == "d" and tokens and tokens[-1][0] == "d":
            tokens[-1] = ("d", tokens[-1][1] + value)
        else:
            tokens.append((kind, value))
    out = []
    while tokens:
        after_value = bool(out) and (out[-1][0] == "n" or out[-1] in (("o", "]"), ("o", ")")))
        if (after_value and len(tokens) > 2 and tokens[0] == ("o", "[") and tokens[2] == ("o", "]") and tokens[1][0] == "s"
                and tokens[1][1].isidentifier() and tokens[1][1].isascii()):
            out += [("o", "."), ("n", tokens[1][1])]
            del tokens[:3]
        else:
            out.append(tokens.pop(0))
    return "".join(kind + value + "\0" for kind, value in out).encode()


def fnv(data):
    h = 0xcbf29ce484222325
    for b in data:
        h = (h ^ b) * 0x100000001b3 & 0xffffffffffffffff
    return f"{h:016x}"


def chats():
    user, answer, system = {"role": "user"}, {"role": "assistant"}, {"role": "system"}
    yield [user | {"content": "Hi"}]
    yield [system | {"content": "Be brief."}, user | {"content": "Hi"}]
    yield [user | {"content": "Hi"}, answer | {"content": "Hello!"}, user | {"content": "And?"}]
    yield [system | {"content": ""}, user | {"content": ""}]
    yield [user | {"content": " \n\u3000\x1f spaced\t\r\n\xa0"}, answer | {"content": "\u200b \u2028"}]
    yield [user | {"content": "a"}, system | {"content": " later "}, user | {"content": "b"}]
    yield [answer | {"content": "I begin"}, user | {"content": "ok"}]
    yield [system | {"content": "\n only \n"}]
    yield [user | {"content": "say <|im_end|> and {{ bos_token }} {% if x %}"}]
    for text in ("<think>\nhm\n</think>\n\nyes", "<think></think>no", "\n\nhm</think>\n\n\nyes</think>\nno\n", "a<think>b<think>c</think>d", "<think>\n\n</think>\n\n",
                 "no thoughts", "\nnewline first", "<think>open"):
        yield [user | {"content": "q"}, answer | {"content": text}]
        yield [user | {"content": "q"}, answer | {"content": text}, user | {"content": "r"}]
        yield [user | {"content": "q"}, answer | {"content": text}, answer | {"content": text}]
        yield [user | {"content": "q"}, answer | {"content": text}, user | {"content": "<tool_response>x</tool_response>"}, answer | {"content": text}]
        yield [answer | {"content": text}, answer | {"content": text}]
    yield [user | {"content": "<tool_response></tool_response>"}, answer | {"content": "<think>a</think>b"}]
    rng = random.Random(5)
    words = ["a", "\n", " ", "é", "👍", "<think>", "</think>", "<tool_response>", "</tool_response>", "\x1c", "'", "\\n"]
    for _ in range(24):
        yield [{"role": rng.choice(["user", "assistant", "user", "system"]), "content": "".join(rng.choice(words) for _ in range(rng.randrange(8)))}
               for _ in range(rng.randrange(1, 6))]


def made_up():
    """Templates that lexers stumble on; the second item says that netra knows all of their tokens."""
    for text in ("", "\n", "a\n", "a\r\nb\rc\n\n", "{", "{{ x }}", "{{x}}\n", "{{- x -}}", " {{ x }} \n", " {{- x -}} \n y", "a {%- if x -%} \n b {%- endif %}\nc",
                 "  {% if x %}\n  b\n  {% endif %}\n", "a\n \t{% if x %} {% endif %}", "a {% if x %}\n{% endif %}b", "{%+ if x +%}\nb{%+ endif %}", "  {%+ if x %}{% endif %}",
                 "{# c #}\n b", "a {#- c -#} b", "a\n  {# c #}\n  b", "{# {{ x }} {% #}d", "{{ 'a' }}{{ \"a\" }}", r"{{ 'a\n\t\r\\\'\"' }}", "{{ 'a\nb' }}",
                 "{{ m['role'] }}{{ m.role }}{{ m [ 'role' ] }}", "{{ m['a b'] }}{{ m['1a'] }}{{ m[''] }}{{ ['role'] }}{{ x(['role']) }}", "{{ f()['x']['y'] }}",
                 "{{ m[0]['x'] }}{{ m[1:] }}{{ m[::-1] }}", "{{ {'a': 1}['a'] }}", "{{ {'a': {'b': 2}} }}", "{{ a if b else c }}", "{{ a|trim~b }}", "{{ 1 == 2 != 3 <= 4 >= 5 < 6 > 7 }}",
                 "{{ 2 ** 3 // 4 / 5 % 6 * 7 - 8 + 9 }}", "{% set x = 0 %}{% set a, b = 1, 2 %};", "{% for a in b %}\n\n{% endfor %}\n\n", "{{ '}}' }}{{ '%}' }}{% if '%}' %}{% endif %}",
                 "{{ not a is defined }}", "é{{ 'é👍' }}é", "a\u3000{{- x -}}\u2003b", "a\n\u2003{% if x %}{% endif %}", "a\x1f{{- x -}}\x1cb", "{{ x -}}\n\n{% if x %}{% endif %}",
                 "x\n{%- if a %}\n\n   {%- endif %}\n", "{{ x }}   {% if a %}{% endif %}", "{% if a %}   {% if b %}{% endif %}{% endif %}", "}} %} #} { % {", "{{ a }}{# c #}{{ b }}", "{{ 10 }}",
                 "\n{{ a }}", "a{{ b }}\n\n", "{% if a %}\r\n  b\r\n{% endif %}\r\n", "{% if a -%}\n{% endif %}", "{# a -#}\n\n b", "{#+ a +#}\nb", "{##}x{#-#}y"):
        yield text, True
    for text in ("{{ 1.5 }}", "{% raw %}{{ x }}{% endraw %}", r"{{ '\x41' }}", r"{{ '\q' }}", "{{ 0x1F }}", "{{ 1_000 }}", "{{ x", "{% if", "{# c", "{{ 'a }}", "{{ ) }}", "{{ ? }}", "{{ ] }}"):
        yield text, False


def main():
    folder = pathlib.Path(sys.argv[1])
    known, renders = {}, []
    for name in NAMES:
        source = (folder / f"{name}.jinja").read_text(encoding="utf-8")
        data = canonical(source)
        known[name] = [fnv(data), len(data)]
        ENVIRONMENT.globals["strftime_now"] = lambda form: "26 Jul 2024"
        template = ENVIRONMENT.from_string(source)
        for i, chat in enumerate(chats()):
            # each chat is tried with some of the templates, the formats that depend most on the turns with all
            if i >= 9 and name not in ("qwen3", "qwen1_5") and (i + len(name)) % 8 != 0:
                continue
            for add in (True, False):
                text = template.render(messages=chat, tools=None, documents=None, add_generation_prompt=add, bos_token="<s>", eos_token="</s>")
                renders.append([name, add, [[m["role"], m["content"]] for m in chat], text])
    tokens = []
    for text, complete in made_up():
        data = canonical(text) if complete else b""
        tokens.append([text, fnv(data), len(data)] if complete else [text, None, None])
    out = {"made_with": {"jinja2": jinja2.__version__}, "known": known, "tokens": tokens}
    text = json.dumps(out)[:-1] + ', "renders": [\n' + ",\n".join(json.dumps(r, separators=(",", ":")) for r in renders) + "\n]}\n"
    OUT.write_text(text)
    print(f"{len(renders)} renders, {len(tokens)} made-up templates, {len(text)} bytes")


if __name__ == "__main__":
    main()
