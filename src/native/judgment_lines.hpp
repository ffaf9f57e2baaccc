// Judgments in TREC lines: `query subtopic doc grade`. The specification is io/formats/trec.py, which reads what is unusual:
// lines that begin with #, other numbers of cells, both tabs and spaces. As trec_eval reads them (io/formats/trec_eval.py), no line
// is blank, and grades are integers.
#pragma once

#include <cmath>

#include "number.hpp"
#include "text.hpp"

namespace judged {

inline constexpr double largest_grade = 9007199254740992;  // 2^53

class JudgmentLines {
public:
    JudgmentLines(const char* data, std::uint64_t start, std::uint64_t size, bool lenient)
        : text_(data, start, size), lenient_(lenient) {}

    std::uint64_t size() const { return text_.size(); }
    View view(std::uint64_t position, std::size_t size) const { return {text_.at(position), size}; }

    std::vector<std::uint64_t> parts(std::uint64_t bytes, const Release& release = {}) const {
        return text_.parts(bytes, release, [](std::uint64_t line) { return line; });
    }

    template <class Each>
    std::uint64_t rows(Cells& cells, std::uint64_t begin, std::uint64_t end, Each& each) const {
        return text_.cells(cells, begin, end, columns, [&](const char* text, std::uint64_t at) {
            if (lenient_ && has_other_blanks(text, cells.size)) return at;
            switch (cells.form) {
                case Cells::Form::regular: return regular_rows(cells, text, at, each);
                case Cells::Form::spaced: return spaced_rows(cells, text, at, each);
                default: return at;
            }
        });
    }

private:
    static constexpr std::size_t columns = 4;

    template <class Each>
    std::uint64_t regular_rows(const Cells& cells, const char* text, std::uint64_t begin, Each& each) const {
        const std::uint32_t* edge = cells.edge.data();
        std::uint32_t line = 0;
        for (std::size_t i = 0; i < cells.lines; ++i, edge += columns) {
            const std::uint32_t at[] = {line, edge[0], edge[0] + 1, edge[1], edge[1] + 1, edge[2], edge[2] + 1, edge[3]};
            if (!judgment(text, begin, line, at, each)) return begin + line;
            line = edge[3] + 1;
        }
        return nowhere;
    }

    template <class Each>
    std::uint64_t spaced_rows(const Cells& cells, const char* text, std::uint64_t begin, Each& each) const {
        const std::uint32_t* edge = cells.edge.data();
        std::uint32_t line = 0;
        for (std::size_t i = 0; i < cells.lines; ++i) {
            const std::uint32_t end = cells.newline[i];
            if (*edge < end) {  // the line is not blank
                const bool four = edge[2 * columns - 1] <= end && edge[2 * columns] > end;
                if (!four || !judgment(text, begin, line, edge, each)) return begin + line;
                edge += 2 * columns;
            } else if (lenient_) {
                return begin + line;
            }
            line = end + 1;
        }
        return nowhere;
    }

    // `edge` has the beginning and end of each cell.
    template <class Each>
    JUDGED_INLINE bool judgment(const char* text, std::uint64_t begin, std::uint32_t line, const std::uint32_t* edge, Each& each) const {
        Row row;
        row.query = {text + edge[0], edge[1] - edge[0]};
        row.aspect = {text + edge[2], edge[3] - edge[2]};
        row.doc = {text + edge[4], edge[5] - edge[4]};
        row.begin = begin + line;
        row.position = begin + edge[4];
        if (!score_of(text + edge[6], edge[7] - edge[6], row.score) || !(std::fabs(row.score) <= largest_grade) || text[line] == '#')
            return false;
        if (lenient_ && !is_integer({text + edge[6], edge[7] - edge[6]})) return false;
        each(row);
        return true;
    }

    static bool is_integer(View cell) {
        if (cell[0] == '+' || cell[0] == '-') cell.remove_prefix(1);
        return std::all_of(cell.begin(), cell.end(), is_digit);
    }

    static bool has_other_blanks(const char* text, std::uint32_t size) {
        return std::memchr(text, '\v', size) || std::memchr(text, '\f', size);
    }

    Text text_;
    bool lenient_;
};

}  // namespace judged
