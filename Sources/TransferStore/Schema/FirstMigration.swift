/// Version 1 of the job table.
///
/// The CHECKs repeat ``JobState``: each column that is known only in some states is tied to them. `due` is when a
/// queued job may start; the indexes are such that a claim, the next due time and every list seek what they need:
/// https://www.sqlite.org/partialindex.html, https://www.sqlite.org/gencol.html
enum FirstMigration {
    static let sql = jobs + attempts + indexes + counts

    private static let jobs = """
        CREATE TABLE jobs (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            kind TEXT NOT NULL CHECK (kind IN ('upload', 'form', 'download')),
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
            "offset" INTEGER NOT NULL CHECK ("offset" >= 0),
            "limit" INTEGER CHECK ("limit" >= 0),
            high_water INTEGER NOT NULL CHECK (high_water >= 0),
            stage TEXT NOT NULL CHECK (stage IN ('sending', 'sealed', 'renaming')),
            checkpoint TEXT NOT NULL,
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
            reply_status INTEGER,
            reply_body BLOB,
            CHECK (request IS NULL OR state = 'running' OR (request = 'retry' AND state = 'queued')),
            CHECK (retry_at IS NULL OR state = 'queued'),
            CHECK (started_at IS NOT NULL OR state <> 'running'),
            CHECK ((hold_reason IS NOT NULL) = (state = 'held')),
            CHECK ((finished_at IS NOT NULL) = (state IN ('done', 'failed', 'cancelled', 'expired'))),
            CHECK (stage <> 'sealed' OR kind = 'form'),
            CHECK ((source IS NULL) = (source_root IS NULL)),
            CHECK ((destination IS NOT NULL) = (kind = 'download')),
            CHECK ((failure_class IS NULL) = (failure_text IS NULL)),
            CHECK ((failure_class IS NULL) = (failure_scope IS NULL)),
            CHECK (failure_class IS NOT NULL
                OR coalesce(failure_curl, failure_code, failure_retry_after) IS NULL),
            CHECK ((reply_status IS NULL) = (reply_body IS NULL))
        ) STRICT;

        """

    private static let attempts = """
        CREATE TABLE attempts (
            job INTEGER NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
            number INTEGER NOT NULL CHECK (number >= 1),
            started_at INTEGER NOT NULL,
            ended_at INTEGER,
            start_offset INTEGER NOT NULL,
            end_offset INTEGER NOT NULL,
            failure_class TEXT CHECK (failure_class IN ('temporary', 'permanent', 'local', 'unknown')),
            failure_scope TEXT CHECK (failure_scope IN ('job', 'origin', 'login')),
            failure_curl INTEGER,
            failure_code INTEGER,
            failure_text TEXT,
            failure_retry_after INTEGER,
            PRIMARY KEY (job, number),
            CHECK (failure_class IS NULL OR ended_at IS NOT NULL),
            CHECK ((failure_class IS NULL) = (failure_text IS NULL)),
            CHECK ((failure_class IS NULL) = (failure_scope IS NULL))
        ) STRICT, WITHOUT ROWID;

        """

    private static let indexes = """
        CREATE INDEX jobs_claims ON jobs (origin, priority DESC, due) WHERE state = 'queued';
        CREATE INDEX jobs_due ON jobs (origin, due) WHERE state = 'queued';
        CREATE INDEX jobs_expiry ON jobs (expires_at) WHERE state IN ('queued', 'held');
        CREATE INDEX jobs_retries ON jobs (retry_at) WHERE retry_at IS NOT NULL;
        CREATE INDEX jobs_requests ON jobs (request) WHERE request IS NOT NULL;
        CREATE INDEX jobs_undisposed ON jobs (finished_at) WHERE disposed = 0 AND finished_at IS NOT NULL;
        CREATE INDEX jobs_spool ON jobs (source) WHERE disposed = 0 AND source_root = 'spool';
        CREATE INDEX jobs_by_state ON jobs (state);
        CREATE INDEX jobs_by_route ON jobs (state, route, host) WHERE route IS NOT NULL;
        CREATE INDEX jobs_by_host ON jobs (state, host);

        """

    private static let counts = """
        CREATE TABLE job_counts (
            state TEXT PRIMARY KEY,
            jobs INTEGER NOT NULL CHECK (jobs >= 0)
        ) STRICT, WITHOUT ROWID;
        INSERT INTO job_counts (state, jobs) VALUES ('queued', 0), ('running', 0), ('held', 0), ('done', 0),
            ('failed', 0), ('cancelled', 0), ('expired', 0);
        CREATE TRIGGER jobs_inserted AFTER INSERT ON jobs BEGIN
            UPDATE job_counts SET jobs = jobs + 1 WHERE state = new.state;
        END;
        CREATE TRIGGER jobs_deleted AFTER DELETE ON jobs BEGIN
            UPDATE job_counts SET jobs = jobs - 1 WHERE state = old.state;
        END;
        CREATE TRIGGER jobs_changed AFTER UPDATE OF state ON jobs WHEN old.state <> new.state BEGIN
            UPDATE job_counts SET jobs = jobs - 1 WHERE state = old.state;
            UPDATE job_counts SET jobs = jobs + 1 WHERE state = new.state;
        END;

        """
}
