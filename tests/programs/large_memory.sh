# A rank with more than 4 GiB (-m64=large): arrays, a message, a broadcast, a window and a file of 5 GiB, threads, C++ and Fortran;
# what it is not for is refused by name.
# full: it needs what `rankine sdk build openmp m64` makes, 12 GiB of memory and 5 on the disk

cat > big.c <<'END'
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEP = 512 };
static const size_t BYTES = 5UL << 30;

// A word of each page, and the last one.
static void fill(unsigned long *words, unsigned long seed)
{
    for (size_t i = 0; i < BYTES / sizeof *words; i += STEP)
        words[i] = seed + i;
    words[BYTES / sizeof *words - 1] = seed;
}

static int holds(const unsigned long *words, unsigned long seed)
{
    for (size_t i = 0; i < BYTES / sizeof *words; i += STEP)
        if (words[i] != seed + i)
            return 0;
    return words[BYTES / sizeof *words - 1] == seed;
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    unsigned long *array = malloc(BYTES + (1UL << 30));
    if (!array) {
        printf("no memory\n");
        MPI_Abort(MPI_COMM_WORLD, 3);
    }

    fill(array, rank ? 0 : 77);
    MPI_Status status;
    MPI_Count moved = BYTES;
    if (rank == 0) {
        MPI_Send_c(array, BYTES, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
    } else {
        MPI_Recv_c(array, BYTES, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &status);
        MPI_Get_elements_x(&status, MPI_BYTE, &moved);
        printf("message %d %d\n", moved == BYTES, holds(array, 77));
        fflush(stdout);
        fill(array, 88);
    }
    MPI_Datatype chunk;
    MPI_Type_contiguous(1 << 20, MPI_LONG, &chunk);
    MPI_Type_commit(&chunk);
    MPI_Bcast(array, BYTES >> 23, chunk, 1, MPI_COMM_WORLD);
    if (rank == 0)
        printf("broadcast %d\n", holds(array, 88));

    MPI_Win win;
    long word = 4711 + rank;
    MPI_Win_create(array, BYTES + (1UL << 30), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    MPI_Put(&word, 1, MPI_LONG, 1 - rank, BYTES + 8, 1, MPI_LONG, win);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    int is_there = memcmp(&array[BYTES / sizeof *array + 1], &(long){4712 - rank}, sizeof(long)) == 0, all;
    MPI_Aint first, last;
    MPI_Get_address(array, &first);
    MPI_Get_address((char *)array + BYTES, &last);
    is_there &= MPI_Aint_diff(last, first) == (MPI_Aint)BYTES;
    MPI_Allreduce(&is_there, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);

    if (rank == 0) {
        printf("window %d\n", all);
        MPI_File file;
        MPI_Offset size;
        int mode = MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE;
        if (MPI_File_open(MPI_COMM_SELF, "big.data", mode, MPI_INFO_NULL, &file) != MPI_SUCCESS)
            MPI_Abort(MPI_COMM_WORLD, 4);
        MPI_File_write_at_c(file, 0, array, BYTES, MPI_BYTE, &status);
        MPI_File_get_size(file, &size);
        fill(array, 1);
        MPI_File_read_at_c(file, 0, array, BYTES, MPI_BYTE, &status);
        printf("file %d %d\n", size == BYTES, holds(array, 88));
        MPI_File_close(&file);
    }
    MPI_Finalize();
}
END
rankine cc -m64=large -O2 big.c -o big.wasm
rankine info big.wasm | grep -q 'may have more than 4 GiB'
diff - <(rankine run -n 2 --dir . big.wasm) << 'END'
message 1 1
broadcast 1
window 1
file 1 1
END

# Over an MPI library as well, whose order of lines is another one.
diff <(rankine run -n 2 --dir . big.wasm | sort) <("$MPI_BIN/mpiexec" -n 2 rankine run --dir . big.wasm | sort)

# What a rank may have is what the user says.
said=$(rankine run -n 2 --memory-limit 3G --dir . big.wasm) && exit 1
grep -q 'no memory' <<< "$said"

# Memory that is not touched is no memory.
cat > vector.cpp <<'END'
#include <cstdio>
#include <memory>
#include <string>
#include <stdexcept>
int main()
{
    std::unique_ptr<double[]> many(new double[900'000'000]);
    many[899'999'999] = 3;
    std::string text(100, 'x');
    try {
        throw std::runtime_error(text + " thrown");
    } catch (const std::exception &thrown) {
        std::printf("%g %.5s\n", many[899'999'999], thrown.what());
    }
}
END
rankine c++ -m64=large -O2 vector.cpp -o vector.wasm
diff - <(rankine run -n 1 vector.wasm) <<< '3 xxxxx'
diff - <(rankine run -n 1 --trusted vector.wasm) <<< '3 xxxxx'
diff - <("$MPI_BIN/mpiexec" -n 1 rankine run vector.wasm) <<< '3 xxxxx'
cat > array.f90 <<'END'
program array
  use mpi_f08
  real(8), allocatable :: many(:)
  integer(8) :: n = 800000000_8
  real(8) :: other
  integer :: rank
  call MPI_Init
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  allocate(many(n))
  many(n) = rank
  call MPI_Sendrecv(many(n), 1, MPI_DOUBLE_PRECISION, 1 - rank, 0, other, 1, MPI_DOUBLE_PRECISION, 1 - rank, 0, &
      MPI_COMM_WORLD, MPI_STATUS_IGNORE)
  if (rank == 0) print '(f4.1)', other
  call MPI_Finalize
end program
END
rankine fc -m64=large -O2 array.f90 -o array.wasm
diff - <(rankine run -n 2 array.wasm) <<< ' 1.0'

# It is checked, and recorded.
said=$(rankine run -n 2 --check array.wasm 2>&1)
grep -q 'check: nothing found' <<< "$said"
cat > shown.c <<'END'
#include <mpi.h>
#include <rankine/view.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    const size_t before = 5UL << 27;
    double *values = malloc((before + 4) * sizeof *values);
    int shape[] = {2, 2}, start[] = {0, 0};
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 4; i++)
        values[before + i] = i;
    int wrong = Rankine_View_field("heat", 1, 2, shape, start, shape, NULL, MPI_DOUBLE, values + before);
    MPI_Finalize();
    return wrong;
}
END
rankine cc -m64=large -O2 shown.c -o shown.wasm
rankine run -n 1 --record shown.rkv shown.wasm
rankine view --list shown.rkv | grep -q heat

