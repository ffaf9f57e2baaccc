// The Python interface of the native core; core/ calls it.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>

#if defined(__linux__)
#include <sys/mman.h>
#include <unistd.h>
#endif

#include <atomic>
#include <cstring>
#include <mutex>
#include <optional>
#include <variant>

#include "bus_error.hpp"
#include "collect.hpp"
#include "columns.hpp"
#include "counting.hpp"
#include "delimited.hpp"
#include "documents.hpp"
#include "gathered.hpp"
#include "json_document.hpp"
#include "json_lists.hpp"
#include "json_records.hpp"
#include "judgment_lines.hpp"
#include "judgments.hpp"
#include "lenient_lines.hpp"
#include "letor.hpp"
#include "mapping.hpp"
#include "resample.hpp"
#include "scan.hpp"
#include "segment.hpp"
#include "sign_flips.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace judged;

namespace {

template <class T>
using Column = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
using Array = nb::ndarray<nb::numpy, T, nb::ndim<1>>;

// What makes arrays with memory of NumPy's own; found at the first use, since the module is also imported where NumPy is not.
struct NumPy {
    nb::object empty, reals, integers, bytes;

    static const NumPy& get() {
        static std::atomic<const NumPy*> known{nullptr};
        if (const NumPy* found = known) return *found;
        const auto numpy = nb::module_::import_("numpy");
        const auto type = [&](const char* name) { return nb::object(numpy.attr("dtype")(name)); };
        known = new NumPy{numpy.attr("empty"), type("f8"), type("i8"), type("u1")};
        return *known;
    }
    template <class T>
    nb::object array(std::size_t size) const {
        return empty(size, std::is_same_v<T, double> ? reals : std::is_same_v<T, std::int64_t> ? integers : bytes);
    }
};

template <class T>
constexpr bool has_type = std::is_same_v<T, double> || std::is_same_v<T, std::int64_t> || std::is_same_v<T, std::uint8_t>;

// Few items are copied: the array is made in half the time, and the garbage collector has nothing to visit.
template <class T>
bool is_copied(std::size_t size) {
    return has_type<T> && size * sizeof(T) <= 4096;
}

template <class T>
nb::object copy_of(const T* data, std::size_t size) {
    nb::object array = NumPy::get().array<T>(size);
    Py_buffer memory;
    if (PyObject_GetBuffer(array.ptr(), &memory, PyBUF_WRITABLE) != 0) throw nb::python_error();
    if (size > 0) std::memcpy(memory.buf, data, size * sizeof(T));
    PyBuffer_Release(&memory);
    return array;
}

template <class T>
nb::object array_of(std::vector<T>&& values) {
    if (is_copied<T>(values.size())) return copy_of(values.data(), values.size());
    auto* owned = new std::vector<T>(std::move(values));
    nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return nb::cast(Array<T>(owned->data(), {owned->size()}, owner));
}

// The pool with the arrays that it refers to.
struct OwnedPool {
    nb::object kept;
    Pool pool;
};

Slices slices_of(const nb::tuple& text) {
    const auto buffer = nb::cast<Column<std::uint8_t>>(text[0]);
    const auto start = nb::cast<Column<std::int64_t>>(text[1]), length = nb::cast<Column<std::int64_t>>(text[2]);
    if (start.shape(0) != length.shape(0)) throw std::length_error("columns of different lengths");
    return {reinterpret_cast<const char*>(buffer.data()), start.data(), length.data(), start.shape(0)};
}

OwnedPool* pool_of(nb::tuple queries, std::size_t judged, Column<std::int64_t> query, Column<double> grade, nb::tuple docs) {
    return new OwnedPool{nb::make_tuple(queries, query, grade, docs),
                         Pool(slices_of(queries), judged, query.data(), grade.data(), slices_of(docs))};
}

// Handles signals and progress during a scan, in the thread that holds the interpreter.
class Watch {
public:
    explicit Watch(nb::object callback) : callback_(std::move(callback)) {}

