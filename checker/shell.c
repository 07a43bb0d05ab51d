/* shell.c - see shell.h */
#include "shell.h"

#include "base.h"

#include <ctype.h>
#include <string.h>

static bool is_plain_word(const char *word)
{
    for (const char *at = word; *at; at++)
        if (!isalnum((unsigned char)*at) && !strchr("_./-+,@%=:", *at))
            return false;
    return *word != '\0';
}

char *shell_word(const char *word)
{
    auto_free char *shown = escape(word, strlen(word), false);
    bool odd = strcmp(shown, word) != 0 || strchr(word, '\t');
    struct text quoted = { 0 };

    if (is_plain_word(word))
        return xstrdup(word);
    text_add(&quoted, odd ? "$'" : "'");
    for (const unsigned char *at = (const unsigned char *)word; *at; at++) {
        if (odd && (*at < 0x20 || *at >= 0x7f))
            text_add(&quoted, "\\x%02x", *at);
        else if (odd && (*at == '\'' || *at == '\\'))
            text_add(&quoted, "\\%c", *at);
        else if (*at == '\'')
            text_add(&quoted, "'\\''");
        else
            text_add_bytes(&quoted, at, 1);
    }
    text_add(&quoted, "'");
    return quoted.data;
}

char *shell_file(const char *name)
{
    auto_free char *here = xprintf("%s%s", name[0] == '-' ? "./" : "", name);

    return shell_word(here);
}
