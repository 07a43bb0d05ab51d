/*
 * port.h - ports of 127.0.0.1 on which no server answers.  They are held while this process
 * lives: each costs descriptors.
 */
#ifndef STAGE_PORT_H
#define STAGE_PORT_H

/* A socket bound to a free port, which is set; nobody listens yet. */
int port_bind(int *port);

/* A port on which nobody listens, and nobody else will. */
int closed_port(void);

/* The first of so many that is free; any other where none is. */
int closed_port_from(int first, int count);

/* A port whose listener accepts nobody and has no room for one more: who connects is not heard. */
int full_port(void);

#endif