    bool operator()(std::uint64_t done, std::uint64_t size) {
        const nb::gil_scoped_acquire gil;
        try {
            if (PyErr_CheckSignals() != 0) throw nb::python_error();
            if (!callback_.is_none()) callback_(done, size);
            return true;
        } catch (nb::python_error& error) {
            error_.emplace(std::move(error));
            return false;
        }
    }
    void raise() {
        if (error_) throw std::move(*error_);
    }

private:
    nb::object callback_;
    std::optional<nb::python_error> error_;
};

// Calls `work(progress)` without the interpreter, which handles signals meanwhile.
template <class Work>
auto watched(Work&& work, nb::object callback = nb::none()) {
    Watch watch(std::move(callback));
    try {
        const nb::gil_scoped_release release;
        return work(Progress(std::ref(watch)));
    } catch (const Stopped&) {
        watch.raise();
        throw;
    }
}

nb::bytes bytes_of(View text) { return nb::bytes(text.data(), text.size()); }

nb::dict as_dict(ScanResult&& found) {
    nb::dict out;
    out["retrieved"] = array_of(std::move(found.retrieved));
    out["answered"] = array_of(std::move(found.answered));
    out["query"] = array_of(std::move(found.query));
    out["rank"] = array_of(std::move(found.rank));
    out["judgment"] = array_of(std::move(found.judgment));
    out["tie_first"] = array_of(std::move(found.tie_first));
    out["tie_last"] = array_of(std::move(found.tie_last));
    out["empty"] = found.empty;
    out["ranked"] = found.ranked;
    out["infinite"] = found.infinite;
    out["disagreeing"] = found.ranked ? found.disagreeing : 0;
    out["unjudged"] = found.unjudged;
    nb::list some;
    for (const auto& id : found.some_unjudged) some.append(bytes_of(id));
    out["some_unjudged"] = nb::tuple(some);
    out["bad"] = found.bad == nowhere ? nb::none() : nb::object(nb::int_(found.bad));
    out["repeat"] = nb::none();
    std::uint64_t count = 0;
    const Repeat* first = nullptr;
    for (const auto& repeat : found.repeats) {
        count += repeat.count;
        if (!first || repeat.later < first->later) first = &repeat;
    }
    if (first) out["repeat"] = nb::make_tuple(first->query, bytes_of(first->doc), first->earlier, first->later, count);
    return out;
}

// Arguments of a scan that are the same for every source.
struct Job {
    const OwnedPool& pool;
    const Policy& policy;
    unsigned threads;
    std::uint64_t part;
    nb::object progress;
    std::size_t examples = 3;
    Release release{};
};

// Removes the pages of a mapped file between two offsets from the memory of the process; they stay in the cache of the system.
Release release_pages(const char* data) {
#if defined(__linux__)
    const auto page = std::uintptr_t(sysconf(_SC_PAGESIZE));
    return [data, page](std::uint64_t begin, std::uint64_t end) {
        const std::uintptr_t first = (reinterpret_cast<std::uintptr_t>(data) + begin + page - 1) / page * page;
        const std::uintptr_t last = (reinterpret_cast<std::uintptr_t>(data) + end) / page * page;
        if (first < last) madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED);
    };
#else
    (void)data;
    return {};
#endif
}

template <class Source>
nb::dict scan_source(const Source& source, Job job) {
    return as_dict(watched([&](const Progress& progress) {
        return Scan<Source>(job.pool.pool, job.policy, source, job.examples).run(job.threads, job.part, progress, job.release);
    }, std::move(job.progress)));
}

nb::dict scan_columns(const Columns& columns, Job job) {
    if (!columns.ranked() && columns.size() < none && columns.scattered(job.part)) {
        auto found = watched([&](const Progress& progress) {
            return scan_gathered(columns, job.pool.pool, job.policy, job.examples, job.threads, job.part, progress);
        }, job.progress);
        if (found) return as_dict(std::move(*found));
    }
    return scan_source(columns, std::move(job));
}

// Every source of rows in text. Python names one, with its settings, in a layout.
using TextSource = std::variant<Lines, LenientLines, JudgmentLines, Delimited, Letor, JsonRecords, JsonDocument, JsonLists>;

// Judgments are collected, never scanned.
template <class Source>
constexpr bool has_rankings = !std::is_same_v<Source, JudgmentLines> && !std::is_same_v<Source, Letor>;

std::string text_of(nb::handle text) { return std::string(nb::cast<std::string_view>(text)); }

// Fields of records by role; None for a role without one.
JsonRecords::Names field_names(const nb::dict& layout) {
    static constexpr const char* roles[] = {"query", "doc", "score", "rank", "aspect"};
    JsonRecords::Names names;
    for (std::size_t i = 0; i < names.size(); ++i)
        if (const nb::object name = layout[roles[i]]; !name.is_none()) names[i] = nb::cast<std::string_view>(name);
    return names;
}

