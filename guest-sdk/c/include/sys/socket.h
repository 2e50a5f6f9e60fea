/* Adds the calls that open a socket: a sandbox has no network, so they fail with ENOSYS. */
#include_next <sys/socket.h>
#ifndef RANKINE_SYS_SOCKET_H
#define RANKINE_SYS_SOCKET_H

#include <sys/cdefs.h>

#ifndef SOMAXCONN
#define SOMAXCONN 128
#endif
#ifndef SO_REUSEADDR
#define SO_REUSEADDR 2
#endif

__BEGIN_DECLS
int socket(int, int, int);
int socketpair(int, int, int, int[2]);
int connect(int, const struct sockaddr *, socklen_t);
int bind(int, const struct sockaddr *, socklen_t);
int listen(int, int);
int getsockname(int, struct sockaddr *, socklen_t *);
int getpeername(int, struct sockaddr *, socklen_t *);
int setsockopt(int, int, int, const void *, socklen_t);
__END_DECLS

#endif
