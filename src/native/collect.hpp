// All rows of a source as columns. Ids are copied, so that the source is not needed any longer.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <unordered_map>
#include <vector>

#include "parallel.hpp"
#include "text.hpp"

namespace judged {

struct Free {
    void operator()(void* p) const { std::free(p); }
};

// Memory that is not touched before it is written, and grows without a copy where the system can move pages.
template <class T>
struct Block {
    std::unique_ptr<T[], Free> data;
    std::size_t size = 0;

    Block() = default;
    explicit Block(std::size_t count) { extend(count); }

    // Returns space for more items.
    T* extend(std::size_t count) {
        if (size + count > room_ || !data) {
            room_ = std::max({size + count, room_ + room_ / 2, std::size_t{32}});
            T* moved = static_cast<T*>(std::realloc(data.get(), room_ * sizeof(T)));
            if (!moved) throw std::bad_alloc();
            (void)data.release();
            data.reset(moved);
        }
        size += count;
        return data.get() + (size - count);
    }

private:
    std::size_t room_ = 0;
};

// Ids as slices of one buffer, which ends with padding once it is complete (core/tables.py).
struct IdBlock {
    Block<std::uint8_t> buffer;
    Block<std::int64_t> start, length;

    void add(const char* bytes, std::size_t size, const std::uint32_t* lengths, std::size_t rows) {
        auto at = std::int64_t(buffer.size);
        if (size > 0) std::memcpy(buffer.extend(size), bytes, size);
        std::int64_t *starts = start.extend(rows), *sizes = length.extend(rows);
        for (std::size_t i = 0; i < rows; ++i) {
            starts[i] = at;
            sizes[i] = lengths[i];
            at += lengths[i];
        }
    }
    void add(View id, std::size_t times = 1) {
        const auto size = std::uint32_t(id.size());
        for (; times > 0; --times) add(id.data(), size, &size, 1);
    }
    void complete() { std::memset(buffer.extend(padding), 0, padding); }

private:
    static constexpr std::size_t padding = 8;
};

struct Collected {
    std::uint64_t bad = nowhere;  // where the first row begins that the source does not take; the columns are useless then
    std::size_t rows = 0;
    IdBlock queries;  // each once, in order of appearance
    Block<std::int64_t> query;
    IdBlock doc;
    Block<double> number;
    Block<std::int64_t> rank;      // useless if some row has none
    std::size_t unranked = 0;      // the first row without a rank, or `rows`
    IdBlock aspect;                // one id if all rows have the same
    std::uint64_t last = 0;        // where the last row begins
};

template <class Source>
class Collect {
public:
    explicit Collect(const Source& source) : source_(source) {}

    // Parts are read in parallel and appended in their order; their memory is used again.
    Collected run(unsigned threads, std::uint64_t bytes, const Progress& progress) {
        const auto begins = source_.parts(bytes);
        const std::size_t parts = begins.size() - 1;
        threads = unsigned(std::clamp<std::size_t>(parts, 1, threads));
        std::vector<Cells> cells(threads);
        std::atomic<bool> ended{false};
        in_parallel(threads, parts, progress, source_.size(), [&](std::size_t worker, std::size_t i) {
            if (ended) return begins[i + 1] - begins[i];
            std::unique_ptr<Part> part = take();
            part->bad = source_.rows(cells[worker], begins[i], begins[i + 1], *part);
            const std::lock_guard lock(mutex_);
            read_.emplace(i, std::move(part));
            for (auto next = read_.begin(); next != read_.end() && next->first == appended_; next = read_.erase(next), ++appended_) {
                if (out_.bad == nowhere) append(*next->second);
                spare_.push_back(std::move(next->second));
            }
            ended = out_.bad != nowhere;
            return begins[i + 1] - begins[i];
        });
        if (out_.rows > 0 && !varied_) out_.aspect.add(first_aspect_);
        for (IdBlock* ids : {&out_.queries, &out_.doc, &out_.aspect}) ids->complete();
        out_.unranked = std::min(unranked_, out_.rows);
        return std::move(out_);
    }

private:
    static constexpr std::size_t all = ~std::size_t{0};

    struct Turn {  // the rows from here on belong to this query
        View query;
        std::size_t row;
    };

    // A column of ids of a part.
    struct Ids {
        std::vector<char> bytes;
        std::vector<std::uint32_t> length;
        std::size_t size = 0;

