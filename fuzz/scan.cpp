// Fuzzes the sources of text alone: no sanitizer may report an error, and the result must not depend on chunks and
// threads. `compare.py` compares the inputs that it keeps with the reference; the first eight bytes are read as in
// `inputs.py`.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "collect.hpp"
#include "delimited.hpp"
#include "json_document.hpp"
#include "json_lists.hpp"
#include "json_records.hpp"
#include "judgment_lines.hpp"
#include "lenient_lines.hpp"
#include "letor.hpp"
#include "scan.hpp"

using namespace judged;

namespace {

// The judgments of `judgments.tsv`: query, document and grade, sorted by query as a `Pool` demands.
struct Judgments {
    std::string text;
    std::vector<std::int64_t> query_start, query_length, doc_start, doc_length, query;
    std::vector<double> grade;

    explicit Judgments(const char* path) {
        std::ifstream file(path, std::ios::binary);
        std::string line, last;
        while (std::getline(file, line)) {
            const auto tab = line.find('\t'), other = line.find('\t', tab + 1);
            const std::string name = line.substr(0, tab), doc = line.substr(tab + 1, other - tab - 1);
            if (query_start.empty() || name != last) slice(last = name, query_start, query_length);
            if (doc.empty()) continue;
            slice(doc, doc_start, doc_length);
            query.push_back(std::int64_t(query_start.size()) - 1);
            grade.push_back(std::strtod(line.c_str() + other + 1, nullptr));
        }
        if (grade.empty()) std::fprintf(stderr, "no judgments in %s\n", path), std::exit(1);
    }
    Pool pool() const {
        return {{text.data(), query_start.data(), query_length.data(), query_start.size()},
                std::size_t(query.back()) + 1,  // the last query has no judgment
                query.data(),
                grade.data(),
                {text.data(), doc_start.data(), doc_length.data(), doc_start.size()}};
    }

private:
    void slice(const std::string& id, std::vector<std::int64_t>& start, std::vector<std::int64_t>& length) {
        start.push_back(std::int64_t(text.size()));
        length.push_back(std::int64_t(id.size()));
        text += id;
    }
};

// Complete lines of exactly this many bytes.
std::string filled(const std::string& query, std::size_t size) {
    std::string out;
    for (int i = 0;; ++i) {
        char number[16];
        std::snprintf(number, sizeof number, "%04d", i);
        const std::string line = query + " Q0 x" + number + " 1 0 t\n";
        if (out.size() + line.size() > size) break;
        out += line;
    }
    const std::size_t rest = size - out.size();
    return out + (rest > 1 ? "#" + std::string(rest - 2, '-') + "\n" : std::string(rest, '\n'));
}

std::string before(unsigned byte) {
    if (byte < 192) return "";
    const std::size_t size = (16 << 10) - (byte - 192) / 2 * 4;
    return byte % 2 ? "#" + std::string(size - 2, '-') + "\n" : filled("before", size);
}

std::string after(unsigned byte) {
    return byte < 192 ? "" : filled("1", std::size_t((4 << 10) + (int(byte) - 224) * 2));
}

void expect(bool agrees, const char* what) {
    if (agrees) return;
    std::fprintf(stderr, "%s depends on how the work is cut\n", what);
    std::abort();
}

void compare(const ScanResult& a, const ScanResult& b) {
    expect(a.bad == b.bad, "bad");
    if (a.bad != nowhere) return;  // the rest is ignored
    expect(a.retrieved == b.retrieved, "retrieved");
    expect(a.answered == b.answered, "answered");
    expect(a.query == b.query && a.rank == b.rank && a.judgment == b.judgment, "hits");
    expect(a.tie_first == b.tie_first && a.tie_last == b.tie_last, "ties");
    expect(a.infinite == b.infinite && a.unjudged == b.unjudged && a.some_unjudged == b.some_unjudged, "counts");
    expect(a.empty == b.empty && a.ranked == b.ranked, "flags");
    expect(!a.ranked || a.disagreeing == b.disagreeing, "disagreeing");
    std::uint64_t repeats = 0, others = 0;
    for (const auto& repeat : a.repeats) repeats += repeat.count;
    for (const auto& repeat : b.repeats) others += repeat.count;
    expect(repeats == others && a.repeats.size() == b.repeats.size(), "repeats");
}

template <class T>
bool equal(const Block<T>& a, const Block<T>& b) {
    return a.size == b.size && (a.size == 0 || std::memcmp(a.data.get(), b.data.get(), a.size * sizeof(T)) == 0);
}

bool equal(const IdBlock& a, const IdBlock& b) {
    return equal(a.buffer, b.buffer) && equal(a.start, b.start) && equal(a.length, b.length);
}

// The columns of all rows do not depend on parts and threads either. `guesses`: the source may refuse a text for lines of a part
// that do not belong together.
template <class Source>
void collect(const Source& source, unsigned threads, std::uint64_t part, bool guesses = false) {
    const Progress progress = [](std::uint64_t, std::uint64_t) { return true; };
    const Collected a = Collect<Source>(source).run(1, 1 << 20, progress), b = Collect<Source>(source).run(threads, part, progress);
    expect(guesses || (a.bad == nowhere) == (b.bad == nowhere), "bad");
    if (a.bad != nowhere || b.bad != nowhere) return;
    expect(a.rows == b.rows && a.unranked == b.unranked && (a.rows == 0 || a.last == b.last), "rows");
    expect(equal(a.queries, b.queries) && equal(a.query, b.query) && equal(a.doc, b.doc) && equal(a.aspect, b.aspect), "ids");
    expect(equal(a.number, b.number) && (a.unranked < a.rows || equal(a.rank, b.rank)), "numbers");
}

void collect_all(const char* data, std::uint64_t start, std::uint64_t size, unsigned threads, std::uint64_t part) {
    collect(Lines(data, start, size), threads, part);
    collect(LenientLines(data, start, size), threads, part, true);  // tabs in one line, spaces in another
    collect(JudgmentLines(data, start, size, false), threads, part);
    collect(JudgmentLines(data, start, size, true), threads, part);
    collect(Letor(data, start, size, 1), threads, part);
    for (const char separator : {',', '\t', ';', ' '}) {
        collect(Delimited(data, start, size, {separator, false, false, 3, 0, 1, 2, -1, -1}), threads, part);
        collect(Delimited(data, start, size, {separator, true, true, 5, 0, 1, 3, -1, 4}), threads, part);
        collect(Delimited(data, start, size, {separator, false, false, 4, 0, 1, 3, 2, -1}), threads, part);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const Judgments judgments(JUDGMENTS);
    static const Pool pool = judgments.pool();
    constexpr std::uint64_t depths[] = {0, 1, 2, 3, 7}, parts[] = {1, 16, 64, 1 << 20};
    std::uint8_t head[8] = {};
    std::memcpy(head, data, std::min<std::size_t>(size, 8));
    const int ties = head[1] % 6;  // the last one, the expected value, needs no order
    const Policy policy{Order(head[0] % 3), Ties(ties == 5 ? 0 : ties), Duplicates(head[2] % 3), depths[head[3] % 5],
                        head[4] % 2 == 1};
    std::string text = before(head[6]);
    if (size > 8) text.append(reinterpret_cast<const char*>(data) + 8, size - 8);
    text += after(head[7]);
    const std::unique_ptr<char[]> exact(new char[text.size()]);  // of the exact size, so that reading past the end is detected
    std::memcpy(exact.get(), text.data(), text.size());
    const std::uint64_t start = text.starts_with("\xef\xbb\xbf") ? 3 : 0;
    // `guesses`: the source may refuse a text for a cut that turns out not to be one.
    const auto check = [&]<class Source>(const Source& source, bool guesses = false) {
        const auto found = [&](unsigned threads, std::uint64_t part) {
            return Scan<Source>(pool, policy, source).run(threads, part, [](std::uint64_t, std::uint64_t) { return true; });
        };
        const ScanResult whole = found(1, 1 << 20), cut = found(1 + head[5] / 4 % 3, parts[head[5] % 4]);
        if (!guesses || (whole.bad == nowhere && cut.bad == nowhere)) compare(whole, cut);
    };
    check(Lines(exact.get(), start, text.size()));
    collect_all(exact.get(), start, text.size(), 1 + head[5] / 4 % 3, parts[head[5] % 4]);
    if (text.find('{') == std::string::npos) return 0;
    for (const bool listed : {false, true}) {
        check(JsonRecords(exact.get(), start, text.size(), {"query", "doc", "score"}, listed), listed);
        check(JsonRecords(exact.get(), start, text.size(), {"query", "doc", {}, "rank"}, listed), listed);
        check(JsonLists(exact.get(), start, text.size(), "query", "docs", listed, {}), true);  // a query may be cut off from its repetition
        check(JsonDocument(exact.get(), start, text.size(), listed, false, {"query"}), true);
    }
    return 0;
}
