// JSON records, one per line or as the items of one array: `{"query": "q1", "doc": "d1", "score": 0.5, …}`.
//
// The specification is io/formats/json.py. Records of a file usually have the same fields in the same order and with the same
// blanks, so the text between two values is compared with that of the record before; only where it differs are names read.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "blank.hpp"
#include "json.hpp"
#include "text.hpp"

namespace judged {

class JsonRecords {
public:
    enum Role { query, doc, score, rank, aspect, other };
    using Names = std::array<std::optional<std::string>, other>;  // the field of each role

    // `listed`: the records are items of an array. Without scores, those of a row are its negative rank, or 1.
    JsonRecords(const char* data, std::uint64_t start, std::uint64_t size, Names names, bool listed)
        : data_(data), start_(start), first_(start), size_(size), names_(std::move(names)), listed_(listed), scan_(data, size), decoded_(data, size) {
        for (int role = 0; role < other; ++role) wanted_ |= unsigned(names_[std::size_t(role)].has_value()) << role;
        if (!listed) return;
        if (const char* p = scan_.letter(data + start, '[')) first_ = offset(scan_.space(p));
    }

    std::uint64_t size() const { return size_; }
    View view(std::uint64_t position, std::size_t size) const { return decoded_.view(position, size); }

    std::vector<std::uint64_t> parts(std::uint64_t bytes, const Release& release = {}) const {
        const auto after = [&](std::uint64_t at) { return record_after(at); };
        const auto query = [&](std::uint64_t at) { return query_at(at); };
        return cut(first_, size_, bytes, release, [&](std::uint64_t at) { return next_query(after(at), size_, after, query); });
    }

    template <class Each>
    std::uint64_t rows(Cells&, std::uint64_t begin, std::uint64_t end, Each& each) const {
        Shape shape;
        const char *p = data_ + (begin == start_ ? first_ : begin), *const stop = data_ + end;
        while (true) {
            if (!listed_) p = scan_.space(p);
            if (p >= stop) return nowhere;
            Row row;
            const char* next = same_shape(p, shape, row);
            if (!next && !(next = record(p, shape, row))) return offset(p);
            row.begin = offset(p);
            if (!wanted(score)) row.score = wanted(rank) ? -static_cast<double>(row.rank) : 1.0;
            row.ranked = wanted(rank);
            if (!(next = record_end(next, stop))) return offset(p);
            each(row);
            p = next;
        }
    }

private:
    static constexpr std::size_t most_fields = 64;

    // The values of a record, and the text before each of them.
    struct Slot {
        const char* gap;
        std::size_t size;
        Role role;
        bool text;
    };
    struct Shape {
        std::vector<Slot> slots;
        std::vector<View> keys;
        const char* close = nullptr;  // the text after the last value; null if the next record has to be read by its names
        std::size_t close_size = 0;
    };

    std::uint64_t offset(const char* p) const { return std::uint64_t(p - data_); }
    bool wanted(Role role) const { return wanted_ >> role & 1; }

    JUDGED_INLINE bool matches(const char* p, const char* gap, std::size_t size) const {
#if defined(__SSE2__) || defined(_M_X64)
        const auto equal = [&](std::size_t at) {
            return std::uint32_t(_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p + at)),
                                                                  _mm_loadu_si128(reinterpret_cast<const __m128i*>(gap + at)))));
        };
        if (size <= 16) [[likely]] return (~equal(0) & ((1u << size) - 1)) == 0;
        if (size <= 32) return equal(0) == 0xFFFF && equal(size - 16) == 0xFFFF;
