#include "pool.hpp"

#include <bit>
#include <random>
#include <stdexcept>

namespace judged {

namespace {
std::uint64_t drawn() {
    std::random_device device;
    return (std::uint64_t{device()} << 32 | device()) | 1;
}
}  // namespace

const std::uint64_t seed[2] = {drawn(), drawn()};

Pool::Pool(Slices queries, std::size_t judged, const std::int64_t* query, const double* grade, Slices docs)
    : queries_(queries), docs_(docs), judged_(judged), grade_(grade) {
    if (docs.size >= none || queries.size >= none) throw std::length_error("more judgments than 32 bits count");
    by_id_.assign(std::bit_ceil(2 * queries.size + 1), none);
    id_mask_ = by_id_.size() - 1;
    for (std::uint32_t i = 0; i < queries.size; ++i) {
        auto slot = hash(queries[i]) & id_mask_;
        while (by_id_[slot] != none) slot = (slot + 1) & id_mask_;
        by_id_[slot] = i;
    }
    std::vector<std::uint32_t> count(queries.size);
    for (std::size_t i = 0; i < docs.size; ++i) ++count[std::size_t(query[i])];
    start_.assign(queries.size + 1, 0);
    for (std::size_t i = 0; i < queries.size; ++i) start_[i + 1] = start_[i] + std::bit_ceil(2 * std::uint64_t{count[i]} + 1);
    entries_.assign(start_.back(), Entry{0, none});
    sieve_start_.assign(queries.size + 1, 0);
    for (std::size_t i = 0; i < queries.size; ++i)
        sieve_start_[i + 1] = sieve_start_[i] + sieve_bits(start_[i + 1] - start_[i]) / 64;
    sieve_.assign(sieve_start_.back(), 0);
    for (std::uint32_t i = 0; i < docs.size; ++i) {
        const auto code = hash(docs[i]);
        const auto base = start_[std::size_t(query[i])], mask = start_[std::size_t(query[i]) + 1] - base - 1;
        auto slot = code & mask;
        while (entries_[base + slot].judgment != none) slot = (slot + 1) & mask;
        entries_[base + slot] = {code, i};
        const auto bit = code >> 32 & (sieve_bits(mask + 1) - 1);
        sieve_[sieve_start_[std::size_t(query[i])] + bit / 64] |= std::uint64_t{1} << (bit % 64);
    }
}

std::uint32_t Pool::find_query(View id) const {
    for (auto slot = hash(id) & id_mask_;; slot = (slot + 1) & id_mask_) {
        const auto query = by_id_[slot];
        if (query == none || queries_[query] == id) return query;
    }
}

}  // namespace judged
