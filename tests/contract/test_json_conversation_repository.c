#include "infrastructure/repositories/repository_create.h"
#include "tests/support/contracts/conversation_repository_contract.h"
#include "tests/support/full/uv_subject.h"

static struct settings settings;

static void *connect_json(struct uv_subject *s)
{
    return json_conversation_repository_create(s->runtime, s->folder, &settings);
}

int main(void)
{
    struct uv_subject subject = uv_subject(connect_json);
    settings_init(&settings);
    settings.storage_max_conversation_bytes = CONTRACT_MAX_CONVERSATION_BYTES;
    return run_conversation_repository_contract(&subject.base);
}
