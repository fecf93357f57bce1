/* Writes a megabyte of numbered lines to stderr, then a word to stdout. */
#include <stdio.h>

int main(void)
{
    for (int i = 0; i < 65536; i++)
        fprintf(stderr, "noise line %04x\n", (unsigned)i);
    puts("done");
    return 0;
}
