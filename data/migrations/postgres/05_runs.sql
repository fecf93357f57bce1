-- What runs need to go on, and which process has which of them.
--
-- A process that works at a run has its row in mistro.leases, with a fence: a number that no lease
-- had before. Whatever is written of a run is written in a transaction that finds the lease with
-- its fence first and locks it (mistro.hold). Taking a run away changes or removes the row. So each
-- transaction of the former owner is either over before that, and the new owner reads what it
-- wrote, or it fails. An intent to call is therefore never stored behind the back of a new owner,
-- and what is not stored is not called.
--
-- Leases have no times of their own: a process is heard of, all at once for everything it has, and
-- lives for lasts_ms from then on, by the clock of this server. One that is not heard of any more
-- still writes until another process buries it. The functions rely on READ COMMITTED, where each of
-- their statements sees what was committed before the statement began.
CREATE FUNCTION mistro.now_ms() RETURNS bigint LANGUAGE sql AS
$$ SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint $$;

CREATE SEQUENCE mistro.fences;

CREATE TABLE mistro.processes (
    id text COLLATE "C" PRIMARY KEY, -- random
    label text NOT NULL,             -- for people: host and process
    seen_ms bigint NOT NULL,
    lasts_ms bigint NOT NULL
);

CREATE TABLE mistro.leases (
    person text COLLATE "C",
    run_id text COLLATE "C",
    process text COLLATE "C" NOT NULL,
    fence bigint NOT NULL,
    PRIMARY KEY (person, run_id)
);
CREATE INDEX leases_by_process ON mistro.leases (process);

CREATE TABLE mistro.run_states (
    person text COLLATE "C",
    run_id text COLLATE "C",
    changed_ms bigint NOT NULL,
    bytes bigint NOT NULL, -- of facts and calls; more while a run is under way, exact afterwards
    PRIMARY KEY (person, run_id)
) WITH (fillfactor = 70); -- each commit changes a row, and none of its indexes

CREATE TABLE mistro.facts (
    person text COLLATE "C",
    run_id text COLLATE "C",
    name text COLLATE "C",
    value bytea NOT NULL, -- as it came
    PRIMARY KEY (person, run_id, name),
    FOREIGN KEY (person, run_id) REFERENCES mistro.run_states ON DELETE CASCADE
);

CREATE TABLE mistro.calls (
    person text COLLATE "C",
    run_id text COLLATE "C",
    path text COLLATE "C",
    number bigint GENERATED ALWAYS AS IDENTITY,
    state text NOT NULL, -- pending, sent, done, failed, uncertain
    attempt integer NOT NULL,
    tool text NOT NULL,
    args text NOT NULL, -- JSON
    effect_id text NOT NULL,
    sent_at_ms bigint NOT NULL,
    duration_ms bigint NOT NULL,
    result bytea,  -- as the server sent it
    error text,    -- JSON
    task text,     -- the id of the server's task
    argument text, -- that the effect id was sent in
    PRIMARY KEY (person, run_id, path),
    FOREIGN KEY (person, run_id) REFERENCES mistro.run_states ON DELETE CASCADE
);

-- While this server was away it heard nobody, so silence counts from when it came back.
CREATE FUNCTION mistro.lives(p mistro.processes) RETURNS boolean LANGUAGE sql AS $$
    SELECT greatest(p.seen_ms, (extract(epoch FROM pg_postmaster_start_time()) * 1000)::bigint)
        + p.lasts_ms > mistro.now_ms()
$$;

