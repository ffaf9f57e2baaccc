// One ranking: computes the ranks of the judged documents from the rows of a query.
//
// A judged document's rank is one more than the number of documents that beat it. So rows are counted, not
// sorted, and ids are compared only among documents of equal score. The specification is core/reference.py.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "id.hpp"
#include "lines.hpp"
#include "pool.hpp"

namespace judged {

enum class Order { score, rank, input };
enum class Ties { id_descending, id_ascending, input, best, worst };
enum class Duplicates { error, first, best };

// A choice by the name that Python passes (core/scan.py: POLICY_CODES).
template <class T>
struct Choice {
    std::string_view name;
    T value;
};

inline constexpr Choice<Order> ORDERS[] = {{"score", Order::score}, {"rank", Order::rank}, {"input", Order::input}};
inline constexpr Choice<Ties> TIES[] = {{"id_descending", Ties::id_descending},
                                        {"id_ascending", Ties::id_ascending},
                                        {"input", Ties::input},
                                        {"best", Ties::best},
                                        {"worst", Ties::worst}};
inline constexpr Choice<Duplicates> DUPLICATES[] = {
    {"error", Duplicates::error}, {"first", Duplicates::first}, {"best", Duplicates::best}};

template <class T, std::size_t N>
T choose(const Choice<T> (&choices)[N], std::string_view name) {
    for (const auto& choice : choices)
        if (choice.name == name) return choice.value;
    throw std::invalid_argument("unknown choice " + std::string(name));
}

struct Policy {
    Order order = Order::score;
    Ties ties = Ties::id_descending;
    Duplicates duplicates = Duplicates::error;
    std::uint64_t depth = 0;  // 0: all
    bool single = false;      // scores are compared in float32
};

// The value that a row is ranked by, highest first; `position` is its position in the run.
JUDGED_INLINE double value_of(const Policy& policy, const Row& row, std::uint64_t position) {
    if (policy.order == Order::score) [[likely]] {
        const double score = policy.single ? static_cast<double>(static_cast<float>(row.score)) : row.score;
        return score + 0.0;  // -0.0 ties with 0.0
    }
    return -static_cast<double>(policy.order == Order::rank ? row.rank : std::int64_t(position));
}

struct Hit {
    std::uint32_t judgment, rank, tie_first, tie_last;
};

// A duplicate document: its first repetition, and the number of repetitions.
struct Repeat {
    std::uint32_t query;
    std::uint64_t earlier, later, count;
    std::string doc;
};

// Counts the elements before each of some sorted, distinct keys, and those equal to it. `before(x, k)`: x precedes
// key k; `equals(x, k)`.
class Counts {
public:
    void reset(std::size_t keys) {
        ahead_.assign(keys + 1, 0);
        equal_.assign(keys, 0);
    }
    template <class Before, class Equals>
    void add(Before&& before, Equals&& equals) {
        std::size_t low = 0, high = equal_.size();
        while (low < high) {  // the first key that the element precedes or equals
            const std::size_t middle = (low + high) / 2;
            if (before(middle) || equals(middle))
                high = middle;
            else
                low = middle + 1;
        }
        if (low < equal_.size() && equals(low))
            ++equal_[low];
        else
            ++ahead_[low];
    }
    void close() {
        std::uint32_t sum = 0;
        for (std::size_t k = 0; k < equal_.size(); ++k) {
            sum += ahead_[k];
            ahead_[k] = sum;
            sum += equal_[k];
        }
    }
    std::uint32_t ahead(std::size_t key) const { return ahead_[key]; }
    std::uint32_t equal(std::size_t key) const { return equal_[key]; }

private:
    std::vector<std::uint32_t> ahead_, equal_;
};

// `Source` returns the id at the position and of the size of a row: `View view(position, size)`.
class Ranking {
public:
    void begin(Pool::Documents documents) {
        size_ = 0;
        found_.clear();
        falling_ = true;
        documents_ = documents;
        JUDGED_FETCH(documents.slots);  // for the hits of this query
    }

    std::size_t size() const { return size_; }

