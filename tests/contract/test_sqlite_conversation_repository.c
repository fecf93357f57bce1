#include "infrastructure/repositories/repository_create.h"
#include "tests/support/contracts/conversation_repository_contract.h"
#include "tests/support/full/test_assets.h"
#include "tests/support/full/uv_subject.h"
#include <stdio.h>

static struct settings settings;

static void *connect_sqlite(struct uv_subject *s)
{
    char file[128];
    snprintf(file, sizeof file, "%s/conversations.db", s->folder);
    return sqlite_conversation_repository_create(s->runtime, file, &settings, test_assets());
}

int main(void)
{
    struct uv_subject subject = uv_subject(connect_sqlite);
    settings_init(&settings);
    settings.storage_max_conversation_bytes = CONTRACT_MAX_CONVERSATION_BYTES;
    return run_conversation_repository_contract(&subject.base);
}
