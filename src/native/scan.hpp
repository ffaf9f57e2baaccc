// Finds the hits in the rows of a source: on all cores, in one pass, with one query per core in memory.
//
// Consecutive rows of one query are a fragment. A query with one fragment, as nearly every query has,
// is finished when its fragment ends; the fragments of the others are read a second time, together.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <deque>
#include <iterator>
#include <limits>
#include <string>
#include <unordered_map>
#include <vector>

#include "lines.hpp"
#include "parallel.hpp"
#include "pool.hpp"
#include "ranking.hpp"

namespace judged {

// The judged documents of a run, sorted by query, then rank.
struct ScanResult {
    std::vector<std::int64_t> retrieved;
    std::vector<std::uint8_t> answered;
    std::vector<std::int64_t> query, rank, judgment, tie_first, tie_last;
    std::uint64_t infinite = 0, disagreeing = 0, unjudged = 0;
    std::vector<std::string> some_unjudged;  // the first queries without judgments
    bool empty = true;                       // whether there is no ranking at all
    bool ranked = true;                      // whether every row has a rank
    std::uint64_t bad = nowhere;             // where the first invalid row begins
    std::vector<Repeat> repeats;

    void push(std::uint32_t of_query, const Hit& hit) {
        query.push_back(of_query);
        rank.push_back(hit.rank);
        judgment.push_back(hit.judgment);
        tie_first.push_back(hit.tie_first);
        tie_last.push_back(hit.tie_last);
    }

    // Adds the rows of other queries, which come later.
    void append(ScanResult&& other) {
        const auto add = [](auto& to, auto& from) { to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end())); };
        for (std::size_t i = 0; i < retrieved.size(); ++i) {
            retrieved[i] += other.retrieved[i];
            answered[i] |= other.answered[i];
        }
        for (const auto column : {&ScanResult::query, &ScanResult::rank, &ScanResult::judgment, &ScanResult::tie_first, &ScanResult::tie_last})
            add(this->*column, other.*column);
        add(some_unjudged, other.some_unjudged);
        add(repeats, other.repeats);
        infinite += other.infinite;
        disagreeing += other.disagreeing;
        unjudged += other.unjudged;
        empty &= other.empty;
        ranked &= other.ranked;
    }
};

template <class Source>
class Scan {
public:
    // `examples`: the number of queries without judgments to name.
    Scan(const Pool& pool, const Policy& policy, const Source& source, std::size_t examples = 3)
        : pool_(pool), policy_(policy), source_(source), examples_(examples) {}

    // `release` is called for each chunk that has been read; few are read again.
    ScanResult run(unsigned threads, std::uint64_t part, const Progress& progress, const Release& release = {}) {
        const auto begins = source_.parts(part, release);
        const std::size_t parts = begins.size() - 1;
        threads = unsigned(std::clamp<std::size_t>(parts, 1, threads));
        workers_.clear();
        for (unsigned i = 0; i < threads; ++i) workers_.emplace_back(pool_.size());
        edges_.assign(parts, {});
        first_bad_ = parts;
        in_parallel(parts, progress, source_.size(), [&](Worker& worker, std::size_t i) {
            if (i > first_bad_) return begins[i + 1] - begins[i];
            read(worker, begins[i], begins[i + 1], edges_[i]);
            if (edges_[i].bad != nowhere) lower(first_bad_, i);
            if (release) release(begins[i], begins[i + 1]);
            return begins[i + 1] - begins[i];
        });
        ScanResult found = merge(progress);
        if (!progress(source_.size(), source_.size())) throw Stopped();
        return found;
    }

private:
    struct Fragment {
        std::uint64_t begin, end;
        std::uint32_t query, rows, first_hit, hits;
        std::uint32_t worker;
    };

    struct Edge {
        View query;
        double score;
        std::int64_t rank;
    };

    // The first and the last row of a chunk: a ranking may continue in the next chunk.
    struct Edges {
        Edge first, last;
        std::string names[2];  // their queries, so that the chunk is not read again
        bool any = false;
        std::uint64_t bad = nowhere;
    };

