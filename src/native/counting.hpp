// Partitioned runs, batch by batch: locate the judged documents of a batch, and count its rows in the slots between those of all partitions.
//
// The specification is core/parts/pass_one.py and core/parts/pass_two.py.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "columns.hpp"
#include "lines.hpp"
#include "pool.hpp"
#include "ranking.hpp"

namespace judged {

// Rows of a batch that wait until there are enough of them to look up their queries together. What each step needs is prefetched from
// memory while it is done for other rows: in a shuffled run consecutive rows belong to different queries, so the cache does not help
// otherwise. Ids stay valid as long as the batch does.
class Waiting {
public:
    struct One {
        View id, doc;  // of the query and of the document
        double value, score;
        std::int64_t rank;
        std::int64_t code;
        std::uint64_t position, hash;
        std::uint32_t query;
        bool ranked;
    };

    explicit Waiting(const Pool& pool) : pool_(pool) {}

    // Begin another batch: its numbers and its bytes are different.
    void turn() {
        rows();
        known_.clear();
        last_ = {};
    }

    // Add a row; true if no other can be added before `clear`.
    JUDGED_INLINE bool add(const Policy& policy, const Row& row, std::uint64_t position) {
        std::uint32_t query = as_before;
        if (row.code >= 0) {  // looked up once per number
            if (std::size_t(row.code) >= known_.size()) known_.resize(std::size_t(row.code) + 1, unknown);
            query = known_[std::size_t(row.code)];
        } else if (last_.data() == nullptr || !same(row.query, last_)) {
            last_ = row.query;
            query = unknown;
        }
        rows_[count_++] = {row.query, row.doc, value_of(policy, row, position), row.score, row.rank, row.code, position, 0, query, row.ranked};
        return count_ == Pool::together;
    }

    // The rows, with their queries.
    std::span<One> rows() {
        View ids[Pool::together];
        std::uint32_t found[Pool::together];
        std::size_t looked_up = 0;
        for (std::size_t i = 0; i < count_; ++i)
            if (rows_[i].query == unknown) ids[looked_up++] = rows_[i].id;
        pool_.find_queries(ids, looked_up, found);
        looked_up = 0;
        for (auto& row : std::span(rows_, count_)) {
            if (row.query == unknown) {
                row.query = before_ = found[looked_up++];
                if (row.code >= 0) known_[std::size_t(row.code)] = row.query;
            } else if (row.query == as_before) {
                row.query = before_;
            }
        }
        return {rows_, count_};
    }

    void clear() { count_ = 0; }

private:
    static constexpr std::uint32_t unknown = none - 1, as_before = none - 2;

    const Pool& pool_;
    std::vector<std::uint32_t> known_;
    View last_{};
    std::uint32_t before_ = none;
    One rows_[Pool::together];
    std::size_t count_ = 0;
};

struct Located {
    std::vector<std::int64_t> judgment, position;
    std::vector<double> value;
    std::uint64_t rows = 0;
};

// Keeps the judged documents among the rows of a batch.
class Locator {
public:
    Locator(const Pool& pool, const Policy& policy, std::uint64_t position)
        : pool_(pool), policy_(policy), position_(position), waiting_(pool) {}

    void turn() { waiting_.turn(); }

    JUDGED_INLINE void operator()(const Row& row) {
        if (waiting_.add(policy_, row, position_ + located.rows++)) finish();
    }

    void finish() {
        const auto rows = waiting_.rows();
        for (auto& row : rows) {
            if (!pool_.is_judged(row.query)) continue;
            pool_.fetch_documents(row.query);
            row.hash = hash(row.doc.data(), row.doc.size());
        }
        for (const auto& row : rows)
            if (pool_.is_judged(row.query)) pool_.documents(row.query).fetch(row.hash);
        for (const auto& row : rows) {
            if (!pool_.is_judged(row.query)) continue;
            const auto judgment = Pool::find(pool_.documents(row.query), row.hash,
                                             [&](std::uint32_t j) { return same(pool_.doc(j), row.doc); });
            if (judgment == none) continue;
            located.judgment.push_back(judgment);
            located.position.push_back(std::int64_t(row.position));
            located.value.push_back(row.value);
        }
        waiting_.clear();
    }

    Located located;

private:
    const Pool& pool_;
    const Policy& policy_;
    std::uint64_t position_;
    Waiting waiting_;
};

// The located hits in order (core/parts/pass_two.py: HitIndex).
struct Index {
    const Pool& pool;
    const std::int64_t* start;
    const double* value;
    const std::int64_t* first;
    Slices doc;
    const std::int64_t* position;
    bool by_position;
    std::size_t queries, groups, documents;
};

struct BatchEdge {
    std::string query;
    double score = 0;
    std::int64_t rank = 0;
};

struct UnjudgedQuery {
    std::uint64_t first;
    bool disagrees;
};

// The number of rows in each slot between the documents of an index, and other counts of rows.
class Tally {
public:
    Tally(const Index& index, const Policy& policy, std::size_t max_unjudged)
        : ahead(index.groups + index.queries), inside(2 * index.documents + index.groups), disagrees(index.queries),
          index_(index), policy_(policy), limit_(max_unjudged) {}

    // Count the rows of a batch and return `nowhere`; if one of them is bad, count none and return where it begins.
    template <class Source>
    std::uint64_t add(const Source& source, std::uint64_t position) {
        const auto before = last;
        const std::uint64_t bad = count(source, source.end(), position, 1);
        if (bad != nowhere) {
            count(source, bad, position, std::uint32_t(-1));
            last = before;
        }
        return bad;
    }

