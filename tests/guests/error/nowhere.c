// Arguments that say nothing outside of collectives with a root are not looked at: operands of an operation that has none, what the
// first rank of an exclusive scan would receive, arrays of no elements, objects of what is bound to none.
// ranks: 1 2 3
#include "../check.h"

// What no call could use.
static void *bad = (void *)-16L;
#define NO_TYPE MPI_DATATYPE_NULL
#define NO_COUNT (-7)

static void windows(void)
{
    int words[2] = {7, 8}, got = 0;
    MPI_Win win;
    MPI_Request request;
    TRY(MPI_Win_create(words, sizeof words, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    TRY(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    TRY(MPI_Win_lock_all(0, win));
    TRY(MPI_Get_accumulate(bad, NO_COUNT, NO_TYPE, &got, 1, MPI_INT, 0, 1, 1, MPI_INT, MPI_NO_OP, win));
    TRY(MPI_Win_flush(0, win));
    CHECK_INT(got, 8);
    TRY(MPI_Get_accumulate(bad, 1000000, MPI_DOUBLE_INT, &got, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_NO_OP, win));
    TRY(MPI_Win_flush(0, win));
    CHECK_INT(got, 7);
    TRY(MPI_Fetch_and_op(bad, &got, MPI_INT, 0, 1, MPI_NO_OP, win));
    TRY(MPI_Win_flush(0, win));
    CHECK_INT(got, 8);
    got = 0;
    TRY(MPI_Rget_accumulate(bad, NO_COUNT, NO_TYPE, &got, 1, MPI_INT, 0, 1, 1, MPI_INT, MPI_NO_OP, win, &request));
    TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK_INT(got, 8);
    TRY(MPI_Win_unlock_all(win));
    TRY(MPI_Win_free(&win));
    // No bytes.
    TRY(MPI_Win_create(bad, 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    TRY(MPI_Win_free(&win));
}

static void scans(void)
{
    int mine = rank + 1, got = 0;
    MPI_Request request;
    TRY(MPI_Exscan(&mine, rank ? &got : bad, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    CHECK_INT(got, rank ? rank * (rank + 1) / 2 : 0);
    TRY(MPI_Iexscan(&mine, rank ? &got : bad, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request));
    TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
    if (embedded()) // MPICH wants an address on the first rank too.
        TRY(MPI_Exscan(&mine, rank ? &got : NULL, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    TRY(MPI_Exscan_init(&mine, rank ? &got : bad, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request));
    TRY(MPI_Start(&request));
    TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
    TRY(MPI_Request_free(&request));
}

static void grids(void)
{
    MPI_Comm point, graph, sub;
    int at = -1;
    TRY(MPI_Cart_create(MPI_COMM_WORLD, 0, bad, bad, 0, &point));
    CHECK((point == MPI_COMM_NULL) == (rank != 0));
    if (point != MPI_COMM_NULL) {
        TRY(MPI_Cart_rank(point, bad, &at));
        CHECK_INT(at, 0);
        TRY(MPI_Cart_coords(point, 0, 0, bad));
        TRY(MPI_Cart_get(point, 0, bad, bad, bad));
        TRY(MPI_Cart_sub(point, bad, &sub));
        CHECK(sub != MPI_COMM_NULL);
        TRY(MPI_Comm_free(&sub));
        TRY(MPI_Comm_free(&point));
    }
    TRY(MPI_Cart_map(MPI_COMM_WORLD, 0, bad, bad, &at));
    TRY(MPI_Dist_graph_create(MPI_COMM_WORLD, 0, bad, bad, bad, bad, MPI_INFO_NULL, 0, &graph));
    TRY(MPI_Dist_graph_neighbors(graph, 0, bad, bad, 0, bad, bad));
    TRY(MPI_Comm_free(&graph));
    TRY(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 0, bad, bad, 0, bad, bad, MPI_INFO_NULL, 0, &graph));
    TRY(MPI_Comm_free(&graph));
    TRY(MPI_Graph_create(MPI_COMM_WORLD, 0, bad, bad, 0, &graph));
    CHECK(graph == MPI_COMM_NULL);
}

static void types(void)
{
    MPI_Datatype type;
    int sizes[2] = {4, 4}, how[2] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_NONE}, n;
    int which[2] = {MPI_DISTRIBUTE_DFLT_DARG, -99}, processes[2] = {1, 1}; // How much of a part where there are none.
    TRY(MPI_Type_create_darray(1, 0, 2, sizes, how, which, processes, MPI_ORDER_C, MPI_INT, &type));
    TRY(MPI_Type_size(type, &n));
    CHECK_INT(n, 64);
    TRY(MPI_Type_free(&type));
    TRY(MPI_Type_indexed(0, bad, bad, MPI_INT, &type));
    TRY(MPI_Type_free(&type));
    TRY(MPI_Type_create_hindexed(0, bad, bad, MPI_INT, &type));
    TRY(MPI_Type_free(&type));
    TRY(MPI_Type_create_indexed_block(0, 3, bad, MPI_INT, &type));
    TRY(MPI_Type_free(&type));
    TRY(MPI_Type_create_hindexed_block(0, 3, bad, MPI_INT, &type));
    TRY(MPI_Type_free(&type));
    TRY(MPI_Type_create_struct(0, bad, bad, bad, &type));
    TRY(MPI_Type_free(&type));
}

static void requests(void)
{
    int n = 5, flag = 0;
    MPI_Status status;
    TRY(MPI_Waitall(0, bad, bad));
    TRY(MPI_Testall(0, bad, &flag, bad));
    CHECK_INT(flag, 1);
    TRY(MPI_Waitany(0, bad, &n, &status));
    CHECK_INT(n, MPI_UNDEFINED);
    TRY(MPI_Testany(0, bad, &n, &flag, &status));
    TRY(MPI_Waitsome(0, bad, &n, bad, bad));
    CHECK_INT(n, MPI_UNDEFINED);
    TRY(MPI_Testsome(0, bad, &n, bad, bad));
    TRY(MPI_Startall(0, bad));
}

static void groups(void)
{
    MPI_Group world, none;
    MPI_Comm comm;
    TRY(MPI_Comm_group(MPI_COMM_WORLD, &world));
    TRY(MPI_Group_incl(world, 0, bad, &none));
    CHECK(none == MPI_GROUP_EMPTY);
    TRY(MPI_Group_excl(world, 0, bad, &none));
    TRY(MPI_Group_free(&none));
    TRY(MPI_Group_range_incl(world, 0, bad, &none));
    TRY(MPI_Group_translate_ranks(world, 0, bad, world, bad));
    TRY(MPI_Comm_split(MPI_COMM_WORLD, MPI_UNDEFINED, -12345, &comm));
    CHECK(comm == MPI_COMM_NULL);
    TRY(MPI_Group_free(&world));
}

static void infos(void)
{
    MPI_Info info;
    int length = 0, flag = 0;
    TRY(MPI_Info_create(&info));
    TRY(MPI_Info_set(info, "a", "bcd"));
    TRY(MPI_Info_get_string(info, "a", &length, bad, &flag));
    CHECK_INT(flag, 1);
    CHECK_INT(length, 4);
    TRY(MPI_Info_free(&info));
}

static void tools(void)
{
    int provided, n, index, count, bind, verbosity, scope, length;
    MPI_T_enum e;
    MPI_Datatype type;
    MPI_T_cvar_handle handle;
    TRY(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
    TRY(MPI_T_cvar_get_num(&n));
    for (index = 0; index < n; index++) {
        length = 0;
        int l2 = 0;
        TRY(MPI_T_cvar_get_info(index, NULL, &length, &verbosity, &type, &e, NULL, &l2, &bind, &scope));
        if (bind == MPI_T_BIND_NO_OBJECT) {
            TRY(MPI_T_cvar_handle_alloc(index, bad, &handle, &count));
            TRY(MPI_T_cvar_handle_free(&handle));
            break;
        }
    }
    MPI_T_pvar_session session;
    TRY(MPI_T_pvar_session_create(&session));
    TRY(MPI_T_pvar_get_num(&n));
    for (index = 0; index < n; index++) {
        length = 0;
        int l2 = 0, cls, ro, co, at;
        TRY(MPI_T_pvar_get_info(index, NULL, &length, &verbosity, &cls, &type, &e, NULL, &l2, &bind, &ro, &co, &at));
        if (bind == MPI_T_BIND_NO_OBJECT) {
            MPI_T_pvar_handle h;
            TRY(MPI_T_pvar_handle_alloc(session, index, bad, &h, &count));
            TRY(MPI_T_pvar_handle_free(session, &h));
            break;
        }
    }
    TRY(MPI_T_pvar_session_free(&session));
    TRY(MPI_T_finalize());
}

int main(int argc, char **argv)
{
    check_begin(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    windows();
    scans();
    grids();
    types();
    requests();
    groups();
    infos();
    tools();
    return check_end();
}
