// Broadcasts between groups, blocking, nonblocking and persistent, of types with holes and without, from each rank of each group.
// ranks: 2 3 4
// native: no (MPICH 5.0.2 sends memory that it has never written from roots that are not the first of their group)
// large: yes
#include "../check.h"
#include "../large.h"

enum { MOST = 300 };
static int out[3 * MOST], in[3 * MOST];

static int value(int at, int root, int count, int how)
{
    return at + 1000 * (root + 1) + 100000 * (count + 1) + 50000 * how;
}

static void broadcast(MPI_Comm inter, int root, int first, int count, int how, MPI_Datatype type, int step)
{
    MPI_Request request = MPI_REQUEST_NULL;
    int *buffer = root == MPI_ROOT ? out : in;
    for (int i = 0; i < 3 * MOST; i++) {
        out[i] = value(i, first, count, how);
        in[i] = -1;
    }
    if (how == 0) {
        TRY(MPI_Bcast(buffer, count, type, root, inter));
    } else if (how == 1) {
        TRY(MPI_Ibcast(buffer, count, type, root, inter, &request));
        TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
    } else {
        TRY(MPI_Bcast_init(buffer, count, type, root, inter, MPI_INFO_NULL, &request));
        TRY(MPI_Start(&request));
        TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
        TRY(MPI_Request_free(&request));
    }
    for (int i = 0; i < 3 * MOST; i++) {
        int is_sent = i < count * 3 && (step == 1 || i % 3 != 1);
        CHECK_INT(in[i], root >= 0 && is_sent ? value(i, first, count, how) : -1);
    }
}

int main(int argc, char **argv)
{
    MPI_Datatype holes, dense;
    static const int counts[] = {1, 8, MOST, 0};
    check_begin(&argc, &argv);
    TRY(MPI_Type_vector(2, 1, 2, MPI_INT, &holes));
    TRY(MPI_Type_contiguous(3, MPI_INT, &dense));
    TRY(MPI_Type_commit(&holes));
    TRY(MPI_Type_commit(&dense));
    for (int cut = 1; cut < size; cut++) {
        MPI_Comm half, inter;
        int is_low = rank < cut;
        TRY(MPI_Comm_split(MPI_COMM_WORLD, is_low, rank, &half));
        TRY(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, is_low ? cut : 0, 5, &inter));
        for (int from = 0; from < size; from++) {
            int is_theirs = (from < cut) != is_low, root = is_theirs ? from - (from < cut ? 0 : cut) : rank == from ? MPI_ROOT : MPI_PROC_NULL;
            for (int i = 0; i < 4; i++)
                for (int how = 0; how < 3; how++) {
                    broadcast(inter, root, from, counts[i], how, holes, 2);
                    broadcast(inter, root, from, counts[i], how, dense, 1);
                }
        }
        TRY(MPI_Comm_free(&inter));
        TRY(MPI_Comm_free(&half));
    }
    TRY(MPI_Type_free(&holes));
    TRY(MPI_Type_free(&dense));
    return check_end();
}
