// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// The keys of Hugging Face configurations: which ones netra uses, which ones change nothing, and which values of the others it can do
/// without.
#pragma once

#include <netra/detail/config.hpp>

#include <string_view>

namespace netra::inline v0 {
namespace detail {

/// none: no layer has one.  always: every layer.  optional: from a layer on, when use_sliding_window says so.
enum class hf_window_kind : u8_t { none, always, optional };

/// What a model type means where its file does not say; 0: derived from other keys.
struct hf_family {
    const char* model_type;
    const char* architecture;
    char letter;  ///< in hf_key::families
    u32_t kv_heads;
    u32_t head_dim;
    u32_t positions;
    hf_window_kind window;
    bool attention_bias;
    bool always_qkv_bias;
    bool mlp_bias;
    bool qk_norm;
};
inline constexpr hf_family hf_families[] = {
    {"llama", "LlamaForCausalLM", 'l', 0, 0, 2048, hf_window_kind::none, true, false, true, false},
    {"mistral", "MistralForCausalLM", 'm', 8, 0, 131072, hf_window_kind::always, false, false, false, false},
    {"qwen2", "Qwen2ForCausalLM", '2', 32, 0, 32768, hf_window_kind::optional, false, true, false, false},
    {"qwen3", "Qwen3ForCausalLM", '3', 32, 128, 32768, hf_window_kind::optional, true, false, false, true},
};

constexpr const hf_family* find_hf_family(std::string_view model_type) {
    for (const hf_family& f : hf_families)
        if (f.model_type == model_type) return &f;
    return nullptr;
}

enum class hf_rule : u8_t { used, changes_nothing, only_null, only_false, only_zero, only_one, only_empty };

struct hf_key {
    const char* key;
    hf_rule rule;
    const char* what = "";  ///< the feature that another value would need
    const char* families = "lm23";
};

// note: cmake/netra_add_model_keys.cmake has the same table; tests/tools/import_test.cpp holds them together
inline constexpr hf_key hf_keys[] = {
    {"architectures", hf_rule::used},
    {"attention_bias", hf_rule::used, "", "l3"},
    {"head_dim", hf_rule::used},
    {"hidden_act", hf_rule::used},
    {"hidden_size", hf_rule::used},
    {"intermediate_size", hf_rule::used},
    {"layer_types", hf_rule::used, "", "23"},
    {"max_position_embeddings", hf_rule::used},
    {"max_window_layers", hf_rule::used, "", "23"},
    {"mlp_bias", hf_rule::used, "", "l"},
    {"model_type", hf_rule::used},
    {"num_attention_heads", hf_rule::used},
    {"num_hidden_layers", hf_rule::used},
    {"num_key_value_heads", hf_rule::used},
    {"partial_rotary_factor", hf_rule::used},
    {"rms_norm_eps", hf_rule::used},
    {"rope_parameters", hf_rule::used},
    {"rope_scaling", hf_rule::used},
    {"rope_theta", hf_rule::used},
    {"sliding_window", hf_rule::used, "", "m23"},
    {"tie_word_embeddings", hf_rule::used},
    {"use_sliding_window", hf_rule::used, "", "23"},
    {"vocab_size", hf_rule::used},

    {"add_cross_attention", hf_rule::only_false, "cross-attention"},
    {"attention_bias", hf_rule::only_false, "attention biases in this model type", "m2"},
    {"attention_dropout", hf_rule::only_zero, "dropout"},
    {"attention_multiplier", hf_rule::only_null, "an attention multiplier"},
    {"attn_logit_softcapping", hf_rule::only_null, "soft-capping of attention logits"},
    {"auto_map", hf_rule::only_null, "models with their own code"},
    {"chunk_size_feed_forward", hf_rule::only_zero, "a chunked MLP"},
    {"clip_qkv", hf_rule::only_null, "clipped queries, keys and values"},
    {"cross_attention_hidden_size", hf_rule::only_null, "cross-attention"},
    {"decoder_sparse_step", hf_rule::only_null, "mixtures of experts"},
    {"embedding_multiplier", hf_rule::only_one, "an embedding multiplier"},
    {"final_logit_softcapping", hf_rule::only_null, "soft-capping of the final logits"},
    {"is_decoder", hf_rule::only_false, "decoders of an encoder"},
    {"is_encoder_decoder", hf_rule::only_false, "encoder-decoder models"},
    {"kv_lora_rank", hf_rule::only_null, "multi-head latent attention"},
    {"layer_types", hf_rule::only_null, "kinds of layers in this model type", "lm"},
    {"logit_scale", hf_rule::only_one, "a scale of the logits"},
    {"logits_scaling", hf_rule::only_one, "a scale of the logits"},
    {"mlp_bias", hf_rule::only_false, "MLP biases in this model type", "m23"},
    {"moe_intermediate_size", hf_rule::only_null, "mixtures of experts"},
    {"n_routed_experts", hf_rule::only_null, "mixtures of experts"},
    {"no_rope_layers", hf_rule::only_null, "layers without rotary embedding"},
    {"norm_topk_prob", hf_rule::only_null, "mixtures of experts"},
    {"num_experts", hf_rule::only_null, "mixtures of experts"},
    {"num_experts_per_tok", hf_rule::only_null, "mixtures of experts"},
    {"num_local_experts", hf_rule::only_null, "mixtures of experts"},
    {"original_max_position_embeddings", hf_rule::only_null, "this key outside rope_parameters and rope_scaling"},
    {"per_layer_config", hf_rule::only_null, "layers of different shapes"},
    {"pretraining_tp", hf_rule::only_one, "sliced projections"},
    {"pruned_heads", hf_rule::only_empty, "pruned heads"},
    {"q_lora_rank", hf_rule::only_null, "multi-head latent attention"},
    {"quantization_config", hf_rule::only_null, "quantized safetensors (a GGUF file in q8_0, q4_0 or q4_1 is)"},
    {"query_pre_attn_scalar", hf_rule::only_null, "a scale of the queries"},
    {"residual_multiplier", hf_rule::only_one, "a residual multiplier"},
    {"rope_interleaved", hf_rule::only_false, "interleaved rotary embedding in a config.json"},
    {"sliding_window", hf_rule::only_null, "a sliding window in this model type", "l"},
    {"text_config", hf_rule::only_null, "multimodal models"},
    {"tie_encoder_decoder", hf_rule::only_false, "encoder-decoder models"},
    {"use_qk_norm", hf_rule::only_false, "a q/k norm that a key switches"},
    {"qk_layernorm", hf_rule::only_false, "a q/k norm that a key switches"},
    {"use_sliding_window", hf_rule::only_false, "a sliding window that this key switches in this model type", "lm"},
    {"vision_config", hf_rule::only_null, "multimodal models"},

    // of the file, the training, the search for the next token (netra takes those from the command line) or heads for other tasks
    {"_attn_implementation", hf_rule::changes_nothing},
    {"_attn_implementation_autoset", hf_rule::changes_nothing},
    {"_attn_implementation_internal", hf_rule::changes_nothing},
    {"_commit_hash", hf_rule::changes_nothing},
    {"_name_or_path", hf_rule::changes_nothing},
    {"attn_implementation", hf_rule::changes_nothing},
    {"bad_words_ids", hf_rule::changes_nothing},
    {"begin_suppress_tokens", hf_rule::changes_nothing},
    {"bos_token_id", hf_rule::changes_nothing},
    {"decoder_start_token_id", hf_rule::changes_nothing},
    {"diversity_penalty", hf_rule::changes_nothing},
    {"do_sample", hf_rule::changes_nothing},
    {"dtype", hf_rule::changes_nothing},
    {"early_stopping", hf_rule::changes_nothing},
    {"encoder_no_repeat_ngram_size", hf_rule::changes_nothing},
    {"eos_token_id", hf_rule::changes_nothing},
    {"exponential_decay_length_penalty", hf_rule::changes_nothing},
    {"finetuning_task", hf_rule::changes_nothing},
    {"forced_bos_token_id", hf_rule::changes_nothing},
    {"forced_eos_token_id", hf_rule::changes_nothing},
    {"gradient_checkpointing", hf_rule::changes_nothing},
    {"id2label", hf_rule::changes_nothing},
    {"initializer_range", hf_rule::changes_nothing},
    {"is_llama_config", hf_rule::changes_nothing},
    {"label2id", hf_rule::changes_nothing},
    {"length_penalty", hf_rule::changes_nothing},
    {"max_length", hf_rule::changes_nothing},
    {"min_length", hf_rule::changes_nothing},
    {"name_or_path", hf_rule::changes_nothing},
    {"no_repeat_ngram_size", hf_rule::changes_nothing},
    {"num_beam_groups", hf_rule::changes_nothing},
    {"num_beams", hf_rule::changes_nothing},
    {"num_labels", hf_rule::changes_nothing},
    {"num_return_sequences", hf_rule::changes_nothing},
    {"output_attentions", hf_rule::changes_nothing},
    {"output_hidden_states", hf_rule::changes_nothing},
    {"output_scores", hf_rule::changes_nothing},
    {"pad_token_id", hf_rule::changes_nothing},
    {"prefix", hf_rule::changes_nothing},
    {"problem_type", hf_rule::changes_nothing},
    {"remove_invalid_values", hf_rule::changes_nothing},
    {"repetition_penalty", hf_rule::changes_nothing},
    {"return_dict", hf_rule::changes_nothing},
    {"return_dict_in_generate", hf_rule::changes_nothing},
    {"sep_token_id", hf_rule::changes_nothing},
    {"suppress_tokens", hf_rule::changes_nothing},
    {"task_specific_params", hf_rule::changes_nothing},
    {"temperature", hf_rule::changes_nothing},
    {"tf_legacy_loss", hf_rule::changes_nothing},
    {"tie_last_hidden_states", hf_rule::changes_nothing},
    {"tokenizer_class", hf_rule::changes_nothing},
    {"top_k", hf_rule::changes_nothing},
    {"top_p", hf_rule::changes_nothing},
    {"torch_dtype", hf_rule::changes_nothing},
    {"torchscript", hf_rule::changes_nothing},
    {"transformers.js_config", hf_rule::changes_nothing},
    {"transformers_version", hf_rule::changes_nothing},
    {"typical_p", hf_rule::changes_nothing},
    {"unk_token_id", hf_rule::changes_nothing},
    {"unsloth_fixed", hf_rule::changes_nothing},
    {"unsloth_version", hf_rule::changes_nothing},
    {"use_bfloat16", hf_rule::changes_nothing},
    {"use_cache", hf_rule::changes_nothing},
};

/// The rule for a key of this model type, or null when netra does not know it.
constexpr const hf_key* find_hf_key(std::string_view key, const hf_family& family) {
    for (const hf_key& k : hf_keys)
        if (k.key == key && std::string_view(k.families).find(family.letter) != std::string_view::npos) return &k;
    return nullptr;
}

}  // namespace detail
}  // namespace netra::inline v0
