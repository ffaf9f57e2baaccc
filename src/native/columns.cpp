#include "columns.hpp"

#include <bit>
#include <stdexcept>

namespace judged {

namespace {

bool has_nulls(const ArrowArray& array) {
    if (array.null_count >= 0) return array.null_count > 0;
    if (array.n_buffers == 0 || array.buffers[0] == nullptr) return false;
    const auto* valid = static_cast<const std::uint8_t*>(array.buffers[0]);
    for (std::int64_t i = array.offset; i < array.offset + array.length; ++i)
        if (!(valid[i / 8] >> (i % 8) & 1)) return true;
    return false;
}

int width_of(char type) {
    switch (type) {
        case 'c': case 'C': return 1;
        case 's': case 'S': return 2;
        case 'i': case 'I': case 'f': return 4;
        case 'l': case 'L': case 'g': return 8;
        default: return 0;
    }
}

const void* moved(const void* data, std::int64_t items, int width) { return static_cast<const char*>(data) + items * width; }

struct Released {
    ArrowSchema schema{};
    ~Released() {
        if (schema.release) schema.release(&schema);
    }
};

}  // namespace

ArrowTable::~ArrowTable() {
    for (auto& array : arrays_)
        if (array.release) array.release(&array);
}

bool ArrowTable::read(ArrowArrayStream* stream, int query, int doc, int score, int rank, bool integer_queries, bool integer_docs) {
    Released owned;
    const ArrowSchema& schema = owned.schema;
    if (stream->get_schema(stream, &owned.schema) != 0 || std::strcmp(schema.format, "+s") != 0) return false;
    if (std::max({query, doc, score, rank}) >= schema.n_children) return false;
    while (true) {
        ArrowArray array{};
        if (stream->get_next(stream, &array) != 0) return false;
        if (array.release == nullptr) return true;
        arrays_.push_back(array);
        if (array.offset != 0 || has_nulls(array)) return false;
        Batch batch;
        batch.rows = std::uint64_t(array.length);
        const auto child = [&](int i) -> const ArrowArray& { return *array.children[i]; };
        if (batch.rows == 0) continue;
        if (!ids(*schema.children[query], child(query), integer_queries, batch.query)) return false;
        if (!ids(*schema.children[doc], child(doc), integer_docs, batch.doc)) return false;
        if (score >= 0 && !numbers(*schema.children[score], child(score), false, batch.score)) return false;
        if (rank >= 0 && !numbers(*schema.children[rank], child(rank), true, batch.rank)) return false;
        columns_.add(batch);
    }
}

bool ArrowTable::ids(const ArrowSchema& schema, const ArrowArray& array, bool integer, Ids& out) {
    if (has_nulls(array)) return false;
    if (schema.dictionary != nullptr) {
        const char type = schema.format[0];
        if (integer || schema.format[1] != 0 || width_of(type) == 0 || type == 'f' || type == 'g') return false;
        if (schema.dictionary->dictionary != nullptr || !ids(*schema.dictionary, *array.dictionary, false, out)) return false;
        out.index_width = width_of(type);
        out.index_signed = type >= 'a';
        out.index = moved(array.buffers[1], array.offset, out.index_width);
        return true;
    }
    const std::string_view format = schema.format;
    if (integer) {
        if (format.size() != 1 || width_of(format[0]) == 0 || format == "f" || format == "g") return false;
        const Numbers values{format[0], moved(array.buffers[1], array.offset, width_of(format[0]))};
        auto text = std::make_unique<std::string>();
        auto offsets = std::make_unique<std::vector<std::int64_t>>();
        offsets->reserve(std::size_t(array.length) + 1);
        offsets->push_back(0);
        for (std::size_t i = 0; i < std::size_t(array.length); ++i) {
            char digits[24];
            const auto end = format == "L" ? std::to_chars(digits, digits + 24, values.at<std::uint64_t>(i)).ptr
                                           : std::to_chars(digits, digits + 24, values.at<std::int64_t>(i)).ptr;
            text->append(digits, end);
            offsets->push_back(std::int64_t(text->size()));
        }
        out.form = Ids::Form::offsets64;
        out.data = text->data();
        out.offsets = offsets->data();
        texts_.push_back(std::move(text));
        offsets_.push_back(std::move(offsets));
        return true;
    }
    if (format == "u" || format == "U") {
        const bool small = format == "u";
        out.form = small ? Ids::Form::offsets32 : Ids::Form::offsets64;
        out.offsets = moved(array.buffers[1], array.offset, small ? 4 : 8);
        out.data = static_cast<const char*>(array.buffers[2]);
        const auto at = [&](std::int64_t i) {
            return small ? static_cast<const std::int32_t*>(out.offsets)[i] : static_cast<const std::int64_t*>(out.offsets)[i];
        };
        if (array.length == 0) return true;
        const auto size = std::size_t(at(array.length) - at(0));
        return size > 0 && std::memchr(out.data + at(0), 0, size) == nullptr;
    }
    if (format == "vu") {
        out.form = Ids::Form::views;
        out.offsets = moved(array.buffers[1], array.offset, 16);
        out.buffers = array.buffers + 2;
        out.checked = false;
        return true;
    }
    return false;
}

bool ArrowTable::numbers(const ArrowSchema& schema, const ArrowArray& array, bool only_integers, Numbers& out) {
    const std::string_view format = schema.format;
    if (has_nulls(array) || schema.dictionary != nullptr || format.size() != 1 || width_of(format[0]) == 0) return false;
    if (only_integers && (format == "f" || format == "g" || format == "L")) return false;
    out.type = format[0];
    out.data = moved(array.buffers[1], array.offset, width_of(out.type));
    return true;
}

}  // namespace judged