# Objects of -m64 are linked as large ones.
rankine cc -m64 -O2 -c big.c -o big.o
rankine cc -m64=large big.o -o linked.wasm
rankine info linked.wasm | grep -q 'may have more than 4 GiB'

# Its threads share all of it, and their stacks and variables lie where there is room.
cat > threads.c <<'END'
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

static _Thread_local size_t own;

int main(int argc, char **argv)
{
    const size_t count = 5UL << 30;
    int level, rank;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    char *bytes = malloc(count);
    size_t touched = 0;
#pragma omp parallel reduction(+ : touched)
    {
#pragma omp for
        for (size_t at = 0; at < count; at += 4096) {
            bytes[at] = at >> 20;
            own++;
        }
        touched = own;
    }
    size_t wrong = 0;
#pragma omp parallel for reduction(+ : wrong) schedule(dynamic, 1000)
    for (size_t at = 0; at < count; at += 4096)
        wrong += bytes[at] != (char)(at >> 20);
#pragma omp parallel
#pragma omp critical
    touched++;
    printf("%d: %zu %zu\n", rank, touched, wrong);
    MPI_Finalize();
}
END
rankine cc -m64=large -fopenmp -O2 threads.c -o threads.wasm
diff - <(rankine run -n 1 --threads-per-rank 3 threads.wasm) <<< '0: 1310723 0'

# refused TEXT COMMAND…
refused() {
    local text=$1 said
    shift
    said=$("$@" 2>&1) && { echo "taken: $*"; exit 1; }
    grep -qF -e "$text" <<< "$said" || { echo "$* gives: $said"; exit 1; }
}
refused '--check-heap' rankine run -n 2 --check-heap vector.wasm
