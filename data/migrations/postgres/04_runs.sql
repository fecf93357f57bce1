-- What runs need to go on, which process has which of them, and those that wait for a worker.
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
-- still writes until another process buries it. A process that was itself silent for longer cannot
-- tell the dead from those that were cut off together with it, and looks for none before its second
-- heartbeat. The functions rely on READ COMMITTED, where each of their statements sees what was
-- committed before the statement began.
--
-- A session plans the statements of a function once, maybe while the tables are empty and all plans
-- look the same. Functions on the queue, which grows, have them planned each time; the other tables
-- have but one index for each question, which is to be used.
CREATE FUNCTION mistro.now_ms() RETURNS bigint LANGUAGE sql AS
$$ SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint $$;

CREATE SEQUENCE mistro.fences;

CREATE TABLE mistro.processes (
    id text COLLATE "C" PRIMARY KEY, -- random
    label text NOT NULL,             -- for people: host and process
    seen_ms bigint NOT NULL,
    lasts_ms bigint NOT NULL,
    was_silent boolean NOT NULL DEFAULT false, -- for longer than that; its next heartbeat resets it
    person text COLLATE "C", -- this and what follows: of a worker, else null
    queue text COLLATE "C",
    servers text[],
    jobs integer,
    n_busy integer,
    queue_jobs integer
);

