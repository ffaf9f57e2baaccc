// Python's own containers: {query: {doc: score}} and {query: [doc, …]}, with the interpreter held.
#pragma once

#include <Python.h>

#include "scan.hpp"

namespace judged {

// What a run in a dict holds of a pool; or nothing, where it has anything but text (or whole numbers) for ids and
// numbers for scores, which only the reference knows how to answer.
bool scan_mapping(const Pool& pool, const Policy& policy, PyObject* run, bool integer_queries, bool integer_docs, ScanResult& found);

}  // namespace judged
