// Memory that there is not, in C++: new and containers throw, and what they throw is a bad_alloc, or a length_error.
// ranks: 1
#include "../guests/check.h"
#include <new>
#include <stdexcept>
#include <vector>

static double *volatile block;

template <class Take> static bool is_refused(Take take)
{
    try {
        take();
    } catch (const std::bad_alloc &) {
        return true;
    } catch (const std::length_error &) {
        return true;
    }
    return false;
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    long long wide = (5LL << 30) + argc;
    std::size_t most = 536000000u + argc;
    CHECK(is_refused([=] { block = new double[wide]; }));
    CHECK(is_refused([=] { block = new double[-wide]; }));
    CHECK(is_refused([=] { block = new double[most]; }));
    block = new (std::nothrow) double[most];
    CHECK(block == nullptr);
    CHECK(is_refused([=] { std::vector<double> numbers(most); }));
    CHECK(is_refused([=] { std::vector<double> numbers(wide); }));
    CHECK(is_refused([=] { std::vector<double>().resize(most); }));
    // What is free is given in one piece, beyond 2 GiB too.
    char *volatile large = new char[2500u << 20];
    large[0] = 1;
    large[(2500u << 20) - 1] = 2;
    CHECK(large[0] == 1);
    delete[] large;
    return check_end();
}
