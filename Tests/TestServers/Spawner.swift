import CLinux
import Glibc
import Synchronization

/// The one thread that starts programs.
///
/// The kernel's "die with the parent" means the thread that started the program, and Dispatch ends its threads when
/// they are idle: so the programs are started by a thread that never ends.
final class Spawner: Sendable {
    static let shared = Spawner()

    private final class Order: Sendable {
        let arguments: [[UInt8]]
        let environment: [String: String]
        let descriptors: [Int32]
        let result = Atomic<Int32>(0)
        let isDone = Semaphore()

        init(_ arguments: [[UInt8]], _ environment: [String: String], _ descriptors: [Int32]) {
            self.arguments = arguments
            self.environment = environment
            self.descriptors = descriptors
        }
    }

    private let orders = Mutex<[Order]>([])
    private let pending = Semaphore()

    private init() {
        var thread = pthread_t()
        let context = Unmanaged.passRetained(self).toOpaque()
        pthread_create(
            &thread, nil,
            { context in
                guard let context else { return nil }
                Unmanaged<Spawner>.fromOpaque(context).takeUnretainedValue().serve()
            }, context)
        pthread_detach(thread)
    }

    /// Starts a program found in PATH; the result is its process id, or the negative `errno`.
    ///
    /// - Parameter descriptors: for standard input, output and error; -1 stands for `/dev/null`.
    func spawn(_ arguments: [[UInt8]], environment: [String: String], descriptors: [Int32]) -> Int32 {
        let order = Order(arguments, environment, descriptors)
        orders.withLock { $0.append(order) }
        pending.signal()
        order.isDone.wait()
        return order.result.load(ordering: .acquiring)
    }

    private func serve() -> Never {
        while true {
            pending.wait()
            guard let order = orders.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else { continue }
            let result = Self.spawnNow(
                order.arguments, environment: order.environment, descriptors: order.descriptors)
            order.result.store(result, ordering: .releasing)
            order.isDone.signal()
        }
    }

    /// As `spawn`, by the calling thread.
    static func spawnNow(_ arguments: [[UInt8]], environment: [String: String], descriptors: [Int32]) -> Int32
    {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (target, descriptor) in descriptors.enumerated() {
            if descriptor < 0 {
                posix_spawn_file_actions_addopen(&actions, Int32(target), "/dev/null", O_RDWR, 0)
            } else {
                posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(target))
            }
        }
        var attributes = cleanAttributes()
        defer { posix_spawnattr_destroy(&attributes) }
        let list = CStringList(arguments)
        let environmentList = CStringList(currentEnvironment(adding: environment))
        guard let program = list.pointers[0] else { return -EINVAL }
        var pid: Int32 = 0
        let code = posix_spawnp(
            &pid, program, &actions, &attributes,
            list.pointers,
            environmentList.pointers)
        return code == 0 ? pid : -code
    }

    /// A process group of its own, no signal blocked and none ignored, whatever this process does with them.
    private static func cleanAttributes() -> posix_spawnattr_t {
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        posix_spawnattr_setpgroup(&attributes, 0)
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        return attributes
    }

    private static func currentEnvironment(adding added: [String: String]) -> [[UInt8]] {
        var list: [[UInt8]] = []
        var entry = transferd_environment()
        while let text = entry?.pointee {
            let bytes = Array(UnsafeBufferPointer(start: text, count: strlen(text))).map(
                UInt8.init(bitPattern:))
            let name = String(decoding: bytes.prefix { $0 != 0x3d }, as: UTF8.self)
            if added[name] == nil { list.append(bytes) }
            entry = entry?.advanced(by: 1)
        }
        return list + added.map { Array("\($0.key)=\($0.value)".utf8) }
    }
}

/// A POSIX semaphore.
final class Semaphore: Sendable {
    // The memory is a sem_t, made for use by many threads; it moves never and goes with the last reference.
    private nonisolated(unsafe) let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

    init() { sem_init(semaphore, 0, 0) }

    deinit {
        sem_destroy(semaphore)
        semaphore.deallocate()
    }

    func signal() { sem_post(semaphore) }

    func wait() {
        while sem_wait(semaphore) != 0 && errno == EINTR {}
    }
}

/// A NULL-ended array of C strings, as the exec calls take it.
private final class CStringList {
    let pointers: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
    private let count: Int

    init(_ texts: [[UInt8]]) {
        count = texts.count
        pointers = .allocate(capacity: count + 1)
        for (index, text) in texts.enumerated() {
            pointers[index] = withCString(text) { strdup($0) }
        }
        pointers[count] = nil
    }

    deinit {
        for index in 0..<count { free(pointers[index]) }
        pointers.deallocate()
    }
}
