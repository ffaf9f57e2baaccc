// Decimal numbers in text cells: the strict grammar of io/text.py, the nearest double.
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>

#include "id.hpp"

#if defined(__SSE4_1__)
#include <smmintrin.h>
#endif

namespace judged {

inline constexpr double tens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                  1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
inline constexpr std::uint64_t whole_tens[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The first `count` letters of a word (1 to 8) as a number; false if one is not a digit.
JUDGED_INLINE bool eight_digits(std::uint64_t word, unsigned count, std::uint64_t& value) {
    word = (word ^ 0x3030303030303030) << (64 - 8 * count);  // left-padded with zeros
    if (((word | (word + 0x7676767676767676)) & 0x8080808080808080) != 0) return false;
    word = word * 10 + (word >> 8);
    constexpr std::uint64_t mask = 0x000000FF000000FF;
    value = ((word & mask) * 0x000F424000000064 + ((word >> 16) & mask) * 0x0000271000000001) >> 32;
    return true;
}

// Up to 16 letters with at least one digit and at most one point, whose digits make a number below 2^53: returns that
// number, and the number of digits after the point.
JUDGED_INLINE bool fixed_point(const char* p, std::size_t size, std::uint64_t& mantissa, std::size_t& behind) {
#if defined(__SSE4_1__)
    const __m128i text = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    const auto points = std::uint32_t(_mm_movemask_epi8(_mm_cmpeq_epi8(text, _mm_set1_epi8('.'))));
    const std::size_t before = std::size_t(std::countr_zero(points | 1u << size));
    const std::size_t digits = size - (before < size);
    behind = digits - before;
    // Digit i of the number, left-padded with zeros to sixteen, is letter i - (16 - digits), or the next one
    // after the point.
    __m128i from = _mm_add_epi8(_mm_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15),
                                _mm_set1_epi8(char(digits - 16)));
    from = _mm_sub_epi8(from, _mm_cmpgt_epi8(from, _mm_set1_epi8(char(before - 1))));
    const __m128i digit = _mm_shuffle_epi8(_mm_sub_epi8(text, _mm_set1_epi8('0')), from);
    const __m128i beyond = _mm_subs_epu8(digit, _mm_set1_epi8(9));
    const __m128i pairs = _mm_maddubs_epi16(digit, _mm_set1_epi16(0x010A));
    const __m128i fours = _mm_madd_epi16(pairs, _mm_set1_epi32(0x00010064));
    const __m128i eights = _mm_madd_epi16(_mm_packus_epi32(fours, fours), _mm_set1_epi32(0x00012710));
    const auto both = std::uint64_t(_mm_cvtsi128_si64(eights));
    mantissa = (both & 0xFFFFFFFF) * 100000000 + (both >> 32);
    return _mm_testz_si128(beyond, beyond) && digits > 0 && mantissa < std::uint64_t{1} << 53;
#else
    const auto word = load<std::uint64_t>(p);
    const std::uint64_t x = word ^ 0x2E2E2E2E2E2E2E2E;
    const std::uint64_t points = (x - 0x0101010101010101) & ~x & 0x8080808080808080;
    const std::size_t before = std::min(points ? std::size_t(std::countr_zero(points)) >> 3 : 8, size);
    behind = size - before - (before < size);
    std::uint64_t whole = 0, part = 0;
    if (before + behind == 0 || behind > 8 || (before == 8 && size > 8) ||
        (before > 0 && !eight_digits(word, unsigned(before), whole)) ||
        (behind > 0 && !eight_digits(load<std::uint64_t>(p + before + 1), unsigned(behind), part)))
        return false;
    mantissa = whole * whole_tens[behind] + part;
    return mantissa < std::uint64_t{1} << 53;
#endif
}

// The nearest double to a number of up to 19 digits, `behind` of them after the point. The reciprocal of a power of five is known to
// 128 bits, so the product is known up to its lowest word: false if that decides how to round, which is very rare.
class Quotient {
public:
    static constexpr std::size_t most_behind = 27;

    constexpr Quotient() {
        std::uint64_t five = 1;
        for (std::size_t k = 1; k <= most_behind; ++k) {
            five *= 5;
            const int length = std::bit_width(five);
            std::uint64_t rest = 1, high = 0, low = 0;  // long division of 2^(127 + length)
            for (int i = 0; i < 127 + length; ++i) {
                rest *= 2;
                high = high << 1 | low >> 63;
                low <<= 1;
                if (rest >= five) rest -= five, low |= 1;
            }
            high_[k] = high;
            low_[k] = low;
            shift_[k] = length + int(k);
        }
    }

