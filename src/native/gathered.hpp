// Rows in columns grouped by query, for tables in which consecutive rows belong to different queries: every row would be a fragment.
//
// The columns are read once, in order. What a ranking needs of a row is written to the bucket of its query, a bucket being some
// queries whose rows fit into the cache; reading rows query by query instead would wait for memory at every row.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "collect.hpp"
#include "columns.hpp"
#include "scan.hpp"

namespace judged {

// A row without its document, whose hash is enough unless it is judged, tied or a duplicate.
struct HashedRow : Row {
    std::uint64_t hash;
};

// A source for `Scan`: the rows of the queries from `first` to `last`, by query.
class Gathered {
public:
    static constexpr std::uint64_t buckets = 512;

    // `queries` has the query of every row, or `pool.size()`; so many `rows` belong to these queries.
    Gathered(const Columns& columns, const Pool& pool, const std::vector<std::uint32_t>& queries, std::size_t first, std::size_t last,
             std::size_t rows)
        : columns_(columns), pool_(pool), first_(first), rows_(rows) {
        while ((last - first) >> shift_ >= buckets) ++shift_;
        start_.assign(((last - first) >> shift_) + 2, 0);
        for (const auto query : queries)
            if (query - first < last - first) ++start_[((query - first) >> shift_) + 1];
        for (std::size_t i = 1; i < start_.size(); ++i) start_[i] += start_[i - 1];
        std::vector<std::uint64_t> next(start_.begin(), start_.end() - 1);
        Cells cells;
        auto put = [&](const Row& row) {
            const std::size_t query = queries[row.position] - first;
            if (query >= last - first) return;
            items_.data[next[query >> shift_]++] = {hash(row.doc.data(), row.doc.size()), row.score, std::uint32_t(row.position), std::uint32_t(query)};
        };
        items_ = Block<Item>(rows);
        bad_ = columns.rows(cells, 0, columns.size(), put) != nowhere;
    }

    bool bad() const { return bad_; }  // whether a row is invalid
    std::uint64_t size() const { return rows_; }
    View view(std::uint64_t row, std::size_t length) const { return columns_.view(row, length); }
    std::vector<std::uint64_t> parts(std::uint64_t, const Release& = {}) const {
        std::vector<std::uint64_t> begins(start_);
        begins.erase(std::unique(begins.begin(), begins.end()), begins.end());
        if (begins.size() == 1) begins.push_back(begins[0]);
        return begins;
    }

    // The rows of a bucket, by query; those of one query in their order.
    template <class Each>
    std::uint64_t rows(Cells&, std::uint64_t begin, std::uint64_t end, Each& each) const {
        std::vector<std::uint32_t> next(std::size_t{1} << shift_), order(end - begin);
        const Item* const items = items_.data.get() + begin;
        const std::uint32_t within = std::uint32_t(next.size() - 1);
        for (std::size_t i = 0; i < order.size(); ++i) ++next[items[i].query & within];
        std::uint32_t before = 0;
        for (auto& n : next) before += std::exchange(n, before);
        for (std::size_t i = 0; i < order.size(); ++i) order[next[items[i].query & within]++] = std::uint32_t(i);
        HashedRow row{};
        for (std::size_t i = 0; i < order.size(); ++i) {
            if (i + 16 < order.size()) JUDGED_FETCH(items + order[i + 16]);
            const Item& item = items[order[i]];
            const std::size_t query = first_ + item.query;
            row.query = query < pool_.size() ? pool_.query(query) : columns_.query_at(item.row);
            row.score = item.score;
            row.begin = begin + i;
            row.position = item.row;
            row.hash = item.hash;
            each(row);
        }
        return nowhere;
    }

private:
    struct Item {
        std::uint64_t hash;  // of the document
        double score;
        std::uint32_t row, query;
    };

    const Columns& columns_;
    const Pool& pool_;
    std::size_t first_, rows_;
    unsigned shift_ = 0;
    bool bad_ = false;
    std::vector<std::uint64_t> start_;
    Block<Item> items_;
};

// Scans rows without ranks, which would be compared with their neighbours; in several rounds, each with some of the queries, so that what is
// gathered takes less memory than the rows: `part` rows in each bucket, or a quarter of all. Nothing if a row is invalid.
inline std::optional<ScanResult> scan_gathered(const Columns& columns, const Pool& pool, const Policy& policy, std::size_t examples,
                                               unsigned threads, std::uint64_t part, const Progress& progress) {
    const std::uint64_t most = std::max(Gathered::buckets * part, columns.size() / 4);  // rows in a round
    auto queries = columns.queries(pool);
    std::vector<std::uint64_t> count(pool.size() + 1);
    for (auto& query : queries) ++count[query = std::uint32_t(std::min<std::size_t>(query, pool.size()))];
    std::optional<ScanResult> all;
    std::uint64_t done = 0;
    for (std::size_t first = 0, last = 0; first < count.size(); first = last) {
        std::uint64_t rows = count[last++];
        while (last < count.size() && rows + count[last] <= most) rows += count[last++];
        const Gathered source(columns, pool, queries, first, last, rows);
        if (source.bad()) return std::nullopt;
        ScanResult found = Scan<Gathered>(pool, policy, source, examples).run(threads, 0, [&](std::uint64_t now, std::uint64_t) {
            return progress(done + now, columns.size());
        });
        done += rows;
        if (all)
            all->append(std::move(found));
        else
            all = std::move(found);
    }
    return all;
}

}  // namespace judged