    struct Unjudged {
        std::uint64_t first;
        std::uint8_t disagrees;
    };

    struct Worker {
        explicit Worker(std::size_t queries) : seen(queries), disagrees(queries) {}

        Ranking ranking;
        Cells cells;
        std::vector<Hit> hits;
        std::deque<Fragment> fragments;
        std::vector<Repeat> repeats;
        std::vector<std::uint8_t> seen, disagrees;
        std::unordered_map<View, Unjudged> unjudged;
        std::uint64_t infinite = 0;
        bool ranked = true;
    };

    static bool disagree(const Edge& a, const Edge& b) {
        return a.rank != b.rank && a.score != b.score && (b.rank > a.rank) == (b.score > a.score);
    }

    // Processes the rows of a chunk in order.
    class Reader {
    public:
        Reader(Scan& scan, Worker& worker, Edges& edges)
            : scan_(scan), worker_(worker), edges_(edges), ranking_(worker.ranking) {}

        template <class Each>
        JUDGED_INLINE void operator()(const Each& row) {
            const Edge mark{row.query, row.score, row.rank};
            if (edges_.any && same(row.query, last_.query)) [[likely]]
                disagrees_ |= disagree(last_, mark);
            else
                turn(row, mark);
            last_ = mark;
            ranked_ &= row.ranked;
            infinite_ += !(std::fabs(row.score) <= std::numeric_limits<double>::max());
            if (!fresh_) return;
            const double value = value_of(scan_.policy_, row, row.position);
            if constexpr (requires { row.hash; })
                ranking_.add(scan_.pool_, scan_.source_, row.hash, row.position, value);
            else
                ranking_.add(scan_.pool_, row.doc.data(), row.doc.size(), row.position, value);
        }

        // More rows of the same query.
        JUDGED_NOINLINE void strip(const Strip& rows) {
            bool agree = rows.rank[0] > last_.rank && rows.score[0] <= last_.score;
            for (std::size_t i = 1; i < rows.size; ++i)
                agree &= (rows.rank[i] > rows.rank[i - 1]) & (rows.score[i] <= rows.score[i - 1]);
            if (!agree) compare_ranks(rows);
            last_.score = rows.score[rows.size - 1];
            last_.rank = rows.rank[rows.size - 1];
            ranked_ &= rows.ranked;
            if (!rows.finite)
                for (std::size_t i = 0; i < rows.size; ++i) infinite_ += std::isinf(rows.score[i]);
            if (fresh_) ranking_.add(scan_.pool_, scan_.policy_, rows);
        }

        void finish(std::uint64_t end) {
            if (edges_.any) close(end);
            edges_.last = last_;
            worker_.ranked &= ranked_;
            worker_.infinite += infinite_;
        }

    private:
        JUDGED_NOINLINE void compare_ranks(const Strip& rows) {
            Edge before = last_;
            for (std::size_t i = 0; i < rows.size; ++i) {
                const Edge mark{before.query, rows.score[i], rows.rank[i]};
                disagrees_ |= disagree(before, mark);
                before = mark;
            }
        }

        // Another query begins.
        JUDGED_NOINLINE void turn(const Row& row, const Edge& mark) {
            if (edges_.any)
                close(row.begin);
            else
                edges_.first = mark, edges_.any = true;
            disagrees_ = false;
            const std::uint32_t query = scan_.pool_.find_query(row.query);
            judged_ = scan_.pool_.is_judged(query);
            fresh_ = judged_ && !worker_.seen[query];
            unjudged_ = nullptr;
            if (query == none)
                unjudged_ = &worker_.unjudged.try_emplace(row.query, Unjudged{row.position, false}).first->second;
            open_.query = query;
            if (!judged_) return;
            worker_.seen[query] = true;
            open_ = {row.begin, 0, query, 0, 0, 0, std::uint32_t(&worker_ - scan_.workers_.data())};
            ranking_.begin(scan_.pool_.documents(query));
        }