        JUDGED_INLINE void add(std::size_t row, View id) {
            if (size + id.size() > bytes.size()) bytes.resize(2 * (size + id.size()) + 64);
            if (row >= length.size()) length.resize(2 * row + 64);
            copy(bytes.data() + size, id);
            length[row] = std::uint32_t(id.size());
            size += id.size();
        }
        // Most ids are short: two words instead of a call.
        JUDGED_INLINE static void copy(char* to, View id) {
            const char* p = id.data();
            const std::size_t n = id.size();
            if (n < 8 || n > 16) {
                if (n > 0) std::memcpy(to, p, n);
                return;
            }
            const auto first = load<std::uint64_t>(p), last = load<std::uint64_t>(p + n - 8);
            std::memcpy(to, &first, 8);
            std::memcpy(to + n - 8, &last, 8);
        }
    };

    struct Part {
        Ids doc, aspect;  // aspects only if they differ
        std::vector<double> number;
        std::vector<std::int64_t> rank;
        std::vector<Turn> turns;
        View query{}, first_aspect{};
        std::size_t rows = 0, unranked = all;
        std::uint64_t bad = nowhere, last = 0;
        bool varied = false;

        void clear() {
            doc.size = aspect.size = rows = 0;
            turns.clear();
            unranked = all;
            varied = false;
        }

        JUDGED_INLINE void operator()(const Row& row) {
            if (rows == 0) first_aspect = row.aspect;
            if (rows == 0 || !same(row.query, query)) turns.push_back({query = row.query, rows});
            if (varied || !same(row.aspect, first_aspect)) [[unlikely]]
                vary(row.aspect);
            if (rows >= number.size()) {
                number.resize(2 * rows + 64);
                rank.resize(2 * rows + 64);
            }
            doc.add(rows, row.doc);
            number[rows] = row.score;
            rank[rows] = row.rank;
            if (!row.ranked) unranked = std::min(unranked, rows);
            last = row.begin;
            ++rows;
        }

        JUDGED_NOINLINE void vary(View id) {
            for (std::size_t i = 0; !varied && i < rows; ++i) aspect.add(i, first_aspect);
            varied = true;
            aspect.add(rows, id);
        }
    };

    std::unique_ptr<Part> take() {
        const std::lock_guard lock(mutex_);
        if (spare_.empty()) return std::make_unique<Part>();
        auto part = std::move(spare_.back());
        spare_.pop_back();
        part->clear();
        return part;
    }

    void append(const Part& part) {
        if (part.bad != nowhere) {
            out_.bad = part.bad;
            return;
        }
        if (part.rows == 0) return;
        append_queries(part);
        append_aspects(part);
        out_.doc.add(part.doc.bytes.data(), part.doc.size, part.doc.length.data(), part.rows);
        std::copy_n(part.number.data(), part.rows, out_.number.extend(part.rows));
        if (part.unranked != all) unranked_ = std::min(unranked_, out_.rows + part.unranked);
        if (unranked_ == all) std::copy_n(part.rank.data(), part.rows, out_.rank.extend(part.rows));
        out_.rows += part.rows;
        out_.last = part.last;
    }

    void append_queries(const Part& part) {
        std::int64_t* row = out_.query.extend(part.rows);
        for (std::size_t i = 0; i < part.turns.size(); ++i) {
            const auto [query, from] = part.turns[i];
            const std::size_t to = i + 1 < part.turns.size() ? part.turns[i + 1].row : part.rows;
            const auto [at, is_new] = codes_.try_emplace(query, std::int64_t(codes_.size()));
            if (is_new) out_.queries.add(query);
            row = std::fill_n(row, to - from, at->second);
        }
    }

    void append_aspects(const Part& part) {
        if (out_.rows == 0) first_aspect_ = part.first_aspect;
        if (!varied_ && (part.varied || !same(part.first_aspect, first_aspect_))) {
            out_.aspect.add(first_aspect_, out_.rows);
            varied_ = true;
        }
        if (part.varied)
            out_.aspect.add(part.aspect.bytes.data(), part.aspect.size, part.aspect.length.data(), part.rows);
        else if (varied_)
            out_.aspect.add(part.first_aspect, part.rows);
    }

    const Source& source_;
    std::mutex mutex_;
    std::map<std::size_t, std::unique_ptr<Part>> read_;  // parts that wait for an earlier one
    std::vector<std::unique_ptr<Part>> spare_;
    std::size_t appended_ = 0;
    std::unordered_map<View, std::int64_t> codes_;
    View first_aspect_{};
    std::size_t unranked_ = all;
    bool varied_ = false;
    Collected out_;
};

}  // namespace judged
