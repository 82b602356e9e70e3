/// Version 3: jobs of kind `remote`; less to write for each job.
///
/// A CHECK can be changed only by making the table anew (https://www.sqlite.org/lang_altertable.html#otheralter), so the
/// whole definition stands here. What has changed besides: an empty checkpoint is NULL; `start_offset` is where the bytes
/// of the last attempt began, so that an attempt that runs or has succeeded needs no row in `attempts`; `ahead` marks a
/// claimed job whose attempt has not begun; one index serves all lists; jobs that run are in an index of their own and
/// not counted by triggers; and the counts are a table with rowids, since an update of one without opens a temporary
/// table each time.
enum ThirdMigration {
    static let sql = jobs + copy + attempts + indexes + counts + addresses

    private static let jobs = """
        DROP TRIGGER jobs_inserted;
        DROP TRIGGER jobs_deleted;
        DROP TRIGGER jobs_changed;
        DROP TRIGGER jobs_joined;
        DROP TRIGGER jobs_left;
        CREATE TABLE jobs_of_3 (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            kind TEXT NOT NULL CHECK (kind IN ('upload', 'form', 'download', 'remote')),
            route TEXT,
            state TEXT NOT NULL
                CHECK (state IN ('queued', 'running', 'held', 'done', 'failed', 'cancelled', 'expired')),
            request TEXT CHECK (request IN ('cancel', 'hold', 'release', 'retry')),
            hold_reason TEXT CHECK (hold_reason IN ('byRequest', 'unknownOutcome')),
            priority INTEGER NOT NULL,
            origin TEXT NOT NULL,
            host TEXT NOT NULL,
            url TEXT NOT NULL,
            source_root TEXT CHECK (source_root IN ('spool', 'intake', 'inPlace')),
            source BLOB,
            destination BLOB,
            spec TEXT NOT NULL,
            start_offset INTEGER NOT NULL CHECK (start_offset >= 0),
            "offset" INTEGER NOT NULL CHECK ("offset" >= 0),
            "limit" INTEGER CHECK ("limit" >= 0),
            high_water INTEGER NOT NULL CHECK (high_water >= 0),
            stage TEXT NOT NULL CHECK (stage IN ('sending', 'sealed', 'renaming')),
            checkpoint TEXT,
            attempts INTEGER NOT NULL CHECK (attempts >= 0),
            idempotency_key TEXT NOT NULL UNIQUE,
            not_before INTEGER,
            retry_at INTEGER,
            due INTEGER GENERATED ALWAYS AS (max(ifnull(not_before, 0), ifnull(retry_at, 0), 0)) VIRTUAL,
            expires_at INTEGER NOT NULL,
            created_at INTEGER NOT NULL,
            started_at INTEGER,
            finished_at INTEGER,
            label TEXT,
            failure_class TEXT CHECK (failure_class IN ('temporary', 'permanent', 'local', 'unknown')),
            failure_scope TEXT CHECK (failure_scope IN ('job', 'origin', 'login')),
            failure_curl INTEGER,
            failure_code INTEGER,
            failure_text TEXT,
            failure_retry_after INTEGER,
            digest TEXT,
            disposed INTEGER NOT NULL CHECK (disposed IN (0, 1)),
            ahead INTEGER NOT NULL CHECK (ahead IN (0, 1)),
            reply_status INTEGER,
            reply_body BLOB,
            CHECK (request IS NULL OR state = 'running' OR (request = 'retry' AND state = 'queued')),
            CHECK (retry_at IS NULL OR state = 'queued'),
            CHECK (ahead = 0 OR state = 'running'),
            CHECK (started_at IS NOT NULL OR state <> 'running'),
            CHECK ((hold_reason IS NOT NULL) = (state = 'held')),
            CHECK ((finished_at IS NOT NULL) = (state IN ('done', 'failed', 'cancelled', 'expired'))),
            CHECK (stage <> 'sealed' OR kind = 'form'),
            CHECK ((source IS NULL) = (source_root IS NULL)),
            CHECK (kind <> 'remote' OR source IS NULL),
            CHECK ((destination IS NOT NULL) = (kind = 'download')),
            CHECK ((failure_class IS NULL) = (failure_text IS NULL)),
            CHECK ((failure_class IS NULL) = (failure_scope IS NULL)),
            CHECK (failure_class IS NOT NULL
                OR coalesce(failure_curl, failure_code, failure_retry_after) IS NULL),
            CHECK ((reply_status IS NULL) = (reply_body IS NULL))
        ) STRICT;

        """

    private static let columns = """
        id, kind, route, state, request, hold_reason, priority, origin, host, url, source_root, source, destination, \
        spec, "offset", "limit", high_water, stage, attempts, idempotency_key, not_before, retry_at, expires_at, \
        created_at, started_at, finished_at, label, failure_class, failure_scope, failure_curl, failure_code, \
        failure_text, failure_retry_after, digest, disposed, reply_status, reply_body
        """

