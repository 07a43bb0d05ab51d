/*
 * did.h - what was done in a check, for the report; stage.h says how it is noted and forgotten.
 */
#ifndef DID_H
#define DID_H

/* A line each; where all of it ended well and was forgotten the last of that; NULL for nothing. */
const char *did_text(void);

#endif
