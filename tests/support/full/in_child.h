/* Runs what must kill its process in a child, and says how it died and what it wrote on stderr. */
#ifndef TESTS_SUPPORT_FULL_IN_CHILD_H
#define TESTS_SUPPORT_FULL_IN_CHILD_H

#include <stddef.h>

struct child_end {
    int signal; /* that killed it; 0 when it exited */
    int status;
    char stderr_text[1024]; /* the beginning */
};

struct child_end in_child(void (*fn)(void));

#endif
