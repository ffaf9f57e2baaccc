// Hash tables of the judged documents: queries by id, and the documents of each query by hash.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "id.hpp"

namespace judged {

inline constexpr std::uint32_t none = 0xFFFFFFFF;

// A column of ids as slices of one buffer (core/tables.py).
struct Slices {
    const char* buffer;
    const std::int64_t* start;
    const std::int64_t* length;
    std::size_t size;

    View operator[](std::size_t row) const { return {buffer + start[row], static_cast<std::size_t>(length[row])}; }
};

class Pool {
public:
    // Judgments are sorted by query; `query` has the query of each. Queries from `judged` on have no judgments: they
    // are known, but their rankings are ignored.
    Pool(Slices queries, std::size_t judged, const std::int64_t* query, const double* grade, Slices docs);

    struct Entry {
        std::uint32_t hash;  // its upper half: the lower one chooses the slot
        std::uint32_t item;  // a query or a judgment; none: the slot is empty
    };
    // The documents of one query: a table with a power of two slots, at most half of them used; and a Bloom-like
    // sieve with enough bits that few other documents pass.
    struct Documents {
        const Entry* slots;
        std::uint64_t mask;
        const std::uint64_t* sieve;
        std::uint64_t sieve_mask;

        bool may_hold(std::uint64_t hash) const {
            const std::uint64_t bit = hash >> 32 & sieve_mask;
            return sieve[bit / 64] >> (bit % 64) & 1;
        }
        void fetch(std::uint64_t hash) const { JUDGED_FETCH(sieve + (hash >> 32 & sieve_mask) / 64); }
    };

    std::size_t size() const { return queries_.size; }
    bool is_judged(std::uint32_t query) const { return query < judged_; }
    std::uint32_t find_query(View id) const {  // or none
        return find_query(hash(id), [&](std::uint32_t query) { return same(queries_[query], id); });
    }
    // The queries of several ids, or none. Each look-up reads four places in memory: one step of all is done before the next of any, so
    // that they wait together.
    static constexpr std::size_t together = 64;
    void find_queries(const View* ids, std::size_t count, std::uint32_t* found) const {
        std::uint64_t code[together];
        for (std::size_t i = 0; i < count; ++i) {
            code[i] = hash(ids[i]);
            JUDGED_FETCH(by_id_.data() + (code[i] & id_mask_));
        }
        for (std::size_t i = 0; i < count; ++i) {
            found[i] = find_query(code[i], [](std::uint32_t) { return true; });
            if (found[i] == none) continue;
            JUDGED_FETCH(queries_.start + found[i]);
            JUDGED_FETCH(queries_.length + found[i]);
        }
        for (std::size_t i = 0; i < count; ++i)
            if (found[i] != none) JUDGED_FETCH(queries_[found[i]].data());
        for (std::size_t i = 0; i < count; ++i)
            if (found[i] != none && !same(queries_[found[i]], ids[i])) found[i] = find_query(ids[i]);
    }
    Documents documents(std::uint32_t query) const {
        const Place place = places_[query];
        const std::uint64_t slots = places_[query + 1].start - place.start;
        return {entries_.data() + place.start, slots - 1, sieve_.data() + place.sieve, sieve_bits(slots) - 1};
    }
    void fetch_documents(std::uint32_t query) const { JUDGED_FETCH(places_.data() + query); }  // prefetch what `documents` reads
    double grade(std::uint32_t judgment) const { return grade_[judgment]; }

    // The judgment of a document, or none. `same` returns whether an id with this hash is this judged document.
    template <class Same>
    static std::uint32_t find(Documents documents, std::uint64_t hash, Same&& same) {
        if (!documents.may_hold(hash)) return none;
        for (std::uint64_t slot = hash & documents.mask;; slot = (slot + 1) & documents.mask) {
            const Entry& entry = documents.slots[slot];
            if (entry.item == none) return none;
            if (entry.hash == hash >> 32 && same(entry.item)) return entry.item;
        }
    }
    View query(std::size_t query) const { return queries_[query]; }
    View doc(std::uint32_t judgment) const { return docs_[judgment]; }

private:
    static std::uint64_t sieve_bits(std::uint64_t slots) { return std::max<std::uint64_t>(64, 8 * slots); }

    template <class Same>
    std::uint32_t find_query(std::uint64_t hash, Same&& same) const {
        for (auto slot = hash & id_mask_;; slot = (slot + 1) & id_mask_) {
            const Entry& entry = by_id_[slot];
            if (entry.item == none) return none;
            if (entry.hash == hash >> 32 && same(entry.item)) return entry.item;
        }
    }

    Slices queries_, docs_;
    std::size_t judged_;
    const double* grade_;
    struct Place {  // of a query's documents among the slots, and of its sieve
        std::uint64_t start, sieve;
    };
    std::vector<Entry> by_id_;
    std::uint64_t id_mask_ = 0;
    std::vector<Entry> entries_;
    std::vector<Place> places_;
    std::vector<std::uint64_t> sieve_;
};

}  // namespace judged
