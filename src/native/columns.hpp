// Rows in columns: those of a `Run`, or of any Arrow table, read in place.
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "arrow.hpp"
#include "id.hpp"
#include "lines.hpp"
#include "pool.hpp"

namespace judged {

// Ids in one of the text layouts; dictionary-encoded if `index` is set.
struct Ids {
    enum class Form { slices, offsets32, offsets64, views };
    Form form = Form::slices;
    Slices slices{};
    const char* data = nullptr;
    const void* offsets = nullptr;
    const void* const* buffers = nullptr;  // of views
    const void* index = nullptr;
    int index_width = 0;
    bool index_signed = true;
    bool checked = true;  // known to contain no NUL

    std::size_t place(std::size_t i) const {
        switch (index_width) {
            case 1: return index_signed ? std::size_t(static_cast<const std::int8_t*>(index)[i]) : static_cast<const std::uint8_t*>(index)[i];
            case 2: return index_signed ? std::size_t(static_cast<const std::int16_t*>(index)[i]) : static_cast<const std::uint16_t*>(index)[i];
            case 4: return index_signed ? std::size_t(static_cast<const std::int32_t*>(index)[i]) : static_cast<const std::uint32_t*>(index)[i];
            case 8: return std::size_t(static_cast<const std::int64_t*>(index)[i]);
            default: return i;
        }
    }

    JUDGED_INLINE View operator[](std::size_t i) const {
        if (index) i = place(i);
        switch (form) {
            case Form::offsets32: return at<Form::offsets32>(i);
            case Form::offsets64: return at<Form::offsets64>(i);
            case Form::views: return at<Form::views>(i);
            default: return slices[i];
        }
    }

    // The same for a known layout without a dictionary.
    template <Form known>
    JUDGED_INLINE View at(std::size_t i) const {
        if constexpr (known == Form::views) {  // sixteen bytes: the size, then the text itself or a prefix, a buffer and an offset
            const char* view = static_cast<const char*>(offsets) + 16 * i;
            const auto size = std::size_t(load<std::int32_t>(view));
            if (size <= 12) return {view + 4, size};
            const auto* buffer = static_cast<const char*>(buffers[load<std::int32_t>(view + 8)]);
            return {buffer + load<std::int32_t>(view + 12), size};
        } else {
            using Offset = std::conditional_t<known == Form::offsets32, std::int32_t, std::int64_t>;
            const auto* from = static_cast<const Offset*>(offsets) + i;
            return {data + from[0], std::size_t(from[1] - from[0])};
        }
    }
};

// Numbers of one of the common types.
struct Numbers {
    char type = 0;  // as in Arrow: g f c C s S i I l L; 0 if there is no such column
    const void* data = nullptr;

    template <class T>
    T at(std::size_t i) const {
        switch (type) {
            case 'g': return T(static_cast<const double*>(data)[i]);
            case 'f': return T(static_cast<const float*>(data)[i]);
            case 'c': return T(static_cast<const std::int8_t*>(data)[i]);
            case 'C': return T(static_cast<const std::uint8_t*>(data)[i]);
            case 's': return T(static_cast<const std::int16_t*>(data)[i]);
            case 'S': return T(static_cast<const std::uint16_t*>(data)[i]);
            case 'i': return T(static_cast<const std::int32_t*>(data)[i]);
            case 'I': return T(static_cast<const std::uint32_t*>(data)[i]);
            case 'L': return T(static_cast<const std::uint64_t*>(data)[i]);
            default: return T(static_cast<const std::int64_t*>(data)[i]);
        }
    }
};

struct Batch {
    std::uint64_t first = 0, rows = 0;
    Ids query, doc;
    const std::int64_t* code = nullptr;  // rows of a `Run` have their query as a number
    Numbers score, rank;

    // Both ids as text in one layout, scores as doubles, no ranks: true of nearly every table.
    bool ordinary() const {
        return !code && !query.index && !doc.index && query.form == doc.form && score.type == 'g' && rank.type == 0;
    }
};

class Columns {
public:
    void add(Batch batch) {
        if (batch.rows == 0) return;
        batch.first = rows_;
        rows_ += batch.rows;
        batches_.push_back(batch);
    }

