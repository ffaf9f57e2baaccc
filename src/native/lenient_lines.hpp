// Runs as trec_eval reads them, where that is what lines.hpp reads. The specification is io/formats/trec_eval.py, which reads
// the rest: numbers as in C, more columns, both tabs and spaces.
#pragma once

#include "lines.hpp"

namespace judged {

class LenientLines {
public:
    LenientLines(const char* data, std::uint64_t start, std::uint64_t size) : data_(data), lines_(data, start, size) {}

    std::uint64_t size() const { return lines_.size(); }
    View view(std::uint64_t position, std::size_t size) const { return lines_.view(position, size); }
    std::vector<std::uint64_t> parts(std::uint64_t bytes, const Release& release = {}) const { return lines_.parts(bytes, release); }

    template <class Each>
    std::uint64_t rows(Cells& cells, std::uint64_t begin, std::uint64_t end, Each& each) const {
        if (std::memchr(data_ + begin, '\t', end - begin) && std::memchr(data_ + begin, ' ', end - begin)) return begin;
        std::uint64_t comment = nowhere;
        auto rows = [&](const Row& row) {
            if (comment != nowhere) return;
            if (row.query[0] == '#')  // a comment, though it has six cells
                comment = row.begin;
            else
                each(row);
        };
        const std::uint64_t bad = lines_.rows(cells, begin, end, rows);
        return std::min(bad, comment);
    }

private:
    const char* data_;
    Lines lines_;
};

}  // namespace judged
