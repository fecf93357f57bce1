#include "tests/support/full/data_file.h"
#include "tests/support/cmocka.h"
#include "tests/support/full/uv_subject.h"
#include <stdio.h>

#define MAX_BYTES 1000000

struct data_file data_file_begin(void)
{
    struct data_file file = { 0 };
    temporary_folder_create(file.above);
    file.folder = arena_printf(&file.arena, "%s/data", file.above);
    return file;
}

void data_file_end(struct data_file *file)
{
    temporary_folder_remove(file->above);
    arena_finish(&file->arena);
}

const char *data_file_path(struct data_file *file, const char *name)
{
    return arena_printf(&file->arena, "%s/%s", file->folder, name);
}

char *data_file_read(struct data_file *file, const char *name)
{
    char *text = arena_alloc(&file->arena, MAX_BYTES);
    FILE *in = fopen(data_file_path(file, name), "r");
    assert_non_null(in);
    text[fread(text, 1, MAX_BYTES - 1, in)] = '\0';
    fclose(in);
    return text;
}

void data_file_write(struct data_file *file, const char *name, const char *text)
{
    FILE *out = fopen(data_file_path(file, name), "w");
    assert_non_null(out);
    assert_true(fputs(text, out) >= 0);
    fclose(out);
}
