// TREC lines: `query Q0 doc rank score tag`. The specification is io/formats/trec.py.
#pragma once

#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "number.hpp"
#include "strip.hpp"
#include "text.hpp"

namespace judged {

class Lines {
public:
    Lines(const char* data, std::uint64_t start, std::uint64_t size) : text_(data, start, size) {}

    std::uint64_t size() const { return text_.size(); }
    View view(std::uint64_t position, std::size_t size) const { return {text_.at(position), size}; }

    // Chunks of about this many bytes, each beginning with a new query.
    std::vector<std::uint64_t> parts(std::uint64_t bytes, const Release& release = {}) const {
        return text_.parts(bytes, release, [this](std::uint64_t line) {
            return text_.next_query(line, [this](std::uint64_t at) { return query_at(at); });
        });
    }

    // Where the lines of the first query end, and where those of the last query begin.
    std::pair<std::uint64_t, std::uint64_t> query_edges() const {
        const auto query = [this](std::uint64_t line) { return query_at(line); };
        std::uint64_t first = text_.start();
        while (first < size() && Text::is_space(text_.data()[first])) ++first;
        return {text_.next_query(first, query), text_.last_query(query)};
    }

    // Calls `each` for every row from `begin` to `end`. Returns the offset of the first invalid line, or `nowhere`.
    template <class Each>
    std::uint64_t rows(Cells& cells, std::uint64_t begin, std::uint64_t end, Each& each) const {
        bool alike = true;  // whether the last lines resembled each other
        while (begin < end) {
            const std::uint64_t border = text_.stretch_end(begin, end);
            const char* text = text_.at(begin);
            const void* newline = alike ? std::memchr(text, '\n', std::min(border - begin, Text::step)) : nullptr;
            const std::uint64_t next = newline ? begin + std::uint64_t(static_cast<const char*>(newline) - text) + 1
                                               : std::min(text_.line_after(begin + Text::step), border);
            const std::uint64_t bad = text_.cells(cells, begin, next, 6, [&](const char* chunk, std::uint64_t at) {
                return chunk_rows(cells, chunk, at, each);
            });
            if (bad != nowhere) return bad;
            alike = !newline;
            begin = next;
            if (!newline || cells.form != Cells::Form::regular || text[0] == '#') continue;
            begin = rows_alike(cells.edge.data(), text, next, border, each);
            alike = begin > next;
        }
        return nowhere;
    }

private:
    // Calls `each` for the lines after a line with these ends of cells that have the same bytes before the document and after
    // the score, as most have: only the other cells are looked at. Returns the offset of the first other line.
    template <class Each>
    static std::uint64_t rows_alike(const std::uint32_t* edge, const char* text, std::uint64_t begin, std::uint64_t end, Each& each) {
        const Pattern head(text, edge[1] + 1), tail(text + edge[4], edge[5] + 1 - edge[4]);
        if (head.size() > Strip::readable || tail.size() > Strip::readable) return begin;
        Strip strip;
        strip.query = View(text, edge[0]);
        strip.prefix = head.size();
        const char blank = text[edge[1]];
        const char* line = text + edge[5] + 1;
        const char* const last = line + (end - begin);
        do {
            strip.begin = begin;
            const char* next = strip.take(line, last, head, tail, blank);
            if (strip.size > 0) take(strip, each);
            begin += std::uint64_t(next - line);
            line = next;
        } while (strip.size == Strip::most);
        return begin;
    }

    template <class Each>
    JUDGED_INLINE static void take(const Strip& strip, Each& each) {
        if constexpr (requires { each.strip(strip); }) {
            each.strip(strip);
        } else {
            for (std::size_t i = 0; i < strip.size; ++i) each(row_of(strip, i));
        }
    }

    static Row row_of(const Strip& strip, std::size_t i) {
        const std::uint64_t position = strip.position(i);
        const std::int64_t rank = std::max<std::int64_t>(strip.rank[i], 0);
        return {strip.query, strip.doc(i), position - strip.prefix, position, strip.score[i], rank, strip.rank[i] >= 0};
    }

    template <class Each>
    static std::uint64_t chunk_rows(Cells& cells, const char* text, std::uint64_t begin, Each& each) {
        if (cells.form != Cells::Form::regular) return odd_rows(cells, text, begin, each);
        // Scores first: divisions are slow, and here they overlap.
        const std::size_t scored = read_scores(cells, text);
        const std::uint32_t* edge = cells.edge.data();
        std::uint32_t line = 0;
        for (std::size_t i = 0; i < scored; ++i, edge += 6) {
            if (text[line] != '#' || (edge[0] > line + 1 && cells.score[i] == cells.score[i])) [[likely]] {
                Row row;
                const Cell rank{edge[2] + 1, edge[3]};
                row.query = Cell{line, edge[0]}.of(text);
                row.doc = Cell{edge[1] + 1, edge[2]}.of(text);
                row.begin = begin + line;
                row.position = begin + edge[1] + 1;
                row.ranked = rank_of(text + rank.begin, rank.size(), row.rank);
                row.score = cells.score[i];
                each(row);
            }
            line = edge[5] + 1;
        }
        return scored == cells.lines ? nowhere : begin + line;
    }

