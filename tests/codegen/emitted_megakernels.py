#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The netra authors
# SPDX-License-Identifier: MIT
"""emitted_megakernels.py EMIT_MEGAKERNELS [all]: ptxas takes persistent kernels of several models, without spills, within the registers that a block
of their size may have and with no shared memory beside what the layout asks for; what does not fit a device is refused with both numbers."""
import concurrent.futures
import pathlib
import re
import subprocess
import sys
import tempfile

import emitted_kernels

LEAST = 20  # kernels that the emitter writes, at the least


def problems_of(lines, files):
    """What is wrong with the emitter's own list: a launch that does not fit, or a kernel without a file."""
    wrong, named, refused = [], set(), 0
    for line in lines:
        name, rest = line.split(" ", 1)
        said = re.fullmatch(r"refused: megakernel: shared memory bytes of a block is (\d+), the most that is supported is (\d+)", rest)
        if said:
            refused += 1
            if int(said[1]) <= int(said[2]):
                wrong.append(f"{name}: refused although it fits: {rest}")
        elif not re.fullmatch(r"\d+ \d+ \d+", rest):
            wrong.append(f"{name}: {rest}")
        else:
            threads, shared, limit = map(int, rest.split())
            named.add(name)
            if shared > limit:
                wrong.append(f"{name}: {shared} bytes of shared memory of {limit}")
            of_file = [f for f in files if f.name.startswith(name + ".")]
            if len(of_file) != 1 or f".maxntid {threads}," not in of_file[0].read_text():
                wrong.append(f"{name}: no file for {threads} threads")
    return wrong + [f"{f.name}: not listed" for f in files if f.name.split(".")[0] not in named], refused


def self_test():
    good = ["a-h200 refused: megakernel: shared memory bytes of a block is 3, the most that is supported is 2"]
    bad = ["a-h200 refused: megakernel: shared memory bytes of a block is 2, the most that is supported is 2", "a-h200 refused: other words", "a-h200 384 3 2"]
    return problems_of(good, []) == ([], 1) and all(problems_of([line], [])[0] for line in bad)


def main():
    if not self_test():
        print("FAILED: this script notices nothing")
        return 1
    ptxas = emitted_kernels.find_ptxas()
    if ptxas is None:
        print("skipped: this machine has no ptxas")
        return emitted_kernels.SKIP
    with tempfile.TemporaryDirectory() as scratch:
        made = subprocess.run([sys.argv[1], scratch, *sys.argv[2:]], capture_output=True, text=True, check=False)
        files = sorted(pathlib.Path(scratch).glob("*.ptx"))
        wrong, refused = problems_of(made.stdout.splitlines(), files)
        if made.returncode != 0:
            wrong.append(f"the emitter ended with {made.returncode}\n{made.stderr}")
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            judged = list(pool.map(lambda f: emitted_kernels.judge(ptxas, f, shared=0), files))
    wrong += [w for w, _ in judged if w]
    print(*wrong, sep="\n")
    for file, (_, registers) in zip(files, judged):
        print(f"{file.stem:48} {registers} registers")
    print(f"{len(files)} persistent kernels, {len(wrong)} wrong; {refused} were refused for want of shared memory")
    return 1 if wrong or len(files) < LEAST or refused == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
