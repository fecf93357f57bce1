/* The assets as they are embedded, without anything of the user's folders. */
#ifndef TESTS_SUPPORT_FULL_TEST_ASSETS_H
#define TESTS_SUPPORT_FULL_TEST_ASSETS_H

#include "application/ports/assets.h"

struct assets *test_assets(void);

#endif
