// Tokens of JSON: strings, numbers, and values that are skipped. Strict: what Python's json module refuses or reads otherwise
// is not taken, and neither is what no table needs (NaN, surrogates without a partner, deep nesting).
#pragma once

#include <atomic>
#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "id.hpp"
#include "number.hpp"
#include "utf8.hpp"

#if defined(__SSE2__) || defined(_M_X64)
#include <emmintrin.h>
#elif defined(__ARM_NEON)
#include <arm_neon.h>
#endif

namespace judged::json {

// One bit for each of 16 bytes.
struct Letters {
    std::uint32_t stop;  // a quote, a backslash or a control character
    std::uint32_t high;  // a byte of a letter beyond ASCII
};

JUDGED_INLINE Letters letters_of(const char* p) {
#if defined(__SSE2__) || defined(_M_X64)
    const __m128i text = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    const __m128i control = _mm_cmpeq_epi8(_mm_min_epu8(text, _mm_set1_epi8(0x1F)), text);
    const __m128i quoted = _mm_or_si128(_mm_cmpeq_epi8(text, _mm_set1_epi8('"')), _mm_cmpeq_epi8(text, _mm_set1_epi8('\\')));
    return {std::uint32_t(_mm_movemask_epi8(_mm_or_si128(control, quoted))), std::uint32_t(_mm_movemask_epi8(text))};
#elif defined(__ARM_NEON)
    const uint8x16_t weight = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    const uint8x16_t text = vld1q_u8(reinterpret_cast<const std::uint8_t*>(p));
    const auto bits = [&](uint8x16_t chosen) {
        const uint8x16_t bit = vandq_u8(chosen, weight);
        return std::uint32_t(vaddv_u8(vget_low_u8(bit))) | std::uint32_t(vaddv_u8(vget_high_u8(bit))) << 8;
    };
    const uint8x16_t quoted = vorrq_u8(vceqq_u8(text, vdupq_n_u8('"')), vceqq_u8(text, vdupq_n_u8('\\')));
    return {bits(vorrq_u8(quoted, vcltq_u8(text, vdupq_n_u8(0x20)))), bits(vcgeq_u8(text, vdupq_n_u8(0x80)))};
#else
    Letters letters{0, 0};
    for (int i = 0; i < 16; ++i) {
        const auto letter = std::uint8_t(p[i]);
        letters.stop |= std::uint32_t(letter < 0x20 || letter == '"' || letter == '\\') << i;
        letters.high |= std::uint32_t(letter >> 7) << i;
    }
    return letters;
#endif
}

// The first bytes of up to 32 that are digits, points, signs or slashes: their number, and whether one is a point.
struct Decimal {
    std::uint32_t size;
    bool point;
};

JUDGED_INLINE Decimal decimal_of(const char* p) {
#if defined(__SSE2__) || defined(_M_X64)
    const auto half = [p](int at) -> Decimal {
        const __m128i text = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p + at));
        const __m128i above = _mm_sub_epi8(text, _mm_set1_epi8('-'));
        const __m128i inside = _mm_cmpeq_epi8(_mm_min_epu8(above, _mm_set1_epi8('9' - '-')), above);
        const auto size = std::uint32_t(std::countr_one(std::uint32_t(_mm_movemask_epi8(inside))));
        const auto points = std::uint32_t(_mm_movemask_epi8(_mm_cmpeq_epi8(text, _mm_set1_epi8('.'))));
        return {size, (points & ((1u << size) - 1)) != 0};
    };
    const Decimal first = half(0);
    if (first.size < 16) return first;
    const Decimal second = half(16);
    return {16 + second.size, first.point || second.point};
#else
    Decimal decimal{0, false};
    for (; decimal.size < 32 && std::uint8_t(p[decimal.size] - '-') <= '9' - '-'; ++decimal.size) decimal.point |= p[decimal.size] == '.';
    return decimal;
#endif
}

JUDGED_INLINE bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