        void close(std::uint64_t end) {
            (unjudged_ ? unjudged_->disagrees : worker_.disagrees[open_.query]) |= disagrees_;
            if (!judged_) return;
            open_.end = end;
            open_.first_hit = std::uint32_t(worker_.hits.size());
            if (fresh_) {
                ranking_.finish(scan_.pool_, open_.query, scan_.policy_, scan_.source_, false, worker_.hits, worker_.repeats);
                open_.rows = std::uint32_t(ranking_.size());
            }
            open_.hits = std::uint32_t(worker_.hits.size()) - open_.first_hit;
            worker_.fragments.push_back(open_);
        }

        Scan& scan_;
        Worker& worker_;
        Edges& edges_;
        Ranking& ranking_;
        Edge last_{};
        Fragment open_{};
        Unjudged* unjudged_ = nullptr;
        std::uint64_t infinite_ = 0;
        bool judged_ = false, fresh_ = false, disagrees_ = false, ranked_ = true;
    };

    void read(Worker& worker, std::uint64_t begin, std::uint64_t end, Edges& edges) {
        Reader reader(*this, worker, edges);
        edges.bad = source_.rows(worker.cells, begin, end, reader);
        reader.finish(edges.bad == nowhere ? end : edges.bad);
        edges.names[0] = edges.first.query;
        edges.names[1] = edges.last.query;
        edges.first.query = edges.names[0];
        edges.last.query = edges.names[1];
    }

    // Reads the fragments of queries with several fragments again, query by query.
    void reread(Worker& worker, std::vector<Fragment>& all, std::size_t begin, std::size_t end) {
        const std::uint32_t query = all[begin].query;
        worker.ranking.begin(pool_.documents(query));
        auto add = [&](const Row& row) {
            worker.ranking.add(pool_, row.doc.data(), row.doc.size(), row.position, value_of(policy_, row, row.position));
        };
        for (std::size_t i = begin; i < end; ++i) source_.rows(worker.cells, all[i].begin, all[i].end, add);
        Fragment& whole = all[begin];
        whole.worker = std::uint32_t(&worker - workers_.data());
        whole.first_hit = std::uint32_t(worker.hits.size());
        worker.ranking.finish(pool_, query, policy_, source_, false, worker.hits, worker.repeats);
        whole.rows = std::uint32_t(worker.ranking.size());
        whole.hits = std::uint32_t(worker.hits.size()) - whole.first_hit;
    }

    ScanResult merge(const Progress& progress) {
        ScanResult found;
        for (const auto& edges : edges_) {
            found.empty &= !edges.any;
            found.bad = edges.bad;
            if (found.bad != nowhere) break;  // later chunks may have been read, but do not count
        }
        if (found.bad != nowhere) return found;
        for (auto& worker : workers_) {
            found.infinite += worker.infinite;
            found.ranked &= worker.ranked;
        }
        std::vector<Fragment> all;
        std::size_t fragments = 0;
        for (const auto& worker : workers_) fragments += worker.fragments.size();
        all.reserve(fragments);
        for (auto& worker : workers_) {
            all.insert(all.end(), worker.fragments.begin(), worker.fragments.end());
            std::deque<Fragment>().swap(worker.fragments);
        }
        const auto by_query = [](const Fragment& a, const Fragment& b) {
            return a.query != b.query ? a.query < b.query : a.begin < b.begin;
        };
        if (!std::is_sorted(all.begin(), all.end(), by_query)) std::sort(all.begin(), all.end(), by_query);
        std::vector<std::size_t> first;  // of each query
        for (std::size_t i = 0; i < all.size(); ++i)
            if (i == 0 || all[i].query != all[i - 1].query) first.push_back(i);
        first.push_back(all.size());
        reread_scattered(all, first, progress);

        found.retrieved.assign(pool_.size(), 0);
        found.answered.assign(pool_.size(), 0);
        std::size_t hits = 0;
        for (std::size_t i = 0; i + 1 < first.size(); ++i) hits += all[first[i]].hits;
        for (auto* column : {&found.query, &found.rank, &found.judgment, &found.tie_first, &found.tie_last})
            column->reserve(hits);
        for (std::size_t i = 0; i + 1 < first.size(); ++i) {
            const Fragment& fragment = all[first[i]];
            found.retrieved[fragment.query] = fragment.rows;
            found.answered[fragment.query] = 1;
            const Hit* hit = workers_[fragment.worker].hits.data() + fragment.first_hit;
            for (std::uint32_t k = 0; k < fragment.hits; ++k) found.push(fragment.query, hit[k]);
        }
        for (auto& worker : workers_) found.repeats.insert(found.repeats.end(), worker.repeats.begin(), worker.repeats.end());
        note_queries(found);
        return found;
    }

