// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// The text of a module with one entry becomes a program.
#pragma once

#include "support/ptx/decode.hpp"

#include <cctype>
#include <cstdlib>
#include <string_view>

namespace netra::test::simt {

class module_parser {
public:
    explicit module_parser(std::string_view text) : text_(text) {}

    program run() {
        while (skip_blank()) statement();
        for (const auto& [pc, name] : branches_) {
            const auto found = labels_.find(name);
            if (found == labels_.end()) throw error("line " + std::to_string(made_.code[pc].line) + ": there is no label " + name);
            made_.code[pc].target = found->second;
        }
        if (made_.entry.empty()) throw error("the module has no entry");
        if (made_.code.empty()) throw error("the entry has no instructions");
        return std::move(made_);
    }

private:
    struct register_name {
        operand what{};
        bool pair = false;  ///< .b128: two registers of 64 bits
    };

    [[noreturn]] void fail(const std::string& what) const { throw error("line " + std::to_string(line_) + ": " + what); }
    static bool in_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '%'; }

    /// Moves to the next statement, keeps comments; false at the end of the text.
    bool skip_blank() {
        for (; at_ < text_.size(); ++at_) {
            const char c = text_[at_];
            if (c == '\n') ++line_;
            if (text_.substr(at_, 2) == "//") {
                const usz end = std::min(text_.find('\n', at_), text_.size());
                std::string comment(text_.substr(at_, end - at_));
                while (!comment.empty() && (comment.back() == '\r' || comment.back() == ' ')) comment.pop_back();
                made_.comments.push_back(comment);
                at_ = end - 1;
            } else if (text_.substr(at_, 2) == "/*") {
                const usz end = std::min(text_.find("*/", at_ + 2), text_.size());
                for (; at_ < end; ++at_) line_ += text_[at_] == '\n' ? 1U : 0U;
                ++at_;
            } else if (std::isspace(static_cast<unsigned char>(c)) == 0 && c != '{' && c != '}') {
                return true;
            }
        }
        return false;
    }
    /// The text up to one of `ends`, without comments, spaces joined.
    std::string take_until(const char* ends) {
        std::string made;
        for (; at_ < text_.size() && std::string_view(ends).find(text_[at_]) == std::string_view::npos; ++at_) {
            if (text_.substr(at_, 2) == "//")
                while (at_ + 1 < text_.size() && text_[at_ + 1] != '\n') ++at_;
            else if (std::isspace(static_cast<unsigned char>(text_[at_])) == 0)
                made += text_[at_];
            else if (!made.empty() && made.back() != ' ')
                made += ' ';
            if (text_[at_] == '\n') ++next_lines_;
        }
        if (at_ < text_.size() && text_[at_] != '\n') ++at_;
        while (!made.empty() && made.back() == ' ') made.pop_back();
        return made;
    }

    void statement() {
        next_lines_ = 0;
        if (text_[at_] == '.') {
            directive();
        } else {
            usz end = at_;
            while (end < text_.size() && in_name(text_[end])) ++end;
            if (end > at_ && text_.substr(end, 1) == ":" && text_.substr(end, 2) != "::") {
                const std::string name(text_.substr(at_, end - at_));
                if (!labels_.emplace(name, static_cast<u32_t>(made_.code.size())).second) fail("the label " + name + " is there twice");
                at_ = end + 1;
            } else {
                add_instruction(take_until(";"));
            }
        }
        line_ += next_lines_;
    }

    void directive() {
        const std::string_view rest = text_.substr(at_);
        for (const char* whole_line :
             {".version", ".target", ".address_size", ".maxntid", ".minnctapersm", ".maxnreg", ".reqntid", ".noreturn"})
            if (rest.starts_with(whole_line)) {
                const std::string line = take_until("\n{");
                if (at_ > 0 && text_[at_ - 1] == '{') --at_;
                if (line.starts_with(".maxntid") || line.starts_with(".reqntid"))
                    made_.max_threads = static_cast<u32_t>(std::strtoul(line.c_str() + 8, nullptr, 10));
                return;
            }
        if (rest.starts_with(".visible") || rest.starts_with(".entry")) return entry();
        const std::string line = take_until(";");
        if (line.starts_with(".reg")) return declare_registers(line);
        if (line.starts_with(".shared") || line.starts_with(".extern .shared")) return declare_shared(line);
        if (line.starts_with(".pragma")) return;
        fail("unknown directive " + line);
    }

    void entry() {
        if (!made_.entry.empty()) fail("a second entry");
        std::string head = take_until("(");
        made_.entry = head.substr(head.rfind(' ') + 1);
        for (const std::string& p : split(take_until(")"), ',')) {
            const std::vector<std::string> words = words_of(p);
            if (words.empty()) continue;
            instruction type;
            if (words.size() < 3 || words[0] != ".param" || !read_type(words[1].substr(1), type)) fail("unknown parameter " + p);
            parameter_bytes_ = (parameter_bytes_ + type.bytes - 1) / type.bytes * type.bytes;
            parameters_[words.back()] = parameter_bytes_;
            parameter_bytes_ += type.bytes;
            made_.parameters.push_back({words.back(), type.bytes});
        }
    }
    static std::vector<std::string> words_of(const std::string& text) {
        std::vector<std::string> words;
        for (const std::string& w : split(text, ' '))
            if (!w.empty()) words.push_back(w);
        return words;
    }