JsonDocument json_document(const char* text, std::uint64_t start, std::uint64_t size, const nb::dict& layout) {
    std::vector<std::string> columns;
    for (const nb::handle name : nb::cast<nb::tuple>(layout["columns"])) columns.push_back(text_of(name));
    return {text, start, size, nb::cast<bool>(layout["listed"]), nb::cast<bool>(layout["graded"]), std::move(columns)};
}

JsonLists json_lists(const char* text, std::uint64_t start, std::uint64_t size, const nb::dict& layout) {
    JsonLists::Fields fields;
    for (const auto [name, kind] : nb::cast<nb::dict>(layout["fields"])) {
        const auto letter = nb::cast<std::string_view>(kind);
        fields.emplace_back(text_of(name), letter.empty() ? char(0) : letter[0]);
    }
    return {text, start, size, text_of(layout["query"]), text_of(layout["docs"]), nb::cast<bool>(layout["graded"]), std::move(fields)};
}

DelimitedLayout delimited_layout(const nb::dict& layout) {
    const auto column = [&](const char* role) { return nb::cast<int>(layout[role]); };
    DelimitedLayout out{nb::cast<char>(layout["separator"]), nb::cast<bool>(layout["spaced"]), nb::cast<bool>(layout["grades"]),
                        column("columns"), column("query"), column("doc"), column("number"), column("rank"), column("aspect")};
    const int used[] = {out.query, out.doc, out.number, out.rank, out.aspect};
    if (out.query < 0 || out.doc < 0 || *std::max_element(std::begin(used), std::end(used)) >= out.columns)
        throw std::out_of_range("a column of the layout");
    return out;
}

TextSource text_source(const Column<std::uint8_t>& data, std::uint64_t start, std::uint64_t size, const nb::dict& layout) {
    if (start > size || size > data.shape(0)) throw std::out_of_range("a stretch of the data");
    const char* text = reinterpret_cast<const char*>(data.data());
    const auto name = nb::cast<std::string_view>(layout["source"]);
    if (name == "trec") return Lines(text, start, size);
    if (name == "trec_lenient") return LenientLines(text, start, size);
    if (name == "trec_judgments") return JudgmentLines(text, start, size, nb::cast<bool>(layout["lenient"]));
    if (name == "letor") return Letor(text, start, size, nb::cast<std::uint64_t>(layout["line"]));
    if (name == "delimited") return Delimited(text, start, size, delimited_layout(layout));
    if (name == "json_records") return JsonRecords(text, start, size, field_names(layout), nb::cast<bool>(layout["listed"]));
    if (name == "json_lists") return json_lists(text, start, size, layout);
    if (name == "json_document") return json_document(text, start, size, layout);
    throw std::invalid_argument("unknown source");
}

nb::dict scan_text(Column<std::uint8_t> data, std::uint64_t start, std::uint64_t size, nb::dict layout, const OwnedPool& pool,
                   const Policy& policy, unsigned threads, std::uint64_t part, nb::object progress, std::size_t examples,
                   bool mapped) {
    const char* text = reinterpret_cast<const char*>(data.data());
    const Job job{pool, policy, threads, part, std::move(progress), examples, mapped ? release_pages(text) : Release{}};
    return std::visit([&]<class Source>(const Source& source) -> nb::dict {
        if constexpr (has_rankings<Source>) return scan_source(source, job);
        throw std::invalid_argument("judgments cannot be scanned");
    }, text_source(data, start, size, layout));
}

// Where the rows of the first query of a text end, and where those of the last begin; None if its source cannot be cut there.
nb::object query_edges(Column<std::uint8_t> data, std::uint64_t start, std::uint64_t size, nb::dict layout) {
    return std::visit([](const auto& source) -> nb::object {
        if constexpr (requires { source.query_edges(); }) {
            const auto [first, last] = source.query_edges();
            return nb::make_tuple(first, last);
        } else {
            return nb::none();
        }
    }, text_source(data, start, size, layout));
}

template <class T>
nb::object array_of(Block<T>&& block) {
    if (is_copied<T>(block.size)) return copy_of(block.data.get(), block.size);
    T* data = block.data.release();
    nb::capsule owner(data, [](void* p) noexcept { std::free(p); });
    return nb::cast(Array<T>(data, {block.size}, owner));
}

nb::tuple ids_of(IdBlock&& ids) {
    return nb::make_tuple(array_of(std::move(ids.buffer)), array_of(std::move(ids.start)), array_of(std::move(ids.length)));
}

