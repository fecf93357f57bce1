-- Conversations (storage.backend: sqlite). Sections are applied in order, each once; user_version
-- says which was the last.
-- version 1
CREATE TABLE conversations (
    id TEXT PRIMARY KEY,
    title TEXT,
    created_at_ms INTEGER NOT NULL,
    updated_at_ms INTEGER NOT NULL, -- also the version that a save compares
    context TEXT NOT NULL           -- JSON object
) WITHOUT ROWID;
CREATE INDEX conversations_by_change ON conversations (updated_at_ms);

CREATE TABLE messages (
    conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    number INTEGER NOT NULL, -- 0, 1, …
    role TEXT NOT NULL,
    content TEXT NOT NULL,
    timestamp_ms INTEGER NOT NULL,
    metadata TEXT, -- JSON object, or null
    PRIMARY KEY (conversation_id, number)
) WITHOUT ROWID;
-- version 2
-- At most so many bytes as one text (storage.max_conversation_bytes); 0: nobody counted yet.
ALTER TABLE conversations ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0;
