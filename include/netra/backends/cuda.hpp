// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// The CUDA backend: opens a GPU and compares it with what a program is made for, loads kernel images, owns memory, launches, waits and
/// times.
#pragma once

#include <netra/backends/cuda/device_check.hpp>
#include <netra/backends/cuda/driver.hpp>
#include <netra/backends/cuda/gpu.hpp>
#include <netra/backends/cuda/graph.hpp>
#include <netra/backends/cuda/kernel.hpp>
#include <netra/backends/cuda/memory.hpp>
#include <netra/backends/cuda/module_cache.hpp>
#include <netra/backends/cuda/nvtx.hpp>
#include <netra/backends/cuda/remedy.hpp>
#include <netra/backends/cuda/stream.hpp>
#include <netra/backends/cuda/watchdog.hpp>
