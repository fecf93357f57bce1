/* The PostgreSQL server that tests/support/postgres started for this program. */
#ifndef TESTS_SUPPORT_FULL_POSTGRES_POSTGRES_SERVER_H
#define TESTS_SUPPORT_FULL_POSTGRES_POSTGRES_SERVER_H

/* Fails the test when the program runs without it. */
const char *postgres_server_url(void);
/* Statements with ";" between them, on a connection of their own. */
void postgres_server_run(const char *script);
/* The schema is gone, and every connection of others with it. */
void postgres_server_empty(void);
/* No process was heard of for an hour (data/migrations/postgres/04_runs.sql). */
void postgres_server_silence(void);
/* "--stop" (at once, as in a crash), "--start", "--pause" or "--resume". */
void postgres_server_control(const char *word);

#endif
