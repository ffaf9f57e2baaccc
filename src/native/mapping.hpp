// Python's own containers: {query: {doc: score}} and {query: [doc, …]}, with the interpreter held.
#pragma once

#include <Python.h>

#include "collect.hpp"
#include "scan.hpp"

namespace judged {

// Finds the judged documents in a dict; false if it has ids other than text (or integers), or scores other than
// numbers, which only the reference handles.
bool scan_mapping(const Pool& pool, const Policy& policy, PyObject* run, bool integer_queries, bool integer_docs, ScanResult& found);

// All rows of {query: {doc: number}}, queries without documents included, and the types of its ids.
struct MappingRows {
    Collected columns;
    bool integer_queries = false, integer_docs = false;
};

// False if ids are not all text (or all integers), if a number is larger than 2^53, or if there are no rows.
bool read_mapping(PyObject* table, MappingRows& rows);

}  // namespace judged
