/// What a glance at a file tells of its content: two equal looks some time apart mean that nobody wrote in between.
package struct Look: Hashable, Sendable {
    package let inode: UInt64
    package let size: Int64
    /// Nanoseconds since 1970.
    package let modified: Int64
    /// When the content, the name or the permissions last changed, in nanoseconds since 1970.
    package let changed: Int64

    package init(inode: UInt64, size: Int64, modified: Int64, changed: Int64) {
        self.inode = inode
        self.size = size
        self.modified = modified
        self.changed = changed
    }

    /// Stands for a file that was heard of and not looked at; equal to no file's look.
    package static let unseen = Look(inode: 0, size: -1, modified: 0, changed: 0)
}
