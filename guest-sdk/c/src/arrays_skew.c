/* Copies of which each line is shifted by another amount. */
#include "arrays_internal.h"

#include <stdlib.h>

/* The messages of some lines to or from one rank, which are the first ones of their lists, as one. */
typedef struct {
    int count;
    int *ones;
    MPI_Aint *offsets;
    MPI_Datatype *types;
} Joint;

static int joint_make(Joint *joint, int most)
{
    joint->ones = malloc(most * sizeof *joint->ones);
    joint->offsets = malloc(most * sizeof *joint->offsets);
    joint->types = malloc(most * sizeof *joint->types);
    return joint->ones != NULL && joint->offsets != NULL && joint->types != NULL ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

static void joint_free(Joint *joint)
{
    free(joint->ones);
    free(joint->offsets);
    free(joint->types);
}

/* Joins the messages for each rank. Those of a line stand in the order of ranks. */
static int join(Messages *all, const Moves lines[], int count, int receives, int ranks, Joint *joint)
{
    all->messages = malloc(ranks * sizeof *all->messages);
    if (all->messages == NULL)
        return MPI_ERR_NO_MEM;
    for (int rank = 0; rank < ranks; rank++) {
        joint->count = 0;
        for (int line = 0; line < count; line++) {
            const Messages *of = receives ? &lines[line].receives : &lines[line].sends;
            for (int n = 0; n < of->count; n++)
                if (of->messages[n].rank == rank) {
                    joint->ones[joint->count] = 1;
                    joint->offsets[joint->count] = of->messages[n].offset;
                    joint->types[joint->count++] = of->messages[n].datatype;
                }
        }
        if (joint->count == 0)
            continue;
        Message *message = &all->messages[all->count];
        *message = (Message){.rank = rank};
        TRY(MPI_Type_create_struct(joint->count, joint->ones, joint->offsets, joint->types, &message->datatype));
        all->count++;
        TRY(MPI_Type_commit(&message->datatype));
    }
    return MPI_SUCCESS;
}

static int join_all(Moves *moves, const Moves lines[], int count, int ranks)
{
    Joint joint = {0};
    int code = joint_make(&joint, count > 0 ? count : 1);
    if (code == MPI_SUCCESS)
        code = join(&moves->receives, lines, count, 1, ranks, &joint);
    if (code == MPI_SUCCESS)
        code = join(&moves->sends, lines, count, 0, ranks, &joint);
    joint_free(&joint);
    if (code != MPI_SUCCESS)
        moves_free(moves);
    return code;
}

int moves_skew(Moves *moves, const Layout *target, const Layout *source, int dimension, int along, int by, MPI_Datatype element, MPI_Aint size)
{
    int count = target->cuts[along].count, extent = target->cuts[dimension].count, code = MPI_SUCCESS, made = 0;
    Moves *lines = malloc((count > 0 ? count : 1) * sizeof *lines);
    *moves = (Moves){0};
    if (lines == NULL)
        return MPI_ERR_NO_MEM;
    while (made < count && code == MPI_SUCCESS) {
        Layout to = *target, from = *source;
        to.cuts[along] = (Cut){target->cuts[along].first + made * target->cuts[along].step, 1, 1};
        from.cuts[along] = (Cut){source->cuts[along].first + made * source->cuts[along].step, 1, 1};
        Shift shift = {dimension, extent > 0 ? (int)((long long)made * by % extent) : 0, 1};
        code = moves_make(&lines[made], &to, &from, shift, element, size);
        made += code == MPI_SUCCESS;
    }
    if (code == MPI_SUCCESS)
        code = join_all(moves, lines, count, target->grid->size);
    while (made > 0)
        moves_free(&lines[--made]);
    free(lines);
    return code;
}