    // `position` locates the id in the source; if documents may repeat, it increases from row to row.
    JUDGED_INLINE void add(const Pool& pool, const char* id, std::size_t length, std::uint64_t position, double value) {
        const std::uint64_t code = hash(id, length);
        const auto judgment = Pool::find(documents_, code, [&](std::uint32_t j) { return same(pool.doc(j), View(id, length)); });
        append(code, judgment, position, length, value);
    }

    // The same for a source of hashes, in which the position alone locates an id.
    template <class Source>
    JUDGED_INLINE void add(const Pool& pool, const Source& source, std::uint64_t code, std::uint64_t position, double value) {
        const auto judgment = Pool::find(documents_, code, [&](std::uint32_t j) { return same(pool.doc(j), source.view(position, 0)); });
        append(code, judgment, position, 0, value);
    }

    // Adds the rows of a strip: one step after the other, each over all rows.
    JUDGED_NOINLINE void add(const Pool& pool, const Policy& policy, const Strip& rows) {
        const std::size_t count = rows.size, size = size_;
        if (size + count > value_.size()) grow();
        double* const value = value_.data() + size;
        set_values(policy, rows, value);
        bool falling = size == 0 || value[0] <= value[-1];
        for (std::size_t i = 1; i < count; ++i) falling &= value[i] <= value[i - 1];
        falling_ &= falling;
        std::uint64_t* const code = hash_.data() + size;
        std::uint64_t* const position = position_.data() + size;
        std::uint32_t* const length = length_.data() + size;
        const auto documents = documents_;
        const char* const text = rows.text;
        const std::uint64_t begin = rows.begin;
        for (std::size_t i = 0; i < count; ++i) {
            const std::uint32_t at = rows.line[i].doc, letters = rows.line[i].doc_end;
            const std::uint64_t found = hash(text + at, letters);
            code[i] = found;
            position[i] = begin + at;
            length[i] = letters;
            if (documents.may_hold(found)) [[unlikely]] find(pool, {text + at, letters}, size + i);
        }
        size_ = size + count;
    }

    // Documents are known to be distinct (the keys of a mapping).
    template <class Source>
    void finish(const Pool& pool, std::uint32_t query, const Policy& policy, const Source& source, bool distinct,
                std::vector<Hit>& hits, std::vector<Repeat>& repeats) {
        if (!distinct) handle_repeats(query, policy, source, repeats);
        const std::size_t first = hits.size();
        if (found_.empty()) return;
        group_hits();
        place_hits(pool, policy, source);
        for (const auto& f : found_)
            hits.push_back({f.judgment, f.above + f.inside + 1, f.above + 1, f.above + f.tied});
        const auto lower = [](const Hit& a, const Hit& b) { return a.rank < b.rank; };
        if (!std::is_sorted(hits.begin() + std::ptrdiff_t(first), hits.end(), lower))
            std::stable_sort(hits.begin() + std::ptrdiff_t(first), hits.end(), lower);
    }

private:
    struct Found {
        std::uint32_t row, judgment;
        std::uint32_t above = 0, tied = 1, inside = 0;
    };

    JUDGED_INLINE void append(std::uint64_t code, std::uint32_t judgment, std::uint64_t position, std::size_t length, double value) {
        if (size_ == value_.size()) grow();
        if (judgment != none) found_.push_back({std::uint32_t(size_), judgment});
        falling_ &= size_ == 0 || value <= value_[size_ - 1];
        value_[size_] = value;
        position_[size_] = position;
        length_[size_] = std::uint32_t(length);
        hash_[size_] = code;
        ++size_;
    }

    static void set_values(const Policy& policy, const Strip& rows, double* value) {
        if (policy.order == Order::score && !policy.single) {
            for (std::size_t i = 0; i < rows.size; ++i) value[i] = rows.score[i] + 0.0;
            return;
        }
        Row row{};
        for (std::size_t i = 0; i < rows.size; ++i) {
            row.score = rows.score[i];
            row.rank = std::max<std::int64_t>(rows.rank[i], 0);
            value[i] = value_of(policy, row, rows.position(i));
        }
    }

    JUDGED_NOINLINE void find(const Pool& pool, View doc, std::size_t row) {
        const auto judgment = Pool::find(documents_, hash_[row], [&](std::uint32_t j) { return same(pool.doc(j), doc); });
        if (judgment != none) found_.push_back({std::uint32_t(row), judgment});
    }

