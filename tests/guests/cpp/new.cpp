// new and delete: what is given back is taken again, a handler is asked, and sizes at the borders of the allocator's lists are
// right. Numbers of 64 bits, pointers and doubles as keys; tables that grow and shrink.
// ranks: 1 2
// native: no
#include "../check.h"
#include <cstdint>
#include <functional>
#include <new>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace {

char *volatile ballast;
int asked;

void give_ballast()
{
    asked++;
    std::set_new_handler(nullptr);
    delete[] ballast;
}

void blocks()
{
    for (size_t size : {0u, 1u, 12u, 13u, 28u, 1019u, 1020u, 1021u, 1036u, 70000u}) {
        std::vector<unsigned char *> all;
        std::set<void *> places;
        for (int i = 0; i < 300; i++) {
            all.push_back(static_cast<unsigned char *>(::operator new(size)));
            CHECK(reinterpret_cast<uintptr_t>(all.back()) % 16 == 0);
            memset(all.back(), i, size);
            places.insert(all.back());
        }
        CHECK_INT(places.size(), all.size());
        for (int i = 0; i < 300; i++) {
            for (size_t at = 0; at < size; at += 7)
                CHECK_INT(all[i][at], i & 255);
            if (i % 2)
                ::operator delete(all[i]);
            else
                ::operator delete(all[i], size);
        }
        void *again = ::operator new(size);
        CHECK(places.count(again) == 1 || size > 1020);
        ::operator delete(again);
    }
    ::operator delete(nullptr);
    ::operator delete(nullptr, 8);
    // Between C and C++ blocks pass as they do everywhere.
    free(new int);
    delete static_cast<int *>(malloc(sizeof(int)));
}

void handler()
{
    // Most of the memory, so that there is no room for as much again before the handler has given it back.
    size_t most = 2600u << 20;
    ballast = new char[most];
    std::set_new_handler(give_ballast);
    char *volatile other = static_cast<char *>(::operator new(most));
    CHECK_INT(asked, 1);
    ::operator delete(other);
}

void hashes()
{
    for (long long number : {0LL, 1LL, 77LL, -1LL, -1000LL, 2147483647LL, -2147483648LL})
        CHECK_INT(std::hash<long long>()(number), std::hash<int>()(static_cast<int>(number)));
    CHECK(std::hash<double>()(0.0) == std::hash<double>()(-0.0));
    // What differs only in its upper half, in what tables of powers of two look at.
    std::set<size_t> upper, doubles, pointers;
    for (unsigned long long i = 0; i < 1024; i++) {
        upper.insert(std::hash<unsigned long long>()(i << 32) % 1024);
        doubles.insert(std::hash<double>()(static_cast<double>(i)) % 1024);
        pointers.insert(std::hash<void *>()(reinterpret_cast<void *>(i * 64 + 4096)) % 1024);
    }
    // With 64 bits a size_t is its own hash, and a double's are its bits.
    if (sizeof(size_t) == 4) {
        CHECK_INT(upper.size(), 1024);
        CHECK(doubles.size() > 500);
    }
    CHECK(pointers.size() > 500);
    std::unordered_map<long long, int> squares;
    for (long long i = -1000; i <= 1000; i++)
        squares[i * i * i * 1000003] = static_cast<int>(i);
    for (long long i = -1000; i <= 1000; i++)
        CHECK_INT(squares.at(i * i * i * 1000003), i);
    CHECK_INT(squares.size(), 2001);
    for (size_t places : {0u, 1u, 2u, 3u, 4u, 5u, 11u, 13u, 14u, 16u, 23u, 29u, 30u, 31u, 64u, 1000u}) {
        std::unordered_set<int> some;
        some.max_load_factor(0.7f);
        some.rehash(places);
        CHECK(some.bucket_count() >= places);
        for (int i = 0; i < 100; i++)
            CHECK(some.insert(i * 29 * 13).second);
        CHECK(some.load_factor() <= 0.7f);
        for (int i = 0; i < 95; i++)
            CHECK_INT(some.erase(i * 29 * 13), 1);
        some.rehash(0);
        CHECK(some.size() == 5 && some.count(99 * 29 * 13) == 1);
    }
    std::unordered_set<std::string> words = {"a", "abcd", "abcdefgh", "abcdefghijkl"};
    CHECK(words.count("abcd") == 1 && words.count("abcdefgh") == 1 && words.count("abcdefg") == 0);
}

} // namespace

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    blocks();
    handler();
    hashes();
    return check_end();
}
