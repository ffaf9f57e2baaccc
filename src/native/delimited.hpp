// CSV and its relatives: cells between separators, some of them in quotes. The specification is io/formats/delimited.py, which
// reads what is unusual: ids with doubled quotes, a quote inside a cell, CR as the end of a line, decimal commas, bytes that are
// not UTF-8.
#pragma once

#include <cmath>

#include "judgment_lines.hpp"
#include "number.hpp"
#include "text.hpp"
#include "utf8.hpp"

namespace judged {

// The columns of each role, from 0; -1 for a role that has none.
struct DelimitedLayout {
    char separator = ',';
    bool spaced = false;  // blanks before a cell do not belong to it
    bool grades = false;  // the numbers are grades
    int columns = 0, query = 0, doc = 0, number = -1, rank = -1, aspect = -1;
};

class Delimited {
public:
    Delimited(const char* data, std::uint64_t start, std::uint64_t size, const DelimitedLayout& layout)
        : text_(data, start, size, '"'), layout_(layout) {}

    std::uint64_t size() const { return text_.size(); }
    View view(std::uint64_t position, std::size_t size) const { return {text_.at(position), size}; }

    std::vector<std::uint64_t> parts(std::uint64_t bytes, const Release& release = {}) const {
        return text_.parts(bytes, release, [this](std::uint64_t line) {
            return text_.next_query(line, [this](std::uint64_t at) { return query_at(at); });
        });
    }

    template <class Each>
    std::uint64_t rows(Cells&, std::uint64_t begin, std::uint64_t end, Each& each) const {
        Marks marks(layout_);
        std::uint64_t chunk = Text::step;
        while (begin < end) {
            const std::uint64_t border = text_.stretch_end(begin, end);
            const auto size = std::uint32_t(std::min(border - begin, chunk));
            const char* text = text_.at(begin);
            if (!marks.find(text, size, begin + size == border, text_.quoted())) return begin;
            if (marks.size == 0) {  // no complete line
                chunk *= 2;
                if (chunk > Text::longest_line) return begin;
                continue;
            }
            const std::uint64_t bad = marks.quotes ? line_rows<true>(marks, text, begin, each) : line_rows<false>(marks, text, begin, each);
            if (bad != nowhere) return bad;
            begin += marks.size;
            chunk = Text::step;
        }
        return nowhere;
    }

private:
    static constexpr std::uint32_t longest_cell = 131072;  // of Python's csv

    struct Cell {
        std::uint32_t begin, end;
    };

    // The separators, line ends and quotes of complete lines.
    struct Marks {
        explicit Marks(const DelimitedLayout& layout)
            : cells(std::size_t(layout.columns)), doubled(std::size_t(layout.columns)), separator(layout.separator) {}

        std::vector<std::uint32_t> edge, quote;
        std::vector<Cell> cells;            // of a line that has quotes
        std::vector<std::uint8_t> doubled;  // whether a cell has doubled quotes
        std::size_t edges = 0, lines = 0, quotes = 0;
        std::uint32_t size = 0;  // of the complete lines; 0 if there are none
        bool high = false;       // whether a byte is not ASCII
        bool breaks = false;     // whether a cell in quotes has a line break
        char separator;

        // Returns false for NUL, for CR without LF, and for a quote that the end leaves open.
        bool find(const char* text, std::uint32_t length, bool last, bool quoted) {
            const std::size_t words = (std::size_t{length} + 63) / 64;
            if (edge_.size() < words) {
                edge_.resize(words);
                quote_.resize(words);
                edge.resize(64 * words + slack);
                quote.resize(64 * words + slack);
            }
            std::uint64_t inside = 0, carriage = 0, wrong = 0;
            std::size_t last_word = words;
            std::uint64_t last_lines = 0;
            high = breaks = false;
            lines = 0;
            for (std::size_t i = 0; i < words; ++i) {
                const char* p = text + 64 * i;
                const std::size_t rest = length - 64 * i;
                const std::uint64_t here = rest >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << rest) - 1;
                const Masks mask = masks_at(p, quoted);
                const std::uint64_t newline = mask.newline & here;
                std::uint64_t outside = here;
                if (quoted) {
                    quote_[i] = mask.quote & here;
                    const std::uint64_t in = running_parity(quote_[i]) ^ inside;
                    inside = std::uint64_t(-std::int64_t(in >> 63));
                    outside &= ~in;
                }
                const std::uint64_t returns = mask.carriage & outside;
                wrong |= ((returns << 1 | carriage) & ~newline & here) | (mask.nul & here);
                carriage = returns >> 63;
                high |= mask.high;
                breaks |= ((newline | mask.carriage) & here & ~outside) != 0;
                edge_[i] = (mask.separator | newline) & outside;
                const std::uint64_t ends = newline & outside;
                lines += std::size_t(std::popcount(ends));
                if (ends) last_word = i, last_lines = ends;
            }
            size = length;
            std::size_t used = words;
            if (last) {
                if (inside || (length > 0 && text[length - 1] == '\r')) return false;
            } else if (last_word == words) {
                size = 0;
                return !wrong;
            } else {
                const auto end = std::uint32_t(64 - std::countl_zero(last_lines));
                size = std::uint32_t(64 * last_word) + end;
                used = last_word + 1;
                const std::uint64_t kept = end == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << end) - 1;
                edge_[last_word] &= kept;
                quote_[last_word] &= kept;
            }
            edges = flatten(edge_.data(), used, edge.data());
            if (size > 0 && text[size - 1] != '\n') edge[edges++] = size, ++lines;
            quotes = quoted ? flatten(quote_.data(), used, quote.data()) : 0;
            quote[quotes] = 0xFFFFFFFF;
            return !wrong;
        }