    JUDGED_NOINLINE void grow() {
        const std::size_t size = std::max<std::size_t>(1024, 2 * value_.size());
        if (size >= none) throw std::length_error("more documents in a ranking than 32 bits count");
        value_.resize(size);
        position_.resize(size);
        length_.resize(size);
        hash_.resize(size);
    }

    template <class Source>
    View view(const Source& source, std::size_t row) const {
        return source.view(position_[row], length_[row]);
    }

    // Handles duplicate documents by the policy.
    template <class Source>
    void handle_repeats(std::uint32_t query, const Policy& policy, const Source& source, std::vector<Repeat>& repeats) {
        find_suspects();
        if (suspects_.empty()) return;
        const double lowest = lowest_looked_at(policy);
        std::erase_if(suspects_, [&](std::uint32_t row) { return !(value_[row] >= lowest); });
        std::sort(suspects_.begin(), suspects_.end(), [&](std::uint32_t a, std::uint32_t b) {
            if (hash_[a] != hash_[b]) return hash_[a] < hash_[b];
            const int order = view(source, a).compare(view(source, b));
            return order != 0 ? order < 0 : a < b;
        });
        Repeat repeat{query, 0, ~std::uint64_t{0}, 0, {}};
        dropped_.clear();
        for (std::size_t i = 0, end; i < suspects_.size(); i = end) {
            const std::uint32_t first = suspects_[i];
            for (end = i + 1; end < suspects_.size() && hash_[suspects_[end]] == hash_[first] &&
                              same(view(source, suspects_[end]), view(source, first));)
                ++end;
            if (end == i + 1) continue;
            repeat.count += end - i - 1;
            if (position_[suspects_[i + 1]] < repeat.later) {
                repeat.earlier = position_[first];
                repeat.later = position_[suspects_[i + 1]];
                repeat.doc = view(source, first);
            }
            const auto begin = suspects_.begin() + std::ptrdiff_t(i);
            const auto kept = policy.duplicates == Duplicates::first
                                  ? begin
                                  : std::max_element(begin, suspects_.begin() + std::ptrdiff_t(end),
                                                     [&](auto a, auto b) { return value_[a] < value_[b]; });
            for (auto other = begin; other != suspects_.begin() + std::ptrdiff_t(end); ++other)
                if (other != kept) dropped_.push_back(*other);
        }
        if (repeat.count == 0) return;
        if (policy.duplicates == Duplicates::error)
            repeats.push_back(repeat);
        else
            drop();
    }

    // Rows whose hash may occur twice, mostly none: a Bloom filter with three bits in one word per row, without a branch that
    // depends on a hash. If a row may repeat another, a second round on other bits finds both.
    void find_suspects() {
        const std::uint64_t words = std::min<std::uint64_t>(std::bit_ceil(std::uint64_t{size_} + 1), std::uint64_t{1} << 26);
        suspects_.resize(size_ + 1);
        sieve_.assign(words, 0);
        std::uint32_t* const suspects = suspects_.data();
        std::uint64_t* const sieve = sieve_.data();
        std::size_t count = 0;
        for (std::uint32_t row = 0; row < size_; ++row) {
            const std::uint64_t code = hash_[row];
            const std::uint64_t bits = bit(code >> 32) | bit(code >> 38) | bit(code >> 44);
            std::uint64_t& word = sieve[code & (words - 1)];
            suspects[count] = row;
            count += (bits & ~word) == 0;
            word |= bits;
        }
        if (count > 0) {
            sieve_.assign(words, 0);
            for (std::size_t i = 0; i < count; ++i) {
                const std::uint64_t code = hash_[suspects[i]];
                sieve[code >> 32 & (words - 1)] |= bit(code);
            }
            count = 0;
            for (std::uint32_t row = 0; row < size_; ++row) {
                const std::uint64_t code = hash_[row];
                suspects[count] = row;
                count += (bit(code) & ~sieve[code >> 32 & (words - 1)]) == 0;
            }
        }
        suspects_.resize(count);
    }

    static std::uint64_t bit(std::uint64_t at) { return std::uint64_t{1} << (at % 64); }

