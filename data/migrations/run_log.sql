-- The run log. Sections are applied in order, each once; user_version says which was the last.
-- version 1
CREATE TABLE runs (
    id TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    session_id TEXT,
    title TEXT NOT NULL,
    started_at_ms INTEGER NOT NULL,
    finished_at_ms INTEGER NOT NULL DEFAULT 0, -- 0: running, or died without saying so
    status TEXT NOT NULL,
    meta TEXT NOT NULL -- JSON object
) WITHOUT ROWID;
CREATE INDEX runs_by_start ON runs (started_at_ms);

CREATE TABLE events (
    run_id TEXT NOT NULL,
    number INTEGER NOT NULL, -- 1, 2, … within the run
    time_ms INTEGER NOT NULL,
    kind TEXT NOT NULL,
    data TEXT NOT NULL, -- JSON object
    tool TEXT,           -- of successful tool results: full name and duration
    duration_ms INTEGER,
    PRIMARY KEY (run_id, number)
) WITHOUT ROWID;
CREATE INDEX calls_by_tool ON events (tool, time_ms) WHERE tool IS NOT NULL;
-- version 2
-- Events that are written at once are one row, so that an event costs a line of text and no row and
-- no index entry of its own.
CREATE TABLE event_groups (
    run_id TEXT NOT NULL,
    last_number INTEGER NOT NULL,
    lines TEXT NOT NULL, -- of each event: number, time_ms, kind and data, between blanks
    tool TEXT,           -- of the group's successful tool results: full name, when the last one
    called_at_ms INTEGER, -- came, and how many ms they took, the oldest first, between blanks
    durations TEXT,
    PRIMARY KEY (run_id, last_number)
) WITHOUT ROWID;
INSERT INTO event_groups(run_id, last_number, lines, tool, called_at_ms, durations)
    SELECT run_id, number, number || ' ' || time_ms || ' ' || kind || ' ' || data || char(10), tool,
           iif(tool IS NULL, NULL, time_ms), duration_ms FROM events;
DROP TABLE events;
CREATE INDEX calls_by_tool ON event_groups (tool, called_at_ms) WHERE tool IS NOT NULL;
-- version 3
-- What is asked often without reading events: which run ended first, and what the events of a run
-- count.
ALTER TABLE runs ADD COLUMN stats TEXT; -- JSON object, once the run ended
CREATE INDEX runs_by_end ON runs (iif(finished_at_ms > 0, finished_at_ms, started_at_ms), id);
-- version 4
-- How a session went on, which is asked about each of its runs that wait for an answer.
CREATE INDEX runs_by_session ON runs (session_id, started_at_ms, id) WHERE session_id IS NOT NULL;