    std::uint64_t size() const { return rows_; }

    View view(std::uint64_t row, std::size_t) const {
        const Batch& batch = batch_of(row);
        return batch.doc[row - batch.first];
    }

    std::vector<std::uint64_t> parts(std::uint64_t rows, const Release& = {}) const {
        std::vector<std::uint64_t> begins{0};
        while (rows_ - begins.back() > 2 * rows) {
            const std::uint64_t next = next_query(begins.back() + rows);
            if (next >= rows_) break;
            begins.push_back(next);
        }
        begins.push_back(rows_);
        return begins;
    }

    template <class Each>
    std::uint64_t rows(Cells&, std::uint64_t begin, std::uint64_t end, Each& each) const {
        using Form = Ids::Form;
        std::uint64_t bad = nowhere;
        for (; begin < end && bad == nowhere;) {
            const Batch& batch = batch_of(begin);
            const std::uint64_t stop = std::min(end, batch.first + batch.rows);
            if constexpr (requires { each.turn(); }) each.turn();
            switch (batch.ordinary() ? batch.doc.form : Form::slices) {  // decided once, not for every row
                case Form::views: bad = ordinary_rows<Form::views>(batch, begin, stop, each); break;
                case Form::offsets32: bad = ordinary_rows<Form::offsets32>(batch, begin, stop, each); break;
                case Form::offsets64: bad = ordinary_rows<Form::offsets64>(batch, begin, stop, each); break;
                default: bad = any_rows(batch, begin, stop, each);
            }
            begin = stop;
        }
        return bad;
    }

    // Whether the rows of most queries are not consecutive, judged by a sample; never for less than half of a `part`.
    bool scattered(std::uint64_t part) const {
        const std::uint64_t looked_at = std::min<std::uint64_t>(2048, rows_ / 2);
        if (rows_ < part / 2 || looked_at < 2) return false;
        std::uint64_t changes = 0;
        for (const std::uint64_t start : {std::uint64_t{0}, rows_ / 2})
            for (std::uint64_t row = start + 1; row < start + looked_at; ++row) changes += !same(query_at(row), query_at(row - 1));
        return changes > looked_at / 4;
    }

    bool ranked() const {
        return std::any_of(batches_.begin(), batches_.end(), [](const Batch& b) { return b.rank.type != 0; });
    }

    // The query of every row in the pool, or none; queries given as numbers are looked up once.
    std::vector<std::uint32_t> queries(const Pool& pool) const {
        std::vector<std::uint32_t> out(rows_), known;
        for (const auto& batch : batches_) {
            std::uint32_t* const of_row = out.data() + batch.first;
            if (!batch.code && !batch.query.index) {
                look_up(pool, batch, of_row);
                continue;
            }
            known.clear();
            for (std::size_t i = 0; i < batch.rows; ++i) {
                const std::size_t code = batch.code ? std::size_t(batch.code[i]) : batch.query.place(i);
                if (code >= known.size()) known.resize(code + 1, none - 1);
                if (known[code] == none - 1) known[code] = pool.find_query(batch.query[batch.code ? code : i]);
                of_row[i] = known[code];
            }
        }
        return out;
    }

    View query_at(std::uint64_t row) const {
        const Batch& batch = batch_of(row);
        const std::size_t i = row - batch.first;
        return batch.query[batch.code ? std::size_t(batch.code[i]) : i];
    }

private:
    static void look_up(const Pool& pool, const Batch& batch, std::uint32_t* out) {
        View ids[Pool::together];
        for (std::size_t begin = 0; begin < batch.rows; begin += Pool::together) {
            const std::size_t count = std::min<std::size_t>(batch.rows - begin, Pool::together);
            for (std::size_t i = 0; i < count; ++i) ids[i] = batch.query[begin + i];
            pool.find_queries(ids, count, out + begin);
        }
    }

