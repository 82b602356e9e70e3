/// Version 5: the head of a server's answer is kept beside its body.
enum FifthMigration {
    static let sql = """
        ALTER TABLE jobs ADD COLUMN reply_head BLOB;

        """
}
