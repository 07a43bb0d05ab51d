/* worker_setting.h - what the application may have set on a connection before it lends it */
#ifndef WORKER_SETTING_H
#define WORKER_SETTING_H

#include "puppet.h"

/* Every COMMIT on the connection is refused from now on. */
void setting_veto(struct puppet *worker, const char *connection);

/* SQLite's calls give extended result codes (https://sqlite.org/rescode.html). */
void setting_extended_codes(struct puppet *worker, const char *connection);

/*
 * A busy handler of the application's own, which lets the connection nap so many times for a
 * lock before it gives up; and how often that of this puppet gave up since.
 */
void setting_patience(struct puppet *worker, const char *connection, int naps);
int setting_gave_up(struct puppet *worker);

#endif
