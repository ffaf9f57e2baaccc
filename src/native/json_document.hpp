// One JSON document with a ranking per query: `{query: {doc: score}}`, or `{query: [doc, …]}` with the best first.
//
// The specification is io/formats/json.py. A key that occurs twice is an error there, so keys are compared here too.
#pragma once

#include <string>
#include <unordered_set>
#include <vector>

#include "json_ranking.hpp"

namespace judged {

// Hashes of the keys of one object.
class KeySet {
public:
    void clear() {
        const std::size_t slots = std::bit_ceil(2 * count_ + 16);  // objects of one document are of similar size
        slots_.assign(slots, 0);
        count_ = 0;
    }

    // Whether the hash is new.
    JUDGED_INLINE bool add(std::uint64_t hash) {
        hash |= hash == 0;
        if (2 * count_ >= slots_.size()) grow();
        const std::uint64_t mask = slots_.size() - 1;
        std::uint64_t slot = hash & mask;
        for (; slots_[slot] != 0; slot = (slot + 1) & mask)
            if (slots_[slot] == hash) return false;
        slots_[slot] = hash;
        ++count_;
        return true;
    }

private:
    JUDGED_NOINLINE void grow() {
        const std::vector<std::uint64_t> before = std::move(slots_);
        slots_.assign(std::max<std::size_t>(16, 4 * before.size()), 0);
        count_ = 0;
        for (const std::uint64_t hash : before)
            if (hash != 0) add(hash);
    }

    std::vector<std::uint64_t> slots_;
    std::size_t count_ = 0;
};

class JsonDocument {
public:
    // `listed`: rankings are arrays; see `json::Rankings` for `graded`. `columns`: names of columns, without blanks, hyphens and
    // underscores; a document of arrays with such a key may be a table.
    JsonDocument(const char* data, std::uint64_t start, std::uint64_t size, bool listed, bool graded, std::vector<std::string> columns)
        : data_(data), start_(start), first_(start), size_(size), listed_(listed), columns_(columns.begin(), columns.end()),
          rankings_(data, size, graded), scan_(rankings_.scan()) {
        if (const char* p = scan_.letter(data + start, '{')) first_ = offset(scan_.space(p));
    }

    std::uint64_t size() const { return size_; }
    View view(std::uint64_t position, std::size_t size) const { return rankings_.view(position, size); }

    // Where a ranking seems to begin. A string may look like that; then the rankings before it do not end there, and none is taken.
    std::vector<std::uint64_t> parts(std::uint64_t bytes, const Release& release = {}) const {
        return cut(first_, size_, bytes, release, [&](std::uint64_t at) { return ranking_after(at); });
    }

    template <class Each>
    std::uint64_t rows(Cells&, std::uint64_t begin, std::uint64_t end, Each& each) const {
        KeySet keys;
        std::vector<json::Item> items;
        const char *p = data_ + (begin == start_ ? first_ : begin), *const stop = data_ + end;
        while (p != stop) {
            Row row;
            json::Token key;
            row.begin = offset(p);
            if (p > stop || !(p = scan_.letter(p, '"')) || !(key = scan_.string(p)) || !rankings_.decoded().id(key, true, row.query) ||
                (listed_ && is_column(row.query)) || !rankings_.is_new(row.query, row.begin) ||
                !(p = scan_.letter(key.end + 1, ':')) || !(p = scan_.letter(p, listed_ ? '[' : '{')) || !(p = listed_ ? rankings_.list(p, items) : mapping(p, items, keys)) || !(p = ranking_end(p)))
                return row.begin;
            rankings_.rows(row, items, listed_, each);
        }
        return nowhere;
    }

private:
    std::uint64_t offset(const char* p) const { return std::uint64_t(p - data_); }

    JUDGED_INLINE const char* mapping(const char* p, std::vector<json::Item>& items, KeySet& keys) const {
        items.clear();
        keys.clear();
        while (true) {
            json::Item item;
            p = scan_.space(p);
            if (p == scan_.end() || *p != '"') return nullptr;
            const json::Token doc = scan_.string(p + 1);
            if (!doc || !rankings_.decoded().id(doc, true, item.doc) || !keys.add(hash(item.doc)) || !(p = scan_.letter(doc.end + 1, ':'))) return nullptr;
            const json::Token number = scan_.number(scan_.space(p));
            if (!number || !scan_.value(number, item.score)) return nullptr;
            item.position = offset(doc.begin);
            items.push_back(item);
            p = scan_.space(number.end);
            if (p == scan_.end()) return nullptr;
            if (*p == '}') return p + 1;
            if (*p++ != ',') return nullptr;
        }
    }

    // The beginning of the next ranking, or the end of the document.
    const char* ranking_end(const char* p) const {
        p = scan_.space(p);
        if (p < scan_.end() && *p == ',') return (p = scan_.space(p + 1)) < scan_.end() ? p : nullptr;
        if (!(p = scan_.letter(p, '}'))) return nullptr;
        return (p = scan_.space(p)) == scan_.end() ? p : nullptr;
    }

    std::uint64_t ranking_after(std::uint64_t position) const {
        while (position < size_) {
            const void* at = std::memchr(data_ + position, listed_ ? ']' : '}', size_ - position);
            if (at == nullptr) break;
            position = offset(static_cast<const char*>(at)) + 1;
            const char* next = scan_.letter(data_ + position, ',');
            if (!next || (next = scan_.space(next)) == scan_.end() || *next != '"') continue;
            const json::Token key = scan_.string(next + 1);
            const char* p = key ? scan_.letter(key.end + 1, ':') : nullptr;
            if (p && scan_.letter(p, listed_ ? '[' : '{')) return offset(next);
        }
        return size_;
    }

    // Whether a query may be the name of a column.
    bool is_column(View query) const {
        for (const View folded : {"\xC5\xBF", "\xC3\x9F", "\xE2\x84", "\xE1\xBA", "\xEF\xAC"})  // may be ASCII in lower case
            if (query.find(folded) != View::npos) return true;
        std::string plain;
        for (const char c : query)
            if (c != '-' && c != '_' && c != ' ') plain += c >= 'A' && c <= 'Z' ? char(c + 32) : c;
        return columns_.contains(plain);
    }

    const char* data_;
    std::uint64_t start_, first_, size_;
    bool listed_;
    std::unordered_set<std::string> columns_;
    json::Rankings rankings_;
    json::Scanner scan_;
};

}  // namespace judged
