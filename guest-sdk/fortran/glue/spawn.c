/* Starting programs, whose arguments come as arrays of strings of one length; a blank string ends the list. */
#include "glue.h"
#include <stdlib.h>

extern char mpi_fortran_argv_null_[1], mpi_fortran_argvs_null_[1];

#define BOTH(name) ALSO(pmpi_##name##_, mpi_##name##_)
#define ALL(name) BOTH(name); ALSO(pmpi_##name##_, pmpi_##name##_f08_); ALSO(pmpi_##name##_, mpi_##name##_f08_)

static int is_blank(const char *text, size_t length)
{
    while (length > 0 && *text == ' ') {
        text++;
        length--;
    }
    return length == 0;
}

/* The strings at `texts`, `texts + step`, … up to the first blank one. */
static char **arguments(const char *texts, size_t length, size_t step)
{
    size_t count = 0;
    while (!is_blank(texts + count * step, length))
        count++;
    char **list = malloc((count + 1) * sizeof *list);
    if (!list)
        abort();
    for (size_t at = 0; at < count; at++)
        list[at] = rankine_c_string(texts + at * step, length);
    list[count] = NULL;
    return list;
}

static void release(char **list)
{
    if (!list)
        return;
    for (char **text = list; *text; text++)
        free(*text);
    free(list);
}

void pmpi_comm_spawn_(char *command, char *argv, int *maxprocs, int *info, int *root, int *comm,
                      int *intercomm, int *errcodes, int *ierror, size_t command_length, size_t argv_length)
{
    char *program = rankine_c_string(command, command_length);
    char **list = argv == mpi_fortran_argv_null_ ? MPI_ARGV_NULL : arguments(argv, argv_length, argv_length);
    MPI_Comm intercomm_h = HANDLE(*intercomm);
    return_code(ierror, MPI_Comm_spawn(program, list, *maxprocs, HANDLE(*info), *root, HANDLE(*comm), &intercomm_h,
                                       rankine_errcodes(errcodes)));
    *intercomm = INTEGER(intercomm_h);
    release(list);
    free(program);
}
ALL(comm_spawn);

void pmpi_comm_spawn_multiple_(int *count, char *commands, char *argvs, int *maxprocs, int *infos, int *root,
                               int *comm, int *intercomm, int *errcodes, int *ierror, size_t command_length,
                               size_t argv_length)
{
    int programs = *count > 0 ? *count : 0;
    char **names = calloc(programs + 1, sizeof *names);
    char ***lists = argvs == mpi_fortran_argvs_null_ ? MPI_ARGVS_NULL : calloc(programs + 1, sizeof *lists);
    if (!names || (!lists && argvs != mpi_fortran_argvs_null_))
        abort();
    for (int at = 0; at < programs; at++) {
        names[at] = rankine_c_string(commands + at * command_length, command_length);
        if (lists)
            lists[at] = arguments(argvs + at * argv_length, argv_length, programs * argv_length);
    }
    MPI_Comm intercomm_h = HANDLE(*intercomm);
    MPI_Info *infos_h = HANDLES(infos, programs);
    return_code(ierror, MPI_Comm_spawn_multiple(programs, names, lists, maxprocs, infos_h, *root, HANDLE(*comm),
                                                &intercomm_h, rankine_errcodes(errcodes)));
    handles_free(infos_h);
    *intercomm = INTEGER(intercomm_h);
    for (int at = 0; lists && at < programs; at++)
        release(lists[at]);
    free(lists);
    release(names);
}
ALL(comm_spawn_multiple);