    void reread_scattered(std::vector<Fragment>& all, const std::vector<std::size_t>& first, const Progress& progress) {
        std::vector<std::size_t> scattered;
        std::uint64_t size = 0;
        for (std::size_t i = 0; i + 1 < first.size(); ++i)
            if (first[i + 1] - first[i] > 1) {
                scattered.push_back(i);
                for (std::size_t k = first[i]; k < first[i + 1]; ++k) size += all[k].end - all[k].begin;
            }
        if (scattered.empty()) return;
        std::vector<std::uint8_t> again(pool_.size());
        for (const std::size_t i : scattered) again[all[first[i]].query] = true;
        for (auto& worker : workers_)
            std::erase_if(worker.repeats, [&](const Repeat& repeat) { return again[repeat.query]; });
        in_parallel(scattered.size(), progress, size, [&](Worker& worker, std::size_t i) {
            const std::size_t begin = first[scattered[i]], end = first[scattered[i] + 1];
            std::uint64_t done = 0;
            for (std::size_t k = begin; k < end; ++k) done += all[k].end - all[k].begin;
            reread(worker, all, begin, end);
            return done;
        });
    }

    // Queries without judgments, and queries whose rank column contradicts the scores; each once.
    void note_queries(ScanResult& found) {
        auto& unjudged = workers_[0].unjudged;
        auto& disagrees = workers_[0].disagrees;
        for (std::size_t w = 1; w < workers_.size(); ++w) {
            for (const auto& [id, info] : workers_[w].unjudged) {
                const auto [at, is_new] = unjudged.try_emplace(id, info);
                at->second.first = std::min(at->second.first, info.first);
                at->second.disagrees |= info.disagrees;
            }
            for (std::size_t q = 0; q < disagrees.size(); ++q) disagrees[q] |= workers_[w].disagrees[q];
        }
        const Edges* before = nullptr;
        for (const auto& edges : edges_) {
            if (!edges.any) continue;
            if (before && before->last.query == edges.first.query && disagree(before->last, edges.first)) {
                const std::uint32_t query = pool_.find_query(edges.first.query);
                if (query != none)
                    disagrees[query] = true;
                else
                    unjudged.at(edges.first.query).disagrees = true;
            }
            before = &edges;
        }
        found.unjudged = unjudged.size();
        std::vector<std::pair<std::uint64_t, View>> first;
        for (const auto& [id, info] : unjudged) {
            found.disagreeing += info.disagrees;
            first.emplace_back(info.first, id);
        }
        const auto named = first.begin() + std::ptrdiff_t(std::min(first.size(), examples_));
        std::partial_sort(first.begin(), named, first.end());
        for (auto at = first.begin(); at != named; ++at) found.some_unjudged.emplace_back(at->second);
        for (const auto flag : disagrees) found.disagreeing += flag;
    }

    static void lower(std::atomic<std::size_t>& least, std::size_t value) {
        std::size_t now = least;
        while (value < now && !least.compare_exchange_weak(now, value)) {
        }
    }

    template <class Work>
    void in_parallel(std::size_t count, const Progress& progress, std::uint64_t size, Work&& work) {
        judged::in_parallel(workers_.size(), count, progress, size, [&](std::size_t worker, std::size_t i) { return work(workers_[worker], i); });
    }

    const Pool& pool_;
    const Policy& policy_;
    const Source& source_;
    std::size_t examples_;
    std::vector<Worker> workers_;
    std::vector<Edges> edges_;
    std::atomic<std::size_t> first_bad_{0};
};

}  // namespace judged
