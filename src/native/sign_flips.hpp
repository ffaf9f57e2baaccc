// Sums of columns under random or all signs (core/numeric/sign_flips.py). Columns are integers whose sums are exact, so the
// order of additions does not matter.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "resample.hpp"

namespace judged {

// Rows of signs, a bit per value, lowest first; each row starts a new word. Without a seed they are the bits of the row number.
struct Signs {
    std::size_t values;
    std::optional<std::uint64_t> seed;

    std::size_t words() const { return std::max<std::size_t>(1, (values + 63) / 64); }
    std::uint64_t word(std::uint64_t row, std::size_t at) const {
        const std::uint64_t counter = row * words() + at;
        return seed ? drawn(*seed, counter) : counter;
    }
};

inline constexpr std::size_t rows_at_once = 2048;  // their words and sums stay in the cache

template <std::size_t Bytes>
void look_up_bytes(const double (*table)[256], const std::uint64_t* words, std::size_t rows, double* sums) {
    for (std::size_t row = 0; row < rows; ++row) {
        double some[2] = {};  // sums that do not wait for each other
        for (std::size_t byte = 0; byte < Bytes; ++byte) some[byte % 2] += table[byte][words[row] >> 8 * byte & 255];
        sums[row] += some[0] + some[1];
    }
}

// sums[row] = Σ ±x for `rows` rows of one column, of which words[at * rows_at_once + row] are the signs. A table has the sum of
// each byte of signs: eight values cost one look-up.
inline void signed_sums(const double* x, const Signs& signs, const std::uint64_t* words, std::size_t rows, double* sums) {
    std::fill_n(sums, rows, 0.0);
    double table[8][256];
    for (std::size_t at = 0; at < signs.words(); ++at) {
        const std::size_t values = std::min<std::size_t>(64, signs.values - std::min(signs.values, 64 * at));
        const std::size_t bytes = (values + 7) / 8;
        for (std::size_t byte = 0; byte < bytes; ++byte) {
            const std::size_t bits = std::min<std::size_t>(8, values - 8 * byte);
            const double* part = x + 64 * at + 8 * byte;
            double* cell = table[byte];
            cell[0] = 0;
            for (std::size_t bit = 0; bit < bits; ++bit) cell[0] -= part[bit];
            for (std::size_t mask = 1; mask < 256; ++mask) {
                const std::size_t bit = static_cast<std::size_t>(std::countr_zero(mask));
                cell[mask] = cell[mask & (mask - 1)] + (bit < bits ? 2 * part[bit] : 0);
            }
        }
        const auto look_up = bytes == 8 ? &look_up_bytes<8> : bytes > 4 ? &look_up_bytes<7> : bytes > 2 ? &look_up_bytes<4> : &look_up_bytes<2>;
        for (std::size_t byte = bytes; byte < 8; ++byte) std::fill_n(table[byte], 256, 0.0);
        look_up(table, words + at * rows_at_once, rows, sums);
    }
}

// Call `see(row, rows, words)` for blocks of rows from `first` to `last`.
template <class See>
void for_signs(const Signs& signs, std::uint64_t first, std::uint64_t last, See&& see) {
    std::vector<std::uint64_t> words(signs.words() * rows_at_once);
    for (std::uint64_t row = first; row < last; row += rows_at_once) {
        const std::size_t rows = static_cast<std::size_t>(std::min<std::uint64_t>(rows_at_once, last - row));
        for (std::size_t at = 0; at < signs.words(); ++at)
            for (std::size_t i = 0; i < rows; ++i) words[at * rows_at_once + i] = signs.word(row + i, at);
        see(row, rows, words.data());
    }
}

struct Reached {
    std::vector<std::int64_t> hits;  // per pair: rows in which its statistic reaches the bound
    std::vector<double> tops;        // per row: the largest statistic of all pairs, times its factor
};

// The statistic of pair i is the sum of column b[i] less that of a[i]: its absolute value, or `side` times it. Column -1 is 0.
inline Reached count_reached(const double* columns, std::size_t count, const Signs& signs, const std::int64_t* a, const std::int64_t* b,
                             std::size_t pairs, const double* bound, const double* factor, int side, std::uint64_t first,
                             std::uint64_t last) {
    Reached result{std::vector<std::int64_t>(pairs), std::vector<double>(last - first, -std::numeric_limits<double>::infinity())};
    std::vector<double> sums((count + 1) * rows_at_once);
    for_signs(signs, first, last, [&](std::uint64_t row, std::size_t rows, const std::uint64_t* words) {
        for (std::size_t c = 0; c < count; ++c)
            signed_sums(columns + c * signs.values, signs, words, rows, &sums[(c + 1) * rows_at_once]);
        double* top = &result.tops[row - first];
        for (std::size_t i = 0; i < pairs; ++i) {
            const double *from = &sums[(a[i] + 1) * rows_at_once], *to = &sums[(b[i] + 1) * rows_at_once];
            const double least = bound[i], scale = factor[i];
            std::int64_t hits = 0;
            const auto see = [&](auto statistic) {
                for (std::size_t r = 0; r < rows; ++r) {
                    const double value = statistic(to[r] - from[r]);
                    hits += value >= least;
                    const double scaled = value * scale;
                    top[r] = top[r] < scaled ? scaled : top[r];
                }
            };
            if (side == 0) see([](double x) { return std::fabs(x); });
            else if (side > 0) see([](double x) { return x; });
            else see([](double x) { return -x; });
            result.hits[i] += hits;
        }
    });
    return result;
}

// Shifts of one column: a row of signs reaches the observed mean of d - δ if δ lies between two quotients (`low`, `high`).
struct Shifts {
    const double* sums;   // per row
    const double* signs;  // per row: the sum of the signs of all queries
    std::size_t rows;
    double total, slack, n;

