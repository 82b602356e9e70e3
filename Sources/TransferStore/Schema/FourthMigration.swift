/// Version 4: the head of a server's answer is kept beside its body; what is not as it should be with origins has a table.
enum FourthMigration {
    static let sql = """
        ALTER TABLE jobs ADD COLUMN reply_head BLOB;
        CREATE TABLE origin_troubles (
            origin TEXT PRIMARY KEY,
            effect TEXT NOT NULL CHECK (effect IN ('stopped', 'backedOff', 'limited')),
            until INTEGER,
            lanes INTEGER CHECK (lanes >= 1),
            text TEXT NOT NULL,
            CHECK ((until IS NOT NULL) = (effect = 'backedOff')),
            CHECK ((lanes IS NOT NULL) = (effect = 'limited'))
        ) STRICT;

        """
}