CREATE TABLE mistro.leases (
    person text COLLATE "C",
    run_id text COLLATE "C",
    process text COLLATE "C" NOT NULL,
    fence bigint NOT NULL,
    taking bigint, -- of a run of the queue that the process took; it has it without a claim, too
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

-- A run is queued, taken by a process, and over: ended, cancelled, or set aside (poisoned). It is
-- taken with a lease, and the taking, a number that no other has, tells the process whether it
-- still has it. Where a transaction locks both, the row of the queue is first.
CREATE TABLE mistro.queue (
    person text COLLATE "C",
    run_id text COLLATE "C",
    place bigint GENERATED ALWAYS AS IDENTITY, -- the lowest is the next
    queue text COLLATE "C" NOT NULL,
    key text COLLATE "C",
    servers text[] NOT NULL,
    not_before_ms bigint NOT NULL,
    added_ms bigint NOT NULL,
    state text COLLATE "C" NOT NULL DEFAULT 'queued',
    n_deaths integer NOT NULL DEFAULT 0,
    process text COLLATE "C", -- of a run that is taken, as is the taking
    taking bigint,
    worker text, -- that has it, or had it last
    is_cancelled boolean NOT NULL DEFAULT false, -- somebody asked for its end
    over_ms bigint,
    reason text, -- of one that was set aside
    result text, -- of one that ended
    PRIMARY KEY (person, run_id)
);
-- What is over is in none of those that workers look into.
CREATE INDEX queue_waiting ON mistro.queue (person, queue, place) WHERE state = 'queued';
CREATE INDEX queue_later ON mistro.queue (person, queue, not_before_ms)
    WHERE state = 'queued' AND not_before_ms > 0;
CREATE INDEX queue_taken ON mistro.queue (person, queue) WHERE state = 'taken';
CREATE INDEX queue_had ON mistro.queue (process) WHERE state = 'taken';
CREATE INDEX queue_set_aside ON mistro.queue (person, place) WHERE state = 'poisoned';
CREATE UNIQUE INDEX queue_keys ON mistro.queue (person, key) WHERE key IS NOT NULL;
CREATE INDEX queue_over ON mistro.queue (person, over_ms) WHERE over_ms IS NOT NULL;
CREATE INDEX queue_all ON mistro.queue (person, place);
CREATE INDEX queue_each ON mistro.queue (person, queue, place);

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
    INSERT INTO mistro.processes AS p VALUES (of_process, with_label, mistro.now_ms(), for_ms)
        ON CONFLICT (id) DO UPDATE SET label = excluded.label, seen_ms = excluded.seen_ms,
            lasts_ms = excluded.lasts_ms, was_silent = p.was_silent OR NOT mistro.lives(p);
END $$;

-- What listeners hear of the run, as it is now.
CREATE FUNCTION mistro.tell(r mistro.queue) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('mistro', format('%s %s %s %s',
        CASE r.state WHEN 'queued' THEN 'runs' WHEN 'taken' THEN 'cancel' ELSE 'end' END,
        r.run_id, r.queue, r.person));
END $$;

-- A run that the caller has locked is in no process's hands any more: it waits again in its old
-- place, unless its end was asked for, or is over. A claim on it outlives that, so that what is kept
-- of the run can be removed when its end is known. The fence of a run that nobody has claimed is
-- that of its taking.
CREATE FUNCTION mistro.put_back(r mistro.queue, new_state text) RETURNS void
LANGUAGE plpgsql SET plan_cache_mode = force_custom_plan AS $$
BEGIN
    DELETE FROM mistro.leases WHERE person = r.person AND run_id = r.run_id
        AND taking = r.taking AND fence = taking;
    UPDATE mistro.leases SET taking = NULL
        WHERE person = r.person AND run_id = r.run_id AND taking = r.taking;
    r.state := CASE WHEN r.is_cancelled AND new_state = 'queued' THEN 'cancelled'
        ELSE new_state END;
    UPDATE mistro.queue SET state = r.state, process = NULL, taking = NULL, n_deaths = r.n_deaths,
            reason = r.reason, result = r.result, is_cancelled = r.is_cancelled,
            over_ms = CASE WHEN r.state <> 'queued' THEN mistro.now_ms() END
        WHERE person = r.person AND run_id = r.run_id;
    PERFORM mistro.tell(r);
END $$;

-- Ends a process that was not heard of for too long, if that is still so once its row is locked:
-- what it had is free afterwards.
CREATE FUNCTION mistro.bury(of_process text) RETURNS void
LANGUAGE plpgsql SET plan_cache_mode = force_custom_plan AS $$
DECLARE
    lost mistro.queue;
    max_deaths CONSTANT integer := 3; -- QUEUE_MAX_DEATHS
BEGIN
    PERFORM pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE application_name = 'mistro ' || of_process AND usename = current_user
            AND xact_start IS NOT NULL AND pid <> pg_backend_pid()
            AND NOT mistro.is_alive(of_process);
    PERFORM FROM mistro.processes WHERE id = of_process FOR UPDATE;
    IF mistro.is_alive(of_process) THEN
        RETURN;
    END IF;
    FOR lost IN SELECT * FROM mistro.queue WHERE process = of_process AND state = 'taken' FOR UPDATE
    LOOP
        lost.n_deaths := lost.n_deaths + 1;
        IF lost.n_deaths < max_deaths OR lost.is_cancelled THEN
            PERFORM mistro.put_back(lost, 'queued');
        ELSE
            lost.reason := format('%s workers died while they had it, last %s', lost.n_deaths,
                lost.worker);
            PERFORM mistro.put_back(lost, 'poisoned');
        END IF;
    END LOOP;
    DELETE FROM mistro.leases WHERE process = of_process;
    DELETE FROM mistro.processes WHERE id = of_process;
END $$;

CREATE FUNCTION mistro.bury_all(by_process text) RETURNS void
LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
    dead text;
BEGIN
    IF EXISTS (SELECT FROM mistro.processes p WHERE p.id = by_process
        AND (p.was_silent OR NOT mistro.lives(p))) THEN
        RETURN;
    END IF;
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
LANGUAGE plpgsql SET enable_seqscan = off AS $$
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
-- away waits until it is over.
CREATE FUNCTION mistro.hold(of_person text, of_run text, with_fence bigint) RETURNS void
LANGUAGE plpgsql SET enable_seqscan = off AS $$
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
END $$;

-- A process that has nothing and is no worker is forgotten.
CREATE FUNCTION mistro.forget(of_process text) RETURNS void
LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
    DELETE FROM mistro.processes WHERE id = of_process AND queue IS NULL
        AND NOT EXISTS (SELECT FROM mistro.leases WHERE process = of_process);
END $$;

CREATE FUNCTION mistro.release(of_person text, of_run text, with_fence bigint, by_process text)
RETURNS void LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
    DELETE FROM mistro.leases
        WHERE person = of_person AND run_id = of_run AND fence = with_fence AND taking IS NULL;
    UPDATE mistro.leases SET fence = taking
        WHERE person = of_person AND run_id = of_run AND fence = with_fence;
    PERFORM mistro.forget(by_process);
END $$;

-- The process lives, and has no claims but those with the given fences: it does not know of others,
-- because the answer to a claim or a release was lost.
CREATE FUNCTION mistro.renew(of_process text, with_label text, for_ms bigint, fences bigint[])
RETURNS void LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
    PERFORM mistro.hear(of_process, with_label, for_ms);
    DELETE FROM mistro.leases
        WHERE process = of_process AND taking IS NULL AND fence <> ALL (fences);
    PERFORM mistro.forget(of_process);
END $$;

-- Removes states of runs that nobody has a lease on and that no queue has: those last changed before
-- a moment, and the oldest until all of the person's together have at most max_bytes; at most
-- max_states, or all that must go where it is null. A run is claimed while its state is removed, so
-- that nobody takes it up meanwhile. Each state counts for a little more than what is in it.
CREATE FUNCTION mistro.prune_states(of_person text, by_process text, with_label text,
    for_ms bigint, before_ms bigint, max_bytes bigint, max_states bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    old text;
    n_removed bigint := 0;
    given record;
BEGIN
    PERFORM mistro.bury_all(by_process);
    FOR old IN
        SELECT run_id FROM (SELECT run_id, changed_ms, sum(bytes + 256)
                OVER (ORDER BY changed_ms DESC, run_id DESC) AS newer_bytes
            FROM mistro.run_states WHERE person = of_person) s
        WHERE (changed_ms < before_ms OR newer_bytes > max_bytes)
            AND NOT EXISTS (SELECT FROM mistro.leases l
                WHERE l.person = of_person AND l.run_id = s.run_id)
            AND NOT EXISTS (SELECT FROM mistro.queue q WHERE q.person = of_person
                AND q.run_id = s.run_id AND q.state IN ('queued', 'taken'))
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

-- The id of the run that has the key, or of this one, which was added; null where there is one with
-- this id.
CREATE FUNCTION mistro.add_run(of_person text, of_run text, to_queue text, with_key text,
    with_servers text[], from_ms bigint) RETURNS text
LANGUAGE plpgsql SET plan_cache_mode = force_custom_plan AS $$
DECLARE
    added mistro.queue;
    earlier text;
BEGIN
    LOOP
        INSERT INTO mistro.queue (person, run_id, queue, key, servers, not_before_ms, added_ms)
            VALUES (of_person, of_run, to_queue, with_key, with_servers, from_ms, mistro.now_ms())
            ON CONFLICT DO NOTHING RETURNING * INTO added;
        IF FOUND THEN
            PERFORM mistro.tell(added);
            RETURN of_run;
        END IF;
        SELECT run_id INTO earlier FROM mistro.queue WHERE person = of_person AND key = with_key;
        IF FOUND THEN
            RETURN earlier;
        END IF;
        PERFORM FROM mistro.queue WHERE person = of_person AND run_id = of_run;
        IF FOUND THEN
            RETURN NULL;
        END IF;
    END LOOP;
END $$;

-- Whether no living process has claimed the run. It costs as much as comparing the columns of a
-- hundred rows, so queries ask it last: many runs may wait for their time, or for servers.
CREATE FUNCTION mistro.is_free(of_person text, of_run text) RETURNS boolean
LANGUAGE plpgsql SET enable_seqscan = off SET plan_cache_mode = auto AS $$
BEGIN
    RETURN NOT EXISTS (SELECT FROM mistro.leases l WHERE l.person = of_person AND l.run_id = of_run
        AND mistro.is_alive(l.process));
END $$;

-- Whether at_most runs of the queue are taken; 0 is no bound.
CREATE FUNCTION mistro.is_full(of_person text, of_queue text, at_most integer) RETURNS boolean
LANGUAGE plpgsql SET plan_cache_mode = force_custom_plan AS $$
BEGIN
    RETURN at_most > 0 AND (SELECT count(*) FROM mistro.queue WHERE person = of_person
        AND queue = of_queue AND state = 'taken') >= at_most;
END $$;

-- The run that has waited longest of those that the worker can take, with a lease; or none. Workers
-- pass over what others are taking. Only those who count wait for each other, for as long as a
-- taking takes: what one has counted is then still true.
CREATE FUNCTION mistro.take(of_person text, by_process text, with_label text, for_ms bigint,
    of_queue text, with_servers text[], at_most integer) RETURNS SETOF mistro.queue
LANGUAGE plpgsql SET plan_cache_mode = force_custom_plan AS $$
DECLARE
    at_ms CONSTANT bigint := mistro.now_ms();
    r mistro.queue;
    given record;
BEGIN
    IF at_most > 0 THEN
        PERFORM pg_advisory_xact_lock(hashtextextended(of_person || ' ' || of_queue, 20));
    END IF;
    WHILE NOT mistro.is_full(of_person, of_queue, at_most) LOOP
        SELECT * INTO r FROM mistro.queue q WHERE person = of_person AND queue = of_queue
            AND state = 'queued' AND not_before_ms <= at_ms AND servers <@ with_servers
            AND mistro.is_free(q.person, q.run_id)
            ORDER BY place LIMIT 1 FOR UPDATE SKIP LOCKED;
        EXIT WHEN NOT FOUND;
        SELECT * INTO given
            FROM mistro.claim(of_person, r.run_id, by_process, with_label, for_ms, 0);
        CONTINUE WHEN given.new_fence IS NULL; -- somebody has just claimed it: it is not free
        UPDATE mistro.leases SET taking = given.new_fence
            WHERE person = of_person AND run_id = r.run_id;
        RETURN QUERY UPDATE mistro.queue SET state = 'taken', process = by_process,
                worker = with_label, taking = given.new_fence
            WHERE person = of_person AND run_id = r.run_id RETURNING *;
        EXIT;
    END LOOP;
END $$;

-- The run that the process took is given back or over; MI001 where it has lost it.
CREATE FUNCTION mistro.leave_run(of_person text, of_run text, by_process text, with_taking bigint,
    new_state text, with_result text) RETURNS void
LANGUAGE plpgsql SET plan_cache_mode = force_custom_plan AS $$
DECLARE
    r mistro.queue;
BEGIN
    SELECT * INTO r FROM mistro.queue WHERE person = of_person AND run_id = of_run
        AND state = 'taken' AND process = by_process AND taking = with_taking FOR UPDATE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'run % was taken away from this process, which was not heard of', of_run
            USING ERRCODE = 'MI001';
    END IF;
    r.result := with_result;
    PERFORM mistro.put_back(r, new_state);
END $$;

-- The state that the run had; null where there is none.
CREATE FUNCTION mistro.cancel(of_person text, of_run text) RETURNS text
LANGUAGE plpgsql SET plan_cache_mode = force_custom_plan AS $$
DECLARE
    r mistro.queue;
BEGIN
    SELECT * INTO r FROM mistro.queue WHERE person = of_person AND run_id = of_run FOR UPDATE;
    r.is_cancelled := true;
    IF r.state = 'queued' THEN
        PERFORM mistro.put_back(r, 'queued');
    ELSIF r.state = 'taken' THEN
        UPDATE mistro.queue SET is_cancelled = true WHERE person = of_person AND run_id = of_run;
        PERFORM mistro.tell(r);
    END IF;
    RETURN r.state;
END $$;

-- A worker's heartbeat. What it took and does not know of is given back, since the answer to a
-- taking was lost. next_in_ms is -1 where nothing waits for its time.
CREATE FUNCTION mistro.beat(of_person text, by_process text, with_label text, for_ms bigint,
    fences bigint[], takings bigint[], of_queue text, with_servers text[], of_jobs integer,
    busy integer, at_most integer, OUT is_due boolean, OUT next_in_ms bigint)
LANGUAGE plpgsql SET plan_cache_mode = force_custom_plan AS $$
DECLARE
    at_ms CONSTANT bigint := mistro.now_ms();
    unheard mistro.queue;
BEGIN
    PERFORM mistro.renew(by_process, with_label, for_ms, fences);
    INSERT INTO mistro.processes VALUES (by_process, with_label, at_ms, for_ms, false, of_person,
            of_queue, with_servers, of_jobs, busy, at_most)
        ON CONFLICT (id) DO UPDATE SET person = of_person, queue = of_queue, servers = with_servers,
            jobs = of_jobs, n_busy = busy, queue_jobs = at_most;
    FOR unheard IN SELECT * FROM mistro.queue WHERE process = by_process AND state = 'taken'
        AND taking <> ALL (takings) FOR UPDATE
    LOOP
        PERFORM mistro.put_back(unheard, 'queued');
    END LOOP;
    PERFORM mistro.bury_all(by_process);
    UPDATE mistro.processes SET was_silent = false WHERE id = by_process AND was_silent;
    is_due := NOT mistro.is_full(of_person, of_queue, at_most) AND EXISTS
        (SELECT FROM mistro.queue q WHERE person = of_person AND queue = of_queue
            AND state = 'queued' AND not_before_ms <= at_ms AND servers <@ with_servers
            AND mistro.is_free(q.person, q.run_id));
    SELECT coalesce(min(not_before_ms) - at_ms, -1) INTO next_in_ms FROM mistro.queue
        WHERE person = of_person AND queue = of_queue AND state = 'queued'
            AND not_before_ms > 0 AND not_before_ms > at_ms AND servers <@ with_servers;
END $$;

CREATE FUNCTION mistro.leave(by_process text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    UPDATE mistro.processes SET queue = NULL WHERE id = by_process;
    PERFORM mistro.forget(by_process);
END $$;
