// LETOR and SVMlight lines: `label qid:… features # document`. The specification is io/formats/letor.py, which reads every
// other line: comments and blank lines too.
#pragma once

#include <charconv>
#include <cmath>

#include "judgment_lines.hpp"
#include "number.hpp"
#include "text.hpp"

namespace judged {

// Whole lines; `line` is the number of the first. The id of a document that no comment names is the number of its line,
// which is valid only while its row is.
class Letor {
public:
    Letor(const char* data, std::uint64_t start, std::uint64_t size, std::uint64_t line) : text_(data, start, size), line_(line) {}

    std::uint64_t size() const { return text_.size(); }
    View view(std::uint64_t position, std::size_t size) const { return {text_.at(position), size}; }

    // One part: lines are counted from the first.
    std::vector<std::uint64_t> parts(std::uint64_t, const Release& = {}) const { return {text_.start(), text_.size()}; }

    template <class Each>
    std::uint64_t rows(Cells&, std::uint64_t begin, std::uint64_t end, Each& each) const {
        char digits[24];
        for (std::uint64_t line = line_; begin < end; ++line) {
            const std::uint64_t border = text_.stretch_end(begin, end);
            const char* p = text_.at(begin);
            const char* stop = static_cast<const char*>(std::memchr(p, '\n', border - begin));
            if (!stop) stop = p + (border - begin);
            Row row;
            const char* rest = read_start(p, stop, row);
            if (!rest || std::uint64_t(stop - p) > Text::longest_line) return begin;
            row.begin = begin;
            const char* note = static_cast<const char*>(std::memchr(rest, '#', std::size_t(stop - rest)));
            row.doc = note ? document({note + 1, std::size_t(stop - note - 1)}) : View();
            if (row.doc.empty()) row.doc = {digits, std::size_t(std::to_chars(digits, digits + sizeof digits, line).ptr - digits)};
            row.position = begin;
            each(row);
            begin += std::uint64_t(stop - p) + 1;
        }
        return nowhere;
    }

private:
    static bool is_blank(char c) { return c == ' ' || c == '\t'; }
    static const char* skip_blanks(const char* p, const char* end) {
        while (p < end && is_blank(*p)) ++p;
        return p;
    }

    // Reads the label and the query; returns where the features begin, or null.
    static const char* read_start(const char* p, const char* end, Row& row) {
        p = skip_blanks(p, end);
        const char* label = p;
        while (p < end && !is_blank(*p)) ++p;
        if (p == label || !score_of(label, std::size_t(p - label), row.score) || !(std::fabs(row.score) <= largest_grade)) return nullptr;
        const char* word = skip_blanks(p, end);
        if (word == p || end - word < 4 || std::memcmp(word, "qid:", 4) != 0) return nullptr;
        for (p = word += 4; p < end && !is_blank(*p) && *p != '\r' && *p != '#';) ++p;
        row.query = {word, std::size_t(p - word)};
        return row.query.empty() ? nullptr : p;
    }

    // The document that a comment names, or nothing: `docid = 7`, `docid:7`, `docid 7`, `doc = 7`, or its first word.
    static View document(View note) {
        const char *p = note.data(), *const end = p + note.size();
        p = skip_blanks(p, end);
        const auto named = [&](View word) {
            return end - p >= std::ptrdiff_t(word.size()) &&
                   std::equal(word.begin(), word.end(), p, [](char a, char b) { return a == (a == '_' ? b : char(b | 0x20)); });
        };
        const auto after_sign = [&](std::size_t word) -> const char* {
            const char* at = skip_blanks(p + word, end);
            return at < end && (*at == '=' || *at == ':') ? skip_blanks(at + 1, end) : nullptr;
        };
        const char* value = nullptr;
        for (const View word : {View("docid"), View("doc_id"), View("docno")})
            if (!value && named(word)) {
                value = after_sign(word.size());
                if (!value && p + word.size() < end && is_blank(p[word.size()])) value = skip_blanks(p + word.size(), end);
            }
        for (const View word : {View("doc"), View("did"), View("id")})
            if (!value && named(word)) value = after_sign(word.size());
        if (value) p = value;
        const char* stop = p;
        while (stop < end && !is_blank(*stop) && *stop != '\r') ++stop;
        return {p, std::size_t(stop - p)};
    }

    Text text_;
    std::uint64_t line_;
};

}  // namespace judged
