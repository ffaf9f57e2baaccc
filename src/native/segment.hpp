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

// Where the segments begin, and the end of the last one.
inline std::vector<std::size_t> begins_of(const std::int64_t* sizes, std::size_t count, std::size_t size) {
    std::vector<std::size_t> begins(count + 1);
    for (std::size_t i = 0; i < count; ++i) {
        if (sizes[i] < 0 || std::size_t(sizes[i]) > size - begins[i]) throw std::out_of_range("segments longer than the column");
        begins[i + 1] = begins[i] + std::size_t(sizes[i]);
    }
    if (begins[count] != size) throw std::out_of_range("segments shorter than the column");
    return begins;
}

// Call `work(from, upto)` for ranges of segments with about the same number of elements, on several threads if that pays off.
template <class Work>
void in_parts(const std::vector<std::size_t>& begins, unsigned threads, const Work& work) {
    constexpr std::size_t worth = 1 << 15;  // elements for which starting a thread pays off
    const std::size_t count = begins.size() - 1, size = begins[count];
    const std::size_t parts = std::max<std::size_t>(1, std::min<std::size_t>(threads, size / worth));
    std::vector<std::thread> others;
    for (std::size_t part = 0, from = 0; part < parts; ++part) {
        const std::size_t upto = part + 1 == parts ? count
            : std::size_t(std::lower_bound(begins.begin() + std::ptrdiff_t(from), begins.end(), (part + 1) * size / parts) - begins.begin());
        if (part + 1 == parts) work(from, upto);
        else others.emplace_back(work, from, upto);
        from = upto;
    }
    for (auto& thread : others) thread.join();
}

inline std::vector<std::int64_t> falling(const double* x, std::size_t size, const std::int64_t* sizes, std::size_t count,
                                         unsigned threads) {
    const auto begins = begins_of(sizes, count, size);
    std::vector<std::int64_t> out(size);
    in_parts(begins, threads, [&](std::size_t from, std::size_t upto) {
        falling_part(x, begins.data() + from, upto - from, out.data());
    });
    return out;
}

// The first elements of each segment, and all grades from the highest to the lowest.
struct Top {
    std::vector<std::int64_t> order;  // positions of the first elements
    std::vector<std::int64_t> place;  // of these among the sorted grades
    std::vector<std::int64_t> left;   // per segment: further elements with the score of the last of the first
    std::vector<double> grades;
};

// `sign` decides between equal scores: 1 for the higher grade first, -1 for the lower, 0 for the order of the column. No score is NaN.
inline Top top(const double* score, const double* grade, std::size_t size, const std::int64_t* sizes, std::size_t count,
               std::size_t depth, int sign, unsigned threads) {
    struct Item {
        double value, tie;
        std::size_t at;
        bool operator<(const Item& other) const {  // comes first
            if (value != other.value) return value > other.value;
            return tie != other.tie ? tie > other.tie : at < other.at;
        }
    };
    constexpr std::size_t few = 64;  // elements that are kept in order by insertion
    const auto begins = begins_of(sizes, count, size);
    std::vector<std::size_t> firsts(count + 1);
    for (std::size_t i = 0; i < count; ++i) firsts[i + 1] = firsts[i] + std::min(depth, begins[i + 1] - begins[i]);
    Top out{std::vector<std::int64_t>(firsts[count]), std::vector<std::int64_t>(firsts[count]), std::vector<std::int64_t>(count),
            std::vector<double>(size)};
    in_parts(begins, threads, [&](std::size_t from, std::size_t upto) {
        std::vector<Item> items;
        std::vector<std::int64_t> sorted, place;
        for (std::size_t i = from; i < upto; ++i) {
            const std::size_t begin = begins[i], end = begins[i + 1], kept = firsts[i + 1] - firsts[i];
            items.clear();
            for (std::size_t k = begin; k < end; ++k) {
                const Item item{score[k], sign * grade[k], k};
                if (kept > few || items.size() < kept) items.push_back(item);
                else if (item < items.back()) items.back() = item;
                else continue;
                if (kept <= few)
                    for (auto last = items.end() - 1; last != items.begin() && *last < *(last - 1); --last) std::iter_swap(last, last - 1);
            }
            if (kept > few && kept == items.size()) std::sort(items.begin(), items.end());
            else if (kept > few) std::partial_sort(items.begin(), items.begin() + std::ptrdiff_t(kept), items.end());
            const std::size_t whole[] = {0, end - begin};
            sorted.resize(end - begin);
            place.resize(end - begin);
            falling_part(grade + begin, whole, 1, sorted.data());
            for (std::size_t k = 0; k < end - begin; ++k) {
                out.grades[begin + k] = grade[begin + std::size_t(sorted[k])];
                place[std::size_t(sorted[k])] = std::int64_t(begin + k);
            }
            for (std::size_t k = 0; k < kept; ++k) {
                out.order[firsts[i] + k] = std::int64_t(items[k].at);
                out.place[firsts[i] + k] = place[items[k].at - begin];
            }
            if (kept == 0 || kept == end - begin) continue;
            const double last = items[kept - 1].value;
            const auto same = [last](double value) { return value == last; };
            out.left[i] = std::count_if(score + begin, score + end, same) -
                          std::count_if(items.begin(), items.begin() + std::ptrdiff_t(kept), [&](const Item& item) { return same(item.value); });
        }
    });
    return out;
}

}  // namespace judged
