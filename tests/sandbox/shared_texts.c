// Objects by the ten thousand whose texts are one and the same long text, or parts of it: its end is looked for once, so that a message
// takes what its objects and texts are long. Each variation would take minutes if it took their product.
// ranks: 1 2
// seconds: 120
#include "variations.h"
#include <rankine.h>

enum { MANY = 50000, LONG = 4 << 20, FEW = 12 };

struct entry {
    int number;
    char *text;
};
struct pair {
    struct entry both[2];
};
struct chain {
    char *text;
    struct chain *next;
};
struct list {
    struct entry *all;
    int count;
};
struct pairs {
    struct pair *all;
    int count;
};
struct lines {
    struct entry **all;
    int count;
};

static Rankine_Type entries, lists, two, pairs, chains, lines;
static struct entry all[MANY], *each[MANY];
static struct pair doubled[MANY / 2];
static struct chain links[MANY];
static char text[LONG], other[LONG];

static void fill(void)
{
    memset(text, 'x', LONG - 1);
    memset(other, 'y', LONG - 1);
    text[LONG - 1] = other[LONG - 1] = 0;
    for (int i = 0; i < MANY; i++) {
        all[i] = (struct entry){i, text};
        each[i] = &all[i];
        links[i] = (struct chain){text, i + 1 < MANY ? &links[i + 1] : NULL};
        doubled[i / 2].both[i % 2] = all[i];
    }
}

