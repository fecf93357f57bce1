#include "infrastructure/postgres/postgres_create.h"
#include "tests/support/contracts/conversation_repository_contract.h"
#include "tests/support/full/postgres/postgres_subject.h"

static struct settings settings;

static void *connect_person(struct postgres_subject *s)
{
    return postgres_conversations_create(s->uv.runtime, s->db, "ada", &settings);
}

int main(void)
{
    struct postgres_subject subject = postgres_subject(connect_person);
    settings_init(&settings);
    settings.storage_max_conversation_bytes = CONTRACT_MAX_CONVERSATION_BYTES;
    return run_conversation_repository_contract(&subject.uv.base);
}
