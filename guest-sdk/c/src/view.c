/* The live view: controls, which all ranks change at the same step. */
#include <rankine/view.h>
#include <time.h>

enum kind { NUMBER, CHOICE, BUTTON };

int rankine_view_declare(const char *name, int kind, double value, double least, double greatest, double step, int count, const char *const labels[], int *id) RANKINE_VIEW_FUNCTION(Rankine_View_declare);
int rankine_view_take(int count, const int ids[], double values[]) RANKINE_VIEW_FUNCTION(Rankine_View_take);
int rankine_view_waits(void) RANKINE_VIEW_FUNCTION(Rankine_View_waits);

/* The variables that the page changes, in the order of their declarations. */
static int count;
static int ids[RANKINE_VIEW_CONTROLS];
static double *numbers[RANKINE_VIEW_CONTROLS];
static int *whole[RANKINE_VIEW_CONTROLS];
/* What the first label of a choice is called: 0, and 1 in Fortran. */
static int first[RANKINE_VIEW_CONTROLS];

static int add(const char *name, int kind, double value, double least, double greatest, double step, int choices, const char *const labels[], double *number, int *integer, int from)
{
    int id, code;
    if (!Rankine_View_on())
        return MPI_SUCCESS;
    code = rankine_view_declare(name, kind, value, least, greatest, step, choices, labels, &id);
    if (code != MPI_SUCCESS)
        return code;
    /* Declared once more, with another variable perhaps. */
    int at = 0;
    while (at < count && ids[at] != id)
        at++;
    if (at == RANKINE_VIEW_CONTROLS)
        return MPI_ERR_NO_MEM;
    count += at == count;
    ids[at] = id;
    numbers[at] = number;
    whole[at] = integer;
    first[at] = from;
    return MPI_SUCCESS;
}

int Rankine_View_number(const char *name, double *value, double least, double greatest, double step)
{
    return add(name, NUMBER, *value, least, greatest, step, 0, NULL, value, NULL, 0);
}

int rankine_view_choice(const char *name, int *choice, int from, int choices, const char *const labels[])
{
    return add(name, CHOICE, *choice - from, 0, 0, 0, choices, labels, NULL, choice, from);
}

int Rankine_View_choice(const char *name, int *choice, int choices, const char *const labels[])
{
    return rankine_view_choice(name, choice, 0, choices, labels);
}

int Rankine_View_button(const char *name, int *presses)
{
    return add(name, BUTTON, 0, 0, 0, 0, 0, NULL, NULL, presses, 0);
}

/* What the first rank has learned: which controls it has, and their values. */
struct news {
    int count;
    int ids[RANKINE_VIEW_CONTROLS];
    double values[RANKINE_VIEW_CONTROLS];
};

int Rankine_View_update(MPI_Comm comm)
{
    struct news news = {.count = count};
    int rank, code;
    if (!Rankine_View_on())
        return MPI_SUCCESS;
    code = MPI_Comm_rank(comm, &rank);
    if (code != MPI_SUCCESS)
        return code;
    if (rank == 0) {
        while (rankine_view_waits())
            nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
        for (int i = 0; i < count; i++)
            news.ids[i] = ids[i];
        code = rankine_view_take(count, ids, news.values);
        if (code != MPI_SUCCESS)
            news.count = 0;
    }
    int shared = MPI_Bcast(&news, sizeof news, MPI_BYTE, 0, comm);
    if (shared != MPI_SUCCESS || code != MPI_SUCCESS)
        return shared != MPI_SUCCESS ? shared : code;
    for (int i = 0; i < news.count; i++) {
        int at = 0;
        while (at < count && ids[at] != news.ids[i])
            at++;
        if (at == count)
            continue; /* not one of this rank's */
        if (numbers[at] != NULL)
            *numbers[at] = news.values[i];
        else
            *whole[at] = first[at] + (int)news.values[i];
    }
    return MPI_SUCCESS;
}
