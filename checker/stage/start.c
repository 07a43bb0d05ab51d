/*
 * start.c - spares every check the start of libgit2
 *
 * Criterion starts libgit2 in each test process, for the differences that it prints of failed
 * assertions; libgit2 then parses the machine's whole store of certificates, which takes longer
 * than most checks do.  Findings show their own texts, so that the suites export these two
 * functions in place of libgit2's (the Makefile links them with --export-dynamic-symbol).
 */
int git_libgit2_init(void);
int git_libgit2_shutdown(void);

/* The number of starts so far, as libgit2 counts them. */
int git_libgit2_init(void)
{
    return 1;
}

int git_libgit2_shutdown(void)
{
    return 0;
}
