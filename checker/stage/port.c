/* port.c - see port.h */
#include "stage/port.h"

#include "base.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define QUEUE_FILLED 4 /* connections: a queue of no length holds one or two */

static struct sockaddr_in loopback(int port)
{
    return (struct sockaddr_in){ .sin_family = AF_INET,
                                 .sin_port = htons((uint16_t)port),
                                 .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
}

static int open_socket(void)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

    if (fd < 0)
        die("cannot make a socket: %s", strerror(errno));
    return fd;
}

int port_bind(int *port)
{
    struct sockaddr_in address = loopback(0);
    socklen_t bytes = sizeof address;
    int fd = open_socket();

    if (bind(fd, (struct sockaddr *)&address, sizeof address) < 0 ||
        getsockname(fd, (struct sockaddr *)&address, &bytes) < 0)
        die("cannot bind a port of 127.0.0.1: %s", strerror(errno));
    *port = ntohs(address.sin_port);
    return fd;
}

int closed_port(void)
{
    int port;

    port_bind(&port);
    return port;
}

/* Checks that run at the same time may all hold one: that is what SO_REUSEADDR is for. */
int closed_port_from(int first, int count)
{
    const int yes = 1;

    for (int port = first; port < first + count; port++) {
        const struct sockaddr_in address = loopback(port);
        int fd = open_socket();

        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
        if (bind(fd, (const struct sockaddr *)&address, sizeof address) == 0)
            return port;
        close(fd);
    }
    return closed_port();
}

/* What finds no room is tried again by the kernel, in vain; nobody waits for what it comes to. */
int full_port(void)
{
    struct sockaddr_in address;
    int port;
    int listener = port_bind(&port);

    if (listen(listener, 0) < 0)
        die("cannot listen on 127.0.0.1: %s", strerror(errno));
    address = loopback(port);
    for (int i = 0; i < QUEUE_FILLED; i++)
        (void)connect(open_socket(), (struct sockaddr *)&address, sizeof address);
    return port;
}
