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

inline std::vector<double> resampled_means(const double* x, std::size_t size, std::size_t resamples, std::uint64_t seed) {
    constexpr std::size_t together = 4;  // sums that do not wait for each other
    std::vector<double> means(resamples);
    const std::uint64_t pairs = (size + 1) / 2;
    for (std::size_t first = 0; first < resamples; first += together) {
        double sum[together] = {};
        for (std::uint64_t pair = 0; pair < pairs; ++pair) {
            for (std::size_t r = 0; r < together; ++r) {
                const std::uint64_t z = drawn(seed, (first + r) * pairs + pair);  // two draws: the high half and the low
                sum[r] += x[(z >> 32) * size >> 32];
                if (2 * pair + 1 < size) sum[r] += x[(z & 0xFFFFFFFF) * size >> 32];
            }
        }
        for (std::size_t r = 0; r < std::min(together, resamples - first); ++r)
            means[first + r] = sum[r] / static_cast<double>(size);
    }
    return means;
}

}  // namespace judged
