/*
 * starve.h - whether a program is late because the machine gave it no processor.
 */
#ifndef STARVE_H
#define STARVE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * True where a process of this session wants to run now (or waits for a disk), and all of them
 * together used less than half of the wall_ms milliseconds that passed.  One that waits for
 * something else, as a compiler does that reads a FIFO, does not starve.  Source: proc(5),
 * /proc/PID/stat.
 */
bool session_starves(pid_t session, int64_t wall_ms);

#endif
