/*
 * child.h - the only fork, exec and wait of the checker: processes with bounds on their
 * time, memory and output, of which nothing is left behind.
 *
 * The signals INT, TERM, HUP and QUIT are blocked and looked at wherever this file waits; the
 * first one that came is what child_listen dies of: clean-up first, then exit 128+n.
 */
#ifndef CHILD_H
#define CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define CHILD_OUTPUT_MAX ((size_t)64 * 1024)   /* bytes of output that are kept    */
#define CHILD_LINE_MAX   ((size_t)1024 * 1024) /* bytes of one line on descriptor 3 */

/* 0 is no bound. */
struct child_limits {
    uint64_t memory_bytes; /* RLIMIT_AS    */
    uint64_t cpu_s;        /* RLIMIT_CPU   */
    uint64_t file_bytes;   /* RLIMIT_FSIZE */
};

/*
 * A program to start: no shell, no search in PATH, no environment but this one.  It
 * gets its own session, /dev/null as standard input, and one pipe for standard output
 * and error; where says, another one as descriptor 3, which it writes lines to.  Every
 * other descriptor is closed.  The kernel kills it when the checker dies.
 */
struct child_spec {
    const char *path;
    char *const *argv;
    char *const *env;
    const char *cwd; /* NULL: the checker's own */
    bool says;
    struct child_limits limits;
};

struct child;

/* NULL with errno where it cannot be started, a failed exec included. */
struct child *child_spawn(const struct child_spec *spec);

enum child_news {
    CHILD_LINE,  /* *line is what it wrote on descriptor 3, without newline; yours to free */
    CHILD_ENDED, /* it is dead and reaped, and all it had written was taken */
    CHILD_LATE   /* the deadline passed                                     */
};

/*
 * Waits until the child says a line, ends, or deadline_ms of CLOCK_MONOTONIC passes.
 * Meanwhile it takes what all children print, keeps the first 64 KiB of each, and
 * counts the rest.  A line above CHILD_LINE_MAX is cut.
 */
enum child_news child_listen(struct child *child, int64_t deadline_ms, char **line);

/* What it printed so far (NUL-terminated, the child's), and how many bytes were dropped. */
const char *child_output(const struct child *child, size_t *bytes, size_t *dropped);

pid_t child_pid(const struct child *child);

/* When its first word on descriptor 3 was taken, by clock_ms(); 0 before. */
int64_t child_said_ms(const struct child *child);

/* As from waitpid; only after CHILD_ENDED or child_kill. */
int child_status(const struct child *child);

/* Kills it and its process group and reaps it; nothing where it is dead already. */
void child_kill(struct child *child);

/* Kills it if need be and frees it.  NULL is accepted. */
void child_free(struct child *child);

/*
 * child_begin makes the checker the reaper of all that its children leave and blocks
 * the signals; interrupted is called before the exit with 128+n.  child_end lets the
 * signals through again, which then end the checker at once.
 */
void child_begin(void (*interrupted)(void));
void child_end(void);

/* Exits 128+n, after interrupted(), where a signal is waiting. */
void child_heed_signals(void);

/* For who reaps it elsewhere (sweep.c): notes that the child is dead. */
void child_bury(pid_t pid, int status);

#endif
