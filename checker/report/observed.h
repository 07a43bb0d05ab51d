/*
 * observed.h - an experiment in words, and its object.  Nothing is decided here.
 */
#ifndef OBSERVED_H
#define OBSERVED_H

#include "build.h"
#include "experiment.h"

/*
 * Writes the object to the file that the request names, or, where it names none and nothing is to be
 * compared, to standard output.  False where that was not possible.
 */
bool observed_write(const struct request *want, const struct experiment *experiment);

/*
 * A line for each scenario, and of the first that differs where and how.  Where the object goes to
 * standard output this is left out, or goes to standard error where there is no object.
 */
void observed_print(const struct request *want, const struct build *built,
                    const struct verdict *verdict, const struct experiment *experiment);

#endif
