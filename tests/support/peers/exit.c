/* Says goodbye on both streams and ends at once with the status it is given. */
#include <stdio.h>
#include <stdlib.h>

int main(int n, char **arguments)
{
    fputs("last words", stderr);
    puts("bye");
    return n > 1 ? atoi(arguments[1]) : 0;
}
