// Sums and products within segments of a column, from the first element to the last (core/numeric/segments_reference.py).
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <thread>
#include <utility>
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

// Segments are contiguous; `sizes` has their lengths.
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

// The same as `falling_part` of one segment, by counting, for elements that are small integers, as grades are.
inline bool falling_counted(const double* x, std::size_t begin, std::size_t end, std::int64_t* out) {
    constexpr int most = 32;
    std::size_t next[most + 1] = {};
    for (std::size_t k = begin; k < end; ++k) {
        if (!(x[k] >= 0 && x[k] < most) || x[k] != double(int(x[k]))) return false;
        ++next[most - 1 - int(x[k])];
    }
    std::size_t at = begin;
    for (int i = 0; i < most; ++i) at += std::exchange(next[i], at);
    for (std::size_t k = begin; k < end; ++k) out[next[most - 1 - int(x[k])]++] = std::int64_t(k);
    return true;
}

// Positions of the elements of each segment from the highest to the lowest, stable. No element is NaN.
inline void falling_part(const double* x, const std::size_t* begins, std::size_t count, std::int64_t* out) {
    struct Item {
        double value;
        std::int64_t place;
    };
    std::vector<Item> items;
    for (std::size_t i = 0; i < count; ++i) {
        if (falling_counted(x, begins[i], begins[i + 1], out)) continue;
        items.clear();
        for (std::size_t k = begins[i]; k < begins[i + 1]; ++k) items.push_back({x[k], std::int64_t(k)});
        std::sort(items.begin(), items.end(), [](const Item& a, const Item& b) {
            return a.value > b.value || (a.value == b.value && a.place < b.place);
        });
        for (std::size_t k = 0; k < items.size(); ++k) out[begins[i] + k] = items[k].place;
    }
}

inline std::vector<std::int64_t> falling(const double* x, std::size_t size, const std::int64_t* sizes, std::size_t count,
                                         unsigned threads) {
    std::vector<std::size_t> begins(count + 1);
    for (std::size_t i = 0; i < count; ++i) {
        if (sizes[i] < 0 || std::size_t(sizes[i]) > size - begins[i]) throw std::out_of_range("segments longer than the column");
        begins[i + 1] = begins[i] + std::size_t(sizes[i]);
    }
    if (begins[count] != size) throw std::out_of_range("segments shorter than the column");
    std::vector<std::int64_t> out(size);
    constexpr std::size_t worth = 1 << 15;  // elements for which starting a thread pays off
    const std::size_t parts = std::max<std::size_t>(1, std::min<std::size_t>(threads, size / worth));
    std::vector<std::thread> others;
    for (std::size_t part = 0, from = 0; part < parts; ++part) {
        const std::size_t upto = part + 1 == parts ? count
            : std::size_t(std::lower_bound(begins.begin() + std::ptrdiff_t(from), begins.end(), (part + 1) * size / parts) - begins.begin());
        const auto work = [&, from, upto] { falling_part(x, begins.data() + from, upto - from, out.data()); };
        if (part + 1 == parts) work();
        else others.emplace_back(work);
        from = upto;
    }
    for (auto& thread : others) thread.join();
    return out;
}

}  // namespace judged
