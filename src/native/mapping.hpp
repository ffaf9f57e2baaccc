// Python's own containers: {query: {doc: score}} and {query: [doc, …]}, with the interpreter held.
#pragma once

#include <Python.h>

#include "scan.hpp"

namespace judged {

// Finds the judged documents in a dict; false if it has ids other than text (or integers), or scores other than
// numbers, which only the reference handles.
bool scan_mapping(const Pool& pool, const Policy& policy, PyObject* run, bool integer_queries, bool integer_docs, ScanResult& found);

}  // namespace judged
