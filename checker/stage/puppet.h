/*
 * puppet.h - the handle on an untrusted process: start it, speak to it, kill it, know how it
 * died.
 *
 * docs/protocol.md has the lines that are spoken.  A hand is a puppet without learner code:
 * it holds locks and writes rows as another process.
 */
#ifndef PUPPET_H
#define PUPPET_H

#include <cjson/cJSON.h>
#include <stdbool.h>

struct puppet;

enum puppet_state {
    PUPPET_SPOKE,  /* it said a line                                       */
    PUPPET_SILENT, /* the time is over, and it is alive                    */
    PUPPET_EXITED, /* exit, _exit or the end of what it exec'ed            */
    PUPPET_KILLED  /* by a signal                                          */
};

/* A puppet with the learner's object loaded.  The check ends where it cannot be loaded. */
struct puppet *puppet_start(void);

struct puppet *puppet_start_hand(void);

/* Says the order, which is freed. */
void puppet_say(struct puppet *puppet, cJSON *order);

/*
 * The next line of this puppet, for the caller to free, or NULL with the reason in *state.
 * Meanwhile the output of all puppets is read.
 */
cJSON *puppet_listen(struct puppet *puppet, int wait_ms, enum puppet_state *state);

/* SIGKILL, and the wait until it and all that it started are dead. */
void puppet_kill(struct puppet *puppet);

/* True from a puppet_kill on. */
bool puppet_was_killed(const struct puppet *puppet);

/* How it ended, "died of SIGSEGV" or "ended the process with exit code 0"; NULL while alive. */
const char *puppet_end(const struct puppet *puppet);

/*
 * What a hung puppet does, see whereabouts.h; it is stopped.  The caller frees it.
 */
char *puppet_whereabouts(const struct puppet *puppet);

/* What this puppet's process printed so far, as it came; owned by the puppet. */
const char *puppet_output(const struct puppet *puppet);

/*
 * What the learner's code printed in all puppets of this check, or the reports of the sanitizers
 * there; escaped and bounded, NULL for nothing.  The caller frees it.
 */
char *puppet_prints(bool reports);

/* The orderly end of every puppet; with leaks, memory that it lost fails the check. */
void puppet_end_all(bool leaks);

#endif
