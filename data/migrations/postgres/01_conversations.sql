-- Conversations (storage.backend: postgres). The files of this folder are applied in the order of
-- their numbers, each once; mistro.migrations says which were. person is the name of whoever is
-- served over HTTP, and '' for whoever runs mistro.
CREATE TABLE mistro.conversations (
    person text COLLATE "C",
    id text COLLATE "C",
    title text,
    created_at_ms bigint NOT NULL,
    updated_at_ms bigint NOT NULL, -- also the version that a save compares
    context text NOT NULL,         -- JSON object
    bytes bigint NOT NULL,         -- at most so many as one text (storage.max_conversation_bytes)
    PRIMARY KEY (person, id)
);
CREATE INDEX conversations_by_change ON mistro.conversations (person, updated_at_ms);

CREATE TABLE mistro.messages (
    person text COLLATE "C",
    conversation_id text COLLATE "C",
    number bigint, -- 0, 1, …
    role text NOT NULL,
    content text NOT NULL,
    timestamp_ms bigint NOT NULL,
    metadata text, -- JSON object, or null
    PRIMARY KEY (person, conversation_id, number),
    FOREIGN KEY (person, conversation_id) REFERENCES mistro.conversations ON DELETE CASCADE
);

-- Stores all of a conversation but its messages, where it still is as it was loaded; loaded_ms is 0
-- for a new one. MI001, with the stored version or -1 as message, where it is not.
CREATE FUNCTION mistro.put_conversation(of_person text, with_id text, loaded_ms bigint,
    new_title text, new_created_at_ms bigint, new_updated_at_ms bigint, new_context text,
    new_bytes bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF loaded_ms = 0 THEN
        INSERT INTO mistro.conversations VALUES (of_person, with_id, new_title, new_created_at_ms,
            new_updated_at_ms, new_context, new_bytes) ON CONFLICT DO NOTHING;
    ELSE
        UPDATE mistro.conversations SET title = new_title, created_at_ms = new_created_at_ms,
            updated_at_ms = new_updated_at_ms, context = new_context, bytes = new_bytes
            WHERE person = of_person AND id = with_id AND updated_at_ms = loaded_ms;
    END IF;
    IF NOT FOUND THEN
        RAISE EXCEPTION '%', coalesce((SELECT updated_at_ms FROM mistro.conversations
            WHERE person = of_person AND id = with_id), -1) USING ERRCODE = 'MI001';
    END IF;
END $$;

-- The same for messages that come to a conversation that is stored, with more_bytes. MI002 where it
-- would have more than max_bytes, as far as was counted.
CREATE FUNCTION mistro.extend_conversation(of_person text, with_id text, loaded_ms bigint,
    new_title text, new_created_at_ms bigint, new_updated_at_ms bigint, new_context text,
    more_bytes bigint, max_bytes bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    counted bigint;
BEGIN
    SELECT bytes + more_bytes INTO counted FROM mistro.conversations
        WHERE person = of_person AND id = with_id AND updated_at_ms = loaded_ms;
    IF counted > max_bytes THEN
        RAISE EXCEPTION 'the conversation is too large' USING ERRCODE = 'MI002';
    END IF;
    PERFORM mistro.put_conversation(of_person, with_id, greatest(loaded_ms, 1), new_title,
        new_created_at_ms, new_updated_at_ms, new_context, counted);
END $$;
