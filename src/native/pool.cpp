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
    by_id_.assign(std::bit_ceil(2 * queries.size + 1), Entry{0, none});
    id_mask_ = by_id_.size() - 1;
    for (std::uint32_t i = 0; i < queries.size; ++i) {
        const auto code = hash(queries[i]);
        auto slot = code & id_mask_;
        while (by_id_[slot].item != none) slot = (slot + 1) & id_mask_;
        by_id_[slot] = {std::uint32_t(code >> 32), i};
    }
    std::vector<std::uint32_t> count(queries.size);
    for (std::size_t i = 0; i < docs.size; ++i) ++count[std::size_t(query[i])];
    places_.assign(queries.size + 1, Place{0, 0});
    for (std::size_t i = 0; i < queries.size; ++i) {
        const std::uint64_t slots = std::bit_ceil(std::max<std::uint64_t>(1, 2 * std::uint64_t{count[i]}));
        places_[i + 1] = {places_[i].start + slots, places_[i].sieve + sieve_bits(slots) / 64};
    }
    entries_.assign(places_.back().start, Entry{0, none});
    sieve_.assign(places_.back().sieve, 0);
    for (std::uint32_t i = 0; i < docs.size; ++i) {
        const auto code = hash(docs[i]);
        const auto [base, sieve] = places_[std::size_t(query[i])];
        const auto mask = places_[std::size_t(query[i]) + 1].start - base - 1;
        auto slot = code & mask;
        while (entries_[base + slot].item != none) slot = (slot + 1) & mask;
        entries_[base + slot] = {std::uint32_t(code >> 32), i};
        const auto bit = code >> 32 & (sieve_bits(mask + 1) - 1);
        sieve_[sieve + bit / 64] |= std::uint64_t{1} << (bit % 64);
    }
}

}  // namespace judged
