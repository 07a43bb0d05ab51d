/*
 * serve.h - the fork server: one process that has loaded every library and used none of
 * them, and forks a puppet for each connection to a socket in its directory.
 *
 * A client sends one packet with two descriptors (SCM_RIGHTS, unix(7)): the puppet's end of
 * its channel and where its output goes.  The packet's text is the puppet's working
 * directory.  It gets { "pid": N } with the puppet's pidfd, and after the death of the puppet
 * and of all that it started { "exited": CODE } or { "killed": SIGNAL }.  Where the client goes
 * first, the puppet is killed.
 */
#ifndef SERVE_H
#define SERVE_H

/*
 * Serves on the socket of that name until it is killed.  Writes one line
 * { "ready", "addresses", "leaks" } on ready_fd: whether memory errors are found in this build, and whether a leak made on purpose was.
 * play is what a puppet does with its channel; it does not return.
 */
_Noreturn void serve(const char *name, int ready_fd, void (*play)(int channel));

#endif