nb::object read_text(Column<std::uint8_t> data, std::uint64_t start, std::uint64_t size, nb::dict layout, unsigned threads,
                     std::uint64_t part) {
    const TextSource text = text_source(data, start, size, layout);
    Collected all = watched([&](const Progress& progress) {
        return std::visit([&]<class Source>(const Source& source) { return Collect<Source>(source).run(threads, part, progress); }, text);
    });
    if (all.bad != nowhere || all.rows == 0) return nb::none();
    nb::dict out;
    out["queries"] = ids_of(std::move(all.queries));
    out["query"] = array_of(std::move(all.query));
    out["doc"] = ids_of(std::move(all.doc));
    out["number"] = array_of(std::move(all.number));
    out["rank"] = all.unranked == all.rows ? array_of(std::move(all.rank)) : nb::none();
    out["unranked"] = all.unranked;
    out["aspect"] = ids_of(std::move(all.aspect));
    out["last"] = all.last;
    return out;
}

nb::object read_dict(nb::dict table) {
    MappingRows rows;
    if (!read_mapping(table.ptr(), rows)) return nb::none();
    Collected& all = rows.columns;
    return nb::make_tuple(ids_of(std::move(all.queries)), array_of(std::move(all.query)), ids_of(std::move(all.doc)),
                          array_of(std::move(all.number)), rows.integer_queries, rows.integer_docs);
}

nb::object sort_judgments(nb::tuple queries, bool by_number, Column<std::int64_t> query, Column<double> grade, nb::tuple docs, unsigned threads) {
    const Slices names = slices_of(queries), ids = slices_of(docs);
    if (grade.shape(0) != ids.size || query.shape(0) != ids.size || ids.size >= none) throw std::length_error("columns of different lengths");
    QueryOrder order;
    auto sorted = watched([&](const Progress& progress) {
        order = order_queries(names, by_number, query.data(), ids.size);
        return SortJudgments(order, query.data(), grade.data(), ids).run(threads, progress);
    });
    if (!sorted) return nb::none();
    return nb::make_tuple(array_of(std::move(order.order)), order.judged, array_of(std::move(sorted->query)),
                          array_of(std::move(sorted->grade)), array_of(std::move(sorted->start)), array_of(std::move(sorted->length)));
}

nb::tuple group_rows(Column<std::int64_t> query, std::size_t queries, nb::tuple docs, unsigned threads) {
    const Slices ids = slices_of(docs);
    if (query.shape(0) != ids.size) throw std::length_error("columns of different lengths");
    DocumentRows found;
    {
        const nb::gil_scoped_release release;
        found = group_documents(query.data(), queries, ids, threads);
    }
    return nb::make_tuple(array_of(std::move(found.order)), array_of(std::move(found.first)));
}

nb::object row_begins(Column<std::uint8_t> data, std::uint64_t start, std::uint64_t size, nb::dict layout) {
    std::vector<std::int64_t> begins;
    const auto add = [&](const Row& row) { begins.push_back(std::int64_t(row.begin)); };
    std::visit([&](const auto& source) { Cells cells; source.rows(cells, start, size, add); }, text_source(data, start, size, layout));
    return array_of(std::move(begins));
}

Columns columns_of(const nb::tuple& queries, const Column<std::int64_t>& query, const nb::tuple& docs,
                   const Column<double>& score, const std::optional<Column<std::int64_t>>& rank) {
    const std::size_t rows = query.shape(0);
    const Slices names = slices_of(queries), ids = slices_of(docs);
    if (ids.size != rows || score.shape(0) != rows || (rank && rank->shape(0) != rows))
        throw std::length_error("columns of different lengths");
    Batch batch;
    batch.rows = rows;
    batch.query.slices = names;
    batch.doc.slices = ids;
    batch.code = query.data();
    batch.score = {'g', score.data()};
    if (rank) batch.rank = {'l', rank->data()};
    Columns columns;
    columns.add(batch);
    return columns;
}

nb::dict scan_rows(nb::tuple queries, Column<std::int64_t> query, nb::tuple docs, Column<double> score,
                   std::optional<Column<std::int64_t>> rank, const OwnedPool& pool, const Policy& policy,
                   unsigned threads, std::uint64_t part, nb::object progress) {
    const Columns columns = columns_of(queries, query, docs, score, rank);
    return scan_columns(columns, {pool, policy, threads, part, std::move(progress)});
}