    // The value of the last document that is evaluated; documents below the depth are ignored.
    double lowest_looked_at(const Policy& policy) {
        constexpr double everything = -std::numeric_limits<double>::infinity();
        if (policy.duplicates != Duplicates::error || policy.depth == 0 || policy.depth >= size_) return everything;
        scratch_.assign(value_.begin(), value_.begin() + std::ptrdiff_t(size_));
        const auto last = scratch_.begin() + std::ptrdiff_t(policy.depth - 1);
        std::nth_element(scratch_.begin(), last, scratch_.end(), std::greater<>());
        return *last;
    }

    void drop() {
        std::sort(dropped_.begin(), dropped_.end());
        std::size_t kept = 0, next = 0, hit = 0, hits = 0;
        for (std::uint32_t row = 0; row < size_; ++row) {
            const bool gone = next < dropped_.size() && dropped_[next] == row;
            next += gone;
            if (hit < found_.size() && found_[hit].row == row) {
                if (!gone) found_[hits++] = {std::uint32_t(kept), found_[hit].judgment};
                ++hit;
            }
            if (gone) continue;
            value_[kept] = value_[row];
            position_[kept] = position_[row];
            length_[kept] = length_[row];
            hash_[kept] = hash_[row];
            ++kept;
        }
        size_ = kept;
        found_.resize(hits);
        falling_ = std::is_sorted(value_.begin(), value_.begin() + std::ptrdiff_t(size_), std::greater<>());
    }

    // The number of documents that beat each hit, and of those that share its value.
    void group_hits() {
        if (falling_) {
            std::uint32_t begin = 0, end = 0;
            for (auto& f : found_) {
                if (f.row >= end) {
                    for (begin = f.row; begin > 0 && value_[begin - 1] == value_[f.row];) --begin;
                    for (end = f.row + 1; end < size_ && value_[end] == value_[f.row];) ++end;
                }
                f.above = begin;
                f.tied = end - begin;
            }
            return;
        }
        std::vector<double>& keys = scratch_;
        keys.clear();
        for (const auto& f : found_) keys.push_back(value_[f.row]);
        std::sort(keys.begin(), keys.end(), std::greater<>());
        keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
        counts_.reset(keys.size());
        for (std::size_t row = 0; row < size_; ++row) {
            const double value = value_[row];
            counts_.add([&](std::size_t k) { return value > keys[k]; }, [&](std::size_t k) { return value == keys[k]; });
        }
        counts_.close();
        for (auto& f : found_) {
            const auto at = std::lower_bound(keys.begin(), keys.end(), value_[f.row], std::greater<>());
            f.above = counts_.ahead(std::size_t(at - keys.begin()));
            f.tied = counts_.equal(std::size_t(at - keys.begin()));
        }
    }

    // The position of each hit among the documents of its value.
    template <class Source>
    void place_hits(const Pool& pool, const Policy& policy, const Source& source) {
        tied_.clear();
        for (std::uint32_t i = 0; i < found_.size(); ++i)
            if (found_[i].tied > 1) tied_.push_back(i);
        if (tied_.empty()) return;
        std::stable_sort(tied_.begin(), tied_.end(), [&](auto a, auto b) { return found_[a].above < found_[b].above; });
        if (!falling_) gather_members();
        for (std::size_t begin = 0, end; begin < tied_.size(); begin = end) {
            for (end = begin; end < tied_.size() && found_[tied_[end]].above == found_[tied_[begin]].above;) ++end;
            const std::uint32_t* group = tied_.data() + begin;
            if (policy.ties == Ties::best || policy.ties == Ties::worst)
                place_by_grade(pool, group, end - begin, policy.ties == Ties::best);
            else if (policy.ties == Ties::input)
                place_by_input(group, end - begin);
            else
                place_by_id(source, group, end - begin, policy.ties == Ties::id_ascending);
        }
    }

