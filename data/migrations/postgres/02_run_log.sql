-- The run log.
CREATE TABLE mistro.runs (
    person text COLLATE "C",
    id text COLLATE "C",
    kind text NOT NULL,
    session_id text COLLATE "C",
    title text NOT NULL,
    started_at_ms bigint NOT NULL,
    finished_at_ms bigint NOT NULL DEFAULT 0, -- 0: running, or died without saying so
    status text NOT NULL,
    meta text NOT NULL, -- JSON object
    stats text,         -- JSON object: what the events count, once the run ended
    bytes bigint NOT NULL DEFAULT 0, -- of the run with its events, counted when it ended
    PRIMARY KEY (person, id)
);
CREATE INDEX runs_by_start ON mistro.runs (person, started_at_ms, id);
CREATE INDEX runs_by_session ON mistro.runs (person, session_id, started_at_ms, id)
    WHERE session_id IS NOT NULL;
CREATE INDEX runs_that_may_wait ON mistro.runs (person, started_at_ms, id)
    WHERE status IN ('running', 'needs_answer', 'refused');
CREATE INDEX runs_by_end ON mistro.runs (person,
    (CASE WHEN finished_at_ms > 0 THEN finished_at_ms ELSE started_at_ms END), id);

-- Events that are written at once are one row. It is written again where nobody knows whether it
-- was: the writer, of chance, tells it from rows of another process that had the run at the time.
CREATE TABLE mistro.event_groups (
    person text COLLATE "C",
    run_id text COLLATE "C",
    last_number bigint,
    lines text NOT NULL, -- of each event: number, time_ms, kind and data, between blanks
    tool text COLLATE "C", -- of the group's successful tool results: full name, when the last one
    called_at_ms bigint,   -- came, and how many ms they took, the oldest first, between blanks
    durations text,
    writer text COLLATE "C" NOT NULL,
    PRIMARY KEY (person, run_id, last_number, writer)
);
CREATE INDEX calls_by_tool ON mistro.event_groups
    (person, tool, called_at_ms, run_id, last_number) WHERE tool IS NOT NULL;

-- What all runs of a person have together.
CREATE TABLE mistro.run_logs (
    person text COLLATE "C" PRIMARY KEY,
    bytes bigint NOT NULL
);

CREATE FUNCTION mistro.add_log_bytes(of_person text, more bigint) RETURNS bigint LANGUAGE sql AS $$
    INSERT INTO mistro.run_logs VALUES (of_person, more)
        ON CONFLICT (person) DO UPDATE SET bytes = run_logs.bytes + excluded.bytes RETURNING bytes;
$$;

-- A run may end more than once: it was resumed.
CREATE FUNCTION mistro.finish_run(of_person text, of_id text, new_status text, at_ms bigint,
    new_stats text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    before bigint;
    counted bigint;
BEGIN
    SELECT bytes INTO before FROM mistro.runs WHERE person = of_person AND id = of_id FOR UPDATE;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    -- As they are stored, with some for what a row is besides.
    SELECT coalesce(sum(pg_column_size(lines) + 100), 0) INTO counted FROM mistro.event_groups
        WHERE person = of_person AND run_id = of_id;
    UPDATE mistro.runs SET status = new_status, finished_at_ms = at_ms, stats = new_stats,
        bytes = counted + pg_column_size(meta) + octet_length(title) + 200
        WHERE person = of_person AND id = of_id RETURNING bytes INTO counted;
    PERFORM mistro.add_log_bytes(of_person, counted - before);
END $$;

-- Removes the oldest runs that are over and that no queue has: those that ended before
-- ended_before_ms, and more while the log has more than max_bytes; at most max_runs, and not many
-- more than bite_bytes. A run that did not say that it ended is over where it began before
-- dead_before_ms. Returns how many went.
CREATE FUNCTION mistro.prune_runs(of_person text, ended_before_ms bigint, dead_before_ms bigint,
    max_bytes bigint, max_runs bigint, bite_bytes bigint, spared text) RETURNS bigint
    LANGUAGE plpgsql AS $$
DECLARE
    oldest record;
    its_bytes bigint;
    total bigint := coalesce((SELECT bytes FROM mistro.run_logs WHERE person = of_person), 0);
    gone bigint := 0;
    removed bigint := 0;
BEGIN
    WHILE removed < max_runs AND gone < bite_bytes LOOP
        SELECT id, CASE WHEN finished_at_ms > 0 THEN finished_at_ms ELSE started_at_ms END
            AS ended_at_ms INTO oldest FROM mistro.runs
            WHERE person = of_person AND (finished_at_ms > 0 OR started_at_ms < dead_before_ms)
            AND id IS DISTINCT FROM spared
            AND NOT EXISTS (SELECT FROM mistro.queue q WHERE q.person = of_person
                AND q.run_id = runs.id AND q.state IN ('queued', 'taken'))
            ORDER BY CASE WHEN finished_at_ms > 0 THEN finished_at_ms ELSE started_at_ms END, id
            LIMIT 1;
        EXIT WHEN NOT FOUND OR oldest.ended_at_ms >= ended_before_ms AND total - gone <= max_bytes;
        DELETE FROM mistro.runs WHERE person = of_person AND id = oldest.id
            RETURNING bytes INTO its_bytes;
        EXIT WHEN NOT FOUND; -- somebody else removes old runs at the moment
        DELETE FROM mistro.event_groups WHERE person = of_person AND run_id = oldest.id;
        gone := gone + its_bytes;
        removed := removed + 1;
    END LOOP;
    IF removed > 0 THEN
        PERFORM mistro.add_log_bytes(of_person, -gone);
    END IF;
    RETURN removed;
END $$;
