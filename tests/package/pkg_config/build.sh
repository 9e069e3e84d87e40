#!/bin/sh
# SPDX-FileCopyrightText: 2026 The netra authors
# SPDX-License-Identifier: MIT
# build.sh COMPILER PKGCONFIG-FOLDER SCRATCH-FOLDER
set -eu
PKG_CONFIG_PATH=$2
export PKG_CONFIG_PATH
pkg-config --exists --print-errors netra netra-engine
build() {
    # shellcheck disable=SC2046
    "$1" -std=c++20 $(pkg-config --cflags "$2") "$(dirname "$0")/../$3.cpp" $(pkg-config --libs "$2") -o "$4/pkg_config_$3"
    "$4/pkg_config_$3"
}
build "$1" netra main "$3"
build "$1" netra-engine engine "$3"
