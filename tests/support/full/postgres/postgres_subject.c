#include "tests/support/full/postgres/postgres_subject.h"
#include "tests/support/full/postgres/postgres_server.h"
#include "tests/support/full/test_assets.h"

static struct uv_subject plain; /* whose functions are used behind those here */

static void *connect_anew(struct uv_subject *uv)
{
    struct postgres_subject *s = (struct postgres_subject *)uv;
    postgres_database_destroy(s->db);
    s->db = postgres_database_create(uv->runtime, postgres_server_url(), test_assets());
    return s->connect(s);
}

static void *open_empty(struct repository_subject *base)
{
    ((struct postgres_subject *)base)->db = NULL;
    postgres_server_empty();
    return plain.base.open(base);
}

static void close_all(struct repository_subject *base)
{
    postgres_database_destroy(((struct postgres_subject *)base)->db);
    plain.base.close(base);
}

struct postgres_subject postgres_subject(void *(*connect)(struct postgres_subject *s))
{
    plain = uv_subject(connect_anew);
    struct postgres_subject s = { .uv = plain, .connect = connect };
    s.uv.base.open = open_empty;
    s.uv.base.close = close_all;
    return s;
}
