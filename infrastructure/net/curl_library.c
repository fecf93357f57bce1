#include "infrastructure/net/curl_library.h"
#include "infrastructure/runtime/shared_library.h"
#include "infrastructure/runtime/worker.h"
#include <dlfcn.h>
#include <uv.h>

static void *open_library(void)
{
    static const char *const names[] = { "libcurl.so.4", "libcurl-gnutls.so.4", "libcurl.so" };
    void *library = NULL;
    for (size_t i = 0; i < ARRAY_LENGTH(names) && !library; i++)
        library = dlopen(names[i], RTLD_LAZY | RTLD_LOCAL);
    return library;
}

static enum err_code no_library(struct err *err)
{
    err_set(err, ERR_UNAVAILABLE, 0, "libcurl is not installed, and HTTP needs it");
    return err_hint(err, ERR_UNAVAILABLE, "install it with: apt install libcurl4");
}

static enum err_code load(struct curl_library *curl, struct err *err)
{
    void *library = open_library(); /* stays until the process ends */
    if (!library)
        return no_library(err);
#define X(name)                                                                                    \
    if (!shared_library_find(library, "curl_" #name, &curl->name))                                 \
        return err_set(err, ERR_UNAVAILABLE, 0, "libcurl is too old: it has no curl_" #name);
    CURL_SYMBOLS(X)
#undef X
    CURLcode code = curl->global_init(CURL_GLOBAL_DEFAULT);
    if (code)
        return err_set(err, ERR_UNAVAILABLE, (int)code, "libcurl: %s", curl->easy_strerror(code));
    return ERR_NONE;
}

/* A library is loaded once per process. */
static struct {
    struct curl_library curl;
    bool is_loaded, is_being_loaded;
    uv_sem_t loaded;
    struct worker *worker;
} library;

static void load_job(void *argument)
{
    struct err why; /* is told by whoever needs it, and loads it then */
    (void)argument;
    library.is_loaded = !load(&library.curl, &why);
    uv_sem_post(&library.loaded);
}

/* On a thread of the pool, and not on one of its own: no thread can be made while the dynamic
 * linker is at work, and the pool makes all of its threads before the first of them does anything.
 */
void curl_library_begin(struct uv_runtime *runtime)
{
    if (library.worker || library.is_loaded || uv_sem_init(&library.loaded, 0))
        return;
    library.is_being_loaded = true;
    library.worker = worker_create(runtime);
    worker_post(library.worker, load_job, NULL, NULL);
}

static void settle(void)
{
    if (!library.is_being_loaded)
        return;
    uv_sem_wait(&library.loaded);
    uv_sem_destroy(&library.loaded);
    library.is_being_loaded = false;
}

void curl_library_end(void)
{
    settle();
    worker_destroy(library.worker);
    library.worker = NULL;
}

enum err_code curl_library_get(const struct curl_library **out, struct err *err)
{
    settle();
    enum err_code r = library.is_loaded ? ERR_NONE : load(&library.curl, err);
    library.is_loaded = !r;
    if (!r)
        *out = &library.curl;
    return r;
}