bool read_table(ArrowTable& table, nb::handle stream, const nb::tuple& columns, bool integer_queries, bool integer_docs) {
    auto* arrow = static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(stream.ptr(), "arrow_array_stream"));
    if (arrow == nullptr) throw nb::python_error();
    int at[4];
    for (int i = 0; i < 4; ++i) at[i] = nb::cast<int>(columns[i]);
    const nb::gil_scoped_release release;  // reading a stream may run a query
    return table.read(arrow, at[0], at[1], at[2], at[3], integer_queries, integer_docs);
}

nb::object scan_arrow(nb::list streams, nb::tuple columns, bool integer_queries, bool integer_docs, const OwnedPool& pool,
                      const Policy& policy, unsigned threads, std::uint64_t part, nb::object progress) {
    ArrowTable table;
    for (const auto stream : streams)
        if (!read_table(table, stream, columns, integer_queries, integer_docs)) return nb::none();
    return scan_columns(table.columns(), {pool, policy, threads, part, std::move(progress)});
}

nb::object scan_dict(nb::dict run, bool integer_queries, bool integer_docs, const OwnedPool& pool, const Policy& policy) {
    ScanResult found;
    if (!scan_mapping(pool.pool, policy, run.ptr(), integer_queries, integer_docs, found)) return nb::none();
    return as_dict(std::move(found));
}

// The rows of a batch of any kind, with the memory that it refers to.
struct Rows {
    nb::object kept;
    std::unique_ptr<TextSource> text;
    std::unique_ptr<ArrowTable> table;
    std::unique_ptr<Columns> columns;
    std::uint64_t start = 0;

    std::uint64_t end() const {
        if (text) return std::visit([](const auto& source) { return source.size(); }, *text);
        return (table ? table->columns() : *columns).size();
    }

    template <class Each>
    std::uint64_t rows(std::uint64_t end, Each& each) const {
        Cells cells;
        if (text)
            return std::visit([&]<class Source>(const Source& source) -> std::uint64_t {
                if constexpr (has_rankings<Source>) return source.rows(cells, start, end, each);
                throw std::invalid_argument("judgments cannot be counted");
            }, *text);
        return (table ? table->columns() : *columns).rows(cells, start, end, each);
    }
};

Rows* rows_in_text(Column<std::uint8_t> data, std::uint64_t start, std::uint64_t size, nb::dict layout) {
    auto text = std::make_unique<TextSource>(text_source(data, start, size, layout));
    return new Rows{nb::cast(data), std::move(text), nullptr, nullptr, start};
}

Rows* rows_in_arrow(nb::handle stream, nb::tuple columns, bool integer_queries, bool integer_docs) {
    auto table = std::make_unique<ArrowTable>();
    return read_table(*table, stream, columns, integer_queries, integer_docs) ? new Rows{nb::none(), nullptr, std::move(table), nullptr} : nullptr;
}

Rows* rows_in_columns(nb::tuple queries, Column<std::int64_t> query, nb::tuple docs, Column<double> score,
                      std::optional<Column<std::int64_t>> rank) {
    auto columns = std::make_unique<Columns>(columns_of(queries, query, docs, score, rank));
    return new Rows{nb::make_tuple(queries, query, docs, score, rank), nullptr, nullptr, std::move(columns)};
}

nb::object place_or_none(std::uint64_t place) { return place == nowhere ? nb::none() : nb::object(nb::int_(place)); }

nb::tuple locate(const Rows& rows, const OwnedPool& pool, const Policy& policy, std::uint64_t position) {
    Locator each(pool.pool, policy, position);
    std::uint64_t bad;
    {
        const nb::gil_scoped_release release;
        bad = rows.rows(rows.end(), each);
        each.finish();
    }
    const std::uint64_t scanned = each.located.rows;
    auto located = nb::make_tuple(array_of(std::move(each.located.judgment)), array_of(std::move(each.located.value)),
                                array_of(std::move(each.located.position)), scanned);
    return nb::make_tuple(located, place_or_none(bad), scanned == 0);
}

struct OwnedIndex {
    nb::object kept;
    Index index;
};

