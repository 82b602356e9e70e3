/// Version 5: a download over several connections has the windows that are still to come; a job may have a rate.
///
/// Rates stand beside the jobs, since anybody may change them while the daemon writes the job's own row.
enum FifthMigration {
    static let sql = """
        CREATE TABLE segments (
            job INTEGER NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
            "offset" INTEGER NOT NULL CHECK ("offset" >= 0),
            "limit" INTEGER NOT NULL,
            PRIMARY KEY (job, "offset"),
            CHECK ("limit" > "offset")
        ) STRICT;
        CREATE TABLE rates (
            job INTEGER PRIMARY KEY REFERENCES jobs (id) ON DELETE CASCADE,
            bytes_per_second INTEGER NOT NULL CHECK (bytes_per_second > 0)
        ) STRICT;

        """
}
