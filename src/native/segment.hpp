// Sums and products within segments of a column, from the first element to the last (core/segments.py).
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <numeric>
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
    for (std::size_t i = 0; i < size;) {
        const std::int64_t here = segment[i];
        double& place = out[checked(here, count)];
        double sum = place;
        do sum += x[i];
        while (++i < size && segment[i] == here);
        place = sum;
    }
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

// The same as `Falling`, by counting, for elements that are small integers, as grades are.
template <class Position>
bool falling_counted(const double* x, std::size_t count, Position* out) {
    constexpr int most = 32;
    std::size_t next[most + 1] = {};
    for (std::size_t k = 0; k < count; ++k) {
        if (!(x[k] >= 0 && x[k] < most) || x[k] != double(int(x[k]))) return false;
        ++next[most - 1 - int(x[k])];
    }
    std::size_t at = 0;
    for (int i = 0; i < most; ++i) at += std::exchange(next[i], at);
    for (std::size_t k = 0; k < count; ++k) out[next[most - 1 - int(x[k])]++] = Position(k);
    return true;
}

// A number that is the lower the higher the value.
inline std::uint64_t falling_key(double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value + 0.0);  // -0 becomes 0
    return bits >> 63 ? bits : ~bits & ~(std::uint64_t{1} << 63);
}

// Merges two sorted halves, the second of which is not the shorter, from both ends: neither runs out, and no jump depends on the words.
inline void merge_halves(const std::uint64_t* from, std::uint64_t* to, std::size_t count) {
    const std::size_t half = count / 2;
    const std::uint64_t *left = from, *right = from + half, *left_end = right, *right_end = from + count;
    for (std::size_t k = 0; k < half; ++k) {
        const std::uint64_t a = *left, b = *right, c = left_end[-1], d = right_end[-1];
        const bool from_right = b < a, last_from_left = d < c;
        to[k] = from_right ? b : a;
        to[count - 1 - k] = last_from_left ? c : d;
        right += from_right;
        left += !from_right;
        left_end -= last_from_left;
        right_end -= !last_from_left;
    }
    if (count % 2) to[half] = left < left_end ? *left : *right;
}

// Sorts words; the result is in `other` if `moved`.
inline void sort_words(std::uint64_t* words, std::uint64_t* other, std::size_t count, bool moved) {
    const auto order = [words](std::size_t i, std::size_t k) {
        const auto [low, high] = std::minmax({words[i], words[k]});
        words[i] = low, words[k] = high;
    };
    if (count < 4) {
        if (count > 1) order(0, 1);
        if (count > 2) order(1, 2), order(0, 1);
        if (moved) std::copy_n(words, count, other);
        return;
    }
    const std::size_t half = count / 2;
    sort_words(words, other, half, !moved);
    sort_words(words + half, other + half, count - half, !moved);
    moved ? merge_halves(words, other, count) : merge_halves(other, words, count);
}

// Positions of elements from the highest to the lowest, stable. No element is NaN.
class Falling {
public:
    template <class Position>
    void operator()(const double* x, std::size_t count, Position* out) {
        if (falling_counted(x, count, out)) return;
        const std::uint64_t positions = std::bit_ceil(count | 1) * 2 - 1;  // in the lowest bits of a key, in place of its own
        keys_.resize(count);
        other_.resize(count);
        for (std::size_t k = 0; k < count; ++k) keys_[k] = (falling_key(x[k]) & ~positions) | k;
        sort_words(keys_.data(), other_.data(), count, false);
        for (std::size_t k = 0; k < count; ++k) out[k] = Position(keys_[k] & positions);
        for (std::size_t k = 0, next; k < count; k = next) {
            for (next = k + 1; next < count && (keys_[next] | positions) == (keys_[k] | positions);) ++next;
            if (next - k > 1) std::stable_sort(out + k, out + next, [x](Position a, Position b) { return x[a] > x[b]; });
        }
    }

private:
    std::vector<std::uint64_t> keys_, other_;
};

// Where the segments begin, and the end of the last one.
inline std::vector<std::size_t> begins_of(const std::int64_t* sizes, std::size_t count) {
    std::vector<std::size_t> begins(count + 1);
    for (std::size_t i = 0; i < count; ++i) {
        begins[i + 1] = begins[i] + std::size_t(sizes[i]);
        if (sizes[i] < 0 || begins[i + 1] < begins[i]) throw std::out_of_range("segments of impossible sizes");
    }
    return begins;
}

inline std::vector<std::size_t> begins_of(const std::int64_t* sizes, std::size_t count, std::size_t size) {
    auto begins = begins_of(sizes, count);
    if (begins[count] != size) throw std::out_of_range("segments of another size than the column");
    return begins;
}

// The number of the segment of each element.
inline std::vector<std::int64_t> numbers(const std::int64_t* sizes, std::size_t count) {
    const auto begins = begins_of(sizes, count);
    std::vector<std::int64_t> out(begins.back());
    for (std::size_t i = 0; i < count; ++i) std::fill_n(out.begin() + std::ptrdiff_t(begins[i]), sizes[i], std::int64_t(i));
    return out;
}

// 1, 2, 3 … within each segment.
inline std::vector<std::int64_t> ranks(const std::int64_t* sizes, std::size_t count) {
    const auto begins = begins_of(sizes, count);
    std::vector<std::int64_t> out(begins.back());
    for (std::size_t i = 0; i < count; ++i)
        std::iota(out.begin() + std::ptrdiff_t(begins[i]), out.begin() + std::ptrdiff_t(begins[i + 1]), 1);
    return out;
}

