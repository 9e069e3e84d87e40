// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// All of the engine: readers of model files, tokenizers, sessions.
#pragma once

#include <netra/engine/added_tokens.hpp>
#include <netra/engine/byte_pairs.hpp>
#include <netra/engine/chat.hpp>
#include <netra/engine/chat_template.hpp>
#include <netra/engine/config_json.hpp>
#include <netra/engine/dynamic_schedule.hpp>
#include <netra/engine/error.hpp>
#include <netra/engine/gguf.hpp>
#include <netra/engine/gguf_config.hpp>
#include <netra/engine/gguf_metadata.hpp>
#include <netra/engine/gguf_model.hpp>
#include <netra/engine/hf_config.hpp>
#include <netra/engine/hf_keys.hpp>
#include <netra/engine/import_options.hpp>
#include <netra/engine/jinja_text.hpp>
#include <netra/engine/json_file.hpp>
#include <netra/engine/loaded_model.hpp>
#include <netra/engine/mapped_file.hpp>
#include <netra/engine/model_file.hpp>
#include <netra/engine/npy.hpp>
#include <netra/engine/opened_model.hpp>
#include <netra/engine/pre_tokenizer.hpp>
#include <netra/engine/safetensors.hpp>
#include <netra/engine/session.hpp>
#include <netra/engine/string_sink.hpp>
#include <netra/engine/tensor.hpp>
#include <netra/engine/text.hpp>
#include <netra/engine/tokenizer.hpp>
#include <netra/engine/tokenizer_data.hpp>
#include <netra/engine/tokenizer_gguf.hpp>
#include <netra/engine/tokenizer_json.hpp>
#include <netra/engine/unicode.hpp>
#include <netra/engine/utf8.hpp>
