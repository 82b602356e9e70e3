/// Version 4: the head of a server's answer is kept beside its body.
enum FourthMigration {
    static let sql = """
        ALTER TABLE jobs ADD COLUMN reply_head BLOB;

        """
}
