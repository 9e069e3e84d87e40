// SPDX-FileCopyrightText: 2026 The netra authors
// SPDX-License-Identifier: MIT
/// Sets of groups that may still be unfinished at some point. Most schedules have few such groups at any time.
#pragma once

#include <netra/detail/scratch.hpp>

namespace netra::inline v0::detail {

/// Groups 64 * word + i, for every bit i that is set.
struct open_word {
    u32_t word = 0;
    u64_t bits = 0;
    friend constexpr bool operator==(const open_word&, const open_word&) = default;
};

/// One set: its words in ascending order, without empty ones. It owns nothing.
struct open_groups {
    const open_word* words = nullptr;
    usz count = 0;

    constexpr bool has(usz group) const {
        for (usz i = count; i-- > 0 && words[i].word >= group / 64;)
            if (words[i].word == group / 64) return (words[i].bits >> (group % 64) & 1) != 0;
        return false;
    }
    /// Calls `f(group)` in ascending order.
    template <class F>
    constexpr void for_each(F&& f) const {
        for (usz i = 0; i < count; ++i)
            for (u64_t rest = words[i].bits; rest != 0; rest &= rest - 1)
                f(usz{words[i].word} * 64 + static_cast<usz>(__builtin_ctzll(rest)));
    }
};

/// A set that is narrowed step by step, from all groups before the `end`-th.
class narrowing_set {
  public:
    constexpr explicit narrowing_set(usz groups) : words_(groups / 64 + 1) {}

    constexpr void fill(usz end) {
        end_ = end;
        full_ = true;
        count_ = 0;
    }
    /// Forgets the groups before the `from`-th, but for those in `other`. @pre `other` has only groups before the `from`-th
    constexpr void keep(const open_groups& other, usz from) {
        if (full_) {
            for (usz i = 0; i < other.count; ++i) words_[count_++] = other.words[i];
            full_ = false;
            add_range(from);
            return;
        }
        usz kept = 0;
        usz k = 0;
        for (usz i = 0; i < count_; ++i) {
            const open_word mine = words_[i];
            u64_t bits = usz{mine.word} * 64 >= from ? ~u64_t{0} : mine.word == from / 64 ? ~u64_t{0} << (from % 64) : 0;
            while (k < other.count && other.words[k].word < mine.word) ++k;
            if (k < other.count && other.words[k].word == mine.word) bits |= other.words[k].bits;
            bits &= mine.bits;
            if (bits != 0) words_[kept++] = {mine.word, bits};
        }
        count_ = kept;
    }
    constexpr void copy(const open_groups& other) {
        full_ = false;
        for (count_ = 0; count_ < other.count; ++count_) words_[count_] = other.words[count_];
    }
    constexpr void clear() { full_ = false, count_ = 0; }
    constexpr open_groups get() {
        if (full_) full_ = false, add_range(0);
        return {&words_[0], count_};
    }

  private:
    /// Adds groups [from, end). @pre no later group is in the set
    constexpr void add_range(usz from) {
        while (from < end_) {
            const usz word = from / 64;
            const usz stop = (word + 1) * 64 < end_ ? (word + 1) * 64 : end_;
            const u64_t bits = (~u64_t{0} << (from % 64)) & (~u64_t{0} >> (63 - (stop - 1) % 64));
            if (count_ != 0 && words_[count_ - 1].word == word) words_[count_ - 1].bits |= bits;
            else words_[count_++] = {static_cast<u32_t>(word), bits};
            from = stop;
        }
    }

    scratch<open_word> words_;
    usz count_ = 0;
    usz end_ = 0;
    bool full_ = false;
};

/// Many sets, one after the other.
class open_group_list {
  public:
    constexpr explicit open_group_list(usz groups) : ends_(groups) {}
    constexpr void push_back(const open_groups& set) {
        for (usz i = 0; i < set.count; ++i) words_.push_back(set.words[i]);
        ends_[size_++] = static_cast<u32_t>(words_.size());
    }
    constexpr open_groups operator[](usz i) const {
        const u32_t begin = i == 0 ? 0 : ends_[i - 1];
        return {words_.data() + begin, ends_[i] - begin};
    }
    constexpr const growing<open_word>& words() const { return words_; }
    constexpr const scratch<u32_t>& ends() const { return ends_; }

  private:
    growing<open_word> words_;
    scratch<u32_t> ends_;
    usz size_ = 0;
};

}  // namespace netra::inline v0::detail
