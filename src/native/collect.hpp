// All rows of a source as columns. Ids are copied, so that the source is not needed any longer.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <unordered_map>
#include <vector>

#include "parallel.hpp"
#include "text.hpp"

namespace judged {

// Memory that is not touched before it is written.
template <class T>
struct Block {
    std::unique_ptr<T[]> data;
    std::size_t size = 0;

    Block() = default;
    explicit Block(std::size_t count) : data(new T[count]), size(count) {}
};

// Ids as slices of one buffer, which ends with padding (core/ids.py).
struct IdBlock {
    static constexpr std::size_t padding = 8;

    Block<std::uint8_t> buffer;
    Block<std::int64_t> start;
    Block<std::int32_t> length;

    IdBlock() = default;
    IdBlock(std::size_t bytes, std::size_t rows) : buffer(bytes + padding), start(rows), length(rows) {
        std::memset(buffer.data.get() + bytes, 0, padding);
    }
};

struct Collected {
    std::uint64_t bad = nowhere;  // where the first row begins that the source does not take; nothing else is set then
    std::size_t rows = 0;
    IdBlock queries;  // each once, in order of appearance
    Block<std::int64_t> query;
    IdBlock doc;
    Block<double> number;
    Block<std::int64_t> rank;       // empty if some row has none
    std::size_t unranked = 0;       // the first row without a rank, or `rows`
    IdBlock aspect;                 // one id if all rows have the same
    std::uint64_t last = 0;         // where the last row begins
};

template <class Source>
class Collect {
public:
    explicit Collect(const Source& source) : source_(source) {}

    Collected run(unsigned threads, std::uint64_t bytes, const Progress& progress) {
        const auto begins = source_.parts(bytes);
        parts_ = std::vector<Part>(begins.size() - 1);
        threads = unsigned(std::clamp<std::size_t>(parts_.size(), 1, threads));
        std::vector<Cells> cells(threads);
        in_parallel(threads, parts_.size(), progress, source_.size(), [&](std::size_t worker, std::size_t i) {
            Part& part = parts_[i];
            part.bad = source_.rows(cells[worker], begins[i], begins[i + 1], part);
            return begins[i + 1] - begins[i];
        });
        return merge();
    }

private:
    // A column of ids of a part.
    struct Ids {
        std::vector<char> bytes;
        std::vector<std::uint32_t> length;

        void add(View id) {
            bytes.insert(bytes.end(), id.begin(), id.end());
            length.push_back(std::uint32_t(id.size()));
        }
    };

    struct Turn {  // the rows from here on belong to this query
        View query;
        std::size_t row;
    };

    static constexpr std::size_t all = ~std::size_t{0};

    struct Part {
        Ids doc, aspect;  // aspects only if they differ
        std::vector<double> number;
        std::vector<std::int64_t> rank;
        std::vector<Turn> turns;
        View first_aspect{};
        std::size_t unranked = all;
        std::uint64_t bad = nowhere, last = 0;
        bool varied = false;

        JUDGED_INLINE void operator()(const Row& row) {
            if (turns.empty() || !same(row.query, turns.back().query)) turns.push_back({row.query, number.size()});
            if (number.empty()) first_aspect = row.aspect;
            if (varied || !same(row.aspect, first_aspect)) [[unlikely]]
                vary(row.aspect);
            if (row.ranked)
                rank.push_back(row.rank);
            else if (unranked == all)
                unranked = number.size();
            doc.add(row.doc);
            number.push_back(row.score);
            last = row.begin;
        }

        JUDGED_NOINLINE void vary(View id) {
            if (!varied)
                for (std::size_t i = 0; i < number.size(); ++i) aspect.add(first_aspect);
            varied = true;
            aspect.add(id);
        }
    };

    Collected merge() {
        Collected out;
        std::size_t bytes = 0;
        const Part* before = nullptr;
        bool varied = false;
        out.unranked = all;
        for (const Part& part : parts_) {
            if (part.bad != nowhere) {
                out.bad = part.bad;
                return out;
            }
            if (part.number.empty()) continue;
            if (part.unranked != all) out.unranked = std::min(out.unranked, out.rows + part.unranked);
            varied |= part.varied || (before && !same(before->first_aspect, part.first_aspect));
            out.rows += part.number.size();
            out.last = part.last;
            bytes += part.doc.bytes.size();
            before = &part;
        }
        out.unranked = std::min(out.unranked, out.rows);
        merge_queries(out);
        merge_aspects(out, varied);
        out.doc = IdBlock(bytes, out.rows);
        out.number = Block<double>(out.rows);
        if (out.unranked == out.rows) out.rank = Block<std::int64_t>(out.rows);
        std::size_t row = 0, byte = 0;
        for (Part& part : parts_) {
            append(out.doc, part.doc, row, byte);
            std::copy(part.number.begin(), part.number.end(), out.number.data.get() + row);
            if (out.rank.data) std::copy(part.rank.begin(), part.rank.end(), out.rank.data.get() + row);
            row += part.number.size();
            part = Part();
        }
        return out;
    }

    static void append(IdBlock& out, const Ids& ids, std::size_t row, std::size_t& byte) {
        std::copy(ids.bytes.begin(), ids.bytes.end(), out.buffer.data.get() + byte);
        for (const std::uint32_t length : ids.length) {
            out.start.data[row] = std::int64_t(byte);
            out.length.data[row++] = std::int32_t(length);
            byte += length;
        }
    }

    static IdBlock block_of(const Ids& ids) {
        IdBlock out(ids.bytes.size(), ids.length.size());
        std::size_t byte = 0;
        append(out, ids, 0, byte);
        return out;
    }

    void merge_queries(Collected& out) const {
        out.query = Block<std::int64_t>(out.rows);
        std::unordered_map<View, std::int64_t> known;
        Ids names;
        std::int64_t* row = out.query.data.get();
        for (const Part& part : parts_)
            for (std::size_t i = 0; i < part.turns.size(); ++i) {
                const auto [query, from] = part.turns[i];
                const std::size_t to = i + 1 < part.turns.size() ? part.turns[i + 1].row : part.number.size();
                const auto [at, is_new] = known.try_emplace(query, std::int64_t(known.size()));
                if (is_new) names.add(query);
                row = std::fill_n(row, to - from, at->second);
            }
        out.queries = block_of(names);
    }

    void merge_aspects(Collected& out, bool varied) const {
        Ids ids;
        for (const Part& part : parts_) {
            for (std::size_t i = 0; varied && !part.varied && i < part.number.size(); ++i) ids.add(part.first_aspect);
            ids.bytes.insert(ids.bytes.end(), part.aspect.bytes.begin(), part.aspect.bytes.end());
            ids.length.insert(ids.length.end(), part.aspect.length.begin(), part.aspect.length.end());
            if (!varied && !part.number.empty()) {
                ids.add(part.first_aspect);
                break;
            }
        }
        out.aspect = block_of(ids);
    }

    const Source& source_;
    std::vector<Part> parts_;
};

}  // namespace judged