    bool of(std::uint64_t mantissa, std::size_t behind, double& out) const {
        const int zeros = std::countl_zero(mantissa);
        mantissa <<= zeros;
        const auto [top, middle] = product(mantissa, high_[behind]);
        const auto [carried, low] = product(mantissa, low_[behind]);
        const std::uint64_t rest = middle + carried;
        const std::uint64_t whole = top + (rest < middle);
        const int cut = 10 + int(whole >> 63);
        const std::uint64_t below = whole & ((std::uint64_t{1} << cut) - 1), half = std::uint64_t{1} << (cut - 1);
        if ((below == half && rest == 0) || (below == half - 1 && rest == ~std::uint64_t{0})) return false;
        const std::uint64_t bits = (whole >> cut) + (below >= half);
        const int exponent = cut + 1 - shift_[behind] - zeros;
        out = static_cast<double>(bits) * std::bit_cast<double>(std::uint64_t(1023 + exponent) << 52);
        return true;
    }

private:
    struct Wide {
        std::uint64_t high, low;
    };
    static Wide product(std::uint64_t a, std::uint64_t b) {
#if defined(_MSC_VER)
        std::uint64_t high, low = _umul128(a, b, &high);
        return {high, low};
#else
        __extension__ using Both = unsigned __int128;
        const auto both = static_cast<Both>(a) * b;
        return {std::uint64_t(both >> 64), std::uint64_t(both)};
#endif
    }

    std::uint64_t high_[most_behind + 1] = {}, low_[most_behind + 1] = {};
    int shift_[most_behind + 1] = {};
};

inline constexpr Quotient quotient;

// A decimal of 17 to 20 letters as Python and Java write doubles: up to 8 digits, a point, up to 18 digits, 19 in all.
inline bool long_decimal(const char* p, std::size_t size, double& out) {
    const std::uint64_t x = load<std::uint64_t>(p) ^ 0x2E2E2E2E2E2E2E2E;
    const std::uint64_t points = (x - 0x0101010101010101) & ~x & 0x8080808080808080;
    const std::size_t before = std::size_t(std::countr_zero(points)) >> 3;
    const std::size_t behind = size - before - 1;
    if (points == 0 || before == 0 || behind > 18) return false;
    std::uint64_t whole, first, second, third = 0;
    const char* const part = p + before + 1;
    const std::size_t rest = behind - 8, last = rest > 8 ? rest - 8 : 0;
    if (!eight_digits(load<std::uint64_t>(p), unsigned(before), whole) || !eight_digits(load<std::uint64_t>(part), 8, first) ||
        !eight_digits(load<std::uint64_t>(part + 8), unsigned(rest - last), second) ||
        (last > 0 && !eight_digits(load<std::uint64_t>(part + 16), unsigned(last), third)))
        return false;
    std::uint64_t mantissa = (whole * whole_tens[8] + first) * whole_tens[rest - last] + second;
    mantissa = mantissa * whole_tens[last] + third;
    if (mantissa <= std::uint64_t{1} << 53) {
        out = static_cast<double>(mantissa) / tens[behind];
        return true;
    }
    return quotient.of(mantissa, behind, out);
}

// Reads numbers that have their point at the same place as the one before, as scores of a ranking mostly do.
class FixedPoint {
public:
    // 17 bytes from the beginning are readable. If this returns false, the text may still be a number.
    JUDGED_INLINE bool read(const char* p, std::size_t size, double& out) {
#if defined(__SSE4_1__)
        const bool sign = *p == '-';
        const __m128i text = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p + sign));
        const auto points = std::uint32_t(_mm_movemask_epi8(_mm_cmpeq_epi8(text, _mm_set1_epi8('.'))));
        if (size - sign != size_ || (points & inside_) != points_) {
            if (!learn(size - sign, points)) return false;
        }
        const __m128i digit = _mm_shuffle_epi8(_mm_sub_epi8(text, _mm_set1_epi8('0')), from_);
        const __m128i beyond = _mm_subs_epu8(digit, _mm_set1_epi8(9));
        const __m128i pairs = _mm_maddubs_epi16(digit, _mm_set1_epi16(0x010A));
        const __m128i fours = _mm_madd_epi16(pairs, _mm_set1_epi32(0x00010064));
        const __m128i eights = _mm_madd_epi16(_mm_packus_epi32(fours, fours), _mm_set1_epi32(0x00012710));
        const auto both = std::uint64_t(_mm_cvtsi128_si64(eights));
        const std::uint64_t mantissa = (both & 0xFFFFFFFF) * 100000000 + (both >> 32);
        const double value = static_cast<double>(std::int64_t(mantissa)) / ten_;  // both exact: this rounds correctly
        out = sign ? -value : value;
        return _mm_testz_si128(beyond, beyond);
#else
        return score_of(p, size, out);
#endif
    }

private:
#if defined(__SSE4_1__)
    // At most 15 digits, which are below 2^53.
    JUDGED_NOINLINE bool learn(std::size_t size, std::uint32_t points) {
        size_ = 0;
        if (size == 0 || size > 16) return false;
        const std::uint32_t inside = (1u << size) - 1;
        points &= inside;
        const std::size_t digits = size - (points != 0);
        if (digits == 0 || digits > 15) return false;
        const std::size_t before = points ? std::size_t(std::countr_zero(points)) : size;
        // Digit i of the number, left-padded with zeros to sixteen, is letter i - (16 - digits), or the next one after the point.
        const __m128i from = _mm_add_epi8(_mm_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15),
                                          _mm_set1_epi8(char(digits - 16)));
        from_ = _mm_sub_epi8(from, _mm_cmpgt_epi8(from, _mm_set1_epi8(char(before - 1))));
        size_ = size;
        inside_ = inside;
        points_ = points;
        ten_ = tens[digits - before];
        return true;
    }

    __m128i from_ = _mm_setzero_si128();
    std::size_t size_ = 0;
    std::uint32_t inside_ = 0, points_ = 0;
    double ten_ = 1;