        // Whether each line has this many cells.
        bool is_regular(const char* text, std::size_t columns) const {
            bool regular = edges == columns * lines;
            for (std::size_t i = columns - 1; regular && i + 1 < edges; i += columns) regular = text[edge[i]] == '\n';
            return regular;
        }

    private:
        struct Masks {
            std::uint64_t separator = 0, newline = 0, carriage = 0, quote = 0, nul = 0;
            bool high = false;
        };

        JUDGED_INLINE Masks masks_at(const char* p, bool quoted) const {
            Masks masks;
#if defined(__SSE2__) || defined(_M_X64)
            const __m128i wanted = _mm_set1_epi8(separator);
            __m128i all = _mm_setzero_si128();
            std::uint64_t low = 0;
            for (int part = 0; part < 4; ++part) {
                const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p + 16 * part));
                const auto bits = [part](__m128i v) { return std::uint64_t(std::uint32_t(_mm_movemask_epi8(v))) << (16 * part); };
                masks.separator |= bits(_mm_cmpeq_epi8(bytes, wanted));
                masks.newline |= bits(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('\n')));
                low |= bits(_mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8('\r')), bytes));
                all = _mm_or_si128(all, bytes);
            }
            masks.high = _mm_movemask_epi8(all) != 0;
            if ((low & ~masks.newline & ~masks.separator) != 0) [[unlikely]] {  // other control characters are rare
                masks.carriage = equal_bytes(p, '\r');
                masks.nul = equal_bytes(p, '\0');
            }
#else
            masks = {equal_bytes(p, separator), equal_bytes(p, '\n'), equal_bytes(p, '\r'), 0, equal_bytes(p, '\0'), has_high_byte(p)};
