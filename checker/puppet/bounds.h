/* bounds.h - what a puppet may use up of the machine */
#ifndef BOUNDS_H
#define BOUNDS_H

/*
 * For the calling process and all that it will start: files of 64 MiB, 512 MiB of memory
 * beyond what it has now, no core dump.  Where a bound is reached a call fails, no signal comes.
 */
void bounds_set(void);

#endif
