// Work on all cores, watched by the thread that asked for it.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace judged {

// Called periodically with the amount done and the total; returns false to stop.
using Progress = std::function<bool(std::uint64_t, std::uint64_t)>;

struct Stopped : std::exception {};

// Calls `work(worker, i)` for i below `count`, each worker in its own thread; it returns how much it has done of `size`.
template <class Work>
void in_parallel(std::size_t workers, std::size_t count, const Progress& progress, std::uint64_t size, Work&& work) {
    constexpr std::uint64_t alone = 4 << 20;  // below this, starting a thread costs more than it saves
    workers = std::clamp<std::size_t>(count, 1, std::max<std::size_t>(workers, 1));
    std::atomic<std::size_t> next{0};
    std::atomic<std::uint64_t> done{0};
    std::atomic<bool> stop{false};
    std::exception_ptr error;
    std::mutex mutex;
    std::condition_variable finished;
    std::size_t running = workers;
    const auto loop = [&](std::size_t worker) {
        try {
            for (std::size_t i; !stop && (i = next++) < count;) done += work(worker, i);
        } catch (...) {
            const std::lock_guard lock(mutex);
            error = std::current_exception();
            stop = true;
        }
        const std::lock_guard lock(mutex);
        if (--running == 0) finished.notify_one();
    };
    std::vector<std::thread> threads;
    if (workers > 1 || size >= alone) {
        try {
            for (std::size_t worker = 0; worker < workers; ++worker) threads.emplace_back(loop, worker);
        } catch (const std::system_error&) {  // fewer threads are available
            const std::lock_guard lock(mutex);
            running -= workers - threads.size();
        }
    }
    if (threads.empty()) {
        running = 1;
        loop(0);
    } else {
        std::unique_lock lock(mutex);
        bool wanted = true;
        while (!finished.wait_for(lock, std::chrono::milliseconds(50), [&] { return running == 0; })) {
            lock.unlock();
            if (wanted && !progress(done, size)) wanted = false, stop = true;
            lock.lock();
        }
        lock.unlock();
        for (auto& thread : threads) thread.join();
        if (!wanted) throw Stopped();
    }
    if (error) std::rethrow_exception(error);
}

}  // namespace judged
