/*
 * build.h - the learner's copy becomes <place>/<part>.so, or the compiler says why not.
 *
 * Compiling is a run of untrusted input: no shell, a fixed environment, no standard
 * input, bounds on time, memory, output and size.  When it fails a file of ours is
 * compiled in the same way: where that fails too it is the machine's fault.
 */
#ifndef BUILD_H
#define BUILD_H

#include "cli.h"
#include "puppets.h"

#include <stdbool.h>

struct build {
    bool done;               /* the object is there                                           */
    char *object;            /* its path                                                      */
    char *message;           /* not done: one sentence                                        */
    char *words;             /* what the compiler said, escaped, bounded; "" if nothing       */
    bool sanitized;          /* ASan and UBSan are in the object                              */
    const char *note;        /* why they are not although they were asked for, or NULL        */
    char *command;           /* how it was compiled, for a shell                              */
    char *compiler;          /* its path                                                      */
    int ms;                  /* how long the compiler took                                    */
    int ready_ms;            /* from the start of the puppets to ready, beside the compiler   */
    double scale;            /* how much longer everything takes here, 1 to 8                 */
    bool leaks;              /* a control leak was found                                      */
    struct puppets *puppets; /* the process that will hold the object; ready where done */
};

/* Dies where the machine cannot compile: no compiler, no library, no space. */
struct build build_worker(const struct request *want);

/* Stops the puppets.  What they would still say is lost. */
void build_end(struct build *built);

#endif
