/* shell.h - words for a person to paste into a shell; nothing here ever asks one */
#ifndef SHELL_H
#define SHELL_H

/* The word as a shell reads it back, and safe to show; the caller frees it. */
char *shell_word(const char *word);

/* The same for the name of a file, which is taken for no option. */
char *shell_file(const char *name);

#endif
