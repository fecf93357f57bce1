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
