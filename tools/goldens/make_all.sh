#!/bin/sh
# SPDX-FileCopyrightText: 2026 The netra authors
# SPDX-License-Identifier: MIT
# make_all.sh [VENV]: makes the files of tests/golden anew, with the versions of requirements.txt in a virtual environment (build/goldens by default).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
venv=${1:-$here/../../build/goldens}
if [ ! -x "$venv/bin/python" ]; then
    python3 -m venv "$venv"
fi
"$venv/bin/python" -m pip install --quiet --requirement "$here/requirements.txt"
weights=$("$here/../setup/demo_weights")
export PYTHONDONTWRITEBYTECODE=1
"$venv/bin/python" "$here/rope.py"
"$venv/bin/python" "$here/models.py"
"$venv/bin/python" "$here/smollm2.py" "$weights"
"$venv/bin/python" "$here/tokenizer.py" "$weights"
