// Sums of columns under random or all signs (core/resample.py). Columns are integers whose sums are exact, so the
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

inline constexpr std::size_t rows_at_once = 8192;  // tables take a tenth of the time of so many look-ups

// Two doubles that are added at once.
#if defined(__GNUC__)
typedef double Two __attribute__((vector_size(16)));
#else
struct Two {
    double part[2];
    double& operator[](std::size_t i) { return part[i]; }
    double operator[](std::size_t i) const { return part[i]; }
    friend Two operator+(Two a, Two b) { return {{a[0] + b[0], a[1] + b[1]}}; }
};
#endif

// Sums of eight signed values of two columns, for each byte of signs.
struct SignTable {
    Two sums[256];

    void fill(const double* const x[2], std::size_t bits) {
        for (int c = 0; c < 2; ++c) {
            double all = 0;
            for (std::size_t bit = 0; bit < bits; ++bit) all -= x[c][bit];
            sums[0][c] = all;
            for (std::size_t mask = 1; mask < 256; ++mask) {
                const std::size_t bit = static_cast<std::size_t>(std::countr_zero(mask));
                sums[mask][c] = sums[mask & (mask - 1)][c] + (bit < bits ? 2 * x[c][bit] : 0);
            }
        }
    }
};

template <std::size_t Bytes>
void look_up_bytes(const SignTable* tables, const std::uint64_t* words, std::size_t rows, double* const sums[2]) {
    double *first = sums[0], *second = sums[1];
    for (std::size_t row = 0; row < rows; ++row) {
        const std::uint64_t word = words[row];
        Two even{}, odd{};  // sums that do not wait for each other
        for (std::size_t byte = 0; byte + 1 < Bytes; byte += 2) {
            even = even + tables[byte].sums[word >> 8 * byte & 255];
            odd = odd + tables[byte + 1].sums[word >> 8 * (byte + 1) & 255];
        }
        if constexpr (Bytes % 2) even = even + tables[Bytes - 1].sums[word >> 8 * (Bytes - 1) & 255];
        const Two all = even + odd;
        first[row] += all[0];
        second[row] += all[1];
    }
}

// sums[c][row] = Σ ±x[c] for `rows` rows of two columns, of which words[at * rows_at_once + row] are the signs. A table has the sums of
// each byte of signs: eight values of both columns cost one look-up.
inline void signed_sums(const double* const x[2], const Signs& signs, const std::uint64_t* words, std::size_t rows, double* const sums[2]) {
    for (int c = 0; c < 2; ++c) std::fill_n(sums[c], rows, 0.0);
    SignTable tables[8];
    for (std::size_t at = 0; at < signs.words(); ++at) {
        const std::size_t values = std::min<std::size_t>(64, signs.values - std::min(signs.values, 64 * at));
        const std::size_t bytes = (values + 7) / 8;
        for (std::size_t byte = 0; byte < 8; ++byte) {
            const std::size_t bits = byte < bytes ? std::min<std::size_t>(8, values - 8 * byte) : 0;
            const std::size_t from = bits ? 64 * at + 8 * byte : 0;
            const double* const part[2] = {x[0] + from, x[1] + from};
            tables[byte].fill(part, bits);
        }
        const auto look_up = bytes == 8 ? &look_up_bytes<8> : bytes > 4 ? &look_up_bytes<7> : bytes > 2 ? &look_up_bytes<4> : &look_up_bytes<2>;
        look_up(tables, words + at * rows_at_once, rows, sums);
    }
}

// The same for all columns, one after the other in `columns` and, `distance` apart, in `sums`. `spare` has room for `rows` sums.
inline void signed_sums(const double* columns, std::size_t count, const Signs& signs, const std::uint64_t* words, std::size_t rows,
                        double* sums, std::size_t distance, double* spare) {
    for (std::size_t c = 0; c < count; c += 2) {
        const bool both = c + 1 < count;
        const double* first = columns + c * signs.values;
        const double* const x[2] = {first, both ? first + signs.values : first};
        double* const to[2] = {sums + c * distance, both ? sums + (c + 1) * distance : spare};
        signed_sums(x, signs, words, rows, to);
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
    std::vector<double> sums((count + 1) * rows_at_once), spare(rows_at_once);
    for_signs(signs, first, last, [&](std::uint64_t row, std::size_t rows, const std::uint64_t* words) {
        signed_sums(columns, count, signs, words, rows, &sums[rows_at_once], rows_at_once, spare.data());
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
    // The `rank`-th smallest `low` (side 1), or largest `high` (side -1). A sample of the rows gives a limit that it rarely exceeds.
    double ordered(std::size_t rank, double side) const {
        std::vector<double> some = sample(side);
        const double share = double(rank) / every;
        const std::size_t at = std::size_t(share + 4 * std::sqrt(share) + 4);
        double limit = infinite;
        if (at < some.size()) limit = nth(some, at);
        some.clear();
        collect(limit, side, some);
        if (some.size() < rank) {
            some.clear();
            collect(infinite, side, some);
        }
        return side * nth(some, rank - 1);
    }

private:
    static constexpr std::size_t every = 32;  // rows per row of the sample

    static double nth(std::vector<double>& values, std::size_t at) {
        std::nth_element(values.begin(), values.begin() + std::ptrdiff_t(at), values.end());
        return values[at];
    }
    double value(std::size_t r, double side) const { return side > 0 ? low(r) : -high(r); }

    // Values of rows that are spread as if at random: rows of all signs are in the order of their bits.
    std::vector<double> sample(double side) const {
        std::vector<double> some(rows / every);
        for (std::size_t i = 0; i < some.size(); ++i) some[i] = value(i * 2654435761u % rows, side);
        return some;
    }

    // Values up to a limit. Quotients are computed only where one of (T ± s) / (n ± k) may be ≤ limit: neither is if
    // |s - limit · k| < T - limit · n, with some room for rounding.
    void collect(double limit, double side, std::vector<double>& found) const {
        constexpr std::size_t block = 16;
        const double top = side * total - slack, slope = side * limit;
        const double width = top - limit * n - 1e-12 * (std::fabs(top) + std::fabs(limit) * n);
        const auto far = [&](std::size_t r) { return std::fabs(sums[r] - slope * signs[r]) < width; };
        for (std::size_t from = 0; from < rows; from += block) {
            const std::size_t to = std::min(rows, from + block);
            int all = 1;
            for (std::size_t r = from; r < to; ++r) all &= far(r);
            if (all) continue;
            for (std::size_t r = from; r < to; ++r) {
                if (far(r)) continue;
                const double now = value(r, side);
                if (now <= limit) found.push_back(now);
            }
        }
    }
};

}  // namespace judged