    void declare_registers(const std::string& line) {
        const std::vector<std::string> words = words_of(line);
        if (words.size() < 3) fail("unknown declaration " + line);
        instruction type;
        if (!read_type(words[1].substr(1), type)) fail("unknown type " + words[1]);
        std::string names;
        for (usz k = 2; k < words.size(); ++k) names += words[k];
        for (const std::string& name : split(names, ',')) {
            const usz angle = name.find('<');
            if (angle == std::string::npos) {
                declare_register(name, words[1], type.bytes);
                continue;
            }
            const unsigned long n = std::strtoul(name.c_str() + angle + 1, nullptr, 10);
            for (unsigned long k = 0; k < n; ++k) declare_register(name.substr(0, angle) + std::to_string(k), words[1], type.bytes);
        }
    }
    void declare_register(const std::string& name, const std::string& type, u32_t bytes) {
        register_name r;
        r.pair = type == ".b128";
        r.what.kind = type == ".pred" ? operand::predicate : operand::reg;
        r.what.bits = static_cast<u8_t>(8 * bytes);
        u32_t& count = type == ".pred" ? made_.predicates : made_.registers;
        r.what.index = count;
        if (!registers_.emplace(name, r).second) fail("the register " + name + " is declared twice");
        count += r.pair ? 2 : 1;
    }

    /// .shared .align 16 .b8 name[64]: an extern one starts behind all others and has no size.
    void declare_shared(const std::string& line) {
        u32_t alignment = 4;
        instruction type;
        const std::vector<std::string> words = words_of(line);
        for (usz k = 0; k + 1 < words.size(); ++k) {
            if (words[k] == ".align") alignment = static_cast<u32_t>(std::strtoul(words[k + 1].c_str(), nullptr, 10));
            if (words[k].size() > 1 && words[k][0] == '.') read_type(words[k].substr(1), type);
        }
        const std::string& last = words.back();
        const usz bracket = last.find('[');
        const u32_t elements = bracket == std::string::npos ? 1 : static_cast<u32_t>(std::strtoul(last.c_str() + bracket + 1, nullptr, 10));
        made_.static_shared = (made_.static_shared + alignment - 1) / alignment * alignment;
        const shared_variable v{last.substr(0, bracket), shared_base + made_.static_shared, elements * type.bytes};
        if (!line.starts_with(".extern")) {
            if (extern_shared_) fail("a shared variable behind an extern one");
            made_.static_shared += v.bytes;
        }
        extern_shared_ = extern_shared_ || line.starts_with(".extern");
        made_.shared.push_back(v);
    }

    void add_instruction(const std::string& text) {
        instruction i;
        i.line = line_;
        i.text = text + ";";
        if (!made_.comments.empty()) i.comment = static_cast<u32_t>(made_.comments.size() - 1);
        usz at = 0;
        if (text[0] == '@') {
            at = text.find(' ');
            if (at == std::string::npos) fail("a guard without an instruction");
            const operand guard = plain_operand(text.substr(1, at - 1));
            if (guard.kind != operand::predicate) fail("the guard is no predicate");
            i.guard = guard.index;
            i.guard_negated = guard.negated;
            ++at;
        }
        const usz end = std::min(text.find(' ', at), text.size());
        i.opcode = text.substr(at, end - at);
        branch_.clear();
        i.first.push_back(0);
        if (end < text.size()) arguments(i, text.substr(end));
        if (!branch_.empty()) branches_.emplace_back(made_.code.size(), branch_);
        try {
            decode(i);
        } catch (const error& e) {
            fail(std::string(e.what()) + " in `" + i.text + "`");
        }
        made_.code.push_back(std::move(i));
    }

    void arguments(instruction& i, const std::string& text) {
        std::string one;
        int depth = 0;
        const auto finish = [&] {
            for (const std::string& element : split(one, one.find('[') == std::string::npos ? ',' : '\0')) add_operand(i, element);
            i.first.push_back(static_cast<u8_t>(i.flat.size()));
            one.clear();
        };
        for (const char c : text) {
            if (c == ' ') continue;
            if (c == '{' || c == '[') ++depth;
            if (c == '}' || c == ']') --depth;
            if (c == ',' && depth == 0)
                finish();
            else if (c == '|' && depth == 0)
                one += ',';
            else if (c != '{' && c != '}')
                one += c;
        }
        finish();
    }
    void add_operand(instruction& i, const std::string& text) {
        const auto found = registers_.find(text);
        if (found == registers_.end()) {
            i.flat.push_back(plain_operand(text));
            return;
        }
        i.flat.push_back(found->second.what);
        if (!found->second.pair) return;
        i.flat.push_back(found->second.what);
        ++i.flat.back().index;
    }

