/// Version 4: a download over several connections has the windows that are still to come.
enum FourthMigration {
    static let sql = """
        CREATE TABLE segments (
            job INTEGER NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
            "offset" INTEGER NOT NULL CHECK ("offset" >= 0),
            "limit" INTEGER NOT NULL,
            PRIMARY KEY (job, "offset"),
            CHECK ("limit" > "offset")
        ) STRICT;

        """
}
