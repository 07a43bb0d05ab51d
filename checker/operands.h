/*
 * operands.h - what is no option of the command line: walk or experiment, the step, the file.
 */
#ifndef OPERANDS_H
#define OPERANDS_H

#include "cli.h"

/* Fills in walk, experiment, first, last and source, and looks at where the result is to go; refuses
 * what makes no sense. */
void operands_take(struct request *want, int count, char **operands);

#endif
