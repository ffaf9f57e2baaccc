// A text in memory, cut into chunks of whole lines; and the rows that a source makes of it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <vector>

#include "blank.hpp"
#include "id.hpp"

namespace judged {

// One document of a ranking, or one judgment, whose grade is `score`. `begin` is its offset in the source; `position`
// locates its id.
struct Row {
    View query, doc;
    std::uint64_t begin, position;
    double score;
    std::int64_t rank = 0;
    bool ranked = false;  // whether `rank` is set
    std::int64_t code = -1;  // of the query, if the source has one; constant within a batch
    View aspect{};           // of a judgment, if the source has one
};

inline constexpr std::uint64_t nowhere = ~std::uint64_t{0};

// Called with the begin and the end of bytes that have been read: the pages of a mapped file between them can be dropped.
using Release = std::function<void(std::uint64_t, std::uint64_t)>;

// Chunks of about this many bytes, from `start` to `size`. `next(position)`: the first place from there on at which one may begin.
// One byte of a mapped file brings up to two megabytes into memory, so pages are released chunk by chunk, not at the end.
template <class Next>
std::vector<std::uint64_t> cut(std::uint64_t start, std::uint64_t size, std::uint64_t bytes, const Release& release, Next&& next) {
    std::vector<std::uint64_t> begins{start};
    while (size - begins.back() > 2 * bytes) {
        const std::uint64_t begin = next(begins.back() + bytes);
        if (begin >= size) break;
        if (release) release(begins.back(), begin);
        begins.push_back(begin);
    }
    begins.push_back(size);
    return begins;
}

// The first row of the next query, if rows of one query are adjacent: exponential, then binary search. `after(position)`: the first row
// from there on, or the end.
template <class After, class QueryAt>
std::uint64_t next_query(std::uint64_t row, std::uint64_t size, After&& after, QueryAt&& query_at) {
    constexpr std::uint64_t step = 16 << 10;
    if (row >= size) return size;
    const View query = query_at(row);
    std::uint64_t low = row, high = row;
    for (std::uint64_t far = step; high < size; far *= 2) {
        high = after(low + far);
        if (high < size && query_at(high) == query)
            low = high;
        else
            break;
    }
    while (high - low > step) {
        const std::uint64_t middle = after(low + (high - low) / 2);
        if (middle >= high) break;
        (query_at(middle) == query ? low : high) = middle;
    }
    while (low < high && query_at(low) == query) low = after(low);
    return low;
}

// The bytes from `start` to `size`. 256 bytes after every byte are readable through `at`: the last lines are copied.
class Text {
public:
    // With `quote`, a line break between quotes ends no line.
    Text(const char* data, std::uint64_t start, std::uint64_t size, char quote = 0) : data_(data), start_(start), size_(size) {
        tail_at_ = size > start + overlap ? line_before(size - overlap) : start;
        if (quote && std::memchr(data + start, quote, size - start)) quote_ = quote;
        if (quote_) {
            for (std::uint64_t before = count_quotes(start, tail_at_); before % 2;) {
                const std::uint64_t line = line_before(tail_at_ - 1);
                before -= count_quotes(line, tail_at_);
                tail_at_ = line;
            }
        }
        const std::uint64_t rest = size - tail_at_;
        tail_ = std::make_unique<char[]>(rest + padding);
        std::memcpy(tail_.get(), data + tail_at_, rest);
        std::memset(tail_.get() + rest, ' ', padding);
    }

    const char* data() const { return data_; }
    std::uint64_t start() const { return start_; }
    std::uint64_t size() const { return size_; }
    bool quoted() const { return quote_ != 0; }
    const char* at(std::uint64_t position) const {
        return position < tail_at_ ? data_ + position : tail_.get() + (position - tail_at_);
    }

    // The end of the bytes that are readable in one stretch with those at a position.
    std::uint64_t stretch_end(std::uint64_t position, std::uint64_t end) const {
        return position < tail_at_ ? std::min(end, tail_at_) : end;
    }

