// One thing after the other that the host keeps for a rank, as much of each as there is.
// engines: local
// bounded: mpi
// ranks: 1 2
// each: windows dynamic memory ports names files representations events
// run: --memory-limit 64M --dir {scratch}::/tmp
// peak: limits + 96
#include "quota.h"

enum { MOST = 1 << 20, REGIONS = 1 << 19, BLOCKS = 1000 };
static int lengths[BLOCKS], places[BLOCKS];
static MPI_Datatype types[BLOCKS];
static char place[64];

static void windows(void)
{
    MPI_Win window;
    EXHAUST(MOST, MPI_Win_create(place, sizeof place, 1, MPI_INFO_NULL, MPI_COMM_SELF, &window));
}

/* The program has all the rest of what the rank may have: the host is left its reserve. For what takes the longer the more there is. */
static void take_the_rest(void)
{
    while (__builtin_wasm_memory_grow(0, 1) != (size_t)-1)
        ;
}

static void dynamic(void)
{
    MPI_Win window;
    TRY(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_SELF, &window));
    TRY(MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN));
    char *all = malloc(REGIONS);
    CHECK(all != NULL);
    take_the_rest();
    // Nor is the host left much of that: each new region is compared with all others.
    scatter(BLOCKS, lengths, places);
    EXHAUST(BLOCKS, MPI_Type_indexed(BLOCKS, lengths, places, MPI_CHAR, &types[made]));
    for (int i = 0; i < 3; i++)
        TRY(MPI_Type_free(&types[i]));
    EXHAUST(REGIONS, MPI_Win_attach(window, all + made, 1));
}

/* The program's own memory comes to an end as well. */
static void memory(void)
{
    void *block;
    int code = MPI_SUCCESS;
    for (int i = 0; i < MOST && code == MPI_SUCCESS; i++)
        code = MPI_Alloc_mem(1, MPI_INFO_NULL, &block);
    FAILS(code, MPI_ERR_NO_MEM);
}

static void ports(void)
{
    char name[MPI_MAX_PORT_NAME];
    EXHAUST(MOST, MPI_Open_port(MPI_INFO_NULL, name));
}

static int publish(int number)
{
    static char port[MPI_MAX_PORT_NAME];
    char name[200];
    if (port[0] == 0)
        TRY(MPI_Open_port(MPI_INFO_NULL, port));
    snprintf(name, sizeof name, "%0150d-%d", number, rank);
    return MPI_Publish_name(name, MPI_INFO_NULL, port);
}

/* Over an MPI library the launcher keeps them, which takes its time. */
static void names(void)
{
    if (embedded())
        EXHAUST(MOST, publish(made));
}

static int open_file(void)
{
    char name[64];
    MPI_File file;
    snprintf(name, sizeof name, "/tmp/f%d", rank);
    return MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
}

/* The system has an end of them too. */
static void files(void)
{
    int code = MPI_SUCCESS;
    for (int i = 0; i < MOST && code == MPI_SUCCESS; i++)
        code = open_file();
    CHECK(code != MPI_SUCCESS);
}

static int extent(MPI_Datatype type, MPI_Aint *bytes, void *state)
{
    (void)type, (void)state;
    *bytes = 1;
    return MPI_SUCCESS;
}

static int represent(int number)
{
    char name[MPI_MAX_DATAREP_STRING];
    snprintf(name, sizeof name, "%0100d", number);
    return MPI_Register_datarep(name, MPI_CONVERSION_FN_NULL, MPI_CONVERSION_FN_NULL, extent, NULL);
}

static void representations(void)
{
    take_the_rest();
    EXHAUST(MOST, represent(made));
}

/* Sessions that hear of everything. */
static void events(void)
{
    MPI_T_event_registration registration;
    int provided, count, code = MPI_SUCCESS;
    TRY(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
    TRY(MPI_T_event_get_num(&count));
    CHECK(count > 0);
    int n = 0;
    for (; n < MOST && code == MPI_SUCCESS; n++)
        code = MPI_T_event_handle_alloc(n % count, NULL, MPI_INFO_NULL, &registration);
    CHECK(code != MPI_SUCCESS);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*take)(void);
    } all[] = {{"windows", windows}, {"dynamic", dynamic}, {"memory", memory}, {"ports", ports}, {"names", names},
               {"files", files}, {"representations", representations}, {"events", events}};
    hostile_begin(&argc, &argv);
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(all[i].name, argv[argc - 1]) == 0)
            all[i].take();
    // What there is to end with is there always.
    TRY(MPI_Barrier(MPI_COMM_WORLD));
    return check_end();
}
