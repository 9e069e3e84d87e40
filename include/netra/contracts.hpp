// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// All contracts: operations, models, their checks and identities.
#pragma once

#include <netra/contracts/checks.hpp>
#include <netra/contracts/devices.hpp>
#include <netra/contracts/dtype.hpp>
#include <netra/contracts/identity.hpp>
#include <netra/contracts/models/llama.hpp>
#include <netra/contracts/models/llama_weights.hpp>
#include <netra/contracts/numerics.hpp>
#include <netra/contracts/ops/add.hpp>
#include <netra/contracts/ops/attention.hpp>
#include <netra/contracts/ops/embedding.hpp>
#include <netra/contracts/ops/gated_mul.hpp>
#include <netra/contracts/ops/linear.hpp>
#include <netra/contracts/ops/projection.hpp>
#include <netra/contracts/ops/rms_norm.hpp>
#include <netra/contracts/ops/rope.hpp>
#include <netra/contracts/ops/rope_append.hpp>
#include <netra/contracts/ops/sampling.hpp>
#include <netra/contracts/quantization.hpp>
#include <netra/contracts/reasons.hpp>
#include <netra/contracts/rejected.hpp>
#include <netra/contracts/target.hpp>
#include <netra/contracts/verdict.hpp>
#include <netra/contracts/weights.hpp>
