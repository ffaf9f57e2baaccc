// Sorts judgments as core/pool.py does: by the id of the query, then by grade from the highest down, then by id.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "collect.hpp"
#include "parallel.hpp"
#include "pool.hpp"

namespace judged {

struct SortedJudgments {
    Block<std::int64_t> query, start, length;
    Block<double> grade;
};

// Eight bytes of an id from `common` on, as a number of the same order. `digits` becomes false if one of them is not a digit.
inline std::uint64_t key_of(View id, std::size_t common, bool& digits) {
    constexpr std::uint64_t zeros = 0x3030303030303030, tops = 0x8080808080808080;
    const std::size_t left = id.size() - common;
    std::uint64_t word = load<std::uint64_t>(id.data() + common), filled = word;
    if (left < 8) {
        word &= left ? ~std::uint64_t{0} >> (64 - 8 * left) : 0;
        filled = word | zeros << (8 * left);
    }
    digits &= (((filled + 0x4646464646464646) | (filled - zeros)) & tops) == 0;
#if defined(_MSC_VER)
    return _byteswap_uint64(word);
#else
    return __builtin_bswap64(word);
#endif
}

// Queries with judgments in the order of their ids, then the others.
struct QueryOrder {
    std::vector<std::int64_t> order;
    std::size_t judged = 0;
};

// Ids are distinct, and followed by eight readable bytes. Decimals are in the order of the numbers if `by_number`.
inline QueryOrder order_queries(Slices ids, bool by_number, const std::int64_t* query, std::size_t rows) {
    struct Item {
        std::uint64_t key;
        View id;
        std::size_t at;
    };
    std::vector<std::uint8_t> used(ids.size);
    for (std::size_t i = 0; i < rows; ++i) used.at(std::size_t(query[i])) = 1;
    std::vector<Item> items;
    bool digits = true;
    for (std::size_t i = 0; i < ids.size; ++i) {
        if (!used[i]) continue;
        const std::uint64_t length = ids[i].size(), positive = std::uint64_t{1} << 63;
        const std::uint64_t number = ids[i].starts_with('-') ? positive - length : positive + length;
        items.push_back({by_number ? number : key_of(ids[i], 0, digits), ids[i], i});
    }
    const auto before = [=](const Item& a, const Item& b) {
        if (a.key != b.key) return a.key < b.key;
        return by_number && a.id.starts_with('-') ? b.id < a.id : a.id < b.id;
    };
    if (!std::is_sorted(items.begin(), items.end(), before)) std::sort(items.begin(), items.end(), before);
    QueryOrder out{{}, items.size()};
    for (const Item& item : items) out.order.push_back(std::int64_t(item.at));
    for (std::size_t i = 0; i < ids.size; ++i)
        if (!used[i]) out.order.push_back(std::int64_t(i));
    return out;
}

class SortJudgments {
public:
    // Ids are followed by eight readable bytes, and have no NUL.
    SortJudgments(const QueryOrder& queries, const std::int64_t* query, const double* grade, Slices docs)
        : place_(queries.order.size()), queries_(queries.judged), query_(query), grade_(grade), docs_(docs) {
        for (std::size_t i = 0; i < queries.order.size(); ++i) place_[std::size_t(queries.order[i])] = i;
    }

    // Nothing if a document is judged twice.
    std::optional<SortedJudgments> run(unsigned threads, const Progress& progress) {
        group();
        SortedJudgments out{Block<std::int64_t>(docs_.size), Block<std::int64_t>(docs_.size), Block<std::int64_t>(docs_.size),
                            Block<double>(docs_.size)};
        std::vector<std::size_t> parts{0};  // of about as many rows
        for (std::size_t q = 0; q < queries_; ++q)
            if (begin_[q + 1] - begin_[parts.back()] >= rows_per_part || q + 1 == queries_) parts.push_back(q + 1);
        std::atomic<bool> repeated{false};
        std::vector<Scratch> scratch(std::max(threads, 1u));
        in_parallel(scratch.size(), parts.size() - 1, progress, docs_.size * sizeof(double), [&](std::size_t worker, std::size_t i) {
            for (std::size_t q = parts[i]; q < parts[i + 1] && !repeated; ++q)
                if (!sort(scratch[worker], q, out)) repeated = true;
            return (begin_[parts[i + 1]] - begin_[parts[i]]) * sizeof(double);
        });
        if (repeated) return std::nullopt;
        return out;
    }

private:
    static constexpr std::size_t rows_per_part = 1 << 16;
    static constexpr std::size_t few = 96;  // rows that are sorted by comparison

    struct Item {
        std::uint64_t key;  // eight bytes of the id, the first of which differs between two documents of the query
        std::uint32_t row;
    };

    struct Scratch {
        std::vector<Item> items, other;
        std::vector<double> grades;
        std::vector<std::size_t> next;
    };

    // Rows by query, in their order.
    void group() {
        begin_.assign(queries_ + 1, 0);
        for (std::size_t i = 0; i < docs_.size; ++i) ++begin_[place_[std::size_t(query_[i])] + 1];
        for (std::size_t q = 0; q < queries_; ++q) begin_[q + 1] += begin_[q];
        std::vector<std::size_t> next(begin_.begin(), begin_.end() - 1);
        rows_ = Block<std::uint32_t>(docs_.size);
        for (std::size_t i = 0; i < docs_.size; ++i) rows_.data[next[place_[std::size_t(query_[i])]]++] = std::uint32_t(i);
    }