#endif
        return std::size_t(scan_.end() - p) >= size && std::memcmp(p, gap, size) == 0;
    }

    // A record like the one before; null if it is not.
    JUDGED_INLINE const char* same_shape(const char* p, const Shape& shape, Row& row) const {
        if (!shape.close) return nullptr;
        for (const Slot& slot : shape.slots) {
            if (!scan_.far(p) || !matches(p, slot.gap, slot.size)) return nullptr;
            p += slot.size;
            const json::Token token = slot.text ? scan_.string(p) : scan_.number(p);
            if (!token || !take(slot.role, slot.text, token, row)) return nullptr;
            p = token.end + slot.text;
        }
        return scan_.far(p) && matches(p, shape.close, shape.close_size) ? p + shape.close_size : nullptr;
    }

    // A record of any shape, which the next one may have too.
    JUDGED_NOINLINE const char* record(const char* p, Shape& shape, Row& row) const {
        const char *const begin = p, *gap = p;
        unsigned found = 0;
        bool plain = true;
        shape.slots.clear();
        shape.keys.clear();
        shape.close = nullptr;
        if (*p++ != '{') return nullptr;
        while (true) {
            json::Token key;
            if (!(p = scan_.letter(p, '"')) || !(key = scan_.string(p)) || key.escaped || shape.keys.size() == most_fields) return nullptr;
            for (const View known : shape.keys)
                if (same(known, key.view())) return nullptr;
            shape.keys.push_back(key.view());
            if (!(p = scan_.letter(key.end + 1, ':')) || (p = scan_.space(p)) == scan_.end()) return nullptr;
            const Role role = role_of(key.view());
            found |= 1u << role;
            const bool text = *p == '"';
            if (text || *p == '-' || is_digit(*p)) {
                p += text;
                shape.slots.push_back({gap, std::size_t(p - gap), role, text});
                const json::Token token = text ? scan_.string(p) : scan_.number(p);
                if (!token || !take(role, text, token, row)) return nullptr;
                gap = p = token.end + text;
            } else {  // a word such as null stays part of the text between values
                plain &= *p != '{' && *p != '[';
                if (role != other || !(p = scan_.skip(p))) return nullptr;
            }
            p = scan_.space(p);
            if (p < scan_.end() && *p == '}') break;
            if (!(p = scan_.letter(p, ','))) return nullptr;
        }
        ++p;
        if ((found & wanted_) != wanted_ || (!listed_ && std::memchr(begin, '\n', std::size_t(p - begin)))) return nullptr;
        shape.close = plain ? gap : nullptr;
        shape.close_size = std::size_t(p - gap);
        return p;
    }

    Role role_of(View name) const {
        for (int role = 0; role < other; ++role)
            if (wanted(Role(role)) && *names_[std::size_t(role)] == name) return Role(role);
        return other;
    }

    JUDGED_INLINE bool take(Role role, bool text, const json::Token& token, Row& row) const {
        switch (role) {
            case query: return decoded_.id(token, text, row.query);
            case doc:
                if (!decoded_.id(token, text, row.doc)) return false;
                row.position = offset(text ? token.begin : row.doc.data());
                return true;
            case score: return !text && scan_.value(token, row.score);
            case rank: return !text && scan_.rank(token, row.rank);
            case aspect: return decoded_.id(token, text, row.aspect);
            default: return true;
        }
    }

    // The beginning of what follows a record, or null: the next line; the next item, or the end of the array.
    JUDGED_INLINE const char* record_end(const char* p, const char* stop) const {
        if (!listed_) {
            if (p < scan_.end() && *p == '\n') [[likely]] return p + 1;
            while (p < scan_.end() && is_blank(*p)) ++p;
            return p == scan_.end() ? p : *p == '\n' ? p + 1 : nullptr;
        }
        p = scan_.space(p);
        if (p < scan_.end() && *p == ',') {
            p = scan_.space(p + 1);
            return p <= stop && p < scan_.end() ? p : nullptr;
        }
        if (!(p = scan_.letter(p, ']'))) return nullptr;
        p = scan_.space(p);
        return p == scan_.end() && p == stop ? p : nullptr;
    }

    static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

    // The first record at or after a position, or the end. In an array this is a guess: the rows before it have to end there.
    std::uint64_t record_after(std::uint64_t position) const {
        while (position < size_) {
            const void* at = std::memchr(data_ + position, listed_ ? '}' : '\n', size_ - position);
            if (at == nullptr) return size_;
            const char* p = static_cast<const char*>(at) + 1;
            if (!listed_) return offset(p);
            const char* next = scan_.letter(p, ',');
            if (next && (next = scan_.space(next)) < scan_.end() && *next == '{') return offset(next);
            position = offset(p);
        }
        return size_;
    }

    View query_at(std::uint64_t position) const {
        Shape shape;
        Row row;
        row.query = {};
        const char* const p = scan_.space(data_ + position);
        return p < scan_.end() && record(p, shape, row) ? row.query : View{};
    }

    const char* data_;
    std::uint64_t start_, first_, size_;
    Names names_;
    bool listed_;
    unsigned wanted_ = 0;
    json::Scanner scan_;
    json::Decoded decoded_;
};

}  // namespace judged
