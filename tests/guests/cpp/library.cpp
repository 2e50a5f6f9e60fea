// The standard library: streams, files, text, and the headers of threads, which compile and say that there are none.
// ranks: 1 2
// native: no
// run: --dir {scratch}::/tmp
// cc: -std=c++20
#include "../check.h"
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <format>
#include <fstream>
#include <future>
#include <iostream>
#include <locale>
#include <map>
#include <mutex>
#include <numeric>
#include <random>
#include <ranges>
#include <regex>
#include <sstream>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

namespace files = std::filesystem;

namespace {

void streams()
{
    std::ostringstream out;
    out << std::hex << 255 << ' ' << std::fixed << 2.5 << ' ' << true;
    CHECK(out.str() == "ff 2.500000 1");
    std::istringstream in("12 3.5 word");
    int integer = 0;
    double real = 0;
    std::string word;
    in >> integer >> real >> word;
    CHECK_INT(integer, 12);
    CHECK_REAL(real, 3.5);
    CHECK(word == "word");
    CHECK(std::format("{:>6.2f}|{:#x}|{}", 3.14159, 255, "end") == "  3.14|0xff|end");
    CHECK(std::regex_replace(std::string("a1b22"), std::regex("[0-9]+"), "#") == "a#b#");
    std::cerr << "to standard error\n";
}

void on_disk()
{
    auto folder = files::path("/tmp") / std::format("rankine-cpp-{}-{}", rank, std::random_device{}());
    CHECK(files::create_directories(folder / "deep"));
    {
        std::ofstream out(folder / "a.txt");
        out << "one\ntwo\n";
    }
    CHECK_INT(files::file_size(folder / "a.txt"), 8);
    CHECK(files::copy_file(folder / "a.txt", folder / "deep" / "b.txt"));
    files::rename(folder / "a.txt", folder / "c.txt");
    std::ifstream in(folder / "deep" / "b.txt");
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);)
        lines.push_back(line);
    CHECK_INT(lines.size(), 2);
    CHECK(lines[1] == "two");
    int entries = 0;
    for (const auto &entry : files::recursive_directory_iterator(folder))
        entries += entry.exists();
    CHECK_INT(entries, 3);
    CHECK_INT(files::remove_all(folder), 4);
    bool missing = false;
    try {
        (void)files::file_size(folder);
    } catch (const files::filesystem_error &error) {
        missing = error.code() == std::errc::no_such_file_or_directory;
    }
    CHECK(missing);
}

void algorithms()
{
    std::vector<int> numbers(100);
    std::iota(numbers.begin(), numbers.end(), 0);
    std::ranges::reverse(numbers);
    std::sort(numbers.begin(), numbers.end());
    CHECK_INT(std::reduce(numbers.begin(), numbers.end()), 4950);
    std::mt19937 generator(42);
    CHECK_INT(generator(), 1608637542);
    std::map<std::string, int> counts;
    for (auto word : {"a", "b", "a"})
        ++counts[word];
    CHECK_INT(counts["a"], 2);
}

void threads()
{
    std::mutex mutex;
    std::atomic<int> count = 0;
    {
        std::lock_guard lock(mutex);
        ++count;
    }
    std::once_flag once;
    for (int i = 0; i < 3; i++)
        std::call_once(once, [&] { ++count; });
    CHECK_INT(count, 2);
    CHECK_INT(std::async(std::launch::deferred, [] { return 7; }).get(), 7);
    bool refused = false;
    try {
        std::thread([] {}).join();
    } catch (const std::system_error &error) {
        refused = error.code() == std::errc::resource_unavailable_try_again;
    }
    CHECK(refused);
    auto start = std::chrono::steady_clock::now();
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    CHECK(std::chrono::steady_clock::now() - start >= std::chrono::milliseconds(2));
}

} // namespace

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    streams();
    on_disk();
    algorithms();
    threads();
    return check_end();
}
