/// Version 6: what routes that fetch remember of the names in their directories.
enum SixthMigration {
    static let sql = """
        CREATE TABLE polled_files (
            route TEXT NOT NULL,
            directory TEXT NOT NULL,
            name BLOB NOT NULL,
            size INTEGER,
            modified INTEGER,
            state TEXT NOT NULL CHECK (state IN ('seen', 'taken', 'refused')),
            seen_since INTEGER,
            missing_since INTEGER,
            PRIMARY KEY (route, directory, name),
            CHECK ((seen_since IS NOT NULL) = (state = 'seen'))
        ) STRICT, WITHOUT ROWID;

        """
}
