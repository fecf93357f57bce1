#include "infrastructure/rendering/picture_folder.h"
#include "domain/figure/picture_bytes.h"
#include "infrastructure/repositories/staged_leftovers.h"
#include "infrastructure/runtime/descriptor.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define NAME "mistro-draw"

static void sweep_one(int parent, const char *name)
{
    struct stat status;
    auto_fd folder = staged_claim(parent, name);
    if (folder >= 0 && fstat(folder, &status) == 0 && status.st_uid == geteuid() &&
        time(NULL) - status.st_mtime >= PICTURE_FOLDER_LEFT_SECONDS)
        staged_remove(parent, name);
}

/* Removes what processes that were killed left beside the folder. */
static void sweep(const char *folder)
{
    char parent[PRIVATE_FOLDER_BYTES];
    snprintf(parent, sizeof parent, "%.*s", (int)(strrchr(folder, '/') - folder), folder);
    DIR *entries = opendir(parent);
    for (struct dirent *entry; entries && (entry = readdir(entries));)
        if (strncmp(entry->d_name, NAME ".", strlen(NAME ".")) == 0)
            sweep_one(dirfd(entries), entry->d_name);
    if (entries)
        closedir(entries);
}

enum err_code picture_folder_create(struct picture_folder *out, struct err *err)
{
    out->lock = -1;
    enum err_code r = private_folder_create(NAME, out->path, err);
    if (r)
        return r;
    out->lock = staged_claim(AT_FDCWD, out->path);
    sweep(out->path);
    return ERR_NONE;
}

/* Removes files only: drawing makes no folders, and what is not ours is left alone. */
static void remove_files(const struct picture_folder *folder)
{
    int fd = open(folder->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *directory = fd >= 0 ? fdopendir(fd) : NULL;
    for (struct dirent *entry; directory && (entry = readdir(directory));)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            unlinkat(fd, entry->d_name, 0);
    if (directory)
        closedir(directory);
    else if (fd >= 0)
        close(fd);
}

void picture_folder_finish(struct picture_folder *folder)
{
    if (!folder->path[0])
        return;
    remove_files(folder);
    private_folder_remove(folder->path);
    descriptor_close(&folder->lock);
    folder->path[0] = '\0';
}

const char *picture_folder_file(const struct picture_folder *folder, struct arena *arena,
                                const char *name)
{
    return arena_printf(arena, "%s/%s", folder->path, name);
}

static enum err_code refuse(const char *what, const char *name, struct err *err)
{
    int number = errno;
    return err_set(err, ERR_UNAVAILABLE, number, "cannot %s the temporary file %s: %s", what, name,
                   strerror(number));
}

enum err_code picture_folder_write(const struct picture_folder *folder, const char *name,
                                   const char *text, struct err *err)
{
    AUTO(arena) scratch = { 0 };
    FILE *file = fopen(picture_folder_file(folder, &scratch, name), "wxe");
    if (!file)
        return refuse("make", name, err);
    bool is_written = fputs(text, file) >= 0;
    if (fclose(file) != 0 || !is_written)
        return refuse("write", name, err);
    return ERR_NONE;
}

static bool read_all(int fd, char *bytes, size_t length)
{
    for (size_t at = 0; at < length;) {
        ssize_t n = read(fd, bytes + at, length - at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        at += (size_t)n;
    }
    return true;
}

static enum err_code read_open(int fd, const char *name, size_t max_bytes, struct arena *arena,
                               const char **out_bytes, size_t *out_length, struct err *err)
{
    struct stat status;
    if (fstat(fd, &status) != 0)
        return refuse("read", name, err);
    if (!S_ISREG(status.st_mode) || status.st_size == 0)
        return err_set(err, ERR_PROTOCOL, 0, "%s was not written", name);
    if ((uint64_t)status.st_size > max_bytes)
        return err_set(err, ERR_LIMIT, 0, "the picture is larger than figure.max_picture_bytes");
    char *bytes = arena_alloc(arena, (size_t)status.st_size + 1);
    if (!read_all(fd, bytes, (size_t)status.st_size))
        return refuse("read", name, err);
    *out_bytes = bytes;
    *out_length = (size_t)status.st_size;
    return ERR_NONE;
}

enum err_code picture_folder_read(const struct picture_folder *folder, const char *name,
                                  size_t max_bytes, struct arena *arena, const char **out_bytes,
                                  size_t *out_length, struct err *err)
{
    AUTO(arena) scratch = { 0 };
    int fd = open(picture_folder_file(folder, &scratch, name),
                  O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return err_set(err, ERR_PROTOCOL, errno, "%s was not written", name);
    enum err_code r = read_open(fd, name, max_bytes, arena, out_bytes, out_length, err);
    close(fd);
    return r;
}

enum err_code picture_folder_take(const struct picture_folder *folder, size_t max_bytes,
                                  struct arena *arena, struct picture *out, struct err *err)
{
    enum err_code r = ERR_NONE;
    for (unsigned format = 0; format < PICTURE_N_FORMATS && !r; format++) {
        char name[32];
        snprintf(name, sizeof name, "figure.%s", picture_suffix(format));
        r = picture_folder_read(folder, name, max_bytes, arena, &out->bytes[format],
                                &out->lengths[format], err);
        const char *fault = r ? NULL : picture_fault(out->bytes[format], out->lengths[format]);
        if (fault)
            r = err_set(err, ERR_PROTOCOL, 0, "%s: %s", name, fault);
        max_bytes -= r ? 0 : out->lengths[format];
    }
    return r;
}