    template <Ids::Form form, class Each>
    static std::uint64_t ordinary_rows(const Batch& batch, std::uint64_t begin, std::uint64_t stop, Each& each) {
        const auto* score = static_cast<const double*>(batch.score.data);
        Row row;
        for (; begin < stop; ++begin) {
            const std::size_t i = begin - batch.first;
            row.query = batch.query.at<form>(i);
            row.doc = batch.doc.at<form>(i);
            row.begin = row.position = begin;
            row.score = score[i];
            if (is_bad(batch, row)) return begin;
            each(row);
        }
        return nowhere;
    }

    template <class Each>
    static std::uint64_t any_rows(const Batch& batch, std::uint64_t begin, std::uint64_t stop, Each& each) {
        const bool scored = batch.score.type != 0;
        std::int64_t code = -1;
        Row row;
        row.ranked = batch.rank.type != 0;
        for (; begin < stop; ++begin) {
            const std::size_t i = begin - batch.first;
            if (!batch.code) {
                row.query = batch.query[i];
                if (batch.query.index) row.code = std::int64_t(batch.query.place(i));
            } else if (batch.code[i] != code) {
                code = row.code = batch.code[i];
                row.query = batch.query[std::size_t(code)];
            }
            row.doc = batch.doc[i];
            row.begin = row.position = begin;
            if (row.ranked) row.rank = batch.rank.at<std::int64_t>(i);
            row.score = scored ? batch.score.at<double>(i) : -static_cast<double>(row.rank);
            if (is_bad(batch, row)) return begin;
            each(row);
        }
        return nowhere;
    }

    static bool is_bad(const Batch& batch, const Row& row) {
        if (std::isnan(row.score)) return true;
        if (batch.code) return false;
        constexpr std::int64_t exact = std::int64_t{1} << 53;  // the reader rejects larger ranks, and negative ones
        if (row.ranked && (row.rank >= exact || row.rank < 0)) return true;
        return row.query.empty() || row.doc.empty() || (!batch.doc.checked && holds_nul(row.doc)) ||
               (!batch.query.checked && holds_nul(row.query));
    }

    const Batch& batch_of(std::uint64_t row) const {
        if (batches_.size() == 1) return batches_[0];
        const auto after = std::upper_bound(batches_.begin(), batches_.end(), row,
                                            [](std::uint64_t r, const Batch& b) { return r < b.first; });
        return *(after - 1);
    }

    // The first row of the next query: exponential, then binary search.
    std::uint64_t next_query(std::uint64_t row) const {
        const View query = query_at(row);
        std::uint64_t low = row, high = row + 1;
        for (std::uint64_t far = 1; high < rows_ && same(query_at(high), query); far *= 2) {
            low = high;
            high = low + far;
        }
        high = std::min(high, rows_);
        while (high - low > 1) {
            const std::uint64_t middle = low + (high - low) / 2;
            (same(query_at(middle), query) ? low : high) = middle;
        }
        return high;
    }

    std::vector<Batch> batches_;
    std::uint64_t rows_ = 0;
};

// The batches of an Arrow stream, kept while they are in use.
class ArrowTable {
public:
    ~ArrowTable();
    // False if a column has a type, or contains a value, that only the reference handles. Columns are
    // given by position, -1 for none. `integer_…` says whether ids of queries and documents are integers.
    bool read(ArrowArrayStream* stream, int query, int doc, int score, int rank, bool integer_queries, bool integer_docs);
    const Columns& columns() const { return columns_; }

private:
    bool ids(const ArrowSchema& schema, const ArrowArray& array, bool integer, Ids& out);
    static bool numbers(const ArrowSchema& schema, const ArrowArray& array, bool only_integers, Numbers& out);

    Columns columns_;
    std::vector<ArrowArray> arrays_;
    std::vector<std::unique_ptr<std::string>> texts_;
    std::vector<std::unique_ptr<std::vector<std::int64_t>>> offsets_;
};

}  // namespace judged
