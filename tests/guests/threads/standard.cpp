// Threads of C++: std::thread, mutexes, condition variables, futures, thread_local, and exceptions that stay in their thread.
// ranks: 1 2
// cc: -pthread -std=c++20
#include "../check.h"
#include <atomic>
#include <condition_variable>
#include <future>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

static thread_local std::string name = "none";

int main(int argc, char **argv)
{
    check_begin_threads(&argc, &argv, MPI_THREAD_FUNNELED);
    std::atomic<int> sum{0}, caught{0};
    std::mutex mutex;
    std::condition_variable changed;
    bool go = false;
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; i++)
        threads.emplace_back([&, i] {
            std::unique_lock lock(mutex);
            changed.wait(lock, [&] { return go; });
            lock.unlock();
            // LLVM 22 compiles no use of a thread's object with a constructor within a handler.
            std::string &mine = name;
            mine = std::to_string(i);
            try {
                throw std::runtime_error(mine);
            } catch (const std::exception &error) {
                caught += error.what() == mine;
            }
            sum += std::stoi(name);
        });
    {
        std::lock_guard lock(mutex);
        go = true;
    }
    changed.notify_all();
    for (auto &thread : threads)
        thread.join();
    CHECK_INT(sum, 6);
    CHECK_INT(caught, 4);
    CHECK(name == "none");
    auto later = std::async(std::launch::async, [] { return 42; });
    CHECK_INT(later.get(), 42);
    std::promise<int> promise;
    std::thread failing([&] { promise.set_exception(std::make_exception_ptr(std::out_of_range("far"))); });
    failing.join();
    try {
        (void)promise.get_future().get();
        CHECK(false);
    } catch (const std::out_of_range &error) {
        CHECK(std::string(error.what()) == "far");
    }
    return check_end();
}
