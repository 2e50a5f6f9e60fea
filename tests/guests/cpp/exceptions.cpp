// Exceptions: thrown, caught by type, rethrown, passed on, with destructors on the way; run-time types; and errors of MPI as
// exceptions.
// ranks: 1 2 4
#include "../check.h"
#include <csetjmp>
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <typeinfo>
#include <vector>

namespace {

struct Shape {
    virtual ~Shape() = default;
    virtual std::string name() const = 0;
};
struct Square : Shape {
    std::string name() const override { return "square"; }
};
struct Circle : Shape {
    std::string name() const override { return "circle"; }
};

struct Counted {
    int &alive;
    explicit Counted(int &alive) : alive(alive) { ++alive; }
    ~Counted() { --alive; }
};

/// An MPI error as an exception, which is how a C++ program would wrap MPI.
struct MpiError : std::runtime_error {
    int code;
    explicit MpiError(int code) : std::runtime_error("MPI call failed"), code(code) {}
};

void must(int code)
{
    if (code != MPI_SUCCESS)
        throw MpiError(code);
}

int descend(int depth, int &alive)
{
    Counted here(alive);
    if (depth == 0)
        throw std::out_of_range("the bottom");
    return descend(depth - 1, alive) + 1;
}

void unwinding()
{
    int alive = 0;
    bool caught = false;
    try {
        descend(50, alive);
    } catch (const std::logic_error &error) {
        caught = true;
        CHECK_STR(error.what(), "the bottom");
    }
    CHECK(caught);
    CHECK_INT(alive, 0);
}

void kinds()
{
    int number = 0;
    try {
        try {
            throw 42;
        } catch (...) {
            throw;
        }
    } catch (int caught) {
        number = caught;
    }
    CHECK_INT(number, 42);
    std::exception_ptr kept;
    try {
        (void)std::vector<int>(3).at(9);
    } catch (...) {
        kept = std::current_exception();
    }
    bool again = false;
    try {
        std::rethrow_exception(kept);
    } catch (const std::out_of_range &) {
        again = true;
    }
    CHECK(again);
    bool nested = false;
    try {
        try {
            throw std::runtime_error("inner");
        } catch (...) {
            std::throw_with_nested(std::runtime_error("outer"));
        }
    } catch (const std::runtime_error &outer) {
        try {
            std::rethrow_if_nested(outer);
        } catch (const std::runtime_error &inner) {
            nested = std::string(outer.what()) + inner.what() == "outerinner";
        }
    }
    CHECK(nested);
    bool no_memory = false;
    try {
        volatile size_t most = static_cast<size_t>(-1) - 4096;
        ::operator delete(::operator new(most));
    } catch (const std::bad_alloc &) {
        no_memory = true;
    }
    CHECK(no_memory);
}

void types()
{
    std::unique_ptr<Shape> shape = std::make_unique<Square>();
    CHECK(dynamic_cast<Square *>(shape.get()) != nullptr);
    CHECK(dynamic_cast<Circle *>(shape.get()) == nullptr);
    const Shape &seen = *shape;
    CHECK(typeid(seen) == typeid(Square));
    bool bad = false;
    try {
        (void)dynamic_cast<Circle &>(*shape);
    } catch (const std::bad_cast &) {
        bad = true;
    }
    CHECK(bad);
    CHECK(shape->name() == "square");
}

void errors_of_mpi()
{
    int error_class = 0, alive = 0;
    try {
        Counted here(alive);
        must(MPI_Send(nullptr, 0, MPI_INT, size, 0, MPI_COMM_WORLD));
    } catch (const MpiError &error) {
        must(MPI_Error_class(error.code, &error_class));
    }
    CHECK_INT(error_class, MPI_ERR_RANK);
    CHECK_INT(alive, 0);
}

std::jmp_buf back;

// setjmp and exceptions use the same machinery and must not disturb each other.
void jumps()
{
    volatile int jumped = 0;
    if (setjmp(back) == 0)
        try {
            std::longjmp(back, 1);
        } catch (...) {
            jumped = -1;
        }
    else
        jumped = jumped + 1;
    CHECK_INT(jumped, 1);
}

} // namespace

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    unwinding();
    kinds();
    types();
    errors_of_mpi();
    jumps();
    return check_end();
}