CREATE FUNCTION mistro.is_alive(of_process text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    RETURN EXISTS (SELECT FROM mistro.processes p WHERE p.id = of_process AND mistro.lives(p));
END $$;

-- The sessions of a process have its name. One that was stopped in the middle of a transaction
-- would otherwise keep its locks for as long as it is stopped.
CREATE FUNCTION mistro.name_session(of_process text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('application_name', 'mistro ' || of_process, false);
END $$;

-- A process was heard of. Its own row is the last that a transaction locks, but for mistro.renew,
-- which locks it first and then waits for no other process.
CREATE FUNCTION mistro.hear(of_process text, with_label text, for_ms bigint) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM mistro.name_session(of_process);
    INSERT INTO mistro.processes VALUES (of_process, with_label, mistro.now_ms(), for_ms)
        ON CONFLICT (id) DO UPDATE SET label = excluded.label, seen_ms = excluded.seen_ms,
            lasts_ms = excluded.lasts_ms;
END $$;

-- Ends a process that was not heard of for too long, if that is still so once its row is locked:
-- what it had is free afterwards.
CREATE FUNCTION mistro.bury(of_process text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE application_name = 'mistro ' || of_process AND usename = current_user
            AND pid <> pg_backend_pid() AND NOT mistro.is_alive(of_process);
    PERFORM FROM mistro.processes WHERE id = of_process FOR UPDATE;
    IF mistro.is_alive(of_process) THEN
        RETURN;
    END IF;
    DELETE FROM mistro.leases WHERE process = of_process;
    DELETE FROM mistro.processes WHERE id = of_process;
END $$;

CREATE FUNCTION mistro.bury_all() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    dead text;
BEGIN
    FOR dead IN SELECT id FROM mistro.processes p WHERE NOT mistro.lives(p)
        FOR UPDATE SKIP LOCKED
    LOOP
        PERFORM mistro.bury(dead);
    END LOOP;
END $$;

-- A lease of the run for the process, with its fence; or the label of the process that has it. A
-- process may have a lease that it does not know of, because the answer to an earlier claim was
-- lost: a lease of its own is in its way only with the fence that it knows.
CREATE FUNCTION mistro.claim(of_person text, of_run text, by_process text, with_label text,
    for_ms bigint, known_fence bigint, OUT new_fence bigint, OUT owner text)
LANGUAGE plpgsql AS $$
DECLARE
    found_lease mistro.leases;
BEGIN
    LOOP
        INSERT INTO mistro.leases VALUES
            (of_person, of_run, by_process, nextval('mistro.fences'))
            ON CONFLICT DO NOTHING RETURNING fence INTO new_fence;
        EXIT WHEN FOUND;
        SELECT * INTO found_lease FROM mistro.leases WHERE person = of_person AND run_id = of_run;
        CONTINUE WHEN NOT FOUND;
        IF found_lease.process <> by_process AND NOT mistro.is_alive(found_lease.process) THEN
            PERFORM mistro.bury(found_lease.process);
        ELSIF found_lease.process <> by_process OR found_lease.fence = known_fence THEN
            owner := coalesce((SELECT label FROM mistro.processes WHERE id = found_lease.process),
                'which has just ended');
            RETURN;
        ELSE
            UPDATE mistro.leases SET fence = nextval('mistro.fences')
                WHERE person = of_person AND run_id = of_run AND process = by_process
                RETURNING fence INTO new_fence;
            EXIT WHEN FOUND;
        END IF;
    END LOOP;
    PERFORM mistro.hear(by_process, with_label, for_ms);
END $$;

-- The head of each transaction that writes what is kept of a run: whoever wants to take the run
-- away waits until it is over. A commit is durable, whatever the server does by default.
CREATE FUNCTION mistro.hold(of_person text, of_run text, with_fence bigint) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    owner text;
BEGIN
    SELECT process INTO owner FROM mistro.leases
        WHERE person = of_person AND run_id = of_run AND fence = with_fence FOR SHARE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'the run was taken away from this process, which was not heard of'
            USING ERRCODE = 'MI001';
    END IF;
    PERFORM mistro.name_session(owner);
    IF current_setting('synchronous_commit') = 'off' THEN
        PERFORM set_config('synchronous_commit', 'on', true);
    END IF;
END $$;

CREATE FUNCTION mistro.release(of_person text, of_run text, with_fence bigint, by_process text)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM mistro.leases
        WHERE person = of_person AND run_id = of_run AND fence = with_fence;
    DELETE FROM mistro.processes WHERE id = by_process
        AND NOT EXISTS (SELECT FROM mistro.leases WHERE process = by_process);
END $$;

-- The process lives, and has no leases but those with the given fences: it does not know of others,
-- because the answer to a claim or a release was lost. Without any it is forgotten.
CREATE FUNCTION mistro.renew(of_process text, with_label text, for_ms bigint, fences bigint[])
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM mistro.hear(of_process, with_label, for_ms);
    DELETE FROM mistro.leases WHERE process = of_process AND fence <> ALL (fences);
    DELETE FROM mistro.processes WHERE id = of_process AND cardinality(fences) = 0;
END $$;

-- Removes states that nobody has a lease on: those last changed before a moment, and the oldest
-- until all of the person's together have at most max_bytes; at most max_states, or all that must
-- go where it is null. A run is claimed while its state is removed, so that nobody takes it up
-- meanwhile. Each state counts for a little more than what is in it.
CREATE FUNCTION mistro.prune_states(of_person text, by_process text, with_label text,
    for_ms bigint, before_ms bigint, max_bytes bigint, max_states bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    old text;
    n_removed bigint := 0;
    given record;
BEGIN
    PERFORM mistro.bury_all();
    FOR old IN
        SELECT run_id FROM (SELECT run_id, changed_ms, sum(bytes + 256)
                OVER (ORDER BY changed_ms DESC, run_id DESC) AS newer_bytes
            FROM mistro.run_states WHERE person = of_person) s
        WHERE (changed_ms < before_ms OR newer_bytes > max_bytes)
            AND NOT EXISTS (SELECT FROM mistro.leases l
                WHERE l.person = of_person AND l.run_id = s.run_id)
        ORDER BY changed_ms, run_id LIMIT max_states
    LOOP
        SELECT * INTO given FROM mistro.claim(of_person, old, by_process, with_label, for_ms, 0);
        CONTINUE WHEN given.new_fence IS NULL;
        DELETE FROM mistro.run_states WHERE person = of_person AND run_id = old;
        PERFORM mistro.release(of_person, old, given.new_fence, by_process);
        n_removed := n_removed + 1;
    END LOOP;
    RETURN n_removed;
END $$;
