/// Version 4: what is not as it should be with origins, for the person who looks.
enum FourthMigration {
    static let sql = """
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