/* Sends something to the rank itself; the message, which the caller frees. */
static void *through(void *what, Rankine_Type type)
{
    MPI_Request request;
    void *root = what, *came = NULL;
    TRY(Rankine_Isend(&root, 1, type, rank, 3, MPI_COMM_WORLD, &request));
    TRY(Rankine_Recv(&came, 1, type, rank, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    TRY(MPI_Wait(&request, MPI_STATUS_IGNORE));
    return came;
}

/* The list of all entries arrives with the texts that they have. */
static void arrives(void)
{
    struct list list = {all, MANY}, *came = through(&list, lists);
    CHECK_INT(came->count, MANY);
    for (int i = 0; i < MANY; i += 997) {
        CHECK_INT(came->all[i].number, i);
        CHECK_INT(came->all[i].text[0], all[i].text[0]);
        CHECK_INT(strlen(came->all[i].text), strlen(all[i].text));
    }
    TRY(Rankine_Free(&came, 1, lists));
}

static void one_text(void)
{
    struct list list = {all, MANY}, *came;
    arrives();
    came = through(&list, lists);
    CHECK(came->all[0].text == came->all[MANY - 1].text);
    TRY(Rankine_Free(&came, 1, lists));
}

/* Parts that begin ever further behind, and so few that all of them fit. */
static void later_parts(void)
{
    for (int i = 0; i < MANY; i++)
        all[i].text = text + LONG / 2 + i % FEW;
    arrives();
}

/* What lies before a known text is looked at, and no more. */
static void earlier_parts(void)
{
    for (int i = 0; i < MANY; i++)
        all[i].text = text + LONG / 2 + FEW - i % FEW;
    arrives();
}

static void alternating(void)
{
    for (int i = 0; i < MANY; i++)
        all[i].text = (i % 2 ? text : other) + i % 3;
    arrives();
}

/* Texts just as long as what is looked at before one counts as long. */
static void lengths(void)
{
    char *at = other;
    for (int i = 0; i < 600; i++) {
        memset(at, 'a' + i % 26, i);
        at[i] = 0;
        all[i].text = at + (i % 7 < i ? i % 7 : 0);
        at += i + 1;
    }
    arrives();
    struct list list = {all, 600}, *came = through(&list, lists);
    for (int i = 0; i < 600; i++)
        CHECK_STR(came->all[i].text, all[i].text);
    TRY(Rankine_Free(&came, 1, lists));
}

/* All parts of the text together are longer than the memory. */
static void too_many_parts(void)
{
    struct list list = {all, MANY}, *root = &list;
    for (int i = 0; i < MANY; i++)
        all[i].text = text + i;
    REFUSED(Rankine_Send(&root, 1, lists, MPI_PROC_NULL, 3, MPI_COMM_WORLD));
    REFUSED(Rankine_Bcast(&root, 1, lists, 0, MPI_COMM_SELF));
}

static void inside_of_others(void)
{
    struct pairs some = {doubled, MANY / 2}, *came = through(&some, pairs);
    CHECK(came->all[0].both[0].text == came->all[MANY / 2 - 1].both[1].text);
    TRY(Rankine_Free(&came, 1, pairs));
}

static void one_behind_the_other(void)
{
    struct chain *came = through(links, chains);
    int count = 0;
    for (struct chain *link = came; link; link = link->next)
        count += link->text == came->text;
    CHECK_INT(count, MANY);
    TRY(Rankine_Free(&came, 1, chains));
}

static void by_references(void)
{
    struct lines some = {each, MANY}, *came = through(&some, lines);
    CHECK_INT(came->all[MANY - 1]->number, MANY - 1);
    CHECK(came->all[0]->text == came->all[MANY - 1]->text);
    TRY(Rankine_Free(&came, 1, lines));
}

/* The entries are the roots. */
static void as_values(void)
{
    TRY(Rankine_Send(all, MANY, RANKINE_VALUES(entries), MPI_PROC_NULL, 3, MPI_COMM_WORLD));
    TRY(Rankine_Bcast(each, MANY, entries, 0, MPI_COMM_SELF));
}

/* The last bytes of the memory end no text. */
static void without_an_end(void)
{
    struct list list = {all, MANY}, *root = &list;
    char *end = near_end(1 << 16), last = end[(1 << 16) - 1];
    char kept[1 << 12];
    memcpy(kept, near_end(sizeof kept), sizeof kept);
    memset(near_end(sizeof kept), 'z', sizeof kept);
    for (int i = 0; i < MANY; i++)
        all[i].text = (char *)near_end(sizeof kept) + i % 64;
    REFUSED(Rankine_Send(&root, 1, lists, MPI_PROC_NULL, 3, MPI_COMM_WORLD));
    memcpy(near_end(sizeof kept), kept, sizeof kept);
    CHECK_INT(end[(1 << 16) - 1], last);
}

static void declare(void)
{
    entries = RANKINE_DECLARE(struct entry);
    RANKINE_DEFINE(entries, struct entry, RANKINE_STRING(text));
    lists = RANKINE_DECLARE(struct list);
    RANKINE_DEFINE(lists, struct list, RANKINE_ARRAY(all, entries, count));
    two = RANKINE_DECLARE(struct pair);
    RANKINE_DEFINE(two, struct pair, RANKINE_MEMBER(both, struct entry, entries));
    pairs = RANKINE_DECLARE(struct pairs);
    RANKINE_DEFINE(pairs, struct pairs, RANKINE_ARRAY(all, two, count));
    chains = RANKINE_DECLARE(struct chain);
    RANKINE_DEFINE(chains, struct chain, RANKINE_STRING(text), RANKINE_REFERENCE(next, chains));
    lines = RANKINE_DECLARE(struct lines);
    RANKINE_DEFINE(lines, struct lines, RANKINE_REFERENCE_ARRAY(all, entries, count));
}

int main(int argc, char **argv)
{
    hostile_begin(&argc, &argv);
    TRY(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
    declare();
    after_each = fill;
    fill();
    const struct variation all_of_them[] = {
        {"one text", one_text},
        {"later parts", later_parts},
        {"earlier parts", earlier_parts},
        {"alternating", alternating},
        {"lengths", lengths},
        {"too many parts", too_many_parts},
        {"inside of others", inside_of_others},
        {"one behind the other", one_behind_the_other},
        {"by references", by_references},
        {"as values", as_values},
        {"without an end", without_an_end},
    };
    return VARIATIONS(all_of_them);
}