OwnedIndex* index_of(nb::handle pool, Column<std::int64_t> start, Column<double> value, Column<std::int64_t> first,
                     nb::tuple docs, Column<std::int64_t> position, bool by_position) {
    const Slices ids = slices_of(docs);
    const auto& judged = nb::cast<const OwnedPool&>(pool).pool;
    if (start.shape(0) == 0 || first.shape(0) != value.shape(0) + 1 || ids.size != position.shape(0))
        throw std::length_error("columns of different lengths");
    return new OwnedIndex{nb::make_tuple(pool, start, value, first, docs, position),
                          Index{judged, start.data(), value.data(), first.data(), ids, position.data(), by_position,
                                start.shape(0) - 1, value.shape(0), ids.size}};
}

// Counts with the index and the policy that they refer to.
struct OwnedTally {
    nb::object kept;
    Policy policy;
    Tally tally;
    std::mutex mutex;  // without an interpreter lock, several threads may add at a time

    OwnedTally(nb::handle index, const Policy& chosen, std::size_t max_unjudged)
        : kept(nb::borrow(index)), policy(chosen), tally(nb::cast<const OwnedIndex&>(index).index, policy, max_unjudged) {}
    OwnedTally(const OwnedTally&) = delete;

    nb::tuple add(const Rows& rows, std::uint64_t position) {
        std::uint64_t before, added, bad;
        {
            const nb::gil_scoped_release release;
            const std::lock_guard lock(mutex);
            before = tally.rows;
            bad = tally.add(rows, position);
            added = tally.rows - before;
        }
        return nb::make_tuple(added, place_or_none(bad), before == 0);
    }

    nb::dict result() {
        nb::dict out, unjudged;
        std::vector<std::pair<std::uint64_t, const std::string*>> order;
        for (const auto& [id, info] : tally.unjudged) order.emplace_back(info.first, &id);
        std::sort(order.begin(), order.end());
        for (const auto& [first, id] : order)
            unjudged[bytes_of(*id)] = nb::make_tuple(first, tally.unjudged.at(*id).disagrees);
        out["unjudged_queries"] = unjudged;
        out["more"] = tally.more;
        out["infinite"] = tally.infinite;
        out["rows"] = tally.rows;
        out["ranked"] = tally.ranked;
        out["first"] = edge_of(tally.first);
        out["last"] = edge_of(tally.last);
        out["ahead"] = array_of(std::move(tally.ahead));
        out["inside"] = array_of(std::move(tally.inside));
        out["disagrees"] = array_of(std::move(tally.disagrees));
        return out;
    }

    static nb::object edge_of(const std::optional<BatchEdge>& edge) {
        if (!edge) return nb::none();
        return nb::make_tuple(bytes_of(edge->query), edge->score, edge->rank);
    }
};

void bind_parts(nb::module_& m) {
    nb::class_<Rows>(m, "Rows");
    m.def("text", &rows_in_text, "data"_a, "start"_a, "size"_a, "layout"_a, nb::rv_policy::take_ownership);
    m.def("arrow", &rows_in_arrow, "stream"_a, "columns"_a, "integer_queries"_a, "integer_docs"_a, nb::rv_policy::take_ownership);
    m.def("columns", &rows_in_columns, "queries"_a, "query"_a, "docs"_a, "score"_a, "rank"_a.none(),
          nb::rv_policy::take_ownership);
    m.def("locate", &locate, "rows"_a, "pool"_a, "policy"_a, "position"_a);
    nb::class_<OwnedIndex>(m, "Index").def(nb::new_(&index_of), "pool"_a, "start"_a, "value"_a, "first"_a, "docs"_a,
                                           "position"_a, "by_position"_a);
    nb::class_<OwnedTally>(m, "Tally")
        .def(nb::init<nb::handle, const Policy&, std::size_t>(), "index"_a, "policy"_a, "max_unjudged"_a)
        .def("add", &OwnedTally::add, "rows"_a, "position"_a)
        .def("result", &OwnedTally::result);
}

template <class T, std::size_t N>
nb::tuple names_of(const Choice<T> (&choices)[N]) {
    nb::list names;
    for (const auto& choice : choices) names.append(nb::str(choice.name.data(), choice.name.size()));
    return nb::tuple(names);
}

std::size_t length_of(std::initializer_list<std::size_t> sizes) {
    if (std::min(sizes) != std::max(sizes)) throw std::length_error("columns of different lengths");
    return *sizes.begin();
}

