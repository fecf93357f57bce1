#include "infrastructure/postgres/libpq.h"
#include "infrastructure/runtime/shared_library.h"
#include <pthread.h>

static struct libpq loaded;
static struct err why; /* it could not be loaded */
static pthread_once_t loading = PTHREAD_ONCE_INIT;

static void load(void)
{
    void *library = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL); /* until the end */
    if (!library) {
        err_set(&why, ERR_UNAVAILABLE, 0,
                "libpq is not installed, and storage.backend: postgres needs it");
        (void)err_hint(&why, ERR_UNAVAILABLE, "install it with: apt install libpq5");
        return;
    }
#define X(name)                                                                                    \
    if (!shared_library_find(library, "PQ" #name, &loaded.name))                                   \
        (void)err_set(&why, ERR_UNAVAILABLE, 0, "libpq is too old: it has no PQ" #name);
    LIBPQ_SYMBOLS(X)
#undef X
}

enum err_code libpq_get(const struct libpq **out, struct err *err)
{
    pthread_once(&loading, load);
    if (!why.code)
        *out = &loaded;
    else if (err)
        *err = why;
    return why.code;
}
