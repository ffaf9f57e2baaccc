// Rankings in JSON, one per query: the documents of a list, and the queries, of which each has one ranking.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "json.hpp"
#include "text.hpp"

namespace judged::json {

struct Item {
    View doc;
    std::uint64_t position;
    double score;
};

class Rankings {
public:
    // `graded`: a listed document has the grade 1, instead of a score by its rank.
    Rankings(const char* data, std::uint64_t size, bool graded) : data_(data), graded_(graded), scan_(data, size), decoded_(data, size) {}

    View view(std::uint64_t position, std::size_t size) const { return decoded_.view(position, size); }
    std::uint64_t offset(const char* p) const { return std::uint64_t(p - data_); }
    const Scanner& scan() const { return scan_; }
    const Decoded& decoded() const { return decoded_; }

    // The documents of a list, from behind its bracket: strings or integers, at least one.
    const char* list(const char* p, std::vector<Item>& items) const {
        items.clear();
        while (true) {
            Item item;
            if ((p = scan_.space(p)) == scan_.end()) return nullptr;
            const bool text = *p == '"';
            const Token doc = text ? scan_.string(p + 1) : scan_.number(p);
            if (!doc || !decoded_.id(doc, text, item.doc)) return nullptr;
            item.position = offset(text ? doc.begin : item.doc.data());
            items.push_back(item);
            p = scan_.space(doc.end + text);
            if (p == scan_.end()) return nullptr;
            if (*p == ']') return p + 1;
            if (*p++ != ',') return nullptr;
        }
    }

    // Passes on the documents of a ranking: those of a list by their order, others by their scores.
    template <class Each>
    JUDGED_INLINE void rows(Row& row, const std::vector<Item>& items, bool listed, Each& each) const {
        row.ranked = listed;
        for (const Item& item : items) {
            row.doc = item.doc;
            row.position = item.position;
            row.score = !listed ? item.score : graded_ ? 1.0 : static_cast<double>(items.size() - std::size_t(row.rank));
            row.rank += listed;
            each(row);
        }
    }

    // Whether no ranking that begins elsewhere has this query. Hashes are compared: a false alarm costs time, not correctness.
    bool is_new(View query, std::uint64_t begin) const {
        const std::lock_guard lock(queries_->mutex);
        return queries_->begin.try_emplace(hash(query), begin).first->second == begin;
    }

private:
    struct Queries {
        std::mutex mutex;
        std::unordered_map<std::uint64_t, std::uint64_t> begin;  // of the ranking of a query, by the hash of its id
    };

    const char* data_;
    bool graded_;
    Scanner scan_;
    Decoded decoded_;
    std::unique_ptr<Queries> queries_ = std::make_unique<Queries>();
};

}  // namespace judged::json
