#!/bin/sh
# SPDX-FileCopyrightText: 2026 The netra authors
# SPDX-License-Identifier: MIT
# build.sh COMPILER PKGCONFIG-FOLDER SCRATCH-FOLDER
set -eu
PKG_CONFIG_PATH=$2
export PKG_CONFIG_PATH
pkg-config --exists --print-errors netra netra-engine
# shellcheck disable=SC2046
"$1" -std=c++20 $(pkg-config --cflags netra) "$(dirname "$0")/../main.cpp" $(pkg-config --libs netra) -o "$3/pkg_config_consumer"
"$3/pkg_config_consumer"