#endif
            if (quoted) masks.quote = equal_bytes(p, '"');
            return masks;
        }

        static constexpr std::size_t slack = 64;

        std::vector<std::uint64_t> edge_, quote_;
    };

    template <bool Quoted, class Each>
    std::uint64_t line_rows(Marks& marks, const char* text, std::uint64_t begin, Each& each) const {
        const auto columns = std::size_t(layout_.columns);
        const bool regular = marks.is_regular(text, columns);
        const std::uint32_t* edge = marks.edge.data();
        const std::uint32_t* const end = edge + marks.edges;
        const std::uint32_t* quote = marks.quote.data();
        std::uint32_t line = 0;
        while (edge < end) {
            if (!regular) {
                if (is_line_end(marks, text, *edge) && (*edge == line || (*edge == line + 1 && text[line] == '\r'))) {  // a blank line
                    line = *edge++ + 1;
                    continue;
                }
                if (!has_columns(marks, text, edge, end)) return begin + line;
            }
            if constexpr (Quoted)
                if (!unquote(marks, text, line, edge, quote)) return begin + line;
            Row row;
            row.begin = begin + line;
            if (edge[columns - 1] - line > longest_cell || !read<Quoted>(marks, text, begin, line, edge, row)) return begin + line;
            each(row);
            edge += columns;
            line = edge[-1] + 1;
        }
        return nowhere;
    }

    static bool is_line_end(const Marks& marks, const char* text, std::uint32_t at) { return at == marks.size || text[at] == '\n'; }

    JUDGED_NOINLINE bool has_columns(const Marks& marks, const char* text, const std::uint32_t* edge, const std::uint32_t* end) const {
        if (end - edge < layout_.columns) return false;
        for (int i = 0; i + 1 < layout_.columns; ++i)
            if (text[edge[i]] == '\n') return false;
        return is_line_end(marks, text, edge[layout_.columns - 1]);
    }

    JUDGED_INLINE Cell cell_at(const char* text, std::uint32_t line, const std::uint32_t* edge, int column) const {
        Cell cell{column ? edge[column - 1] + 1 : line, edge[column]};
        if (column + 1 == layout_.columns && cell.end > cell.begin && text[cell.end - 1] == '\r') --cell.end;
        if (layout_.spaced)
            while (cell.begin < cell.end && text[cell.begin] == ' ') ++cell.begin;
        return cell;
    }

    // Finds the content of each cell of a line; false if a quote is neither around a cell nor doubled.
    bool unquote(Marks& marks, const char* text, std::uint32_t line, const std::uint32_t* edge, const std::uint32_t*& quote) const {
        for (int column = 0; column < layout_.columns; ++column) {
            Cell cell = cell_at(text, line, edge, column);
            auto& doubled = marks.doubled[std::size_t(column)] = false;
            if (*quote < cell.end) {
                if (*quote++ != cell.begin) return false;
                for (; *quote + 1 < cell.end; quote += 2, doubled = true)
                    if (quote[1] != quote[0] + 1 || quote[1] + 1 >= cell.end) return false;
                if (*quote++ + 1 != cell.end) return false;
                ++cell.begin, --cell.end;
            }
            marks.cells[std::size_t(column)] = cell;
        }
        return true;
    }

    template <bool Quoted>
    JUDGED_INLINE Cell cell_of(const Marks& marks, const char* text, std::uint32_t line, const std::uint32_t* edge, int column) const {
        if constexpr (Quoted) return marks.cells[std::size_t(column)];
        return cell_at(text, line, edge, column);
    }

    template <bool Quoted>
    JUDGED_INLINE bool id_of(const Marks& marks, const char* text, std::uint32_t line, const std::uint32_t* edge, int column, View& id) const {
        const Cell cell = cell_of<Quoted>(marks, text, line, edge, column);
        id = {text + cell.begin, cell.end - cell.begin};
        if (id.empty() || (marks.high && !is_utf8(id))) return false;
        return !Quoted || (!marks.doubled[std::size_t(column)] && !(marks.breaks && id.find_first_of("\r\n") != View::npos));
    }

    template <bool Quoted>
    JUDGED_INLINE bool read(const Marks& marks, const char* text, std::uint64_t begin, std::uint32_t line, const std::uint32_t* edge,
                            Row& row) const {
        if (!id_of<Quoted>(marks, text, line, edge, layout_.query, row.query) ||
            !id_of<Quoted>(marks, text, line, edge, layout_.doc, row.doc) ||
            (layout_.aspect >= 0 && !id_of<Quoted>(marks, text, line, edge, layout_.aspect, row.aspect)))
            return false;
        row.position = begin + std::uint64_t(row.doc.data() - text);
        if (layout_.rank >= 0) {
            const Cell cell = cell_of<Quoted>(marks, text, line, edge, layout_.rank);
            const std::size_t size = cell.end - cell.begin;
            if (size == 0 || size > 15 || !rank_of(text + cell.begin, size, row.rank)) return false;
            row.ranked = true;
        }
        if (layout_.number < 0) {
            row.score = row.ranked ? -double(row.rank) : 1;
            return true;
        }
        Cell cell = cell_of<Quoted>(marks, text, line, edge, layout_.number);
        while (cell.begin < cell.end && is_space(text[cell.begin])) ++cell.begin;
        while (cell.end > cell.begin && is_space(text[cell.end - 1])) --cell.end;
        return cell.begin < cell.end && score_of(text + cell.begin, cell.end - cell.begin, row.score) &&
               (!layout_.grades || std::fabs(row.score) <= largest_grade);
    }

    static bool is_space(char c) { return c == ' ' || c == '\t'; }

    View query_at(std::uint64_t line) const {
        const char* p = text_.data() + line;
        const char* const end = text_.data() + text_.size();
        for (int column = 0; column < layout_.query && p < end && *p != '\n'; ++p) column += *p == layout_.separator;
        const char* stop = p;
        while (stop < end && *stop != '\n' && *stop != layout_.separator) ++stop;
        return {p, std::size_t(stop - p)};
    }

    Text text_;
    DelimitedLayout layout_;
};

}  // namespace judged
