-- What a person allowed for good. A subject may be longer than an index takes.
CREATE TABLE mistro.approvals (
    person text COLLATE "C" NOT NULL,
    kind text NOT NULL,
    subject text NOT NULL,
    hash text NOT NULL
);
CREATE INDEX approvals_by_subject ON mistro.approvals (person, md5(subject));

-- MI002 where all of a person's would have more than max_bytes.
CREATE FUNCTION mistro.add_approval(of_person text, new_kind text, new_subject text, new_hash text,
    max_bytes bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT 1 FROM mistro.approvals WHERE person = of_person
            AND md5(subject) = md5(new_subject) AND subject = new_subject AND kind = new_kind
            AND hash = new_hash) THEN
        RETURN;
    END IF;
    INSERT INTO mistro.approvals VALUES (of_person, new_kind, new_subject, new_hash);
    IF (SELECT sum(octet_length(kind) + octet_length(subject) + octet_length(hash))
            FROM mistro.approvals WHERE person = of_person) > max_bytes THEN
        RAISE EXCEPTION 'approvals: more than % bytes', max_bytes USING ERRCODE = 'MI002';
    END IF;
END $$;

-- The definitions of tools that a person agreed to, for each configuration of a server.
CREATE TABLE mistro.pins (
    person text COLLATE "C",
    identity text COLLATE "C", -- hash of the configuration
    revision bigint NOT NULL,
    head text NOT NULL,  -- one line of JSON
    tools text NOT NULL, -- a line of JSON for each tool
    written_at timestamptz NOT NULL,
    PRIMARY KEY (person, identity)
);

-- Where the revision still is the one that was seen (0: nothing was pinned), else MI001. Of more
-- than max_servers those that were not written for longest give way.
CREATE FUNCTION mistro.put_pins(of_person text, with_identity text, seen bigint, new_head text,
    new_tools text, max_servers bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF seen = 0 THEN
        INSERT INTO mistro.pins VALUES (of_person, with_identity, 1, new_head, new_tools,
            clock_timestamp()) ON CONFLICT DO NOTHING;
    ELSE
        UPDATE mistro.pins SET revision = seen + 1, head = new_head, tools = new_tools,
            written_at = clock_timestamp()
            WHERE person = of_person AND identity = with_identity AND revision = seen;
    END IF;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'pinned tools: another mistro changed them' USING ERRCODE = 'MI001';
    END IF;
    IF seen = 0 THEN
        DELETE FROM mistro.pins WHERE person = of_person AND identity IN (SELECT identity
            FROM mistro.pins WHERE person = of_person ORDER BY written_at DESC OFFSET max_servers);
    END IF;
END $$;
