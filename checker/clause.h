/*
 * clause.h - the sentence of a clause, from its only home: the contract's header.
 */
#ifndef CLAUSE_H
#define CLAUSE_H

/*
 * The text behind "[tag]" in the header of the part, up to the next tag, an empty line
 * or the end of the comment, as one line; the caller frees it.  NULL where the header
 * or the tag is not there.
 */
char *clause_sentence(const char *part, const char *tag);

/* The same in a header's text. */
char *clause_find(const char *header, const char *tag);

#endif
