#include "mapping.hpp"

#include <charconv>
#include <cmath>
#include <deque>
#include <new>
#include <optional>

namespace judged {

namespace {

#if defined(__GNUC__)
inline void soon(const void* at) { __builtin_prefetch(at); }
#else
inline void soon(const void*) {}
#endif

// The text of ids. That of integers is created, and kept until the next query.
class Texts {
public:
    explicit Texts(bool integer) : integer_(integer) {}

    bool of(PyObject* id, View& out) {
        if (!integer_) {
            if (!PyUnicode_Check(id)) return false;
            Py_ssize_t size = 0;
            const char* text = PyUnicode_AsUTF8AndSize(id, &size);
            if (text == nullptr) {
                PyErr_Clear();
                return false;
            }
            out = {text, std::size_t(size)};
            return size > 0 && !holds_nul(out);
        }
        if (!PyLong_CheckExact(id)) return false;
        int beyond = 0;
        const long long number = PyLong_AsLongLongAndOverflow(id, &beyond);
        if (beyond != 0) return false;
        made_.emplace_back();
        auto& digits = made_.back().digits;
        out = {digits, std::size_t(std::to_chars(digits, digits + sizeof digits, number).ptr - digits)};
        return true;
    }
    void clear() { made_.clear(); }

private:
    struct Digits {
        char digits[24];
    };
    bool integer_;
    std::deque<Digits> made_;
};

bool number_of(PyObject* object, double& out) {
    if (PyFloat_Check(object)) {
        out = PyFloat_AsDouble(object);
    } else if (PyLong_Check(object)) {
        out = PyLong_AsDouble(object);
        if (out == -1.0 && PyErr_Occurred()) {
            PyErr_Clear();
            return false;
        }
    } else {
        return false;
    }
    return out == out;
}

// A container that no other thread changes. Without an interpreter lock it is a copy, which also holds its items.
class Private {
public:
    explicit Private(PyObject* container) : container_(container) {
#if defined(Py_GIL_DISABLED)
        container_ = PyDict_CheckExact(container) ? PyDict_Copy(container) : PyList_GetSlice(container, 0, PyList_Size(container));
        if (container_ == nullptr) throw std::bad_alloc();
    }
    ~Private() {
        Py_DECREF(container_);
#endif
    }
    Private(const Private&) = delete;
    PyObject* get() const { return container_; }

private:
    PyObject* container_;
};

// Ids stay in Python's memory: a position is an address.
struct Pointers {
    View view(std::uint64_t position, std::size_t size) const { return {reinterpret_cast<const char*>(position), size}; }
};

class Reader {
public:
    Reader(const Pool& pool, const Policy& policy, bool integer_queries, bool integer_docs, ScanResult& found)
        : pool_(pool), policy_(policy), queries_(integer_queries), docs_(integer_docs), found_(found), first_(pool.size(), none), count_(pool.size()) {
        found.retrieved.assign(pool.size(), 0);
        found.answered.assign(pool.size(), 0);
    }

    bool ranking(PyObject* id, PyObject* given) {
        View name;
        queries_.clear();
        docs_.clear();
        if (!queries_.of(id, name)) return false;
        const std::uint32_t query = pool_.find_query(name);
        judged_ = pool_.is_judged(query);
        if (query == none && found_.unjudged++ < 3) found_.some_unjudged.emplace_back(name);
        if (judged_) ranking_.begin(pool_.documents(query));
        const bool listed = PyList_CheckExact(given);
        if (!listed && !PyDict_CheckExact(given)) return false;
        const Private own(given);
        PyObject* const docs = own.get();
        found_.ranked &= listed || PyDict_Size(docs) == 0;
        if (!(listed ? list(docs) : dict(docs))) return false;
        if (!judged_) return true;
        found_.answered[query] = 1;
        first_[query] = std::uint32_t(hits_.size());
        ranking_.finish(pool_, query, policy_, source_, !listed, hits_, found_.repeats);
        found_.retrieved[query] = std::int64_t(ranking_.size());
        count_[query] = std::uint32_t(hits_.size()) - first_[query];
        return true;
    }