    bool sort(Scratch& scratch, std::size_t query, SortedJudgments& out) const {
        const std::size_t begin = begin_[query], size = begin_[query + 1] - begin;
        const std::uint32_t* rows = rows_.data.get() + begin;
        if (size == 0) return true;
        const View first = docs_[rows[0]];
        std::size_t common = first.size();
        for (std::size_t i = 1; i < size; ++i) {
            const View id = docs_[rows[i]];
            common = std::min(common, id.size());
            if (std::memcmp(first.data(), id.data(), common) != 0)
                common = std::size_t(std::mismatch(first.begin(), first.begin() + std::ptrdiff_t(common), id.begin()).first - first.begin());
        }
        auto& items = scratch.items;
        items.resize(size);
        bool digits = true;
        for (std::size_t i = 0; i < size; ++i) items[i] = {key_of(docs_[rows[i]], common, digits), rows[i]};
        if (digits)
            for (Item& item : items) item.key = pack_digits(item.key);
        if (size < few)
            std::sort(items.begin(), items.end(), [](const Item& a, const Item& b) { return a.key < b.key; });
        else
            sort_by_bytes(scratch);
        const auto by_id = [&](const Item& a, const Item& b) { return docs_[a.row] < docs_[b.row]; };
        for (std::size_t i = 0; i < size;) {
            std::size_t end = i + 1;
            while (end < size && items[end].key == items[i].key) ++end;
            if (end - i > 1) {
                std::sort(items.begin() + std::ptrdiff_t(i), items.begin() + std::ptrdiff_t(end), by_id);
                for (std::size_t k = i + 1; k < end; ++k)
                    if (docs_[items[k].row] == docs_[items[k - 1].row]) return false;
            }
            i = end;
        }
        return write(scratch, query, begin, out), true;
    }

    // Four bits for each byte, in the same order: 0 for none, then the digits. There are half as many bytes to sort by.
    static std::uint64_t pack_digits(std::uint64_t key) {
        std::uint64_t bits = (key & 0x0F0F0F0F0F0F0F0F) + (key >> 4 & 0x0101010101010101);
        bits = (bits | bits >> 4) & 0x00FF00FF00FF00FF;
        bits = (bits | bits >> 8) & 0x0000FFFF0000FFFF;
        return (bits | bits >> 16) & 0x00000000FFFFFFFF;
    }

    // From the last byte to the first, by the bytes that differ.
    static void sort_by_bytes(Scratch& scratch) {
        auto &items = scratch.items, &other = scratch.other;
        other.resize(items.size());
        std::uint64_t differ = 0;
        for (const Item& item : items) differ |= item.key ^ items[0].key;
        const int bytes = (std::bit_width(differ) + 7) / 8;
        std::array<std::array<std::uint32_t, 256>, 8> count{};
        for (const Item& item : items)
            for (int byte = 0; byte < bytes; ++byte) ++count[std::size_t(byte)][item.key >> (8 * byte) & 255];
        for (int byte = 0; byte < bytes; ++byte) {
            auto& of_byte = count[std::size_t(byte)];
            if (of_byte[items[0].key >> (8 * byte) & 255] == items.size()) continue;
            std::uint32_t before = 0;
            for (auto& n : of_byte) before += std::exchange(n, before);
            for (const Item& item : items) other[of_byte[item.key >> (8 * byte) & 255]++] = item;
            items.swap(other);
        }
    }

    // Writes the documents of a query by grade, those of one grade in their order.
    void write(Scratch& scratch, std::size_t query, std::size_t begin, SortedJudgments& out) const {
        auto& grades = scratch.grades;
        auto& next = scratch.next;
        grades.clear();
        for (const Item& item : scratch.items) {
            const double grade = grade_[item.row];
            if (std::find(grades.begin(), grades.end(), grade) == grades.end()) grades.push_back(grade);
            if (grades.size() > 32) break;
        }
        std::sort(grades.begin(), grades.end(), std::greater<>());
        if (grades.size() > 32) {
            std::stable_sort(scratch.items.begin(), scratch.items.end(), [&](const Item& a, const Item& b) { return grade_[a.row] > grade_[b.row]; });
            for (const Item& item : scratch.items) put(item.row, query, begin++, out);
            return;
        }
        const auto level = [&](double grade) { return std::size_t(std::find(grades.begin(), grades.end(), grade) - grades.begin()); };
        next.assign(grades.size() + 1, 0);
        for (const Item& item : scratch.items) ++next[level(grade_[item.row]) + 1];
        next[0] = begin;
        for (std::size_t i = 1; i < next.size(); ++i) next[i] += next[i - 1];
        for (const Item& item : scratch.items) put(item.row, query, next[level(grade_[item.row])]++, out);
    }

    void put(std::uint32_t row, std::size_t query, std::size_t at, SortedJudgments& out) const {
        out.query.data[at] = std::int64_t(query);
        out.grade.data[at] = grade_[row];
        out.start.data[at] = docs_.start[row];
        out.length.data[at] = docs_.length[row];
    }

    std::vector<std::size_t> place_;  // of each query in the order
    std::size_t queries_;
    const std::int64_t* query_;
    const double* grade_;
    Slices docs_;
    std::vector<std::size_t> begin_;
    Block<std::uint32_t> rows_;
};

}  // namespace judged
