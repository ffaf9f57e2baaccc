// Partitioned runs, batch by batch: locate the judged documents of a batch, and count its rows in the slots between those of all partitions.
//
// The specification is core/parts/pass_one.py and core/parts/pass_two.py.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "columns.hpp"
#include "lines.hpp"
#include "pool.hpp"
#include "ranking.hpp"

namespace judged {

// The query of the pool that a row belongs to. Rows that have their query as a number are looked up once per number.
class Codes {
public:
    explicit Codes(const Pool& pool) : pool_(pool) {}

    // Begin another batch: its numbers and its bytes are different.
    void turn() {
        known_.clear();
        last_ = {};
    }

    JUDGED_INLINE std::uint32_t of(const Row& row) {
        if (row.code >= 0) {
            const auto code = std::size_t(row.code);
            if (code >= known_.size()) known_.resize(code + 1, unknown);
            if (known_[code] == unknown) known_[code] = pool_.find_query(row.query);
            return known_[code];
        }
        if (last_.data() == nullptr || !same(row.query, last_)) {
            last_ = row.query;
            query_ = pool_.find_query(last_);
        }
        return query_;
    }

private:
    static constexpr std::uint32_t unknown = none - 1;

    const Pool& pool_;
    std::vector<std::uint32_t> known_;
    View last_{};
    std::uint32_t query_ = none;
};

// A buffer of rows of judged queries: what each needs is prefetched from memory while others are added. In a shuffled run
// consecutive rows belong to different queries, so the cache does not help otherwise. Ids stay valid as long as the batch does.
struct Waiting {
    static constexpr std::size_t most = 64;

    struct One {
        std::uint32_t query;
        View doc;
        double value;
        std::uint64_t position, hash;
    };
    One rows[most];
    std::size_t count = 0;
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
        : pool_(pool), policy_(policy), position_(position), codes_(pool) {}

    void turn() { codes_.turn(); }

    JUDGED_INLINE void operator()(const Row& row) {
        const std::uint64_t position = position_ + located.rows++;
        const std::uint32_t query = codes_.of(row);
        if (!pool_.is_judged(query)) return;
        pool_.fetch_documents(query);
        const std::uint64_t code = hash(row.doc.data(), row.doc.size());
        waiting_.rows[waiting_.count++] = {query, row.doc, value_of(policy_, row, position), position, code};
        if (waiting_.count == Waiting::most) finish();
    }

    void finish() {
        for (std::size_t i = 0; i < waiting_.count; ++i) pool_.documents(waiting_.rows[i].query).fetch(waiting_.rows[i].hash);
        for (std::size_t i = 0; i < waiting_.count; ++i) {
            const auto& row = waiting_.rows[i];
            const auto judgment = Pool::find(pool_.documents(row.query), row.hash,
                                             [&](std::uint32_t j) { return same(pool_.doc(j), row.doc); });
            if (judgment == none) continue;
            located.judgment.push_back(judgment);
            located.position.push_back(std::int64_t(row.position));
            located.value.push_back(row.value);
        }
        waiting_.count = 0;
    }

    Located located;

private:
    Waiting waiting_;
    const Pool& pool_;
    const Policy& policy_;
    std::uint64_t position_;
    Codes codes_;
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
            : tally_(tally), codes_(tally.index_.pool), position_(position), step_(step) {}

        void turn() { codes_.turn(); }

        JUDGED_INLINE void operator()(const Row& row) {
            const std::uint64_t position = position_ + rows++;
            const std::uint32_t query = codes_.of(row);
            if (tally_.index_.pool.is_judged(query)) {
                JUDGED_FETCH(tally_.index_.start + query);
                waiting_.rows[waiting_.count++] = {query, row.doc, value_of(tally_.policy_, row, position), position, 0};
                if (waiting_.count == Waiting::most) finish();
            } else if (query == none)
                note_unjudged(row, position);
            infinite += !(std::fabs(row.score) <= std::numeric_limits<double>::max());
            if (row.ranked)
                tally_.mark(row, query);
            else
                tally_.ranked = false;
        }

        void finish() {
            const Index& index = tally_.index_;
            for (std::size_t i = 0; i < waiting_.count; ++i) {
                const auto begin = std::size_t(index.start[waiting_.rows[i].query]);
                JUDGED_FETCH(index.value + begin);
                JUDGED_FETCH(index.value + (begin + std::size_t(index.start[waiting_.rows[i].query + 1])) / 2);
            }
            for (std::size_t i = 0; i < waiting_.count; ++i) tally_.place(waiting_.rows[i], step_);
            waiting_.count = 0;
        }

        std::uint64_t rows = 0, infinite = 0;

    private:
        JUDGED_NOINLINE void note_unjudged(const Row& row, std::uint64_t position) {
            if (row.query == last_unjudged_) return;
            last_unjudged_ = row.query;
            tally_.note_unjudged(row.query, position);
        }

        Waiting waiting_;
        Tally& tally_;
        Codes codes_;
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

    JUDGED_INLINE void place(const Waiting::One& row, std::uint32_t step) {
        const auto [query, doc, value, position, code] = row;
        const auto begin = std::size_t(index_.start[query]), end = std::size_t(index_.start[query + 1]);
        const double* at = index_.value + begin;
        std::size_t size = end - begin;
        while (size > 1) {  // the first group that does not precede the row; no branch depends on a value
            const std::size_t half = size / 2;
            at += at[half - 1] > value ? half : 0;
            size -= half;
        }
        auto group = std::size_t(at - index_.value);
        group += size == 1 && *at > value;
        if (group < end && index_.value[group] == value)
            inside[place_inside(group, doc, position)] += step;
        else
            ahead[group + query] += step;
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

    void mark(const Row& row, std::uint32_t query) {
        if (last && last->query == row.query) {
            if (last->rank != row.rank && last->score != row.score && (row.rank > last->rank) == (row.score > last->score))
                note_disagreement(query, row.query);
            last->score = row.score;
            last->rank = row.rank;
            return;
        }
        last = BatchEdge{std::string(row.query), row.score, row.rank};
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
