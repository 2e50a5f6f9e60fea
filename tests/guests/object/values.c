// Objects that lie in a row (RANKINE_VALUES): sent from arrays of structures, built in them; and images that stay images.
// ranks: 1 2 3
// native: no (Rankine's own functions)
#include "../check.h"
#include <rankine.h>

struct task { int number; struct task *next; double *data; int n; };
struct pair { struct task *one, *other; };

static Rankine_Type task, pair;

static void describe(void)
{
    task = RANKINE_DECLARE(struct task);
    pair = RANKINE_DECLARE(struct pair);
    RANKINE_DEFINE(task, struct task, RANKINE_REFERENCE(next, task), RANKINE_ARRAY(data, RANKINE_OF(MPI_DOUBLE), n));
    RANKINE_DEFINE(pair, struct pair, RANKINE_REFERENCE(one, task), RANKINE_FIXED_ARRAY(other, task, 2));
}

static struct task new_task(int number)
{
    struct task new = {number, NULL, malloc(number * sizeof(double)), number};
    for (int i = 0; i < number; i++)
        new.data[i] = number + i;
    return new;
}

static void check_task(const struct task *one, int number)
{
    CHECK_INT(one->number, number);
    CHECK_INT(one->n, number);
    for (int i = 0; i < number; i++)
        CHECK(one->data[i] == number + i);
}

static void send_to_myself(const void *objects, int count, Rankine_Type type, int tag)
{
    MPI_Request request;
    TRY(Rankine_Isend(objects, count, type, 0, tag, MPI_COMM_SELF, &request));
    TRY(MPI_Request_free(&request));
}

// Part of an array to part of another; a ring closes on the element it began with.
static void messages(int next, int before)
{
    struct task own[5], came[4] = {{0}};
    MPI_Status status;
    int count, objects;
    for (int i = 0; i < 5; i++)
        own[i] = new_task(i);
    own[1].next = &own[3];
    own[3].next = &own[1];
    own[2].next = malloc(sizeof(struct task));
    *own[2].next = new_task(9);
    own[2].next->next = &own[2];
    TRY(Rankine_Sendrecv(&own[1], 3, next, 1, &came[1], 3, before, 1, RANKINE_VALUES(task), MPI_COMM_WORLD, &status));
    TRY(Rankine_Get_count(&status, &count));
    TRY(Rankine_Get_objects(&status, &objects));
    CHECK_INT(count, 3);
    CHECK_INT(objects, 3 + 1 + 4);
    for (int i = 1; i < 4; i++)
        check_task(&came[i], i);
    CHECK(came[1].next == &came[3] && came[3].next == &came[1]);
    check_task(came[2].next, 9);
    CHECK(came[2].next->next == &came[2]);
    CHECK(came[0].number == 0 && came[0].data == NULL);
    TRY(Rankine_Free(&came[1], 3, RANKINE_VALUES(task)));
    // The same message is one of references for whoever wants that.
    struct task *roots[3];
    MPI_Request request;
    TRY(Rankine_Isend(&own[1], 3, RANKINE_VALUES(task), next, 2, MPI_COMM_WORLD, &request));
    TRY(Rankine_Recv(roots, 3, task, before, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK(roots[0]->next == roots[2] && roots[2]->next == roots[0]);
    TRY(Rankine_Free(roots, 3, task));
    TRY(Rankine_Free(&own[1], 3, RANKINE_VALUES(task)));
    free(own[4].data);
    free(own[0].data);
}

static void collectives(void)
{
    struct task *all = calloc(size, sizeof *all), mine = {0}, own = new_task(rank + 1);
    int counts[64];
    for (int i = 0; i < size; i++)
        counts[i] = 1;
    TRY(Rankine_Gather(&own, 1, RANKINE_VALUES(task), all, size, NULL, 0, MPI_COMM_WORLD));
    for (int i = 0; rank == 0 && i < size; i++)
        check_task(&all[i], i + 1);
    MPI_Request request;
    TRY(Rankine_Irecv(&mine, 1, RANKINE_VALUES(task), 0, 5, MPI_COMM_SELF, &request));
    send_to_myself(&own, 1, RANKINE_VALUES(task), 5);
    TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
    check_task(&mine, rank + 1);
    TRY(Rankine_Scatter(all, counts, NULL, RANKINE_VALUES(task), &mine, 1, NULL, 0, MPI_COMM_WORLD));
    check_task(&mine, rank + 1);
    TRY(Rankine_Bcast(rank == size - 1 ? &own : &mine, 1, RANKINE_VALUES(task), size - 1, MPI_COMM_WORLD));
    check_task(rank == size - 1 ? &own : &mine, size);
}

static int refuse(int n, const unsigned sizes[], void *addresses[])
{
    (void)sizes;
    (void)addresses;
    return n;
}

static void refused(void)
{
    // What came are parts of an array, which can't be built in another one.
    struct task two[2] = {new_task(1), new_task(2)};
    struct pair held = {&two[1], two}, came_pair = {0}, *root = &held;
    TRY(Rankine_Sendrecv(&held, 1, 0, 0, &came_pair, 1, 0, 0, RANKINE_VALUES(pair), MPI_COMM_SELF, MPI_STATUS_IGNORE));
    CHECK(came_pair.one == &came_pair.other[1]);
    check_task(came_pair.one, 2);
    // One object twice is not two objects.
    struct task *twice[2] = {&two[0], &two[0]}, came[2];
    send_to_myself(twice, 2, task, 0);
    FAILS(Rankine_Recv(came, 2, RANKINE_VALUES(task), 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE), MPI_ERR_TYPE);
    FAILS(Rankine_Send((void *)0xfffffff0u, 1, RANKINE_VALUES(task), 0, 0, MPI_COMM_SELF), MPI_ERR_ARG);
    FAILS(Rankine_Send(NULL, 1, RANKINE_VALUES(task), 0, 0, MPI_COMM_SELF), MPI_ERR_ARG);
    FAILS(Rankine_Send(two, 1, RANKINE_IMAGE(task), 0, 0, MPI_COMM_SELF), MPI_ERR_TYPE);
    send_to_myself(&root, 1, pair, 0);
    FAILS(Rankine_Recv((void *)0xfffffff0u, 1, RANKINE_VALUES(pair), 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE), MPI_ERR_ARG);
    // Without memory for what they refer to, the array stays as it was.
    send_to_myself(two, 2, RANKINE_VALUES(task), 0);
    TRY(Rankine_Set_allocator(refuse, Rankine_Release));
    came[0].number = 77;
    FAILS(Rankine_Recv(came, 2, RANKINE_VALUES(task), 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE), MPI_ERR_NO_MEM);
    CHECK_INT(came[0].number, 77);
    TRY(Rankine_Set_allocator(Rankine_Allocate, Rankine_Release));
}

static void images(void)
{
    struct task own = new_task(3);
    struct { char *bytes; int length; } image = {NULL, 0};
    int table[2 * 3], objects, roots;
    send_to_myself(&own, 1, RANKINE_VALUES(task), 0);
    TRY(Rankine_Recv(&image, 1, RANKINE_IMAGE(task), 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE));
    TRY(Rankine_Open(image.bytes, image.length, task, table, 2, &objects, &roots));
    CHECK_INT(objects, 2);
    CHECK_INT(roots, 1);
    CHECK_INT(table[1], task);
    CHECK_INT(table[5], 3);
    CHECK_INT(((struct task *)(void *)(image.bytes + table[0]))->number, 3);
    free(image.bytes);
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    describe();
    messages((rank + 1) % size, (rank + size - 1) % size);
    collectives();
    refused();
    images();
    return check_end();
}
