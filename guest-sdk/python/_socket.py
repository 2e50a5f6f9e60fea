"""What is left of sockets where nobody is reached by one: names, numbers, and an error for whoever opens one.

Many modules import `socket`, and few of them use it. So it can be imported, and an attempt to connect fails as it does natively
where a network is missing.
"""

import errno as _errno
import os as _os

error = OSError
timeout = TimeoutError
has_ipv6 = False

AF_UNSPEC, AF_INET, AF_INET6 = 0, 1, 2
SOCK_STREAM, SOCK_DGRAM = 6, 5
SOL_SOCKET, SO_REUSEADDR, SO_KEEPALIVE, SO_BROADCAST, SO_ERROR, SO_TYPE = 0x7FFFFFFF, 2, 9, 6, 4, 3
SO_RCVBUF, SO_SNDBUF, SO_LINGER = 8, 7, 13
IPPROTO_IP, IPPROTO_TCP, IPPROTO_UDP, IPPROTO_IPV6 = 0, 6, 17, 41
TCP_NODELAY, IPV6_V6ONLY = 1, 26
INADDR_ANY, INADDR_LOOPBACK, INADDR_BROADCAST = 0, 0x7F000001, 0xFFFFFFFF
MSG_PEEK, MSG_WAITALL = 1, 2
SHUT_RD, SHUT_WR, SHUT_RDWR = 1, 2, 3
SOMAXCONN = 128
AI_PASSIVE, AI_CANONNAME, AI_NUMERICHOST, AI_NUMERICSERV = 1, 2, 4, 0x400
EAI_FAIL, EAI_NONAME, EAI_FAMILY, EAI_SERVICE = -4, -2, -6, -8
NI_NUMERICHOST, NI_NUMERICSERV, NI_DGRAM = 1, 2, 16


class herror(OSError):
    pass


class gaierror(OSError):
    pass


class socket:
    """None can be made."""

    __slots__ = ()

    def __init__(self, family=AF_INET, type=SOCK_STREAM, proto=0, fileno=None):
        raise PermissionError(_errno.EACCES, "a program of Rankine's has no sockets")


SocketType = socket
_default_timeout = None


def getdefaulttimeout():
    return _default_timeout


def setdefaulttimeout(seconds):
    global _default_timeout
    _default_timeout = None if seconds is None else float(seconds)


def _no_name(*_arguments, **_named):
    raise gaierror(EAI_FAIL, "a program of Rankine's can't look up names")


getaddrinfo = gethostbyname = gethostbyname_ex = gethostbyaddr = getnameinfo = _no_name


def gethostname():
    return _os.environ.get("HOSTNAME", "localhost")


def close(descriptor):
    _os.close(descriptor)


def htons(number):
    return (number & 0xFF) << 8 | number >> 8


def htonl(number):
    return int.from_bytes(number.to_bytes(4, "little"), "big")


ntohs, ntohl = htons, htonl


def inet_aton(text):
    parts = [int(part) for part in text.split(".")]
    if len(parts) != 4 or not all(0 <= part < 256 for part in parts):
        raise OSError("illegal IP address string passed to inet_aton")
    return bytes(parts)


def inet_ntoa(address):
    return ".".join(str(byte) for byte in address)
