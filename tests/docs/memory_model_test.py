# SPDX-FileCopyrightText: 2026 The netra authors
# SPDX-License-Identifier: MIT
"""The instructions in docs/memory-model.md: assemblers take them, and LLVM emits those for AMD."""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(os.environ.get("NETRA_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[2]))
BLOCK = re.compile(r"^ *```(ptx|amdgcn)(?: (\w+))?\n(.*?)^ *```$", re.M | re.S)
PTX = """.version 8.0
.target sm_90
.address_size 64
.visible .entry shown() {{
.reg .b32 %r<16>;
.reg .b64 %rd<16>;
.reg .pred %p<8>;
{}
ret;
}}
"""
# what the sequences stand for, in the C of clang
PROGRAM = """
typedef __attribute__((address_space(1))) unsigned counter;
typedef __attribute__((address_space(1))) unsigned long word;
#define KERNEL __attribute__((amdgpu_kernel))
KERNEL void publish(counter* data, counter* c) { *data = 7; __scoped_atomic_fetch_add(c, 1u, __ATOMIC_RELEASE, __MEMORY_SCOPE_DEVICE); }
KERNEL void poll(counter* data, counter* c, counter* to) {
    while (__scoped_atomic_load_n(c, __ATOMIC_ACQUIRE, __MEMORY_SCOPE_DEVICE) < 4) {}
    *to = *data;
}
KERNEL void store_word(word* w, unsigned long v) { __scoped_atomic_store_n(w, v, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE); }
KERNEL void load_word(word* w, word* to) { *to = __scoped_atomic_load_n(w, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE); }
"""
FUNCTIONS = {"gfx942": ("publish", "poll", "store_word", "load_word"), "gfx1151": ("publish", "poll")}


def blocks(kind):
    return [(target, text) for found, target, text in BLOCK.findall((ROOT / "docs" / "memory-model.md").read_text()) if found == kind]


def find(program):
    return shutil.which(program, path=os.environ.get("PATH", "") + os.pathsep + "/usr/local/cuda/bin")


def run(*command, text=""):
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command}\n{done.stderr}\n{text}"
    return done.stdout


def operations(text):
    """The instructions of a text with their modifiers; registers are the compiler's choice."""
    found = []
    for line in text.splitlines():
        words = line.split(";")[0].replace(",", " ").split()
        if words and re.match(r"(global|buffer)_|s_waitcnt", words[0]):
            modifiers = [w for w in words[1:] if w in ("sc0", "sc1", "glc") or w.startswith("vmcnt")]
            found.append(" ".join([words[0], *modifiers]))
    return found


class MemoryModel(unittest.TestCase):
    def test_there_are_blocks(self):
        self.assertGreaterEqual(len(blocks("ptx")), 7)
        self.assertEqual([target for target, _ in blocks("amdgcn")], ["gfx942"] * 2 + ["gfx1151"] * 2 + ["gfx942"] * 2)

    def test_ptx(self):
        ptxas = find("ptxas")
        if ptxas is None:
            self.skipTest("this machine has no ptxas")
        with tempfile.TemporaryDirectory() as folder:
            for _, text in blocks("ptx"):
                file = pathlib.Path(folder, "shown.ptx")
                file.write_text(PTX.format(text))
                run(ptxas, "-arch=sm_90", str(file), "-o", f"{folder}/shown.cubin")

    def test_amdgcn(self):
        clang = find("clang-19") or find("clang++-19")
        if clang is None:
            self.skipTest("this machine has no clang-19")
        compile_ = [clang, "-target", "amdgcn-amd-amdhsa", "-nogpulib", "-o", "-"]
        for target in FUNCTIONS:
            emitted = run(*compile_, f"-mcpu={target}", "-O2", "-S", "-x", "c", "-", text=PROGRAM)
            shown = [text for t, text in blocks("amdgcn") if t == target]
            self.assertEqual(len(shown), len(FUNCTIONS[target]))
            for function, text in zip(FUNCTIONS[target], shown):
                with self.subTest(target=target, function=function):
                    run(clang, "-target", "amdgcn-amd-amdhsa", f"-mcpu={target}", "-c", "-x", "assembler", "-", "-o", os.devnull, text=text)
                    body = operations(re.search(rf"^{function}:(.*?)s_endpgm", emitted, re.M | re.S)[1])
                    wanted = operations(text)
                    caches = [o for o in body if o.startswith("buffer_")]
                    self.assertEqual([o for o in wanted if o.startswith("buffer_")], caches)
                    self.assertTrue(any(body[i:i + len(wanted)] == wanted for i in range(len(body))), f"shown: {wanted}\nemitted: {body}")


if __name__ == "__main__":
    unittest.main()