    // The rows of every tied group that contains a hit, group by group in the order of `above`.
    void gather_members() {
        groups_.clear();
        for (const auto i : tied_)
            if (groups_.empty() || groups_.back().above != found_[i].above)
                groups_.push_back({value_[found_[i].row], found_[i].above, 0, found_[i].tied});
        std::uint32_t start = 0;
        for (auto& group : groups_) {
            group.start = start;
            start += group.size;
        }
        members_.resize(start);
        fill_.assign(groups_.size(), 0);
        for (std::uint32_t row = 0; row < size_; ++row) {
            const auto group = std::lower_bound(groups_.begin(), groups_.end(), value_[row],
                                                [](const Group& g, double value) { return g.value > value; });
            if (group == groups_.end() || group->value != value_[row]) continue;
            members_[group->start + fill_[std::size_t(group - groups_.begin())]++] = row;
        }
    }

    // Calls `each(row)` for the rows of a tied group, from the first to the last.
    template <class Each>
    void for_members(const Found& hit, Each&& each) const {
        if (falling_) {
            for (std::uint32_t row = hit.above; row < hit.above + hit.tied; ++row) each(row);
            return;
        }
        const auto group = std::lower_bound(groups_.begin(), groups_.end(), hit.above,
                                            [](const Group& g, std::uint32_t above) { return g.above < above; });
        for (std::uint32_t i = 0; i < hit.tied; ++i) each(members_[group->start + i]);
    }

    void place_by_input(const std::uint32_t* group, std::size_t hits) {
        std::uint32_t place = 0;
        std::size_t next = 0;  // hits of a group are in row order
        for_members(found_[group[0]], [&](std::uint32_t row) {
            if (next < hits && found_[group[next]].row == row) found_[group[next++]].inside = place;
            ++place;
        });
    }

    template <class Source>
    void place_by_id(const Source& source, const std::uint32_t* group, std::size_t hits, bool ascending) {
        by_id_.assign(group, group + hits);
        const auto id = [&](std::uint32_t hit) { return view(source, found_[hit].row); };
        std::stable_sort(by_id_.begin(), by_id_.end(), [&](auto a, auto b) { return id(a) < id(b); });
        keys_.clear();
        for (const auto hit : by_id_)
            if (keys_.empty() || keys_.back() != id(hit)) keys_.push_back(id(hit));
        counts_.reset(keys_.size());
        for_members(found_[group[0]], [&](std::uint32_t row) {
            const View other = view(source, row);
            counts_.add([&](std::size_t k) { return other < keys_[k]; }, [&](std::size_t k) { return other == keys_[k]; });
        });
        counts_.close();
        std::size_t key = 0;
        for (std::size_t i = 0; i < hits; ++i) {
            Found& hit = found_[by_id_[i]];
            std::size_t same = i;  // the same document again, which is allowed below the depth
            while (same > 0 && id(by_id_[same - 1]) == id(by_id_[i])) --same;
            if (i > 0 && same == i) ++key;
            const auto place = counts_.ahead(key) + std::uint32_t(i - same);
            hit.inside = ascending ? place : hit.tied - 1 - place;
        }
    }

    // Best: positive grades first, the highest on top, then the unjudged, then the rest. Worst: the reverse.
    void place_by_grade(const Pool& pool, const std::uint32_t* group, std::size_t hits, bool best) {
        const auto grade = [&](std::uint32_t hit) { return pool.grade(found_[hit].judgment); };
        for (const bool from_top : {true, false}) {
            by_id_.clear();
            for (std::size_t i = 0; i < hits; ++i)
                if (((grade(group[i]) > 0) == best) == from_top) by_id_.push_back(group[i]);
            const bool falling = best == from_top;
            std::stable_sort(by_id_.begin(), by_id_.end(), [&](auto a, auto b) {
                return falling ? grade(a) > grade(b) : grade(a) < grade(b);
            });
            for (std::uint32_t place = 0; place < by_id_.size(); ++place) {
                Found& hit = found_[by_id_[place]];
                hit.inside = from_top ? place : hit.tied - 1 - place;
            }
        }
    }

    struct Group {
        double value;
        std::uint32_t above, start, size;
    };

    std::size_t size_ = 0;
    bool falling_ = true;
    Pool::Documents documents_{};
    std::vector<double> value_, scratch_;
    std::vector<std::uint64_t> position_, hash_, sieve_;
    std::vector<std::uint32_t> length_, suspects_, dropped_, tied_, members_, fill_, by_id_;
    std::vector<Group> groups_;
    std::vector<View> keys_;
    std::vector<Found> found_;
    Counts counts_;
};

}  // namespace judged
