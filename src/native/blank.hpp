// Splits text into cells: finds blanks and line ends, 64 bytes at a time.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "id.hpp"

#if defined(__SSE2__) || defined(_M_X64)
#include <emmintrin.h>
#elif defined(__ARM_NEON)
#include <arm_neon.h>
#endif

namespace judged {

struct Masks {
    std::uint64_t space = 0, tab = 0, carriage = 0, newline = 0, nul = 0;
};

// One bit per byte, for 64 bytes.
inline Masks masks_of(const char* p) {
    Masks masks;
#if defined(__SSE2__) || defined(_M_X64)
    for (int part = 0; part < 4; ++part) {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p + 16 * part));
        // Control characters other than the newline are rare, so they are distinguished only if one occurs.
        const __m128i low = _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(' ')), bytes);
        const __m128i space = _mm_cmpeq_epi8(bytes, _mm_set1_epi8(' '));
        const __m128i newline = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\n'));
        const auto bits = [part](__m128i v) { return std::uint64_t(std::uint32_t(_mm_movemask_epi8(v))) << (16 * part); };
        const std::uint64_t spaces = bits(space), newlines = bits(newline);
        masks.space |= spaces;
        masks.newline |= newlines;
        if (bits(low) != (spaces | newlines)) [[unlikely]] {
            masks.tab |= bits(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('\t')));
            masks.carriage |= bits(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('\r')));
            masks.nul |= bits(_mm_cmpeq_epi8(bytes, _mm_setzero_si128()));
        }
    }
#elif defined(__ARM_NEON)
    const uint8x16_t weight = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    uint8x16_t part[4];
    for (int i = 0; i < 4; ++i) part[i] = vld1q_u8(reinterpret_cast<const std::uint8_t*>(p) + 16 * i);
    const auto bits = [&](char letter) {
        const uint8x16_t wanted = vdupq_n_u8(std::uint8_t(letter));
        uint8x16_t bit[4];
        for (int i = 0; i < 4; ++i) bit[i] = vandq_u8(vceqq_u8(part[i], wanted), weight);
        uint8x16_t sum = vpaddq_u8(vpaddq_u8(bit[0], bit[1]), vpaddq_u8(bit[2], bit[3]));
        sum = vpaddq_u8(sum, sum);
        return vgetq_lane_u64(vreinterpretq_u64_u8(sum), 0);
    };
    masks = {bits(' '), bits('\t'), bits('\r'), bits('\n'), bits('\0')};
#else
    for (int i = 0; i < 64; ++i) {
        const std::uint64_t bit = std::uint64_t{1} << i;
        switch (p[i]) {
            case ' ': masks.space |= bit; break;
            case '\t': masks.tab |= bit; break;
            case '\r': masks.carriage |= bit; break;
            case '\n': masks.newline |= bit; break;
            case '\0': masks.nul |= bit; break;
            default: break;
        }
    }
#endif
    return masks;
}

// One bit per byte that is a blank or a control character, for 32 bytes.
JUDGED_INLINE std::uint32_t low_bytes(const char* p) {
#if defined(__SSE2__) || defined(_M_X64)
    const auto bits = [](const char* at) {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
        return std::uint32_t(_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(' ')), bytes)));
    };
    return bits(p) | bits(p + 16) << 16;
#else
    constexpr std::uint64_t high = 0x8080808080808080;
    std::uint32_t mask = 0;
    for (int i = 0; i < 4; ++i) {
        const auto word = load<std::uint64_t>(p + 8 * i);
        const std::uint64_t low = ~(((word & ~high) + 0x5F5F5F5F5F5F5F5F) | word) & high;
        mask |= std::uint32_t((low >> 7) * 0x0102040810204080 >> 56) << (8 * i);
    }
    return mask;
#endif
}

// One bit for each of 64 bytes: whether it is this letter.
JUDGED_INLINE std::uint64_t equal_bytes(const char* p, char letter) {
    std::uint64_t bits = 0;
#if defined(__SSE2__) || defined(_M_X64)
    const __m128i wanted = _mm_set1_epi8(letter);
    for (int part = 0; part < 4; ++part) {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p + 16 * part));
        bits |= std::uint64_t(std::uint32_t(_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, wanted)))) << (16 * part);
    }
#else
    for (int i = 0; i < 64; ++i) bits |= std::uint64_t{p[i] == letter} << i;
#endif
    return bits;
}

// Whether one of 64 bytes is not ASCII.
JUDGED_INLINE bool has_high_byte(const char* p) {
    std::uint64_t any = 0;
    for (int part = 0; part < 8; ++part) any |= load<std::uint64_t>(p + 8 * part);
    return (any & 0x8080808080808080) != 0;
}

// Bit i is set if an odd number of the bits up to i are.
JUDGED_INLINE std::uint64_t running_parity(std::uint64_t bits) {
    for (int shift = 1; shift < 64; shift *= 2) bits ^= bits << shift;
    return bits;
}

