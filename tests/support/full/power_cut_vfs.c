/* Every operation goes through to a real file, so that the process sees what it wrote. Beside it
 * stands what the disk has: the bytes of the last sync, and the writes since then in order. */
#include "tests/support/full/power_cut_vfs.h"
#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FILES_MAX = 64, PATH_SIZE = 256 };

struct write {
    struct write *next;
    sqlite3_int64 at, length; /* bytes is NULL: the file is cut to this length */
    unsigned char *bytes;
};

struct disk_file {
    char path[PATH_SIZE];
    unsigned char *synced;
    sqlite3_int64 n_synced;
    struct write *first, *last;
    bool is_there; /* when the power went off: what the process removes afterwards, it does not */
};

struct cut_file {
    sqlite3_file base;
    struct disk_file *disk; /* NULL: not a file that counts */
    sqlite3_file *real;     /* behind this */
};

static struct {
    sqlite3_vfs *real;
    struct disk_file files[FILES_MAX];
    size_t n_files;
    unsigned n_changes, cut_at, n_syncs;
    bool is_off;
    pthread_mutex_t lock; /* databases are used on worker threads */
} disk = { .lock = PTHREAD_MUTEX_INITIALIZER };

static struct cut_file *cut(sqlite3_file *file)
{
    return (struct cut_file *)file;
}

static sqlite3_file *real_of(sqlite3_file *file)
{
    return cut(file)->real;
}

static void drop_writes(struct disk_file *file)
{
    for (struct write *write = file->first, *next; write; write = next) {
        next = write->next;
        free(write->bytes);
        free(write);
    }
    file->first = file->last = NULL;
}

static void apply(struct disk_file *file, const struct write *write)
{
    sqlite3_int64 end = write->bytes ? write->at + write->length : write->length;
    if (end > file->n_synced) {
        file->synced = realloc(file->synced, (size_t)end);
        memset(file->synced + file->n_synced, 0, (size_t)(end - file->n_synced));
    }
    if (end > file->n_synced || !write->bytes)
        file->n_synced = end;
    if (write->bytes)
        memcpy(file->synced + write->at, write->bytes, (size_t)write->length);
}

static void cut_power(void)
{
    disk.is_off = true;
    for (size_t i = 0; i < disk.n_files; i++)
        disk.files[i].is_there = access(disk.files[i].path, F_OK) == 0;
}

/* Whether the change may be made; with the lock held until it is. */
static bool begin_change(void)
{
    pthread_mutex_lock(&disk.lock);
    if (!disk.is_off && ++disk.n_changes == disk.cut_at)
        cut_power();
    return !disk.is_off;
}

static int end_change(int code)
{
    pthread_mutex_unlock(&disk.lock);
    return code;
}

static void note(struct disk_file *file, const void *bytes, sqlite3_int64 at, sqlite3_int64 length)
{
    struct write *write = calloc(1, sizeof *write);
    if (!write)
        abort();
    *write = (struct write){ .at = at, .length = length };
    if (bytes && (write->bytes = malloc((size_t)length + 1)))
        memcpy(write->bytes, bytes, (size_t)length);
    if (file->last)
        file->last->next = write;
    else
        file->first = write;
    file->last = write;
}

static int cut_close(sqlite3_file *file)
{
    return real_of(file)->pMethods->xClose(real_of(file));
}

static int cut_read(sqlite3_file *file, void *bytes, int n, sqlite3_int64 at)
{
    return real_of(file)->pMethods->xRead(real_of(file), bytes, n, at);
}

static int cut_write(sqlite3_file *file, const void *bytes, int n, sqlite3_int64 at)
{
    if (!begin_change())
        return end_change(SQLITE_IOERR_WRITE);
    if (cut(file)->disk)
        note(cut(file)->disk, bytes, at, n);
    return end_change(real_of(file)->pMethods->xWrite(real_of(file), bytes, n, at));
}

static int cut_truncate(sqlite3_file *file, sqlite3_int64 size)
{
    if (!begin_change())
        return end_change(SQLITE_IOERR_TRUNCATE);
    if (cut(file)->disk)
        note(cut(file)->disk, NULL, 0, size);
    return end_change(real_of(file)->pMethods->xTruncate(real_of(file), size));
}

/* The real file need not be forced to disk: this process outlives every cut. */
static int cut_sync(sqlite3_file *file, int flags)
{
    (void)flags;
    if (!begin_change())
        return end_change(SQLITE_IOERR_FSYNC);
    disk.n_syncs++;
    struct disk_file *known = cut(file)->disk;
    for (const struct write *write = known ? known->first : NULL; write; write = write->next)
        apply(known, write);
    if (known)
        drop_writes(known);
    return end_change(SQLITE_OK);
}

static int cut_size(sqlite3_file *file, sqlite3_int64 *out)
{
    return real_of(file)->pMethods->xFileSize(real_of(file), out);
}

static int cut_lock(sqlite3_file *file, int kind)
{
    return real_of(file)->pMethods->xLock(real_of(file), kind);
}

static int cut_unlock(sqlite3_file *file, int kind)
{
    return real_of(file)->pMethods->xUnlock(real_of(file), kind);
}

static int cut_check_lock(sqlite3_file *file, int *out)
{
    return real_of(file)->pMethods->xCheckReservedLock(real_of(file), out);
}

