// What is as wide as addresses are, in C++ of either width: text of size_t, handles by their types, exceptions that carry what
// has 8 bytes, through functions, callbacks of MPI and destructors; hashes.
// ranks: 1 2 4
// cc: -std=c++20
// native: no
#include "../check.h"
#include <algorithm>
#include <any>
#include <format>
#include <iomanip>
#include <iostream>
#include <limits>
#include <map>
#include <numeric>
#include <sstream>
#include <stdexcept>
#include <string>
#include <typeindex>
#include <typeinfo>
#include <unordered_map>
#include <vector>

namespace {

// Before main.
const std::map<std::string, std::size_t> widths = {
    {"long", sizeof(long)}, {"size_t", sizeof(std::size_t)}, {"void *", sizeof(void *)}};

constexpr bool is_wide = sizeof(long) == 8;
/// What only an unsigned long of 64 bits holds, or what one of 32 does.
constexpr unsigned long large = is_wide ? 1UL << (is_wide ? 40 : 0) : 1UL << 31;

void text()
{
    CHECK_INT(widths.at("long"), sizeof(void *));
    CHECK_INT(widths.at("size_t"), widths.at("void *"));
    const std::string expected = is_wide ? "1099511627776" : "2147483648";
    std::ostringstream stream;
    stream << large << ' ' << std::hex << std::setw(4) << std::vector<int>(18).size();
    CHECK(stream.str() == expected + "   12");
    char printed[64];
    std::snprintf(printed, sizeof printed, "%lu %zu", large, std::string(5, 'x').size());
    CHECK(printed == expected + " 5");
    CHECK(std::format("{} {:#x}", large, large) == expected + (is_wide ? " 0x10000000000" : " 0x80000000"));
    CHECK(std::stoul(expected) == large);
    unsigned long read = 0;
    std::istringstream(expected) >> read;
    CHECK(read == large);
    CHECK(std::numeric_limits<std::size_t>::digits == 8 * sizeof(void *));
    CHECK(std::numeric_limits<std::streamoff>::digits == 63);
}

void handles()
{
    const std::any some[] = {MPI_COMM_WORLD, MPI_INT, MPI_SUM};
    CHECK(std::any_cast<MPI_Comm>(some[0]) == MPI_COMM_WORLD);
    CHECK(std::any_cast<MPI_Datatype>(some[1]) == MPI_INT);
    CHECK(std::any_cast<MPI_Comm>(&some[1]) == nullptr && std::any_cast<MPI_Op>(&some[2]) != nullptr);
    std::unordered_map<std::type_index, MPI_Datatype> types = {
        {typeid(long), MPI_LONG}, {typeid(unsigned long), MPI_UNSIGNED_LONG}, {typeid(MPI_Aint), MPI_AINT}};
    for (const auto &[type, datatype] : types) {
        int bytes;
        TRY(MPI_Type_size(datatype, &bytes));
        CHECK_INT(bytes, sizeof(void *));
    }
    std::unordered_map<MPI_Comm, std::string> names = {{MPI_COMM_WORLD, "world"}, {MPI_COMM_SELF, "self"}};
    CHECK(names.at(MPI_COMM_SELF) == "self");
}

struct Given {
    std::vector<unsigned long> &order;
    unsigned long what;
    ~Given() { order.push_back(what); }
};

struct Most : std::runtime_error {
    unsigned long most;
    explicit Most(unsigned long most) : std::runtime_error(std::format("{} is the most", most)), most(most) {}
};

[[noreturn]] void refuse(std::vector<unsigned long> &order, unsigned long what)
{
    Given given{order, what};
    throw Most(what);
}

void pass_on(std::vector<unsigned long> &order, unsigned long what)
{
    Given given{order, what + 1};
    try {
        refuse(order, what);
    } catch (const Most &) {
        order.push_back(0);
        throw;
    }
}

void exceptions()
{
    std::vector<unsigned long> order;
    std::string said;
    for (unsigned long turn = 0; turn < 3; turn++)
        try {
            pass_on(order, large + 2 * turn);
        } catch (const std::exception &error) {
            said = error.what();
            CHECK(dynamic_cast<const Most *>(&error)->most == large + 2 * turn);
        }
    std::vector<unsigned long> expected;
    for (unsigned long turn = 0; turn < 3; turn++)
        expected.insert(expected.end(), {large + 2 * turn, 0, large + 2 * turn + 1});
    CHECK(order == expected);
    CHECK(said == std::to_string(large + 4) + " is the most");
    unsigned long plain = 0;
    try {
        throw large;
    } catch (unsigned long caught) {
        plain = caught;
    }
    CHECK(plain == large);
    bool is_refused = false;
    try {
        (void)std::vector<char>(std::numeric_limits<std::size_t>::max());
    } catch (const std::length_error &) {
        is_refused = true;
    }
    CHECK(is_refused);
    is_refused = false;
    // More than a rank can have, and no more than a size_t can say.
    try {
        volatile std::size_t most = is_wide ? large : std::numeric_limits<std::size_t>::max() - 4096;
        ::operator delete(::operator new(most));
    } catch (const std::bad_alloc &) {
        is_refused = true;
    }
    CHECK(is_refused);
}

void greatest(void *in, void *inout, int *length, MPI_Datatype *)
{
    const auto *a = static_cast<const unsigned long *>(in);
    auto *b = static_cast<unsigned long *>(inout);
    for (int i = 0; i < *length; i++)
        try {
            if (a[i] > b[i])
                throw a[i];
        } catch (unsigned long more) {
            b[i] = more;
        }
}

void messages()
{
    std::vector<unsigned long> mine(100), most(100);
    std::iota(mine.begin(), mine.end(), large + static_cast<unsigned long>(rank));
    std::sort(mine.begin(), mine.end(), std::greater<>());
    MPI_Op op;
    TRY(MPI_Op_create(greatest, 1, &op));
    TRY(MPI_Allreduce(mine.data(), most.data(), static_cast<int>(mine.size()), MPI_UNSIGNED_LONG, op, MPI_COMM_WORLD));
    TRY(MPI_Op_free(&op));
    CHECK(most.front() == large + 99 + static_cast<unsigned long>(size - 1));
    CHECK(most.back() == large + static_cast<unsigned long>(size - 1));
}

void hashes()
{
    std::unordered_map<unsigned long long, int> of_numbers;
    std::unordered_map<const void *, int> of_addresses;
    std::unordered_map<double, int> of_reals;
    static char room[8000];
    for (int i = 0; i < 1000; i++) {
        of_numbers[static_cast<unsigned long long>(i) << 40] = i;
        of_addresses[room + 8 * i] = i;
        of_reals[i / 8.0] = i;
    }
    CHECK(of_numbers.at(999ULL << 40) == 999 && of_addresses.at(room + 56) == 7 && of_reals.at(1.5) == 12);
    std::size_t fullest = 0;
    for (std::size_t bucket = 0; bucket < of_addresses.bucket_count(); bucket++)
        fullest = std::max(fullest, of_addresses.bucket_size(bucket));
    CHECK(fullest < 20);
}

} // namespace

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    text();
    handles();
    exceptions();
    messages();
    hashes();
    return check_end();
}
