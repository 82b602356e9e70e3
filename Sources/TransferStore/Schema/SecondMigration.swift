/// Version 2: uploads to one address go one after the other.
///
/// A claim finds through the indexes whether another upload to the same address has to end first, and puts the job off
/// where it has; the trigger makes the next one due when one of them runs and waits no longer.
enum SecondMigration {
    static let sql = """
        CREATE INDEX jobs_addresses ON jobs (url, id) WHERE kind = 'upload' AND state = 'queued';
        CREATE INDEX jobs_carried ON jobs (url) WHERE kind = 'upload' AND state = 'running';
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
