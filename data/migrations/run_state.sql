-- What one run needs to go on. Sections are applied in order, each once.
-- version 1
CREATE TABLE facts (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE calls (
    number INTEGER PRIMARY KEY,
    path TEXT NOT NULL UNIQUE,
    state TEXT NOT NULL, -- pending, sent, done, failed, uncertain
    attempt INTEGER NOT NULL,
    tool TEXT NOT NULL,
    args TEXT NOT NULL, -- JSON
    effect_id TEXT NOT NULL,
    sent_at_ms INTEGER NOT NULL,
    duration_ms INTEGER NOT NULL,
    result BLOB, -- as the server sent it
    error TEXT -- JSON
);
-- version 2
ALTER TABLE calls ADD COLUMN task TEXT; -- the id of the server's task
-- version 3
ALTER TABLE calls ADD COLUMN argument TEXT; -- that the effect id was sent in
