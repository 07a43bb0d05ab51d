/*
 * run.h - a built worker is judged by its part's suite: findings come out.
 *
 * The suite program is started twice: once to say which checks it has, once to run
 * them.  What it was to find and what it found must agree.  Both times it writes JSON
 * lines on descriptor 3.  Whatever it does, the run is over in time.
 */
#ifndef RUN_H
#define RUN_H

#include "build.h"
#include "cli.h"
#include "findings.h"

/*
 * Findings for every declared check of the steps that were asked for; where the worker
 * was not built they are all "not run".  Dies where this machine cannot run a suite.
 */
struct findings run_checks(const struct request *want, const struct build *built);

#endif