    operand plain_operand(const std::string& text) {
        operand o;
        if (text == "_") return o;
        if (text.empty()) fail("an operand is missing");
        if (text[0] == '[') return memory_operand(text);
        if (text[0] == '!') {
            o = plain_operand(text.substr(1));
            o.negated = !o.negated;
            return o;
        }
        if (const auto found = registers_.find(text); found != registers_.end()) return found->second.what;
        if (std::isdigit(static_cast<unsigned char>(text[0])) != 0 || text[0] == '-') {
            o.kind = operand::number;
            o.value = number(text);
        } else if (text[0] == '%') {
            o.kind = operand::special_register;
            o.index = static_cast<u32_t>(special_of(text));
        } else if (u64_t address = 0; shared_address_of(text, address)) {
            o.kind = operand::number;
            o.value = address;
        } else if (text[0] == '$' || std::isalpha(static_cast<unsigned char>(text[0])) != 0) {
            o.kind = operand::label;
            branch_ = text;
        } else {
            fail("unknown operand " + text);
        }
        return o;
    }
    operand memory_operand(const std::string& text) {
        operand o;
        o.kind = operand::address;
        std::string inside = text.substr(1, text.size() - 2);
        const usz sign = inside.find_first_of("+-", 1);
        if (sign != std::string::npos) {
            o.value = number(inside.substr(inside[sign] == '+' ? sign + 1 : sign));
            inside.resize(sign);
        }
        u64_t base = 0;
        if (const auto found = registers_.find(inside); found != registers_.end())
            o.index = found->second.what.index;
        else if (const auto p = parameters_.find(inside); p != parameters_.end())
            o.value += p->second;
        else if (shared_address_of(inside, base))
            o.value += base;
        else
            o.value += number(inside);
        return o;
    }
    bool shared_address_of(const std::string& name, u64_t& address) const {
        for (const shared_variable& v : made_.shared)
            if (v.name == name) {
                address = v.address;
                return true;
            }
        return false;
    }
    u64_t number(const std::string& text) const {
        if (text.starts_with("0f") || text.starts_with("0F") || text.starts_with("0d") || text.starts_with("0D")) {
            if (text.size() != (text[1] == 'f' || text[1] == 'F' ? 10U : 18U)) fail("unknown number " + text);
            return std::strtoull(text.c_str() + 2, nullptr, 16);
        }
        const bool negative = text[0] == '-';
        char* end = nullptr;
        const u64_t size = std::strtoull(text.c_str() + (negative ? 1 : 0), &end, 0);
        if (*end == 'U') ++end;
        if (*end != '\0' || end == text.c_str()) fail("unknown operand " + text);
        return negative ? 0 - size : size;
    }
    special special_of(const std::string& name) const {
        static const std::map<std::string, special> names = {{"%tid.x", special::tid_x},
                                                             {"%ntid.x", special::ntid_x},
                                                             {"%ctaid.x", special::ctaid_x},
                                                             {"%nctaid.x", special::nctaid_x},
                                                             {"%laneid", special::laneid},
                                                             {"%warpid", special::warpid},
                                                             {"%nwarpid", special::nwarpid},
                                                             {"%smid", special::smid},
                                                             {"%nsmid", special::nsmid},
                                                             {"%globaltimer", special::globaltimer},
                                                             {"%clock", special::clock},
                                                             {"%clock64", special::clock64},
                                                             {"%lanemask_eq", special::lanemask_eq},
                                                             {"%lanemask_lt", special::lanemask_lt},
                                                             {"%lanemask_le", special::lanemask_le},
                                                             {"%lanemask_gt", special::lanemask_gt},
                                                             {"%lanemask_ge", special::lanemask_ge},
                                                             {"%dynamic_smem_size", special::dynamic_smem_size},
                                                             {"%tid.y", special::zero},
                                                             {"%tid.z", special::zero},
                                                             {"%ctaid.y", special::zero},
                                                             {"%ctaid.z", special::zero},
                                                             {"%ntid.y", special::one},
                                                             {"%ntid.z", special::one},
                                                             {"%nctaid.y", special::one},
                                                             {"%nctaid.z", special::one},
                                                             {"%cluster_ctarank", special::zero}};
        const auto found = names.find(name);
        if (found == names.end()) fail("unknown register " + name);
        return found->second;
    }

    std::string_view text_;
    usz at_ = 0;
    u32_t line_ = 1;
    u32_t next_lines_ = 0;
    program made_{};
    std::map<std::string, register_name> registers_{};
    std::map<std::string, u32_t> parameters_{};
    u32_t parameter_bytes_ = 0;
    bool extern_shared_ = false;
    std::map<std::string, u32_t> labels_{};
    std::vector<std::pair<usz, std::string>> branches_{};
    std::string branch_{};
};

inline program parse(std::string_view text) { return module_parser(text).run(); }

}  // namespace netra::test::simt
