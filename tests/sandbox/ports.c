// Names of ports that were made up or changed: to a library each is an address that it believes.
// ranks: 1 2
#include "hostile.h"

static char port[MPI_MAX_PORT_NAME], name[40000];

static void refused(void)
{
    MPI_Comm other;
    REFUSED(MPI_Comm_connect(name, MPI_INFO_NULL, 0, MPI_COMM_SELF, &other));
    REFUSED(MPI_Comm_accept(name, MPI_INFO_NULL, 0, MPI_COMM_SELF, &other));
    REFUSED(MPI_Close_port(name));
    REFUSED(MPI_Publish_name("rankine-hostile", MPI_INFO_NULL, name));
    REFUSED(MPI_Unpublish_name("rankine-hostile", MPI_INFO_NULL, name));
}

int main(int argc, char **argv)
{
    static const char *const made_up[] = {
        "", "garbage", "tag#0$", "tag#0$connentry#00$", "tag#99999999$connentry#00$", "tag#-1$connentry#$", "$", "#", "rankine#$",
        "tag#0$rankine#0.1.2.3$", "127.0.0.1:80", "tag#0$description#localhost$port#1$ifname#127.0.0.1$",
    };
    hostile_begin(&argc, &argv);
    for (unsigned i = 0; i < sizeof made_up / sizeof *made_up; i++) {
        strcpy(name, made_up[i]);
        refused();
    }
    memset(name, 'A', sizeof name - 1);
    refused();
    TRY(MPI_Open_port(MPI_INFO_NULL, port));
    size_t length = strlen(port);
    CHECK(length > 0 && length < MPI_MAX_PORT_NAME);
    // One letter that is another, here and there.
    for (size_t i = 0; i < length; i += 1 + length / 40) {
        strcpy(name, port);
        name[i] = name[i] == '9' ? '8' : '9';
        refused();
    }
    // All numbers, the whole address, its beginning alone, its end alone, something behind it.
    strcpy(name, port);
    for (char *c = name; *c; c++)
        if (*c >= '0' && *c <= '9')
            *c = '9';
    refused();
    strcpy(name, port);
    memset(name + length / 10, 'F', length / 3);
    refused();
    for (size_t cut = 1; cut < length; cut += 1 + length / 20) {
        memcpy(name, port, length - cut);
        name[length - cut] = 0;
        refused();
        strcpy(name, port + cut);
        refused();
    }
    strcpy(name, port);
    strcat(name, "0$");
    refused();
    strcpy(name, port);
    strcat(name, port);
    refused();
    // A port of another rank is not ours to close.
    if (size > 1) {
        static char theirs[MPI_MAX_PORT_NAME];
        TRY(MPI_Sendrecv(port, MPI_MAX_PORT_NAME, MPI_CHAR, 1 - rank, 0, theirs, MPI_MAX_PORT_NAME, MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE));
        REFUSED(MPI_Close_port(theirs));
        TRY(MPI_Barrier(MPI_COMM_WORLD));
    }
    REFUSED(MPI_Publish_name("", MPI_INFO_NULL, port));
    REFUSED(MPI_Lookup_name("", MPI_INFO_NULL, name));
    TRY(MPI_Close_port(port));
    REFUSED(MPI_Close_port(port));
    return hostile_end();
}