void bind_arithmetic(nb::module_& m) {
    using Whole = Column<std::int64_t>;
    m.def("total", [](Column<double> x, Whole segment, std::size_t count) {
        return array_of(total(x.data(), segment.data(), length_of({x.shape(0), segment.shape(0)}), count));
    }, "x"_a, "segment"_a, "count"_a);
    m.def("first", [](Column<bool> mask, Whole segment, Whole rank, std::size_t count) {
        const std::size_t size = length_of({mask.shape(0), segment.shape(0), rank.shape(0)});
        return array_of(first(mask.data(), segment.data(), rank.data(), size, count));
    }, "mask"_a, "segment"_a, "rank"_a, "count"_a);
    m.def("running", [](Whole x, Whole sizes) { return array_of(running(x.data(), x.shape(0), sizes.data(), sizes.shape(0))); },
          "x"_a, "sizes"_a);
    m.def("running", [](Column<double> x, Whole sizes) {
        return array_of(running(x.data(), x.shape(0), sizes.data(), sizes.shape(0)));
    }, "x"_a, "sizes"_a);
    m.def("resampled_means", [](Column<double> x, std::size_t columns, std::size_t resamples, std::uint64_t seed) {
        if (columns == 0 || x.shape(0) % columns) throw std::length_error("not whole rows");
        return array_of(resampled_means(x.data(), x.shape(0) / columns, columns, resamples, seed));
    }, "x"_a, "columns"_a, "resamples"_a, "seed"_a);
    m.def("count_reached", [](Column<double> columns, std::size_t values, std::optional<std::uint64_t> seed, Whole a, Whole b,
                              Column<double> bound, Column<double> factor, int side, std::uint64_t first, std::uint64_t last) {
        const std::size_t count = values ? columns.shape(0) / values : 0;
        for (std::size_t i = 0; i < a.shape(0); ++i)
            if (std::min(a(i), b(i)) < -1 || std::max(a(i), b(i)) >= static_cast<std::int64_t>(count)) throw std::out_of_range("no such column");
        if (std::min({b.shape(0), bound.shape(0), factor.shape(0)}) < a.shape(0)) throw std::length_error("columns of different lengths");
        Reached found;
        {
            const nb::gil_scoped_release release;
            found = count_reached(columns.data(), count, {values, seed}, a.data(), b.data(), a.shape(0), bound.data(), factor.data(), side,
                                  first, std::max(first, last));
        }
        return nb::make_tuple(array_of(std::move(found.hits)), array_of(std::move(found.tops)));
    }, "columns"_a, "values"_a, "seed"_a.none(), "a"_a, "b"_a, "bound"_a, "factor"_a, "side"_a, "first"_a, "last"_a);
    m.def("signed_sums", [](Column<double> columns, std::size_t values, std::optional<std::uint64_t> seed, std::size_t rows) {
        std::vector<double> sums;
        {
            const nb::gil_scoped_release release;
            const std::size_t count = values ? columns.shape(0) / values : 0;
            const Signs signs{values, seed};
            sums.resize(count * rows);
            std::vector<double> spare(rows_at_once);
            for_signs(signs, 0, rows, [&](std::uint64_t row, std::size_t some, const std::uint64_t* words) {
                signed_sums(columns.data(), count, signs, words, some, sums.data() + row, rows, spare.data());
            });
        }
        return array_of(std::move(sums));
    }, "columns"_a, "values"_a, "seed"_a.none(), "rows"_a);
    m.def("shift_hits", [](Column<double> sums, Column<double> signs, double total, double slack, double n) {
        const Shifts shifts{sums.data(), signs.data(), std::min(sums.shape(0), signs.shape(0)), total, slack, n};
        const nb::gil_scoped_release release;
        return shifts.hits();
    }, "sums"_a, "signs"_a, "total"_a, "slack"_a, "n"_a);
    m.def("shift_end", [](Column<double> sums, Column<double> signs, double total, double slack, double n, std::size_t rank, int side) {
        const Shifts shifts{sums.data(), signs.data(), std::min(sums.shape(0), signs.shape(0)), total, slack, n};
        if (rank < 1 || rank > shifts.rows) throw std::out_of_range("no such rank");
        const nb::gil_scoped_release release;
        return shifts.ordered(rank, side);
    }, "sums"_a, "signs"_a, "total"_a, "slack"_a, "n"_a, "rank"_a, "side"_a);
    m.def("falling", [](Column<double> x, Whole sizes, unsigned threads) {
        std::vector<std::int64_t> order;
        {
            const nb::gil_scoped_release release;
            order = falling(x.data(), x.shape(0), sizes.data(), sizes.shape(0), threads);
        }
        return array_of(std::move(order));
    }, "x"_a, "sizes"_a, "threads"_a);
    m.def("top", [](Column<double> score, Column<double> grade, Whole sizes, std::size_t depth, int sign, unsigned threads) {
        const std::size_t size = length_of({score.shape(0), grade.shape(0)});
        Top found;
        {
            const nb::gil_scoped_release release;
            found = top(score.data(), grade.data(), size, sizes.data(), sizes.shape(0), depth, sign, threads);
        }
        return nb::make_tuple(array_of(std::move(found.order)), array_of(std::move(found.place)),
                              array_of(std::move(found.tie_first)), array_of(std::move(found.tie_last)), array_of(std::move(found.grades)));
    }, "score"_a, "grade"_a, "sizes"_a, "depth"_a, "sign"_a, "threads"_a);
    m.def("numbers", [](Whole sizes) { return array_of(numbers(sizes.data(), sizes.shape(0))); }, "sizes"_a);
    m.def("ranks", [](Whole sizes) { return array_of(ranks(sizes.data(), sizes.shape(0))); }, "sizes"_a);
    m.def("heads", [](Whole sizes, std::int64_t cutoff) {
        auto found = heads(sizes.data(), sizes.shape(0), cutoff);
        return nb::make_tuple(array_of(std::move(found.sizes)), array_of(std::move(found.segment)), array_of(std::move(found.rank)),
                              array_of(std::move(found.place)));
    }, "sizes"_a, "cutoff"_a);
    m.def("product_before", [](Column<double> x, Whole sizes) {
        return array_of(product_before(x.data(), x.shape(0), sizes.data(), sizes.shape(0)));
    }, "x"_a, "sizes"_a);
}

}  // namespace