    static constexpr double infinite = std::numeric_limits<double>::infinity();

    double low(std::size_t r) const {
        const double plus = n + signs[r], minus = n - signs[r];
        return std::min(plus > 0 ? (total + sums[r] - slack) / plus : -infinite,
                        minus > 0 ? (total - sums[r] - slack) / minus : -infinite);
    }
    double high(std::size_t r) const {
        const double plus = n + signs[r], minus = n - signs[r];
        return std::max(plus > 0 ? (total + sums[r] + slack) / plus : infinite,
                        minus > 0 ? (total - sums[r] + slack) / minus : infinite);
    }
    // Rows with low ≤ 0 ≤ high: in exact arithmetic those whose sum is as far from 0 as the observed one, or nearer by the slack.
    std::int64_t hits() const {
        const double least = std::fabs(total) - slack;
        std::int64_t count = 0;
        for (std::size_t r = 0; r < rows; ++r) count += std::fabs(sums[r]) >= least;
        return count;
    }
    // The `rank`-th smallest `low` (side 1), or largest `high` (side -1). Quotients are computed only for rows that may be among
    // the first so far: a/b < limit is a < limit · b, with some room for rounding.
    double ordered(std::size_t rank, double side) const {
        constexpr std::size_t block = 16;
        std::vector<double> first;
        const std::size_t most = 2 * rank + 256;
        first.reserve(most + block);
        double limit = infinite;
        const auto shrink = [&] {
            std::nth_element(first.begin(), first.begin() + static_cast<std::ptrdiff_t>(rank - 1), first.end());
            first.resize(rank);
            limit = first.back();
        };
        for (std::size_t from = 0; from < rows; from += block) {
            const std::size_t to = std::min(rows, from + block);
            const double near = limit + 1e-12 * std::fabs(limit);
            int some = limit == infinite;
            for (std::size_t r = from; r < to; ++r) {
                const double a = side * (total + sums[r]) - slack, b = side * (total - sums[r]) - slack;
                some |= !(a > near * (n + signs[r])) | !(b > near * (n - signs[r]));
            }
            if (!some) continue;
            for (std::size_t r = from; r < to; ++r) {
                const double value = side > 0 ? low(r) : -high(r);
                if (value < limit || limit == infinite) first.push_back(value);
            }
            if (first.size() >= most) shrink();
        }
        shrink();
        return side * limit;
    }
};

}  // namespace judged