static int cut_control(sqlite3_file *file, int operation, void *argument)
{
    return real_of(file)->pMethods->xFileControl(real_of(file), operation, argument);
}

static int cut_sector_size(sqlite3_file *file)
{
    return real_of(file)->pMethods->xSectorSize(real_of(file));
}

static int cut_characteristics(sqlite3_file *file)
{
    (void)file;
    return 0;
}

static int cut_shm_map(sqlite3_file *file, int page, int size, int extend, void volatile **out)
{
    return real_of(file)->pMethods->xShmMap(real_of(file), page, size, extend, out);
}

static int cut_shm_lock(sqlite3_file *file, int offset, int n, int flags)
{
    return real_of(file)->pMethods->xShmLock(real_of(file), offset, n, flags);
}

static void cut_shm_barrier(sqlite3_file *file)
{
    real_of(file)->pMethods->xShmBarrier(real_of(file));
}

static int cut_shm_unmap(sqlite3_file *file, int remove)
{
    return real_of(file)->pMethods->xShmUnmap(real_of(file), remove);
}

static struct disk_file *known_file(const char *path)
{
    for (size_t i = 0; i < disk.n_files; i++)
        if (strcmp(disk.files[i].path, path) == 0)
            return &disk.files[i];
    if (disk.n_files == FILES_MAX || strlen(path) >= PATH_SIZE)
        abort();
    struct disk_file *file = &disk.files[disk.n_files++];
    *file = (struct disk_file){ 0 };
    strcpy(file->path, path);
    return file;
}

static int cut_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *out)
{
    static const sqlite3_io_methods methods = {
        .iVersion = 2,
        .xClose = cut_close,
        .xRead = cut_read,
        .xWrite = cut_write,
        .xTruncate = cut_truncate,
        .xSync = cut_sync,
        .xFileSize = cut_size,
        .xLock = cut_lock,
        .xUnlock = cut_unlock,
        .xCheckReservedLock = cut_check_lock,
        .xFileControl = cut_control,
        .xSectorSize = cut_sector_size,
        .xDeviceCharacteristics = cut_characteristics,
        .xShmMap = cut_shm_map,
        .xShmLock = cut_shm_lock,
        .xShmBarrier = cut_shm_barrier,
        .xShmUnmap = cut_shm_unmap,
    };
    (void)vfs;
    struct cut_file *opened = cut(file);
    *opened = (struct cut_file){ .real = (sqlite3_file *)(opened + 1) };
    int code = disk.real->xOpen(disk.real, name, opened->real, flags, out);
    if (code != SQLITE_OK)
        return code;
    pthread_mutex_lock(&disk.lock);
    opened->disk = name ? known_file(name) : NULL;
    pthread_mutex_unlock(&disk.lock);
    opened->base.pMethods = &methods;
    return SQLITE_OK;
}

static int cut_delete(sqlite3_vfs *vfs, const char *name, int sync_folder)
{
    (void)vfs;
    if (!begin_change())
        return end_change(SQLITE_IOERR_DELETE);
    struct disk_file *file = known_file(name);
    drop_writes(file);
    file->n_synced = 0;
    return end_change(disk.real->xDelete(disk.real, name, sync_folder));
}

void power_cut_vfs_install(void)
{
    static sqlite3_vfs vfs;
    disk.real = sqlite3_vfs_find(NULL);
    vfs = *disk.real;
    vfs.zName = "power-cut";
    vfs.pNext = NULL;
    vfs.szOsFile = (int)sizeof(struct cut_file) + disk.real->szOsFile;
    vfs.xOpen = cut_open;
    vfs.xDelete = cut_delete;
    if (sqlite3_vfs_register(&vfs, 1) != SQLITE_OK)
        abort();
}

void power_cut_vfs_on(unsigned n)
{
    disk.n_changes = 0;
    disk.cut_at = n;
    disk.is_off = false;
}

bool power_cut_vfs_is_off(void)
{
    pthread_mutex_lock(&disk.lock);
    bool is_off = disk.is_off;
    pthread_mutex_unlock(&disk.lock);
    return is_off;
}

static void write_file(const struct disk_file *file)
{
    FILE *out = fopen(file->path, "wb");
    if (!out)
        return;
    if (file->n_synced)
        fwrite(file->synced, 1, (size_t)file->n_synced, out);
    fclose(out);
}

void power_cut_vfs_restore(uint64_t seed)
{
    char path[PATH_SIZE + 8];
    for (size_t i = 0; i < disk.n_files; i++) {
        struct disk_file *file = &disk.files[i];
        for (const struct write *write = file->first; write; write = write->next) {
            seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
            if (seed >> 63)
                apply(file, write);
        }
        drop_writes(file);
        if (file->is_there)
            write_file(file);
        snprintf(path, sizeof path, "%s-shm", file->path);
        (void)unlink(path);
    }
}

unsigned power_cut_vfs_syncs(void)
{
    pthread_mutex_lock(&disk.lock);
    unsigned n = disk.n_syncs;
    pthread_mutex_unlock(&disk.lock);
    return n;
}

void power_cut_vfs_forget(void)
{
    for (size_t i = 0; i < disk.n_files; i++) {
        drop_writes(&disk.files[i]);
        free(disk.files[i].synced);
    }
    disk.n_files = 0;
}