    // The first line that begins at or after a position, or the end.
    std::uint64_t line_after(std::uint64_t position) const {
        if (position >= size_) return size_;
        const void* end = std::memchr(data_ + position, '\n', size_ - position);
        return end ? std::uint64_t(static_cast<const char*>(end) - data_) + 1 : size_;
    }

    // Chunks of about this many bytes; each begins where `begin_of`, applied to the beginning of a line, says. If there are
    // quotes, each begins with any line.
    template <class Begin>
    std::vector<std::uint64_t> parts(std::uint64_t bytes, const Release& release, Begin&& begin_of) const {
        return cut(start_, size_, bytes, release, [&](std::uint64_t at) {
            return quote_ ? line_outside_quotes(at - bytes, bytes) : begin_of(line_after(at));
        });
    }

    // The first line of the next query, if rows of one query are adjacent.
    template <class QueryAt>
    std::uint64_t next_query(std::uint64_t line, QueryAt&& query_at) const {
        return judged::next_query(line, size_, [&](std::uint64_t at) { return line_after(at); }, query_at);
    }

    static bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

    // The first line of the last query, without regard to blank lines after it: the same from the end.
    template <class QueryAt>
    std::uint64_t last_query(QueryAt&& query_at) const {
        std::uint64_t end = size_;
        while (end > start_ && is_space(data_[end - 1])) --end;
        std::uint64_t high = line_before(end), low = high;
        const View query = query_at(high);
        for (std::uint64_t far = step; low > start_ && query_at(low) == query; far *= 2) {
            high = low;
            low = line_before(low - std::min(far, low - start_));
        }
        if (query_at(low) == query) return low;
        while (high - low > step) {
            const std::uint64_t middle = line_after(low + (high - low) / 2);
            if (middle >= high) break;
            (query_at(middle) == query ? high : low) = middle;
        }
        do low = line_after(low);
        while (low < high && query_at(low) != query);
        return low;
    }

    // Finds the cells of some lines at a time, and calls `read(text, begin)`, which returns the offset of the first invalid
    // line, or `nowhere`; so does this.
    template <class Read>
    std::uint64_t cells(Cells& cells, std::uint64_t begin, std::uint64_t end, std::size_t columns, Read&& read) const {
        std::uint64_t chunk = step;
        while (begin < end) {
            const std::uint64_t border = stretch_end(begin, end);
            const auto size = std::uint32_t(std::min(border - begin, chunk));
            const char* text = at(begin);
            cells.find(text, size, begin + size == border, columns);
            if (cells.size == 0) {  // no complete line
                chunk *= 2;
                if (chunk > longest_line) return begin;
                continue;
            }
            const std::uint64_t bad = read(text, begin);
            if (bad != nowhere) return bad;
            begin += cells.size;
            chunk = step;
        }
        return nowhere;
    }

    static constexpr std::uint64_t longest_line = std::uint64_t{64} << 20;
    static constexpr std::uint64_t step = 16 << 10;    // a chunk fits into the processor's cache

private:
    static constexpr std::uint64_t overlap = 4 << 10;  // copied, so that words can be read past the end
    static constexpr std::uint64_t padding = 256;

    std::uint64_t count_quotes(std::uint64_t from, std::uint64_t to) const {
        std::uint64_t count = 0;
        for (; to - from >= 64; from += 64) count += std::uint64_t(std::popcount(equal_bytes(data_ + from, quote_)));
        for (; from < to; ++from) count += data_[from] == quote_;
        return count;
    }

    // The first line at least so many bytes after a line.
    std::uint64_t line_outside_quotes(std::uint64_t line, std::uint64_t bytes) const {
        std::uint64_t next = line_after(line + bytes);
        for (std::uint64_t quotes = count_quotes(line, next); quotes % 2 && next < size_;) {
            line = next;
            next = line_after(line);
            quotes += count_quotes(line, next);
        }
        return next;
    }

    std::uint64_t line_before(std::uint64_t position) const {
        while (position > start_ && data_[position - 1] != '\n') --position;
        return position;
    }

    const char* data_;
    std::uint64_t start_, size_, tail_at_;
    char quote_ = 0;
    std::unique_ptr<char[]> tail_;
};

}  // namespace judged
