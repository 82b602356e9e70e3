/// Version 2: uploads to one address go one after the other.
///
/// A claim finds through the index whether another upload to the same address has to end first, and puts the job off
/// where it has; the trigger makes the next one due when one of them runs and waits no longer.
enum SecondMigration {
    static let sql = """
        CREATE INDEX jobs_addresses ON jobs (url, id) WHERE kind = 'upload' AND finished_at IS NULL;
        CREATE TRIGGER jobs_left AFTER UPDATE OF state ON jobs
            WHEN new.kind = 'upload' AND old.state IN ('queued', 'running')
                AND new.state NOT IN ('queued', 'running')
        BEGIN
            UPDATE jobs SET retry_at = NULL WHERE id = (
                SELECT id FROM jobs
                WHERE kind = 'upload' AND finished_at IS NULL AND url = new.url AND state = 'queued'
                    AND retry_at IS NOT NULL
                ORDER BY id LIMIT 1);
        END;

        """
}