    // Reads the score of each line, up to the first that has none; NaN for a comment.
    static std::size_t read_scores(Cells& cells, const char* text) {
        if (cells.score.size() < cells.lines) cells.score.resize(cells.lines);
        const std::uint32_t* edge = cells.edge.data();
        std::uint32_t line = 0;
        for (std::size_t i = 0; i < cells.lines; ++i, edge += 6) {
            const Cell score{edge[3] + 1, edge[4]};
            if (!score_of(text + score.begin, score.size(), cells.score[i])) [[unlikely]] {
                if (!is_comment(Cell{line, edge[0]}.of(text), score.of(text))) return i;
                cells.score[i] = std::numeric_limits<double>::quiet_NaN();
            }
            line = edge[5] + 1;
        }
        return cells.lines;
    }

    template <class Each>
    JUDGED_NOINLINE static std::uint64_t odd_rows(const Cells& cells, const char* text, std::uint64_t begin, Each& each) {
        const std::uint32_t* edge = cells.edge.data();
        const bool spaced = cells.form == Cells::Form::spaced;
        std::uint32_t line = 0;
        for (std::size_t i = 0; i < cells.lines; ++i) {
            const std::uint32_t end = cells.newline[i];
            Row row;
            Kind kind = Kind::row;
            if (spaced && edge[11] <= end && edge[12] > end && text[line] != '#') {
                if (!parse(text, begin, line, {edge[0], edge[1]}, {edge[4], edge[5]}, {edge[6], edge[7]},
                           {edge[8], edge[9]}, row))
                    kind = Kind::bad;
                edge += 12;
            } else {
                kind = odd_line(text, begin, line, end, row);
                while (spaced && *edge < end) edge += 2;
            }
            if (kind == Kind::bad) return begin + line;
            if (kind == Kind::row) each(row);
            line = end + 1;
        }
        return nowhere;
    }

    enum class Kind { row, nothing, bad };

    // Whether a line of six cells without a valid score is a comment: it begins with # alone, or with # and has no number there.
    static bool is_comment(View query, View score) {
        if (score.size() > 3 && (score[0] == '+' || score[0] == '-')) score.remove_prefix(1);
        return query[0] == '#' && (query.size() == 1 || !detail::equals_ignoring_case(score, "nan"));
    }

    struct Cell {
        std::uint32_t begin, end;

        std::size_t size() const { return end - begin; }
        View of(const char* text) const { return {text + begin, size()}; }
    };

    JUDGED_INLINE static bool parse(const char* text, std::uint64_t begin, std::uint32_t line, Cell query, Cell doc, Cell rank,
                      Cell score, Row& row) {
        row.query = query.of(text);
        row.doc = doc.of(text);
        row.begin = begin + line;
        row.position = begin + doc.begin;
        row.ranked = rank_of(text + rank.begin, rank.size(), row.rank);
        return score_of(text + score.begin, score.size(), row.score);
    }

    // A line that is blank, begins with #, has too few or too many cells, or both tabs and spaces: if tabs alone
    // separate six cells, a space belongs to an id. A line that begins with # is a comment unless it is a row.
    JUDGED_NOINLINE static Kind odd_line(const char* text, std::uint64_t begin, std::uint32_t line, std::uint32_t end, Row& row) {
        const Kind wrong = text[line] == '#' ? Kind::nothing : Kind::bad;
        const auto parsed = [&](const Cell* cell) {
            if (wrong == Kind::nothing && cell[0].size() == 1) return Kind::nothing;
            if (parse(text, begin, line, cell[0], cell[2], cell[3], cell[4], row)) return Kind::row;
            return wrong == Kind::nothing && is_comment(cell[0].of(text), cell[4].of(text)) ? Kind::nothing : Kind::bad;
        };
        std::uint32_t tabs = 0, spaces = 0;
        std::size_t count = 0;
        Cell cell[6];
        for (std::uint32_t i = line; i < end; ++i) {
            if (text[i] == '\0') return Kind::bad;
            tabs += text[i] == '\t';
            spaces += text[i] == ' ';
            if (is_separator(text[i])) continue;
            const bool first = i == line || is_separator(text[i - 1]);
            if (first && count < 6) cell[count].begin = i;
            count += first;
            if (count <= 6) cell[count - 1].end = i + 1;
        }
        if (count == 0) return Kind::nothing;
        if (count == 6 && !(tabs == 5 && spaces > 0)) return parsed(cell);
        if (tabs != 5) return wrong;
        while (end > line && text[end - 1] == '\r') --end;
        std::uint32_t from = line;
        for (Cell& c : cell) {
            std::uint32_t to = from;
            while (to < end && text[to] != '\t') ++to;
            c = {from, to};
            while (c.begin < c.end && Text::is_space(text[c.begin])) ++c.begin;
            while (c.end > c.begin && Text::is_space(text[c.end - 1])) --c.end;
            if (c.size() == 0) return wrong;
            from = to + 1;
        }
        return parsed(cell);
    }

    static bool is_separator(char c) { return c == ' ' || c == '\t' || c == '\r'; }

    View query_at(std::uint64_t line) const {
        while (line < size() && is_separator(text_.data()[line])) ++line;
        std::uint64_t end = line;
        while (end < size() && !is_separator(text_.data()[end]) && text_.data()[end] != '\n') ++end;
        return {text_.data() + line, end - line};
    }

    Text text_;
};

}  // namespace judged
