// Means of resamples, drawn with replacement (core/resample.py).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace judged {

// The k-th number of a stream: SplitMix64, whose state is a counter.
inline std::uint64_t drawn(std::uint64_t seed, std::uint64_t k) {
    std::uint64_t z = seed + (k + 1) * 0x9E3779B97F4A7C15;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
}

// `Wide` columns side by side: one draw serves them all, and sums do not wait for each other.
template <std::size_t Wide>
void resample(const std::vector<double>& rows, std::size_t size, std::size_t resamples, std::uint64_t seed, double* means,
              std::size_t columns, std::size_t count) {
    constexpr std::size_t together = 4;
    const std::uint64_t pairs = (size + 1) / 2;
    for (std::size_t first = 0; first < resamples; first += together) {
        double sum[together][Wide] = {};
        const auto add = [&](std::size_t r, std::uint64_t half) {
            const double* row = &rows[(half * size >> 32) * Wide];
            for (std::size_t c = 0; c < Wide; ++c) sum[r][c] += row[c];
        };
        for (std::uint64_t pair = 0; pair < pairs; ++pair) {
            for (std::size_t r = 0; r < together; ++r) {
                const std::uint64_t z = drawn(seed, (first + r) * pairs + pair);  // two draws: the high half and the low
                add(r, z >> 32);
                if (2 * pair + 1 < size) add(r, z & 0xFFFFFFFF);
            }
        }
        for (std::size_t r = 0; r < std::min(together, resamples - first); ++r)
            for (std::size_t c = 0; c < count; ++c) means[(first + r) * columns + c] = sum[r][c] / static_cast<double>(size);
    }
}

// x has `size` rows of `columns` values; the result has `resamples` rows of as many means.
inline std::vector<double> resampled_means(const double* x, std::size_t size, std::size_t columns, std::size_t resamples,
                                           std::uint64_t seed) {
    constexpr std::size_t widest = 8;
    std::vector<double> means(resamples * columns);
    for (std::size_t from = 0; from < columns; from += widest) {
        const std::size_t count = std::min(widest, columns - from);
        const std::size_t wide = count == 1 ? 1 : count <= 4 ? 4 : widest;
        std::vector<double> rows(size * wide);
        for (std::size_t i = 0; i < size; ++i) std::copy_n(x + i * columns + from, count, &rows[i * wide]);
        const auto run = wide == 1 ? resample<1> : wide == 4 ? resample<4> : resample<widest>;
        run(rows, size, resamples, seed, means.data() + from, columns, count);
    }
    return means;
}

}  // namespace judged
