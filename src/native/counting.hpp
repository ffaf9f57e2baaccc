// Runs in parts, batch by batch: the judged documents that a batch holds, and where its rows fall between those of all parts.
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

// Which query of a pool a row belongs to. Rows that know their query by number are looked up once for each number.
class Codes {
public:
    explicit Codes(const Pool& pool) : pool_(pool) {}

    // Another batch begins: its numbers, and its bytes, are others.
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

// Rows of judged queries that wait until there are a few: what each will look at is fetched from memory while the others come. Rows of a
// shuffled run belong to another query each, so that nothing is near otherwise. Ids stay where they are as long as the batch does.
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

struct Looked {
    std::vector<std::int64_t> judgment, position;
    std::vector<double> value;
    std::uint64_t rows = 0;
};

// Takes the rows of a batch and keeps the judged documents among them.
class Look {
public:
    Look(const Pool& pool, const Policy& policy, std::uint64_t position)
        : pool_(pool), policy_(policy), position_(position), codes_(pool) {}

    void turn() { codes_.turn(); }

    JUDGED_INLINE void operator()(const Row& row) {
        const std::uint64_t position = position_ + found.rows++;
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
            found.judgment.push_back(judgment);
            found.position.push_back(std::int64_t(row.position));
            found.value.push_back(row.value);
        }
        waiting_.count = 0;
    }

    Looked found;

private:
    Waiting waiting_;
    const Pool& pool_;
    const Policy& policy_;
    std::uint64_t position_;
    Codes codes_;
};

// The judged documents that were found, in order (core/parts/pass_two.py: Index).
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

struct Mark {
    std::string query;
    double score = 0;
    std::int64_t rank = 0;
};

struct Stranger {
    std::uint64_t first;
    bool disagrees;
};

// How many rows fall into each place between the documents of an index, with what else is said of rows.
class Tally {
public:
    Tally(const Index& index, const Policy& policy, std::size_t strangers)
        : ahead(index.groups + index.queries), inside(2 * index.documents + index.groups), disagrees(index.queries),
          index_(index), policy_(policy), limit_(strangers) {}

    // The rows of a batch; where one of them is bad, none was counted. Where that is, or nowhere.
    template <class Source>
    std::uint64_t add(const Source& source, std::uint64_t position) {
        const auto before = last;
        const std::uint64_t bad = counted(source, source.end(), position, 1);
        if (bad != nowhere) {
            counted(source, bad, position, std::uint32_t(-1));
            last = before;
        }
        return bad;
    }

    std::vector<std::uint32_t> ahead, inside;
    std::vector<std::uint8_t> disagrees;
    std::unordered_map<std::string, Stranger> strangers;
    std::uint64_t infinite = 0, rows = 0;
    bool more = false, ranked = true;
    std::optional<Mark> first, last;

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
                note_stranger(row, position);
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
        JUDGED_NOINLINE void note_stranger(const Row& row, std::uint64_t position) {
            if (row.query == stranger_) return;
            stranger_ = row.query;
            tally_.note_stranger(row.query, position);
        }

        Waiting waiting_;
        Tally& tally_;
        Codes codes_;
        std::string stranger_;
        std::uint64_t position_;
        std::uint32_t step_;
    };

    template <class Source>
    std::uint64_t counted(const Source& source, std::uint64_t end, std::uint64_t position, std::uint32_t step) {
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
        while (size > 1) {  // the first group that does not come before the row; no branch depends on a value
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
            const int order = compared(doc, position, middle);
            on = order == 0;
            if (order <= 0)
                high = middle;
            else
                low = middle + 1;
        }
        if (on) low = high;
        return 2 * first + group + 2 * (low - first) + on;
    }

    int compared(View doc, std::uint64_t position, std::size_t document) const {
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
        last = Mark{std::string(row.query), row.score, row.rank};
        if (!first) first = last;
    }

    void note_disagreement(std::uint32_t query, View id) {
        if (query == none) {
            if (const auto at = strangers.find(std::string(id)); at != strangers.end()) at->second.disagrees = true;
        } else if (index_.pool.is_judged(query)) {
            disagrees[query] = true;
        }
    }

    void note_stranger(View id, std::uint64_t position) {
        std::string key(id);
        if (strangers.size() < limit_)
            strangers.try_emplace(std::move(key), Stranger{position, false});
        else
            more |= strangers.find(key) == strangers.end();
    }

    const Index& index_;
    const Policy& policy_;
    std::size_t limit_;
};

}  // namespace judged
