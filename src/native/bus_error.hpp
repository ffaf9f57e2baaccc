// A file that is truncated while it is mapped raises SIGBUS where its pages are read. The process of a command ends with a message and
// an exit code instead; that of a library is not ours to end.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string_view>

#if !defined(_WIN32)
#include <signal.h>
#include <unistd.h>
#endif

namespace judged {

#if defined(_WIN32)
inline void end_on_bus_error(std::string_view, int) {}
#else
namespace bus_error {
inline char message[4096];
inline volatile std::size_t length = 0;
inline volatile int code = 0;

inline void end(int) {  // calls only what a signal handler may call
    [[maybe_unused]] const ssize_t written = write(2, message, length);
    _exit(code);
}
}  // namespace bus_error

// What to say and to return if a mapped file is truncated; the last call counts.
inline void end_on_bus_error(std::string_view text, int code) {
    bus_error::length = 0;
    const std::size_t length = std::min(text.size(), sizeof bus_error::message);
    std::memcpy(bus_error::message, text.data(), length);
    bus_error::code = code;
    bus_error::length = length;
    struct sigaction action {};
    action.sa_handler = bus_error::end;
    sigaction(SIGBUS, &action, nullptr);
}
#endif

}  // namespace judged
