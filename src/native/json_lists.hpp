// JSON records with a list of documents, one per line: `{"query": "q1", "retrieved": ["d1", "d2"], …}`, the best first.
//
// The specification is io/formats/json.py, and io/questions.py for files that have two such lists.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "blank.hpp"
#include "json_ranking.hpp"

namespace judged {

class JsonLists {
public:
    // The names of all fields, each with the first letter of its values (0 for numbers, t for false, * for any); none if other fields do
    // not matter.
    using Fields = std::vector<std::pair<std::string, char>>;

    JsonLists(const char* data, std::uint64_t start, std::uint64_t size, std::string query, std::string docs, bool graded, Fields fields)
        : data_(data), start_(start), size_(size), query_(std::move(query)), docs_(std::move(docs)), fields_(std::move(fields)),
          rankings_(data, size, graded), scan_(rankings_.scan()) {}

    std::uint64_t size() const { return size_; }
    View view(std::uint64_t position, std::size_t size) const { return rankings_.view(position, size); }

    std::vector<std::uint64_t> parts(std::uint64_t bytes, const Release& release = {}) const {
        return cut(start_, size_, bytes, release, [&](std::uint64_t at) {
            const void* end = std::memchr(data_ + at, '\n', size_ - at);
            return end ? rankings_.offset(static_cast<const char*>(end)) + 1 : size_;
        });
    }

    template <class Each>
    std::uint64_t rows(Cells&, std::uint64_t begin, std::uint64_t end, Each& each) const {
        std::vector<json::Item> items;
        std::vector<View> keys;
        const char *p = data_ + begin, *const stop = data_ + end;
        while ((p = scan_.space(p)) < stop) {
            Row row;
            row.begin = rankings_.offset(p);
            const char* const next = record(p, row.query, items, keys);
            if (!next || !rankings_.is_new(row.query, row.begin)) return row.begin;
            rankings_.rows(row, items, true, each);
            p = next;
        }
        return nowhere;
    }

private:
    // A record and the end of its line; null if it is not taken.
    const char* record(const char* const begin, View& query, std::vector<json::Item>& items, std::vector<View>& keys) const {
        const char* p = begin;
        keys.clear();
        items.clear();
        query = {};
        if (*p++ != '{') return nullptr;
        while (true) {
            json::Token key;
            if (!(p = scan_.letter(p, '"')) || !(key = scan_.string(p)) || key.escaped || !(p = scan_.letter(key.end + 1, ':')) ||
                (p = scan_.space(p)) == scan_.end() || !is_known(key.view(), *p, keys) || !(p = value(p, key.view(), query, items)))
                return nullptr;
            p = scan_.space(p);
            if (p < scan_.end() && *p == '}') break;
            if (!(p = scan_.letter(p, ','))) return nullptr;
        }
        ++p;
        while (p < scan_.end() && *p != '\n' && json::is_space(*p)) ++p;
        const bool ends = p == scan_.end() || *p == '\n';
        const bool complete = !query.empty() && !items.empty() && (fields_.empty() || keys.size() == fields_.size());
        return ends && complete && !std::memchr(begin, '\n', std::size_t(p - begin)) ? p : nullptr;
    }

    const char* value(const char* p, View name, View& query, std::vector<json::Item>& items) const {
        if (name == docs_) return *p == '[' ? rankings_.list(p + 1, items) : nullptr;
        if (name != query_) return scan_.skip(p);
        const bool text = *p == '"';
        const json::Token id = text ? scan_.string(p + 1) : scan_.number(p);
        return id && rankings_.decoded().id(id, text, query) ? id.end + text : nullptr;
    }

    // Whether a field is new in its record and, if fields are given, one of them with a value of the same kind.
    bool is_known(View name, char first, std::vector<View>& keys) const {
        if (keys.size() == most_fields) return false;
        for (const View other : keys)
            if (same(other, name)) return false;
        keys.push_back(name);
        const char kind = first == '-' || is_digit(first) ? char(0) : first == 'f' ? 't' : first;
        for (const auto& [known, wanted] : fields_)
            if (known == name) return wanted == kind || wanted == '*';
        return fields_.empty();
    }

    static constexpr std::size_t most_fields = 64;

    const char* data_;
    std::uint64_t start_, size_;
    std::string query_, docs_;
    Fields fields_;
    json::Rankings rankings_;
    json::Scanner scan_;
};

}  // namespace judged
