#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The netra authors
# SPDX-License-Identifier: MIT
"""emitted_kernels.py EMIT_KERNELS: ptxas takes every emitted kernel for its target, without spills and within the registers of its launch."""
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SKIP = 77
REGISTERS = 65536  # of a multiprocessor, on every target; source: CUDA C++ Programming Guide, technical specifications


def find_ptxas():
    return shutil.which("ptxas", path=os.environ.get("PATH", "") + os.pathsep + "/usr/local/cuda/bin")


def judge(ptxas, file, shared=None):
    """What is wrong with one kernel, and the registers that a thread of it uses. `shared`: the bytes of shared memory that the text itself may have."""
    target = file.suffixes[-2][1:]
    run = subprocess.run([ptxas, "-v", f"-arch={target}", str(file), "-o", str(file.with_suffix(".cubin"))], capture_output=True, text=True, check=False)
    said = run.stdout + run.stderr
    used = re.search(r"Used (\d+) registers", said)
    spills = re.search(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", said)
    if run.returncode != 0 or used is None or spills is None:
        return f"{file.name}: refused\n{said}", 0
    threads = int(re.search(r"\.maxntid (\d+)", file.read_text())[1])
    if any(int(n) != 0 for n in spills.groups()):
        return f"{file.name}: {spills[0]}", 0
    static = re.search(r"(\d+) bytes smem", said)
    if shared is not None and static is not None and int(static[1]) > shared:
        return f"{file.name}: {static[0]}, expected {shared}", 0
    if int(used[1]) * threads > REGISTERS:
        return f"{file.name}: {used[1]} registers for {threads} threads", 0
    return None, int(used[1])


def main():
    ptxas = find_ptxas()
    if ptxas is None:
        print("skipped: this machine has no ptxas")
        return SKIP
    with tempfile.TemporaryDirectory() as scratch:
        subprocess.run([sys.argv[1], scratch], check=True)
        files = sorted(pathlib.Path(scratch).glob("*.ptx"))
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            judged = list(pool.map(lambda f: judge(ptxas, f), files))
    wrong = [w for w, _ in judged if w]
    print(*wrong, sep="\n")
    print(f"{len(files)} kernels assemble without spills; the largest uses {max(r for _, r in judged)} registers a thread")
    return 1 if wrong or len(files) < 100 else 0


if __name__ == "__main__":
    sys.exit(main())
