// Pi, as the area under 4 / (1 + x * x) between 0 and 1: each rank adds up its share of narrow strips.
//
// The twin of ../pi.c: MPI has no C++ interface of its own, so a small class begins and ends it, and an error is an exception.
#include <mpi.h>

#include <cstdlib>
#include <iomanip>
#include <iostream>
#include <stdexcept>
#include <string>

class World {
public:
    World(int argc, char **argv)
    {
        check(MPI_Init(&argc, &argv));
        check(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
        check(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
        check(MPI_Comm_size(MPI_COMM_WORLD, &size));
    }
    ~World() { MPI_Finalize(); }
    World(const World &) = delete;
    World &operator=(const World &) = delete;

    /// Rank 0's value, on every rank.
    long broadcast(long value) const
    {
        check(MPI_Bcast(&value, 1, MPI_LONG, 0, MPI_COMM_WORLD));
        return value;
    }

    /// The sum of all ranks' values, on rank 0.
    double sum(double value) const
    {
        double total = 0;
        check(MPI_Reduce(&value, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD));
        return total;
    }

    int rank, size;

private:
    static void check(int code)
    {
        if (code != MPI_SUCCESS)
            throw std::runtime_error("MPI returned error " + std::to_string(code));
    }
};

int main(int argc, char **argv)
try {
    World world(argc, argv);
    // Rank 0 knows best: its number is everybody's.
    const long strips = world.broadcast(argc > 1 ? std::stol(argv[1]) : 1000000);
    double mine = 0;
    for (long i = world.rank; i < strips; i += world.size) {
        const double x = (i + 0.5) / strips;
        mine += 4 / (1 + x * x) / strips;
    }
    const double pi = world.sum(mine);
    if (world.rank == 0)
        std::cout << "pi is about " << std::fixed << std::setprecision(10) << pi << ", with " << strips << " strips\n";
} catch (const std::exception &error) {
    std::cerr << "pi: " << error.what() << '\n';
    return EXIT_FAILURE;
}