#endif
};

namespace detail {

inline bool equals_ignoring_case(View cell, View word) {
    if (cell.size() != word.size()) return false;
    for (std::size_t i = 0; i < cell.size(); ++i)
        if ((cell[i] | 0x20) != word[i]) return false;
    return true;
}

// A number that `from_chars` cannot convert: it overflows, or underflows to 0.
inline double beyond_range(View digits) {
    long magnitude = 0;  // decimal digits before the point, minus the zeros after it
    bool leading = true, point = false;
    std::size_t i = 0;
    for (; i < digits.size() && (is_digit(digits[i]) || digits[i] == '.'); ++i) {
        if (digits[i] == '.') {
            point = true;
            continue;
        }
        leading = leading && digits[i] == '0';
        if (!point && !leading) ++magnitude;
        if (point && leading) --magnitude;
    }
    bool negative = false;
    long exponent = 0;
    for (++i; i < digits.size(); ++i) {
        if (is_digit(digits[i])) exponent = std::min(exponent * 10 + (digits[i] - '0'), 1L << 30);
        negative = negative || digits[i] == '-';
    }
    return magnitude + (negative ? -exponent : exponent) > 0 ? std::numeric_limits<double>::infinity() : 0.0;
}

JUDGED_NOINLINE inline bool any_number(View cell, double& out) {
    const bool negative = !cell.empty() && cell[0] == '-';
    if (negative || (!cell.empty() && cell[0] == '+')) cell.remove_prefix(1);
    if (equals_ignoring_case(cell, "inf") || equals_ignoring_case(cell, "infinity")) {
        out = negative ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
        return true;
    }
    std::size_t i = 0, digits = 0, behind = 0;
    std::uint64_t mantissa = 0;
    for (bool point = false; i < cell.size(); ++i) {
        if (is_digit(cell[i])) {
            ++digits;
            behind += point;
            if (digits <= 19) mantissa = mantissa * 10 + std::uint64_t(cell[i] - '0');
        } else if (cell[i] == '.' && !point) {
            point = true;
        } else {
            break;
        }
    }
    if (digits == 0) return false;
    if (i == cell.size() && digits <= 19 && mantissa <= (std::uint64_t{1} << 53) && behind <= 22) {
        out = static_cast<double>(mantissa) / tens[behind];  // both exact: the one division rounds correctly
        if (negative) out = -out;
        return true;
    }
    if (i < cell.size()) {
        if ((cell[i] | 0x20) != 'e') return false;
        std::size_t j = i + 1;
        if (j < cell.size() && (cell[j] == '+' || cell[j] == '-')) ++j;
        const std::size_t first = j;
        while (j < cell.size() && is_digit(cell[j])) ++j;
        if (j == first || j < cell.size()) return false;
    }
    double value = 0;
    const auto parsed = std::from_chars(cell.data(), cell.data() + cell.size(), value);
    if (parsed.ec == std::errc::result_out_of_range) value = beyond_range(cell);
    out = negative ? -value : value;
    return true;
}

JUDGED_NOINLINE inline bool long_rank(const char* p, std::size_t size, std::int64_t& out) {
    if (size == 0 || size > 18) return false;
    std::int64_t value = 0;
    for (std::size_t i = 0; i < size; ++i) {
        if (!is_digit(p[i])) return false;
        value = value * 10 + (p[i] - '0');
    }
    out = value;
    return true;
}

}  // namespace detail

// A score. 32 bytes from its beginning are readable, whatever its size.
JUDGED_INLINE bool score_of(const char* p, std::size_t size, double& out) {
    const std::size_t sign = *p == '-';
    const std::size_t rest = size - sign;
    std::uint64_t mantissa;
    std::size_t behind;
    if (rest == 0 || rest > 16 || !fixed_point(p + sign, rest, mantissa, behind)) [[unlikely]] {
        if (rest < 17 || rest > 20 || !long_decimal(p + sign, rest, out)) return detail::any_number({p, size}, out);
        if (sign) out = -out;
        return true;
    }
    const double value = static_cast<double>(mantissa) / tens[behind];  // both exact: this rounds correctly
    out = sign ? -value : value;
    return true;
}

// A rank of 1 to 18 digits. Eight bytes from its beginning are readable.
JUDGED_INLINE bool rank_of(const char* p, std::size_t size, std::int64_t& out) {
    std::uint64_t value;
    if (size - 1 >= 8) return detail::long_rank(p, size, out);
    if (!eight_digits(load<std::uint64_t>(p), unsigned(size), value)) return false;
    out = static_cast<std::int64_t>(value);
    return true;
}

}  // namespace judged
