# SPDX-FileCopyrightText: 2026 The netra authors
# SPDX-License-Identifier: MIT
"""`netra conformance` with small settings; skipped, with the reason, where there is no GPU."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(os.environ.get("NETRA_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[2]))
PROGRAM = pathlib.Path(os.environ.get("NETRA_BINARY_DIR", ROOT / "build"), "netra")
SKIP = 77


def run(*arguments):
    done = subprocess.run([PROGRAM, "conformance", *map(str, arguments)], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def main():
    for wrong in (["--only", "nothing"], ["--checks", "nothing"], ["--launches", "0"], ["--rows", "4"], ["--activations", "single"], ["nowhere.gguf"],
                  ["--logits-out", "logits.npy"], ["--only", "tiny", ROOT]):
        status, out, error = run(*wrong)
        assert status == 2, f"{wrong}: exit status {status}\n{out}{error}"
    with tempfile.TemporaryDirectory() as folder:
        results = pathlib.Path(folder, "results.json")
        status, out, error = run("--launches", 3, "--tokens", 2000, "--greedy", 24, "--longest", 300, "--json", results, "--commit", "test")
        print(out, error, sep="")
        if status == SKIP:
            assert not results.exists()
            assert "nothing is checked" in error
            return SKIP
        found = json.loads(results.read_text())
        assert found["commit"] == "test"
        assert found["failed"] == 0
        assert {c["check"] for c in found["checks"]} == {"logits", "greedy", "draws", "context", "bits", "delays", "loop", "wrap", "relaunch"}
        assert len({c["model"] for c in found["checks"]}) >= 10
        assert status == 0, status
    return 0


if __name__ == "__main__":
    sys.exit(main())