NB_MODULE(_native, m) {
    nb::set_leak_warnings(false);  // judgments keep their pool: one that a global holds is alive when the interpreter ends
    bind_arithmetic(m);
    nb::class_<OwnedPool>(m, "Pool").def(nb::new_(&pool_of), "queries"_a, "judged"_a, "query"_a, "grade"_a, "docs"_a);
    nb::class_<Policy>(m, "Policy")
        .def(nb::new_([](std::string_view order, std::string_view ties, std::string_view duplicates, std::uint64_t depth,
                         bool single) {
                 return Policy{choose(ORDERS, order), choose(TIES, ties), choose(DUPLICATES, duplicates), depth, single};
             }),
             "order"_a, "ties"_a, "duplicates"_a, "depth"_a, "single"_a);
    nb::dict choices;
    choices["order"] = names_of(ORDERS);
    choices["ties"] = names_of(TIES);
    choices["duplicates"] = names_of(DUPLICATES);
    m.attr("POLICY_CHOICES") = choices;
    bind_parts(m);
    m.def("scan_text", &scan_text, "data"_a, "start"_a, "size"_a, "layout"_a, "pool"_a, "policy"_a, "threads"_a, "part"_a,
          "progress"_a.none(), "examples"_a = 3, "mapped"_a = false);
    m.def("end_on_bus_error", &end_on_bus_error, "message"_a, "code"_a);
    m.def("query_edges", &query_edges, "data"_a, "start"_a, "size"_a, "layout"_a);
    m.def("read_text", &read_text, "data"_a, "start"_a, "size"_a, "layout"_a, "threads"_a, "part"_a);
    m.def("read_dict", &read_dict, "table"_a);
    m.def("sort_judgments", &sort_judgments, "queries"_a, "by_number"_a, "query"_a, "grade"_a, "docs"_a, "threads"_a);
    m.def("group_rows", &group_rows, "query"_a, "queries"_a, "docs"_a, "threads"_a);
    m.def("row_begins", &row_begins, "data"_a, "start"_a, "size"_a, "layout"_a);
    m.def("scan_rows", &scan_rows, "queries"_a, "query"_a, "docs"_a, "score"_a, "rank"_a.none(), "pool"_a, "policy"_a,
          "threads"_a, "part"_a, "progress"_a.none());
    m.def("scan_arrow", &scan_arrow, "streams"_a, "columns"_a, "integer_queries"_a, "integer_docs"_a, "pool"_a, "policy"_a,
          "threads"_a, "part"_a, "progress"_a.none());
    m.def("scan_dict", &scan_dict, "run"_a, "integer_queries"_a, "integer_docs"_a, "pool"_a, "policy"_a);
}
