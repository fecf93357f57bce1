#include "infrastructure/web/microhttpd.h"
#include "infrastructure/runtime/shared_library.h"
#include <dlfcn.h>

static enum err_code load(struct microhttpd *mhd, struct err *err)
{
    void *library = dlopen("libmicrohttpd.so.12", RTLD_NOW | RTLD_LOCAL); /* until the end */
    if (!library) {
        err_set(err, ERR_UNAVAILABLE, 0, "libmicrohttpd is not installed, and --http needs it");
        return err_hint(err, ERR_UNAVAILABLE, "install it with: apt install libmicrohttpd12");
    }
#define X(name)                                                                                    \
    if (!shared_library_find(library, "MHD_" #name, &mhd->name))                                   \
        return err_set(err, ERR_UNAVAILABLE, 0, "libmicrohttpd has no MHD_" #name);
    MICROHTTPD_SYMBOLS(X)
#undef X
    return ERR_NONE;
}

enum err_code microhttpd_get(const struct microhttpd **out, struct err *err)
{
    static struct microhttpd library;
    static bool is_loaded;
    enum err_code r = is_loaded ? ERR_NONE : load(&library, err);
    is_loaded = !r;
    if (!r)
        *out = &library;
    return r;
}
