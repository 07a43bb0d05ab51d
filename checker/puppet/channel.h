/*
 * channel.h - the puppet's end of the line on which it is told what to do.
 *
 * One JSON object a line, both ways, docs/protocol.md.  Every order carries a nonce, and
 * everything said until it is answered repeats it: what learner code writes into the
 * descriptor by itself is thus told apart.
 */
#ifndef CHANNEL_H
#define CHANNEL_H

#include <cjson/cJSON.h>

/* Hears on one descriptor and says on the other, which may be the same. */
void channel_open(int in, int out);

/* The next order; the process ends where there is none.  The caller frees it. */
cJSON *channel_listen(void);

/* Says the object, with the current order's nonce, and frees it. */
void channel_say(cJSON *message);

#endif