// The first `cutoff` elements of each segment: their number per segment; segment, rank and place of each.
struct Heads {
    std::vector<std::int64_t> sizes, segment, rank, place;
};

inline Heads heads(const std::int64_t* sizes, std::size_t count, std::int64_t cutoff) {
    if (cutoff < 0) throw std::out_of_range("a negative cutoff");
    Heads out{std::vector<std::int64_t>(sizes, sizes + count), {}, {}, {}};
    for (auto& size : out.sizes) size = std::min(size, cutoff);
    const std::size_t kept = begins_of(out.sizes.data(), count).back();
    for (auto* column : {&out.segment, &out.rank, &out.place}) column->reserve(kept);
    std::int64_t begin = 0;
    for (std::size_t i = 0; i < count; begin += sizes[i++])
        for (std::int64_t k = 0; k < out.sizes[i]; ++k) {
            out.segment.push_back(std::int64_t(i));
            out.rank.push_back(k + 1);
            out.place.push_back(begin + k);
        }
    return out;
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
        Falling falling;
        for (std::size_t i = from; i < upto; ++i) {
            falling(x + begins[i], begins[i + 1] - begins[i], out.data() + begins[i]);
            for (std::size_t k = begins[i]; k < begins[i + 1]; ++k) out[k] += std::int64_t(begins[i]);
        }
    });
    return out;
}

// The first elements of each segment, and all grades from the highest to the lowest.
struct Top {
    std::vector<std::int64_t> order;  // positions of the first elements
    std::vector<std::int64_t> place;  // of these among the sorted grades
    std::vector<std::int64_t> tie_first, tie_last;  // the first and the last rank of the elements with the same score
    std::vector<double> grades;
};

// An element, with a key that is the lower the higher its score.
struct Ranked {
    std::uint64_t key;
    std::size_t at;
};

// The first elements by score, in order; of equal scores the better, then the first.
template <class Better>
void first_of(const double* score, std::size_t count, std::size_t kept, std::vector<Ranked>& items, std::vector<std::size_t>& order, const Better& better) {
    constexpr std::size_t few = 64;  // that are kept in order by insertion
    const auto before = [&](const Ranked& a, const Ranked& b) {
        if (a.key != b.key) return a.key < b.key;
        return better(a.at, b.at) || (!better(b.at, a.at) && a.at < b.at);
    };
    items.clear();
    for (std::size_t k = 0; k < count; ++k) {
        const Ranked item{falling_key(score[k]), k};
        if (kept > few || items.size() < kept) items.push_back(item);
        else if (before(item, items.back())) items.back() = item;
        else continue;
        if (kept > few) continue;
        for (auto last = items.end() - 1; last != items.begin() && before(*last, *(last - 1)); --last) std::iter_swap(last, last - 1);
    }
    if (kept > few) std::partial_sort(items.begin(), items.begin() + std::ptrdiff_t(kept), items.end(), before);
    for (std::size_t k = 0; k < kept; ++k) order[k] = items[k].at;
}

// `sign` decides between equal scores: 1 for the higher grade first, -1 for the lower, 0 for the order of the column. No score is NaN.
inline Top top(const double* score, const double* grade, std::size_t size, const std::int64_t* sizes, std::size_t count,
               std::size_t depth, int sign, unsigned threads) {
    const auto begins = begins_of(sizes, count, size);
    std::vector<std::size_t> firsts(count + 1);
    for (std::size_t i = 0; i < count; ++i) firsts[i + 1] = firsts[i] + std::min(depth, begins[i + 1] - begins[i]);
    const auto column = [&] { return std::vector<std::int64_t>(firsts[count]); };
    Top out{column(), column(), column(), column(), std::vector<double>(size)};
    in_parts(begins, threads, [&](std::size_t from, std::size_t upto) {
        Falling falling;
        std::vector<Ranked> items;
        std::vector<std::size_t> order, by_grade, place;
        for (std::size_t i = from; i < upto; ++i) {
            const std::size_t begin = begins[i], all = begins[i + 1] - begin, kept = firsts[i + 1] - firsts[i];
            const double *scores = score + begin, *grades = grade + begin;
            const auto better = [=](std::size_t a, std::size_t b) { return sign * grades[a] > sign * grades[b]; };
            order.resize(all);
            if (kept == all) falling(scores, all, order.data());
            else first_of(scores, all, kept, items, order, better);
            by_grade.resize(all);
            place.resize(all);
            falling(grades, all, by_grade.data());
            for (std::size_t k = 0; k < all; ++k) {
                out.grades[begin + k] = grades[by_grade[k]];
                place[by_grade[k]] = begin + k;
            }
            for (std::size_t k = 0, next; k < kept; k = next) {  // of equal scores
                const double value = scores[order[k]];
                for (next = k + 1; next < kept && scores[order[next]] == value;) ++next;
                if (sign != 0 && next - k > 1) std::stable_sort(order.begin() + std::ptrdiff_t(k), order.begin() + std::ptrdiff_t(next), better);
                // Elements below the depth may have the score of the last one above it.
                const std::size_t last = next < kept || kept == all ? next : k + std::size_t(std::count(scores, scores + all, value));
                for (std::size_t m = k; m < next; ++m) {
                    out.order[firsts[i] + m] = std::int64_t(begin + order[m]);
                    out.place[firsts[i] + m] = std::int64_t(place[order[m]]);
                    out.tie_first[firsts[i] + m] = std::int64_t(k + 1);
                    out.tie_last[firsts[i] + m] = std::int64_t(last);
                }
            }
        }
    });
    return out;
}

}  // namespace judged