    std::vector<std::uint32_t> ahead, inside;
    std::vector<std::uint8_t> disagrees;
    std::unordered_map<std::string, UnjudgedQuery> unjudged;
    std::uint64_t infinite = 0, rows = 0;
    bool more = false, ranked = true;
    std::optional<BatchEdge> first, last;

private:
    class Reader {
    public:
        Reader(Tally& tally, std::uint64_t position, std::uint32_t step)
            : waiting_(tally.index_.pool), tally_(tally), position_(position), step_(step) {}

        void turn() { waiting_.turn(); }

        JUDGED_INLINE void operator()(const Row& row) {
            if (waiting_.add(tally_.policy_, row, position_ + rows++)) finish();
        }

        void finish() {
            const Index& index = tally_.index_;
            const auto waiting = waiting_.rows();
            for (const auto& row : waiting) {
                if (index.pool.is_judged(row.query))
                    JUDGED_FETCH(index.start + row.query);
                else if (row.query == none)
                    note_unjudged(row);
                infinite += !(std::fabs(row.score) <= std::numeric_limits<double>::max());
                if (row.ranked)
                    tally_.mark(row);
                else
                    tally_.ranked = false;
            }
            for (const auto& row : waiting) {
                if (!index.pool.is_judged(row.query)) continue;
                const auto begin = std::size_t(index.start[row.query]);
                JUDGED_FETCH(index.value + begin);
                JUDGED_FETCH(index.value + (begin + std::size_t(index.start[row.query + 1])) / 2);
            }
            std::uint32_t* counters[Pool::together];
            std::size_t judged = 0;
            for (const auto& row : waiting) {
                if (!index.pool.is_judged(row.query)) continue;
                counters[judged] = tally_.counter_of(row);
                JUDGED_FETCH(counters[judged++]);
            }
            for (std::size_t i = 0; i < judged; ++i) *counters[i] += step_;
            waiting_.clear();
        }

        std::uint64_t rows = 0, infinite = 0;

    private:
        JUDGED_NOINLINE void note_unjudged(const Waiting::One& row) {
            if (row.id == last_unjudged_) return;
            last_unjudged_ = row.id;
            tally_.note_unjudged(row.id, row.position);
        }

        Waiting waiting_;
        Tally& tally_;
        std::string last_unjudged_;
        std::uint64_t position_;
        std::uint32_t step_;
    };

    template <class Source>
    std::uint64_t count(const Source& source, std::uint64_t end, std::uint64_t position, std::uint32_t step) {
        Reader reader(*this, position, step);
        const std::uint64_t bad = source.rows(end, reader);
        reader.finish();
        const bool forward = step == 1;
        rows += forward ? reader.rows : -reader.rows;
        infinite += forward ? reader.infinite : -reader.infinite;
        return bad;
    }

    JUDGED_INLINE std::uint32_t* counter_of(const Waiting::One& row) {
        const double value = row.value;
        const auto begin = std::size_t(index_.start[row.query]), end = std::size_t(index_.start[row.query + 1]);
        const double* at = index_.value + begin;
        std::size_t size = end - begin;
        while (size > 1) {  // the first group that does not precede the row; no branch depends on a value
            const std::size_t half = size / 2;
            at += at[half - 1] > value ? half : 0;
            size -= half;
        }
        auto group = std::size_t(at - index_.value);
        group += size == 1 && *at > value;
        if (group < end && index_.value[group] == value) return &inside[place_inside(group, row.doc, row.position)];
        return &ahead[group + row.query];
    }

    std::size_t place_inside(std::size_t group, View doc, std::uint64_t position) const {
        std::size_t low = std::size_t(index_.first[group]), high = std::size_t(index_.first[group + 1]);
        const std::size_t first = low;
        bool on = false;
        while (low < high && !on) {
            const std::size_t middle = (low + high) / 2;
            const int order = compare(doc, position, middle);
            on = order == 0;
            if (order <= 0)
                high = middle;
            else
                low = middle + 1;
        }
        if (on) low = high;
        return 2 * first + group + 2 * (low - first) + on;
    }

    int compare(View doc, std::uint64_t position, std::size_t document) const {
        if (!index_.by_position) return doc.compare(index_.doc[document]);
        const auto other = std::uint64_t(index_.position[document]);
        return position < other ? -1 : position > other;
    }

    void mark(const Waiting::One& row) {
        if (last && last->query == row.id) {
            if (last->rank != row.rank && last->score != row.score && (row.rank > last->rank) == (row.score > last->score))
                note_disagreement(row.query, row.id);
            last->score = row.score;
            last->rank = row.rank;
            return;
        }
        last = BatchEdge{std::string(row.id), row.score, row.rank};
        if (!first) first = last;
    }

    void note_disagreement(std::uint32_t query, View id) {
        if (query == none) {
            if (const auto at = unjudged.find(std::string(id)); at != unjudged.end()) at->second.disagrees = true;
        } else if (index_.pool.is_judged(query)) {
            disagrees[query] = true;
        }
    }

    void note_unjudged(View id, std::uint64_t position) {
        std::string key(id);
        if (unjudged.size() < limit_)
            unjudged.try_emplace(std::move(key), UnjudgedQuery{position, false});
        else
            more |= unjudged.find(key) == unjudged.end();
    }

    const Index& index_;
    const Policy& policy_;
    std::size_t limit_;
};

}  // namespace judged
