/* Runs a fuzz target on every file of the folders named on the command line, so that what fuzzing
 * once found stays found without libFuzzer. */
#include "domain/base/buf.h"
#include "tests/fuzz/fuzz.h"
#include <dirent.h>
#include <stdio.h>
#include <string.h>

#define INPUT_MAX_BYTES (1024 * 1024)

static bool run_file(const char *path)
{
    AUTO(buf) input;
    buf_init(&input, INPUT_MAX_BYTES);
    FILE *file = fopen(path, "rb");
    if (!file || !buf_reserve(&input, INPUT_MAX_BYTES))
        return false;
    input.length = fread(input.bytes, 1, INPUT_MAX_BYTES, file);
    fclose(file);
    /* A copy of the exact size, so that a sanitizer sees the first byte read beyond it. */
    uint8_t *exact = malloc(input.length ? input.length : 1);
    if (!exact)
        return false;
    memcpy(exact, input.bytes, input.length);
    LLVMFuzzerTestOneInput(exact, input.length);
    free(exact);
    return true;
}

static unsigned run_folder(const char *folder)
{
    unsigned n = 0;
    DIR *entries = opendir(folder);
    if (!entries)
        return 0;
    for (struct dirent *entry; (entry = readdir(entries));) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (entry->d_name[0] != '.')
            n += run_file(path);
    }
    closedir(entries);
    return n;
}

int main(int argc, char **argv)
{
    unsigned n = 0;
    for (int i = 1; i < argc; i++)
        n += run_folder(argv[i]);
    printf("%u inputs replayed\n", n);
    return n ? 0 : 1;
}
