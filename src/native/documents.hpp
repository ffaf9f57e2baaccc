// Puts the rows of one document of a query next to each other, as core/reference.py does.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "columns.hpp"
#include "id.hpp"
#include "segment.hpp"

namespace judged {

struct DocumentRows {
    std::vector<std::int64_t> order;  // by query, then by id from the highest down, then by row
    std::vector<std::uint8_t> first;  // whether a document begins there
};

// Rows of one query. Ids are followed by eight readable bytes.
class DocumentSorter {
public:
    explicit DocumentSorter(const Slices& docs) : docs_(docs) {}

    void sort(std::int64_t* rows, std::uint8_t* first, std::size_t size) {
        if (size == 0) return;
        const View one = docs_[std::size_t(rows[0])];
        std::size_t common = one.size(), longest = 0;
        for (std::size_t i = 0; i < size; ++i) {
            const View id = docs_[std::size_t(rows[i])];
            common = std::min(common, std::size_t(std::mismatch(id.begin(), id.end(), one.begin(), one.begin() + std::ptrdiff_t(common)).second - one.begin()));
            longest = std::max(longest, id.size());
        }
        const bool exact = longest - common < 8;  // then seven bytes and a length are the id
        items_.clear();
        for (std::size_t i = 0; i < size; ++i) {
            const View id = docs_[std::size_t(rows[i])];
            items_.push_back({key(id, common, exact), rows[i]});
        }
        std::sort(items_.begin(), items_.end(), [&](const Item& a, const Item& b) {
            if (a.key != b.key) return a.key > b.key;
            const int order = exact ? 0 : docs_[std::size_t(a.row)].compare(docs_[std::size_t(b.row)]);
            return order != 0 ? order > 0 : a.row < b.row;
        });
        for (std::size_t i = 0; i < size; ++i) {
            rows[i] = items_[i].row;
            first[i] = i == 0 || items_[i].key != items_[i - 1].key ||
                       (!exact && !same(docs_[std::size_t(items_[i].row)], docs_[std::size_t(items_[i - 1].row)]));
        }
    }

private:
    struct Item {
        std::uint64_t key;
        std::int64_t row;
    };

    static std::uint64_t key(View id, std::size_t common, bool exact) {
        const std::size_t left = std::min<std::size_t>(id.size() - common, 8);
        if (left == 0) return 0;
        std::uint64_t word = load<std::uint64_t>(id.data() + common);
        if (left < 8) word &= (std::uint64_t{1} << (8 * left)) - 1;
        word = reversed(word);
        return exact ? word | left : word;
    }

    static std::uint64_t reversed(std::uint64_t word) {  // the first byte counts most
        word = (word & 0x00FF00FF00FF00FF) << 8 | (word >> 8 & 0x00FF00FF00FF00FF);
        word = (word & 0x0000FFFF0000FFFF) << 16 | (word >> 16 & 0x0000FFFF0000FFFF);
        return word << 32 | word >> 32;
    }

    const Slices& docs_;
    std::vector<Item> items_;
};

inline DocumentRows group_documents(const std::int64_t* query, std::size_t queries, const Slices& docs, unsigned threads) {
    std::vector<std::size_t> begins(queries + 1);
    for (std::size_t i = 0; i < docs.size; ++i) ++begins[checked(query[i], queries) + 1];
    for (std::size_t q = 0; q < queries; ++q) begins[q + 1] += begins[q];
    DocumentRows out{std::vector<std::int64_t>(docs.size), std::vector<std::uint8_t>(docs.size)};
    std::vector<std::size_t> next(begins.begin(), begins.end() - 1);
    for (std::size_t i = 0; i < docs.size; ++i) out.order[next[std::size_t(query[i])]++] = std::int64_t(i);
    in_parts(begins, threads, [&](std::size_t from, std::size_t upto) {
        DocumentSorter sorter(docs);
        for (std::size_t q = from; q < upto; ++q)
            sorter.sort(out.order.data() + begins[q], out.first.data() + begins[q], begins[q + 1] - begins[q]);
    });
    return out;
}

}  // namespace judged