    void finish() {
        for (std::uint32_t query = 0; query < pool_.size(); ++query)
            for (std::uint32_t k = 0; k < count_[query]; ++k) found_.push(query, hits_[first_[query] + k]);
    }

private:
    bool dict(PyObject* docs) {
        // Several entries at a time: their objects are spread over memory, and are prefetched together.
        constexpr int many = 32;
        PyObject *key[many], *number[many];
        Py_ssize_t at = 0;
        for (bool more = true; more;) {
            int taken = 0;
            while (taken < many && (more = PyDict_Next(docs, &at, &key[taken], &number[taken]))) {
                soon(key[taken]);
                soon(reinterpret_cast<const char*>(key[taken]) + 48);
                soon(number[taken]);
                ++taken;
            }
            for (int i = 0; i < taken; ++i) {
                View doc;
                double score;
                if (!docs_.of(key[i], doc) || !number_of(number[i], score)) return false;
                found_.infinite += std::isinf(score);
                if (policy_.single) score = static_cast<double>(static_cast<float>(score));
                add(doc, policy_.order == Order::input ? -static_cast<double>(ranking_.size()) : score + 0.0);
            }
        }
        return true;
    }

    bool list(PyObject* docs) {
        const Py_ssize_t size = PyList_Size(docs);
        for (Py_ssize_t i = 0; i < size; ++i) {
            View doc;
            if (!docs_.of(PyList_GetItem(docs, i), doc)) return false;
            const auto score = static_cast<double>(size - i);
            add(doc, policy_.single && policy_.order == Order::score ? static_cast<double>(static_cast<float>(score)) : score);
        }
        return true;
    }

    void add(View doc, double value) {
        if (!judged_) return;
        ranking_.add(pool_, doc.data(), doc.size(), reinterpret_cast<std::uintptr_t>(doc.data()), value);
    }

    const Pool& pool_;
    const Policy& policy_;
    Texts queries_, docs_;
    ScanResult& found_;
    Ranking ranking_;
    Pointers source_;
    std::vector<Hit> hits_;
    std::vector<std::uint32_t> first_, count_;
    bool judged_ = false;
};

}  // namespace

bool scan_mapping(const Pool& pool, const Policy& policy, PyObject* run, bool integer_queries, bool integer_docs, ScanResult& found) {
    Reader reader(pool, policy, integer_queries, integer_docs, found);
    const Private own(run);
    PyObject *id, *docs;
    for (Py_ssize_t at = 0; PyDict_Next(own.get(), &at, &id, &docs);) {
        found.empty = false;
        if (!reader.ranking(id, docs)) return false;
    }
    reader.finish();
    return true;
}

bool read_mapping(PyObject* table, MappingRows& rows) {
    constexpr double largest = 9007199254740992;
    Collected& out = rows.columns;
    std::optional<Texts> queries, docs;
    const Private own(table);
    PyObject *id, *given, *doc, *value;
    for (Py_ssize_t at = 0; PyDict_Next(own.get(), &at, &id, &given);) {
        View name;
        if (!queries) queries.emplace(rows.integer_queries = PyLong_CheckExact(id));
        queries->clear();
        if (!queries->of(id, name) || !PyDict_CheckExact(given)) return false;
        const auto query = std::int64_t(out.queries.start.size);
        out.queries.add(name);
        const Private ranking(given);
        for (Py_ssize_t next = 0; PyDict_Next(ranking.get(), &next, &doc, &value);) {
            double number;
            if (!docs) docs.emplace(rows.integer_docs = PyLong_CheckExact(doc));
            docs->clear();
            if (!docs->of(doc, name) || !number_of(value, number) || !(std::abs(number) <= largest)) return false;
            out.doc.add(name);
            *out.query.extend(1) = query;
            *out.number.extend(1) = number;
            ++out.rows;
        }
    }
    for (IdBlock* ids : {&out.queries, &out.doc}) ids->complete();
    return out.rows > 0;
}

}  // namespace judged