// Writes the positions of the bits, and more than are counted: a loop of unpredictable length would be slower.
// Returns the number of positions; 64 more must have space.
inline std::size_t flatten(const std::uint64_t* words, std::size_t count, std::uint32_t* out) {
    std::uint32_t* const begin = out;
    for (std::size_t i = 0; i < count; ++i) {
        std::uint64_t bits = words[i];
        if (!bits) continue;
        const auto base = std::uint32_t(64 * i);
        const auto found = std::popcount(bits);
        const auto next = [&](int k) {
            out[k] = base + std::uint32_t(std::countr_zero(bits));
            bits &= bits - 1;
        };
        for (int k = 0; k < 4; ++k) next(k);
        if (found > 4)
            for (int k = 4; k < 12; ++k) next(k);
        if (found > 12)
            for (int k = 12; k < 24; ++k) next(k);
        for (int k = 24; k < found; ++k) next(k);
        out += found;
    }
    return std::size_t(out - begin);
}

// The cells of complete lines of text: their edges, and those of the lines.
class Cells {
public:
    enum class Form {
        regular,  // one blank after each cell, and the requested number of cells in every line: `edge` has their ends
        spaced,   // `edge` has the beginning and end of each cell
        odd,      // NUL, or both tabs and spaces; `edge` is empty
    };
    std::vector<std::uint32_t> edge, newline;
    std::vector<double> score;  // space for the scores that a reader finds in the cells
    std::size_t lines = 0;
    std::uint32_t size = 0;  // of the complete lines; 0 if there are none
    Form form = Form::odd;

    // `last`: the text ends here, and its last line may have no newline. 64 bytes after the text are readable.
    void find(const char* text, std::uint32_t length, bool last, std::size_t columns) {
        const std::size_t words = mask(text, length, last);
        lines = 0;
        if (size == 0) return;
        const bool open = text[size - 1] != '\n';  // the last line has no newline
        const bool trailing = open && (blank_[(size - 1) / 64] >> ((size - 1) % 64) & 1);
        const std::size_t newlines = ends_ + open;
        if (single_ && plain_ && !trailing) {
            std::size_t edges = flatten(blank_.data(), words, edge.data());
            if (open) edge[edges++] = size;
            bool regular = edges == columns * newlines;
            for (std::size_t i = columns - 1; regular && i + 1 < edges; i += columns) regular = text[edge[i]] == '\n';
            if (regular) {
                lines = newlines;
                form = Form::regular;
                return;
            }
        }
        lines = flatten(line_.data(), words, newline.data());
        if (open) newline[lines++] = size;
        form = plain_ ? Form::spaced : Form::odd;
        if (form == Form::odd) return;
        std::uint64_t before = 1;
        for (std::size_t i = 0; i < words; ++i) {
            const std::uint64_t blank = blank_[i] | ~inside(size - 64 * i);
            blank_[i] = blank ^ (blank << 1 | before);
            before = blank >> 63;
        }
        std::size_t edges = flatten(blank_.data(), words, edge.data());
        if (edges % 2) edge[edges++] = size;
        for (std::size_t i = 0; i < 3 * columns; ++i) edge[edges + i] = 0xFFFFFFFF;  // no line is that long
    }

private:
    static std::uint64_t inside(std::size_t rest) {
        return rest >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << rest) - 1;
    }

    // Finds the blanks and the line ends of the complete lines, and returns the number of words.
    std::size_t mask(const char* text, std::uint32_t length, bool last) {
        const std::size_t words = (std::size_t{length} + 63) / 64;
        if (blank_.size() < words) {
            blank_.resize(words);
            line_.resize(words);
            edge.resize(64 * words + slack);
            newline.resize(64 * words + slack);
        }
        std::uint64_t before = 1, tabs = 0, spaces = 0, nul = 0, doubled = 0;  // the text is preceded by a blank
        ends_ = 0;
        std::size_t last_word = words;
        for (std::size_t i = 0; i < words; ++i) {
            const Masks m = masks_of(text + 64 * i);
            const std::uint64_t here = inside(length - 64 * i);
            const std::uint64_t blank = (m.space | m.tab | m.carriage | m.newline) & here;
            line_[i] = m.newline & here;
            blank_[i] = blank;
            doubled |= blank & (blank << 1 | before);
            before = blank >> 63;
            ends_ += std::size_t(std::popcount(line_[i]));
            if (line_[i]) last_word = i;
            tabs |= m.tab & here;
            spaces |= m.space & here;
            nul |= m.nul & here;
        }
        plain_ = !nul && !(tabs && spaces);
        single_ = !doubled;
        if (last) {
            size = length;
            return words;
        }
        if (last_word == words) {
            size = 0;
            return 0;
        }
        const auto end = std::uint32_t(64 - std::countl_zero(line_[last_word]));
        size = std::uint32_t(64 * last_word) + end;
        blank_[last_word] &= inside(end);
        return last_word + 1;
    }

    static constexpr std::size_t slack = 64;

    std::vector<std::uint64_t> blank_, line_;
    std::size_t ends_ = 0;
    bool plain_ = false, single_ = false;
};

}  // namespace judged
