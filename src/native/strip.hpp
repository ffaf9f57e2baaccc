// A strip: consecutive lines that differ only in document, rank and score, as nearly all lines of a ranking do.
//
// The bytes before the document and after the score are compared with those of the first line, so their cells need not be found.
// Each step runs over the whole strip before the next: no step waits for the result of another.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "blank.hpp"
#include "id.hpp"
#include "number.hpp"

namespace judged {

// Bytes to compare others with, of which 16 are readable, whatever the size.
class Pattern {
public:
    Pattern(const char* bytes, std::size_t size) : bytes_(bytes), size_(size) {
#if defined(__SSE4_1__)
        const __m128i counted = _mm_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
        first_ = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes));
        mask_ = _mm_cmplt_epi8(counted, _mm_set1_epi8(char(std::min<std::size_t>(size, 16))));
#endif
    }

    JUDGED_INLINE bool matches(const char* p) const {
#if defined(__SSE4_1__)
        const __m128i other = _mm_xor_si128(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)), first_);
        return _mm_testz_si128(other, mask_) && (size_ <= 16 || std::memcmp(p + 16, bytes_ + 16, size_ - 16) == 0);
#else
        return same({p, size_}, {bytes_, size_});
#endif
    }
    std::size_t size() const { return size_; }

private:
    const char* bytes_;
    std::size_t size_;
#if defined(__SSE4_1__)
    __m128i first_, mask_;
#endif
};

class Strip {
public:
    static constexpr std::size_t most = 64;      // lines
    static constexpr std::size_t readable = 64;  // bytes before the document, and after the score

    // The ends of the three cells from the beginning of the document, which is an offset in the text.
    struct Line {
        std::uint32_t doc;
        std::uint8_t doc_end, rank_end, score_end;
    };

    View query;
    const char* text = nullptr;     // where the strip begins
    std::uint64_t begin = 0;        // of the text in the source
    std::size_t size = 0;           // number of lines
    std::size_t prefix = 0;         // bytes before a document
    Line line[most];
    double score[most];
    std::int64_t rank[most];        // -1 if there is none
    bool ranked = true, finite = true;

    View doc(std::size_t i) const { return {text + line[i].doc, line[i].doc_end}; }
    std::uint64_t position(std::size_t i) const { return begin + line[i].doc; }

    // Takes lines up to `last`, and returns where the first line begins that it did not take. 128 bytes from there are readable.
    const char* take(const char* from, const char* last, const Pattern& head, const Pattern& tail, char blank) {
        text = from;
        find(last, head, tail, blank);
        read_scores();
        read_ranks();
        return size == 0 ? text : text + line[size - 1].doc + line[size - 1].score_end + tail.size();
    }

private:
    // The lines whose cells are separated by single blanks. If the cells are as long as those of the line before, the next line
    // begins at a known place: then the processor need not wait for this line.
    JUDGED_NOINLINE void find(const char* last, const Pattern& before, const Pattern& after, char blank) {
        const Pattern head = before, tail = after;
        const char* p = text;
        Line* out = line;
        Line known{};
        std::uint32_t ends = 1, until = 0;  // of the cells of `known`, as bits; the bits up to the last of them
        std::size_t first = 0, second = 0, third = 0;
        for (Line* const full = line + most; out < full && p < last && head.matches(p); ++out) {
            p += head.size();
            const std::uint32_t low = low_bytes(p);
            if ((low & until) != ends) {
                const std::uint32_t two = low & (low - 1), three = two & (two - 1);
                until = three ^ (three - 1);
                ends = low & until;
                if (three == 0 || (ends & (low << 1 | 1))) break;
                first = unsigned(std::countr_zero(low));
                second = unsigned(std::countr_zero(two));
                third = unsigned(std::countr_zero(three));
                known = {0, std::uint8_t(first), std::uint8_t(second), std::uint8_t(third)};
            }
            if (p[first] != blank || p[second] != blank || !tail.matches(p + third)) break;
            *out = known;
            out->doc = std::uint32_t(p - text);
            p += third + tail.size();
        }
        size = std::size_t(out - line);
    }

    JUDGED_NOINLINE void read_scores() {
        finite = true;
        FixedPoint fixed;
        const char* const base = text + 1;
        const std::size_t lines = size;
        for (std::size_t i = 0; i < lines; ++i) {
            const char* p = base + line[i].doc + line[i].rank_end;
            const std::size_t length = std::size_t(line[i].score_end - line[i].rank_end - 1);
            if (fixed.read(p, length, score[i])) [[likely]] continue;
            if (!score_of(p, length, score[i])) {
                size = i;
                return;
            }
            finite &= !std::isinf(score[i]);
        }
    }

    JUDGED_NOINLINE void read_ranks() {
        const char* const base = text + 1;
        const std::size_t lines = size;
        std::uint64_t next = 0;  // the text of the next rank, if it has as many digits as this one
        std::int64_t value = -1;
        bool all = true;
        for (std::size_t i = 0; i < lines; ++i) {
            const char* p = base + line[i].doc + line[i].doc_end;
            const auto length = std::uint32_t(line[i].rank_end) - line[i].doc_end - 1;
            const std::uint64_t word = length > 8 ? 0 : load<std::uint64_t>(p) << (64 - 8 * length);
            if (word == next && word < std::uint64_t{'9' + 1} << 56 && word != 0) [[likely]] {
                ++value;
            } else {
                value = -1;
                all &= rank_of(p, length, value);
            }
            next = value < 0 || word == 0 ? 0 : word + (std::uint64_t{1} << 56);
            rank[i] = value;
        }
        ranked = all;
    }
};

}  // namespace judged
