// Sums and products within segments of a column, from the first element to the last (core/segment.py).
#pragma once

#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

namespace judged {

inline std::size_t checked(std::int64_t segment, std::size_t count) {
    if (segment < 0 || std::size_t(segment) >= count) throw std::out_of_range("a segment that does not exist");
    return std::size_t(segment);
}

inline std::vector<double> total(const double* x, const std::int64_t* segment, std::size_t size, std::size_t count) {
    std::vector<double> out(count);
    for (std::size_t i = 0; i < size; ++i) out[checked(segment[i], count)] += x[i];
    return out;
}

inline std::vector<double> first(const bool* mask, const std::int64_t* segment, const std::int64_t* rank, std::size_t size,
                                 std::size_t count) {
    std::vector<double> out(count, std::numeric_limits<double>::infinity());
    for (std::size_t i = size; i-- > 0;)
        if (mask[i]) out[checked(segment[i], count)] = static_cast<double>(rank[i]);
    return out;
}

// Segments lie one after the other, and `sizes` says how long they are.
template <class T, class Step>
std::vector<T> along(const T* x, std::size_t size, const std::int64_t* sizes, std::size_t count, Step&& step) {
    std::vector<T> out(size);
    std::size_t begin = 0;
    for (std::size_t i = 0; i < count; ++i) {
        if (sizes[i] < 0 || std::size_t(sizes[i]) > size - begin) throw std::out_of_range("segments longer than the column");
        step(x + begin, out.data() + begin, std::size_t(sizes[i]));
        begin += std::size_t(sizes[i]);
    }
    if (begin != size) throw std::out_of_range("segments shorter than the column");
    return out;
}

template <class T>
std::vector<T> running(const T* x, std::size_t size, const std::int64_t* sizes, std::size_t count) {
    return along(x, size, sizes, count, [](const T* in, T* out, std::size_t n) {
        for (std::size_t i = 0; i < n; ++i) out[i] = i == 0 ? in[i] : out[i - 1] + in[i];
    });
}

inline std::vector<double> product_before(const double* x, std::size_t size, const std::int64_t* sizes, std::size_t count) {
    return along(x, size, sizes, count, [](const double* in, double* out, std::size_t n) {
        for (std::size_t i = 0; i < n; ++i) out[i] = i == 0 ? 1.0 : i == 1 ? in[0] : out[i - 1] * in[i - 1];
    });
}

}  // namespace judged
