#include "tests/support/full/postgres/postgres_server.h"
#include "infrastructure/postgres/postgres_connection.h"
#include "tests/support/cmocka.h"
#include <stdio.h>
#include <stdlib.h>

const char *postgres_server_url(void)
{
    const char *url = getenv("MISTRO_TEST_POSTGRES");
    if (!url)
        fail_msg("run it by tests/support/postgres");
    return url;
}

void postgres_server_run(const char *script)
{
    struct postgres_connection c = { 0 };
    struct err err;
    enum err_code r = postgres_connection_open(postgres_server_url(), &c, &err);
    if (!r)
        r = postgres_connection_script(&c, script, NULL, &err);
    if (r)
        fail_msg("%s: %.200s", err.message, script);
    postgres_connection_close(&c);
}

void postgres_server_empty(void)
{
    postgres_server_run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                        " WHERE application_name LIKE 'mistro%' AND pid <> pg_backend_pid();"
                        "DROP SCHEMA IF EXISTS mistro CASCADE");
}

/* How long it would have to be up to have heard them is none of a test's business. */
void postgres_server_silence(void)
{
    postgres_server_run("UPDATE mistro.processes SET seen_ms = seen_ms - 3600000, lasts_ms = 1");
}

void postgres_server_control(const char *word)
{
    char command[1000];
    snprintf(command, sizeof command, "'%s/tests/support/postgres' %s", SOURCE_DIR, word);
    assert_int_equal(system(command), 0);
}
