import Glibc

/// Where the server programs lie: unpacked below `.build/servers` of the package, or installed.
public enum ServerProgram {
    /// The top directory of the package.
    public static let packageRoot: String = {
        #filePath.split(separator: "/").dropLast(3).map { "/\($0)" }.joined()
    }()

    /// Where `.ci/deps` unpacks the servers that can't be installed beside one another.
    public static var unpackedRoot: String { "\(packageRoot)/.build/servers" }

    /// The path of `program`, such as `vsftpd`.
    public static func path(_ program: String) throws -> String {
        let directories = ["usr/sbin", "usr/bin", "usr/lib/openssh"]
        for root in [unpackedRoot, ""] {
            for directory in directories where access("\(root)/\(directory)/\(program)", X_OK) == 0 {
                return "\(root)/\(directory)/\(program)"
            }
        }
        throw TestServerError("the server program \(program) is not here: run .ci/deps")
    }

    /// The user id that servers started by root serve as (`nobody`); others serve as themselves.
    static var isRoot: Bool { geteuid() == 0 }
    static let nobody: UInt32 = 65534

    /// Makes a directory that the servers may write to, in a parent they may enter.
    static func makeServed(_ name: String, in directory: TemporaryDirectory) throws -> String {
        let path = try directory.makeDirectory(name)
        if isRoot { chown(path, nobody, nobody) }
        return path
    }
}

extension ServerProgram {
    /// The numbers of the user and group that uploaded files belong to.
    static var servedIdentity: (user: UInt32, group: UInt32) {
        isRoot ? (nobody, nobody) : (geteuid(), getegid())
    }
}

extension ServerProgram {
    /// The name of the user that uploaded files belong to.
    static var servedUser: String {
        get throws {
            guard let entry = getpwuid(servedIdentity.user), let name = entry.pointee.pw_name else {
                throw TestServerError("the user \(servedIdentity.user) has no name")
            }
            return String(cString: name)
        }
    }

    /// Makes the servers' user the owner of a file.
    static func giveToServer(_ path: String) throws {
        guard !isRoot || chown(path, nobody, nobody) == 0 else {
            throw TestServerError.system(call: "chown", path: path)
        }
    }
}

extension ServerProgram {
    /// A password as crypt(3) keeps it in passwd and shadow files.
    static func digest(ofPassword password: String) async throws -> String {
        let made = try await ChildProcess.run(["openssl", "passwd", "-5", password])
        guard made.succeeded else { throw TestServerError("openssl passwd: \(made.errorText)") }
        return made.text.filter { $0 != "\n" }
    }
}
