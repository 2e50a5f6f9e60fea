/* There is no network in a sandbox. */
#include <errno.h>
#include <netdb.h>
#include <rankine/weak.h>
#include <sys/socket.h>

WEAK int h_errno = 0;
WEAK struct hostent *gethostbyname(const char *name) { (void)name; h_errno = HOST_NOT_FOUND; return NULL; }
WEAK int getaddrinfo(const char *node, const char *service, const struct addrinfo *hints, struct addrinfo **list) {
	(void)node, (void)service, (void)hints;
	*list = NULL;
	return EAI_FAIL;
}
WEAK void freeaddrinfo(struct addrinfo *list) { (void)list; }
WEAK const char *gai_strerror(int error) { return error ? "no network in a sandbox" : "no error"; }
WEAK const char *hstrerror(int error) { return error ? "no network in a sandbox" : "no error"; }
WEAK int socket(int domain, int type, int protocol) { (void)domain, (void)type, (void)protocol; return UNSUPPORTED; }
WEAK int socketpair(int domain, int type, int protocol, int files[2]) { (void)files; return socket(domain, type, protocol); }
WEAK int connect(int file, const struct sockaddr *to, socklen_t size) { (void)file, (void)to, (void)size; return UNSUPPORTED; }
WEAK int bind(int file, const struct sockaddr *to, socklen_t size) { (void)file, (void)to, (void)size; return UNSUPPORTED; }
WEAK int listen(int file, int backlog) { (void)file, (void)backlog; return UNSUPPORTED; }
WEAK int getsockname(int file, struct sockaddr *name, socklen_t *size) { (void)file, (void)name, (void)size; return UNSUPPORTED; }
WEAK int getpeername(int file, struct sockaddr *name, socklen_t *size) { (void)file, (void)name, (void)size; return UNSUPPORTED; }
WEAK int setsockopt(int file, int level, int name, const void *value, socklen_t size) {
	(void)file, (void)level, (void)name, (void)value, (void)size;
	return UNSUPPORTED;
}
