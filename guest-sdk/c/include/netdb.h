/* Names of hosts: a sandbox resolves none. */
#ifndef RANKINE_NETDB_H
#define RANKINE_NETDB_H

#include <netinet/in.h>
#include <sys/cdefs.h>
#include <sys/socket.h>

struct hostent {
	char *h_name, **h_aliases;
	int h_addrtype, h_length;
	char **h_addr_list;
};
#define h_addr h_addr_list[0]

struct addrinfo {
	int ai_flags, ai_family, ai_socktype, ai_protocol;
	socklen_t ai_addrlen;
	struct sockaddr *ai_addr;
	char *ai_canonname;
	struct addrinfo *ai_next;
};

#define HOST_NOT_FOUND 1
#define EAI_NONAME (-2)
#define EAI_FAIL (-4)
#define AI_PASSIVE 1
#define AI_CANONNAME 2
#define AI_NUMERICHOST 4
#define NI_MAXHOST 1025
#define NI_MAXSERV 32

__BEGIN_DECLS
extern int h_errno;
struct hostent *gethostbyname(const char *);
int getaddrinfo(const char *, const char *, const struct addrinfo *, struct addrinfo **);
void freeaddrinfo(struct addrinfo *);
const char *gai_strerror(int);
const char *hstrerror(int);
__END_DECLS

#endif
