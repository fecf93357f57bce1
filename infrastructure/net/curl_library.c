#include "infrastructure/net/curl_library.h"
#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

static void *open_library(void)
{
    static const char *const names[] = { "libcurl.so.4", "libcurl-gnutls.so.4", "libcurl.so" };
    void *library = NULL;
    for (size_t i = 0; i < ARRAY_LENGTH(names) && !library; i++)
        library = dlopen(names[i], RTLD_LAZY | RTLD_LOCAL);
    return library;
}

/* dlsym returns an object pointer; ISO C converts it to a function's only by its bytes. */
static bool find_symbol(void *library, const char *name, void *out_function)
{
    void *symbol = dlsym(library, name);
    memcpy(out_function, &symbol, sizeof symbol);
    return symbol != NULL;
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
    if (!find_symbol(library, "curl_" #name, &curl->name))                                         \
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
    bool is_loaded, is_on_thread;
    pthread_t thread;
} library;

static void *load_on_thread(void *argument)
{
    struct err why; /* is told by whoever needs it, and loads it then */
    (void)argument;
    library.is_loaded = !load(&library.curl, &why);
    return NULL;
}

void curl_library_begin(void)
{
    if (!library.is_loaded && !library.is_on_thread)
        library.is_on_thread = !pthread_create(&library.thread, NULL, load_on_thread, NULL);
}

void curl_library_settle(void)
{
    if (library.is_on_thread)
        pthread_join(library.thread, NULL);
    library.is_on_thread = false;
}

enum err_code curl_library_get(const struct curl_library **out, struct err *err)
{
    curl_library_settle();
    enum err_code r = library.is_loaded ? ERR_NONE : load(&library.curl, err);
    library.is_loaded = !r;
    if (!r)
        *out = &library.curl;
    return r;
}
