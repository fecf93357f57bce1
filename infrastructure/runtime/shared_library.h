/* Functions of a library that dlopen loaded when it was first needed. */
#ifndef INFRASTRUCTURE_RUNTIME_SHARED_LIBRARY_H
#define INFRASTRUCTURE_RUNTIME_SHARED_LIBRARY_H

#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>

/* *out_function becomes the function of that name; false when the library has none. dlsym returns
 * an object pointer, which ISO C converts to a function's only by its bytes. */
static inline bool shared_library_find(void *library, const char *name, void *out_function)
{
    void *symbol = dlsym(library, name);
    memcpy(out_function, &symbol, sizeof symbol);
    return symbol != NULL;
}

#endif
