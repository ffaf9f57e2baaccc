// Ids as bytes: hashing and order. Nothing here reads past the end of an id.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

#if defined(_MSC_VER)
#include <intrin.h>
#endif

#if defined(_MSC_VER)
#define JUDGED_INLINE __forceinline
#define JUDGED_NOINLINE __declspec(noinline)
#define JUDGED_FETCH(at) _mm_prefetch(reinterpret_cast<const char*>(at), _MM_HINT_T0)
#else
#define JUDGED_INLINE [[gnu::always_inline]] inline
#define JUDGED_NOINLINE [[gnu::noinline]]
#define JUDGED_FETCH(at) __builtin_prefetch(at)
#endif

namespace judged {

static_assert(std::endian::native == std::endian::little, "digits are read as little-endian words");

using View = std::string_view;

template <class Word>
inline Word load(const char* at) {
    Word word;
    std::memcpy(&word, at, sizeof word);
    return word;
}

inline std::uint64_t folded_product(std::uint64_t a, std::uint64_t b) {
#if defined(_MSC_VER)
    std::uint64_t high, low = _umul128(a, b, &high);
    return low ^ high;
#else
    __extension__ using Wide = unsigned __int128;
    const auto product = static_cast<Wide>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
#endif
}

// Drawn once per process, so that no input can be crafted to collide. No result depends on it.
extern const std::uint64_t seed[2];

JUDGED_INLINE std::uint64_t hash(const char* p, std::size_t size) {
    std::uint64_t a, b;
    if (size >= 8) {
        std::uint64_t state = seed[0] ^ size;
        std::size_t at = 0;
        for (; size - at > 16; at += 8) state = folded_product(state ^ load<std::uint64_t>(p + at), seed[1]);
        a = load<std::uint64_t>(p + (size - at > 8 ? at : size - 8)) ^ state;
        b = load<std::uint64_t>(p + size - 8);
    } else if (size >= 4) {
        a = load<std::uint32_t>(p) ^ seed[0];
        b = load<std::uint32_t>(p + size - 4) | std::uint64_t{size} << 32;
    } else {
        a = size ? std::uint64_t(std::uint8_t(p[0])) << 16 | std::uint64_t(std::uint8_t(p[size / 2])) << 8 |
                       std::uint8_t(p[size - 1])
                 : 0;
        a ^= seed[0];
        b = size;
    }
    return folded_product(a, b ^ seed[1]);
}

// Equality of ids, which are usually short: two loads instead of a call.
JUDGED_INLINE bool same(View a, View b) {
    const std::size_t size = a.size();
    if (size != b.size()) return false;
    const char *p = a.data(), *q = b.data();
    if (size > 16) return std::memcmp(p, q, size) == 0;
    if (size >= 8)
        return load<std::uint64_t>(p) == load<std::uint64_t>(q) &&
               load<std::uint64_t>(p + size - 8) == load<std::uint64_t>(q + size - 8);
    if (size >= 4)
        return load<std::uint32_t>(p) == load<std::uint32_t>(q) &&
               load<std::uint32_t>(p + size - 4) == load<std::uint32_t>(q + size - 4);
    return size == 0 || (p[0] == q[0] && p[size / 2] == q[size / 2] && p[size - 1] == q[size - 1]);
}

inline bool has_zero_byte(std::uint64_t word) {
    return ((word - 0x0101010101010101) & ~word & 0x8080808080808080) != 0;
}

JUDGED_INLINE bool holds_nul(View id) {
    const char* p = id.data();
    const std::size_t size = id.size();
    if (size >= 8) {
        for (std::size_t at = 0; at + 8 < size; at += 8)
            if (has_zero_byte(load<std::uint64_t>(p + at))) return true;
        return has_zero_byte(load<std::uint64_t>(p + size - 8));
    }
    if (size >= 4) return has_zero_byte(load<std::uint32_t>(p) | std::uint64_t{load<std::uint32_t>(p + size - 4)} << 32);
    return size > 0 && (p[0] == 0 || p[size / 2] == 0 || p[size - 1] == 0);
}

JUDGED_INLINE std::uint64_t hash(View id) { return hash(id.data(), id.size()); }

}  // namespace judged