inline int hex_digit(char c) {
    if (is_digit(c)) return c - '0';
    const char lower = char(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

// The number of an escape \uXXXX, from the letter u on; -1 if it is none.
inline std::int32_t code_unit(const char* p, const char* end) {
    if (end - p < 5 || *p != 'u') return -1;
    std::int32_t unit = 0;
    for (int i = 1; i < 5; ++i) {
        const int digit = hex_digit(p[i]);
        if (digit < 0) return -1;
        unit = unit * 16 + digit;
    }
    return unit;
}

// A string or a number: its text, without quotes; no `end` if it is not taken.
struct Token {
    const char* begin = nullptr;
    const char* end = nullptr;
    bool escaped = false;  // a string with a backslash
    bool whole = false;    // a number without point and exponent

    explicit operator bool() const { return end != nullptr; }
    View view() const { return {begin, std::size_t(end - begin)}; }
};

// Reads tokens of a text. Functions return a token, or the position after what they read: null if it is not taken.
class Scanner {
public:
    Scanner(const char* data, std::uint64_t size) : end_(data + size), near_end_(size > margin ? end_ - margin : data) {}

    // Whether many bytes from here are readable.
    JUDGED_INLINE bool far(const char* p) const { return p < near_end_; }
    const char* end() const { return end_; }

    // The first letter that is no blank. More blanks than any file needs are not skipped at once, which the next token shows.
    JUDGED_INLINE const char* space(const char* p) const {
        if (p == end_ || !is_space(*p)) return p;
        ++p;
        return p == end_ || !is_space(*p) ? p : more_space(p);
    }

    // A letter, after blanks.
    JUDGED_INLINE const char* letter(const char* p, char wanted) const {
        p = space(p);
        return p < end_ && *p == wanted ? p + 1 : nullptr;
    }

    // A string, from behind its first quote. The last quote follows the token.
    JUDGED_INLINE Token string(const char* p) const {
        if (far(p)) [[likely]] {
            const Letters letters = letters_of(p);
            const int stop = std::countr_zero(letters.stop | 1u << 16);
            if (p[stop] == '"' && stop < 16 && (letters.high & ((1u << stop) - 1)) == 0) [[likely]] return {p, p + stop};
        }
        return any_string(p);
    }

    // A number: exactly the grammar of JSON.
    JUDGED_INLINE Token number(const char* p) const {
        if (far(p)) [[likely]] {
            const auto [size, point] = decimal_of(p);
            const std::uint32_t sign = *p == '-';
            if (size < 32 && size > sign && is_digit(p[size - 1]) && (p[size] | 0x20) != 'e') [[likely]] {
                if (!is_digit(p[sign]) || (p[sign] == '0' && size > sign + 1 && p[sign + 1] != '.')) return {};
                return {p, p + size, false, !point};
            }
        }
        return any_number(p);
    }

    // The double that Python reads. An integer has no negative zero.
    JUDGED_INLINE bool value(const Token& token, double& out) const {
        const auto size = std::size_t(token.end - token.begin);
        if (far(token.begin)) [[likely]] {
            if (!score_of(token.begin, size, out)) return false;
        } else if (!detail::any_number(token.view(), out)) {
            return false;
        }
        if (token.whole) out += 0.0;
        return true;
    }

    // A rank: an integer from 0 that a double holds exactly.
    JUDGED_INLINE bool rank(const Token& token, std::int64_t& out) const {
        if (!token.whole || *token.begin == '-' || !far(token.begin)) return token.whole && any_rank(token, out);
        return rank_of(token.begin, std::size_t(token.end - token.begin), out) && out < std::int64_t{1} << 53;
    }

    // A value of any kind, from its first letter; `depth` is how many levels it may have.
    JUDGED_NOINLINE const char* skip(const char* p, int depth = deepest) const {
        if (p >= end_ || depth == 0) return nullptr;
        switch (*p) {
            case '"': {
                const Token token = string(p + 1);
                return token ? token.end + 1 : nullptr;
            }
            case '{': return skip_object(p + 1, depth - 1);
            case '[': return skip_array(p + 1, depth - 1);
            case 't': return word(p, "true");
            case 'f': return word(p, "false");
            case 'n': return word(p, "null");
            default: return number(p).end;
        }
    }

    // Decodes a string into as many bytes as it has, and returns their end; null if it has a NUL or half a surrogate pair.
    static char* decode(const Token& token, char* out) {
        const char *p = token.begin, *const end = token.end;
        while (p < end) {
            if (*p != '\\') {
                *out++ = *p++;
                continue;
            }
            const char letter = p[1];
            p += 2;
            switch (letter) {
                case 'b': *out++ = '\b'; break;
                case 'f': *out++ = '\f'; break;
                case 'n': *out++ = '\n'; break;
                case 'r': *out++ = '\r'; break;
                case 't': *out++ = '\t'; break;
                case 'u': {
                    std::int32_t code = code_unit(p - 1, end);
                    p += 4;
                    if (code >= 0xD800 && code < 0xDC00 && end - p > 5 && *p == '\\') {
                        const std::int32_t low = code_unit(p + 1, end);
                        if (low < 0xDC00 || low > 0xDFFF) return nullptr;
                        code = 0x10000 + (code - 0xD800) * 0x400 + low - 0xDC00;
                        p += 6;
                    }
                    if (code <= 0 || (code >= 0xD800 && code < 0xE000)) return nullptr;
                    out = put(code, out);
                    break;
                }
                default: *out++ = letter;  // a quote, a slash, a backslash
            }
        }
        return out;
    }

    static constexpr int deepest = 32;

private:
    static constexpr std::uint64_t margin = 64;
    static constexpr std::size_t most_keys = 64, longest_number = 1000;  // beyond them the reference reads
    static constexpr std::ptrdiff_t longest_blank = 1 << 18;             // which has a limit of its own

    JUDGED_NOINLINE const char* more_space(const char* p) const {
        const char* const most = end_ - p > longest_blank ? p + longest_blank : end_;
        while (p < most && is_space(*p)) ++p;
        return p;
    }

    JUDGED_NOINLINE Token any_string(const char* p) const {
        const char* const begin = p;
        bool beyond_ascii = false, escaped = false;
        while (p < end_) {
            if (far(p)) {
                const Letters letters = letters_of(p);
                const int stop = std::countr_zero(letters.stop | 1u << 16);
                beyond_ascii |= (letters.high & ((1u << stop) - 1)) != 0;
                p += stop;
                if (stop == 16) continue;
            }
            const auto letter = std::uint8_t(*p);
            if (letter == '"') {
                if (beyond_ascii && !is_utf8({begin, std::size_t(p - begin)})) return {};
                return {begin, p, escaped};
            }
            if (letter < 0x20) return {};
            if (letter != '\\') {
                beyond_ascii |= letter >= 0x80;
                ++p;
                continue;
            }
            escaped = true;
            if (end_ - p < 2) return {};
            if (p[1] == 'u') {
                if (code_unit(p + 1, end_) < 0) return {};
                p += 6;
            } else {
                if (p[1] == '\0' || std::strchr("\"\\/bfnrt", p[1]) == nullptr) return {};
                p += 2;
            }
        }
        return {};
    }

    JUDGED_NOINLINE Token any_number(const char* p) const {
        const char* const begin = p;
        const auto digits = [&] {
            const char* const first = p;
            while (p < end_ && is_digit(*p)) ++p;
            return p > first;
        };
        if (p < end_ && *p == '-') ++p;
        if (p < end_ && *p == '0')
            ++p;
        else if (!digits())
            return {};
        bool whole = true;
        if (p < end_ && *p == '.') {
            whole = false;
            ++p;
            if (!digits()) return {};
        }
        if (p < end_ && (*p | 0x20) == 'e') {
            whole = false;
            ++p;
            if (p < end_ && (*p == '+' || *p == '-')) ++p;
            if (!digits()) return {};
        }
        if (std::size_t(p - begin) > longest_number) return {};
        return {begin, p, false, whole};
    }

    static bool any_rank(const Token& token, std::int64_t& out) {
        double value;
        if (!detail::any_number(token.view(), value) || !(value >= 0 && value < 9007199254740992.0)) return false;
        out = static_cast<std::int64_t>(value);
        return true;
    }

    const char* word(const char* p, View wanted) const {
        return std::size_t(end_ - p) >= wanted.size() && std::memcmp(p, wanted.data(), wanted.size()) == 0 ? p + wanted.size() : nullptr;
    }

    const char* skip_object(const char* p, int depth) const {
        std::vector<View> keys;
        p = space(p);
        if (p < end_ && *p == '}') return p + 1;
        while (true) {
            Token key;
            if (!(p = letter(p, '"')) || !(key = string(p)) || key.escaped || keys.size() == most_keys) return nullptr;
            for (const View other : keys)
                if (same(other, key.view())) return nullptr;
            keys.push_back(key.view());
            if (!(p = letter(key.end + 1, ':')) || !(p = skip(space(p), depth))) return nullptr;
            p = space(p);
            if (p < end_ && *p == '}') return p + 1;
            if (!(p = letter(p, ','))) return nullptr;
        }
    }

    const char* skip_array(const char* p, int depth) const {
        p = space(p);
        if (p < end_ && *p == ']') return p + 1;
        while (true) {
            if (!(p = skip(space(p), depth))) return nullptr;
            p = space(p);
            if (p < end_ && *p == ']') return p + 1;
            if (!(p = letter(p, ','))) return nullptr;
        }
    }

    static char* put(std::int32_t code, char* out) {
        if (code < 0x80) {
            *out++ = char(code);
        } else if (code < 0x800) {
            *out++ = char(0xC0 | code >> 6);
            *out++ = char(0x80 | (code & 0x3F));
        } else if (code < 0x10000) {
            *out++ = char(0xE0 | code >> 12);
            *out++ = char(0x80 | (code >> 6 & 0x3F));
            *out++ = char(0x80 | (code & 0x3F));
        } else {
            *out++ = char(0xF0 | code >> 18);
            *out++ = char(0x80 | (code >> 12 & 0x3F));
            *out++ = char(0x80 | (code >> 6 & 0x3F));
            *out++ = char(0x80 | (code & 0x3F));
        }
        return out;
    }

    const char *end_, *near_end_;
};

// Strings with escapes, decoded. Each has its place in a copy of the text of which only the used stretches exist, so threads
// share it without a lock and a position in the text locates an id whether it was decoded or not.
class Decoded {
public:
    Decoded(const char* data, std::uint64_t size) : data_(data), made_(std::make_unique<Made>(size / stretch + 1)) {}

    // An id: a string that is not empty and has no NUL, or an integer, whose digits are the id.
    JUDGED_INLINE bool id(const Token& token, bool text, View& out) const {
        out = token.view();
        if (!text) {
            if (out == "-0") out.remove_prefix(1);
            return token.whole;
        }
        return token.escaped ? decode(token, out) : !out.empty();
    }

    // The id of this size that begins at a position. Only an escaped one has a backslash in the first `size` letters of its text.
    View view(std::uint64_t position, std::size_t size) const {
        if (!made_->any || std::memchr(data_ + position, '\\', size) == nullptr) return {data_ + position, size};
        return {made_->stretches[position / stretch].load() + position % stretch, size};
    }

private:
    static constexpr std::uint64_t stretch = 1 << 20, longest = 1 << 16;

    struct Made {
        explicit Made(std::size_t count) : stretches(count) {}
        ~Made() {
            for (auto& one : stretches) delete[] one.load();
        }

        std::vector<std::atomic<char*>> stretches;
        std::atomic<bool> any{false};
    };

    JUDGED_NOINLINE bool decode(const Token& token, View& out) const {
        if (out.size() > longest) return false;
        const auto position = std::uint64_t(token.begin - data_);
        auto& place = made_->stretches[position / stretch];
        char* text = place.load();
        if (text == nullptr) {
            auto made = std::make_unique_for_overwrite<char[]>(stretch + longest);
            if (place.compare_exchange_strong(text, made.get())) text = made.release();
            made_->any = true;
        }
        char* const begin = text + position % stretch;
        const char* const end = Scanner::decode(token, begin);
        out = {begin, std::size_t(end ? end - begin : 0)};
        return !out.empty();
    }

    const char* data_;
    std::unique_ptr<Made> made_;
};

}  // namespace judged::json