    /// The numbers of jobs go on where they were, also when the last jobs were deleted.
    private static let copy = """
        INSERT INTO jobs_of_3 (\(columns), ahead, start_offset, checkpoint)
            SELECT \(columns), 0,
                ifnull((SELECT start_offset FROM attempts WHERE job = jobs.id ORDER BY number DESC LIMIT 1), "offset"),
                nullif(checkpoint, '{}')
            FROM jobs;
        DELETE FROM sqlite_sequence WHERE name = 'jobs_of_3';
        INSERT INTO sqlite_sequence (name, seq) SELECT 'jobs_of_3', seq FROM sqlite_sequence WHERE name = 'jobs';
        DROP TABLE jobs;
        ALTER TABLE jobs_of_3 RENAME TO jobs;

        """

    /// The last attempt of a job that runs or is done stands in the job's own row.
    private static let attempts = """
        DELETE FROM attempts WHERE failure_class IS NULL
            AND number = (SELECT max(number) FROM attempts AS other WHERE other.job = attempts.job)
            AND job IN (SELECT id FROM jobs WHERE state IN ('running', 'done'));

        """

    private static let indexes = """
        CREATE INDEX jobs_claims ON jobs (origin, priority DESC, due) WHERE state = 'queued';
        CREATE INDEX jobs_due ON jobs (origin, due) WHERE state = 'queued';
        CREATE INDEX jobs_expiry ON jobs (expires_at) WHERE state IN ('queued', 'held');
        CREATE INDEX jobs_retries ON jobs (retry_at) WHERE retry_at IS NOT NULL;
        CREATE INDEX jobs_requests ON jobs (request) WHERE request IS NOT NULL;
        CREATE INDEX jobs_undisposed ON jobs (finished_at) WHERE disposed = 0 AND finished_at IS NOT NULL;
        CREATE INDEX jobs_spool ON jobs (source) WHERE disposed = 0 AND source_root = 'spool';
        CREATE INDEX jobs_running ON jobs (state) WHERE state = 'running';
        CREATE INDEX jobs_listed ON jobs (state, host, ifnull(route, '')) WHERE state <> 'running';

        """

    private static let counts = """
        CREATE TABLE job_counts_of_3 (
            state TEXT PRIMARY KEY,
            jobs INTEGER NOT NULL CHECK (jobs >= 0)
        ) STRICT;
        INSERT INTO job_counts_of_3 SELECT state, jobs FROM job_counts WHERE state <> 'running';
        DROP TABLE job_counts;
        ALTER TABLE job_counts_of_3 RENAME TO job_counts;
        CREATE TRIGGER jobs_inserted AFTER INSERT ON jobs BEGIN
            UPDATE job_counts SET jobs = jobs + 1 WHERE state = new.state;
        END;
        CREATE TRIGGER jobs_deleted AFTER DELETE ON jobs BEGIN
            UPDATE job_counts SET jobs = jobs - 1 WHERE state = old.state;
        END;
        CREATE TRIGGER jobs_unqueued AFTER UPDATE OF state ON jobs
            WHEN old.state <> new.state AND old.state <> 'running'
        BEGIN
            UPDATE job_counts SET jobs = jobs - 1 WHERE state = old.state;
        END;
        CREATE TRIGGER jobs_changed AFTER UPDATE OF state ON jobs
            WHEN old.state <> new.state AND new.state <> 'running'
        BEGIN
            UPDATE job_counts SET jobs = jobs + 1 WHERE state = new.state;
        END;

        """

    private static let addresses = """
        CREATE INDEX jobs_addresses ON jobs (url, id) WHERE kind = 'upload' AND finished_at IS NULL;
        CREATE INDEX jobs_put_off ON jobs (url, id)
            WHERE kind = 'upload' AND state = 'queued' AND retry_at IS NOT NULL;
        CREATE TRIGGER jobs_joined AFTER INSERT ON jobs
            WHEN new.kind = 'upload' AND new.state = 'queued' AND new.retry_at IS NULL AND EXISTS (
                SELECT 1 FROM jobs
                WHERE kind = 'upload' AND finished_at IS NULL AND url = new.url AND id < new.id
                    AND (state = 'running' OR state = 'queued' AND ifnull(not_before, 0) <= new.created_at))
        BEGIN
            UPDATE jobs SET retry_at = new.created_at + 3600000 WHERE id = new.id;
        END;
        CREATE TRIGGER jobs_left AFTER UPDATE OF state ON jobs
            WHEN new.kind = 'upload' AND old.state IN ('queued', 'running')
                AND new.state NOT IN ('queued', 'running')
        BEGIN
            UPDATE jobs SET retry_at = NULL WHERE id = (
                SELECT id FROM jobs
                WHERE kind = 'upload' AND state = 'queued' AND retry_at IS NOT NULL AND url = new.url
                ORDER BY id LIMIT 1);
        END;

        """
}
