// SPDX-License-Identifier: MIT

import Foundation

/// The process in which inputs are read, with limits of time and memory that the system enforces.
///
/// It takes inputs from standard input, each after its length in eight bytes, and answers each with a line: `ok
/// MICROSECONDS KILOBYTES`, or `bad ` and what is wrong. An input that traps or exceeds the limits ends the process.
struct Worker {
    /// The most processor time for an input, in seconds.
    static var secondsLimit: Int { isDebug ? 30 : 6 }

    /// The most memory that may be in use while an input is read, in kilobytes.
    static var kilobytesLimit: Int { 640 << 10 }

    /// Whether this is a debug build, which is tens of times slower.
    static var isDebug: Bool {
        #if DEBUG
            true
        #else
            false
        #endif
    }

    private let reader: Reader
    private let repository: String
    private let folder: String
    private let requests: Int32
    private let answers: Int32

    /// Prepares this process: standard streams become files, and limits are set.
    ///
    /// - Parameters:
    ///   - reader: the reader for the inputs.
    ///   - folder: a folder for this process alone.
    /// - Throws: why the folder cannot be created.
    init(_ reader: Reader, in folder: String) throws {
        self.reader = reader
        repository = FileManager.default.currentDirectoryPath
        self.folder = folder
        requests = dup(STDIN_FILENO)
        answers = dup(STDOUT_FILENO)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Self.replace(STDIN_FILENO, by: "/dev/null", O_RDONLY)
        try Self.replace(STDOUT_FILENO, by: folder + "/stdout", O_RDWR | O_CREAT | O_TRUNC | O_APPEND)
        try Self.replace(STDERR_FILENO, by: Self.errorFile(in: folder), O_RDWR | O_CREAT | O_TRUNC | O_APPEND)
        Self.limit(SystemNumbers.core, 0)
        Self.limit(SystemNumbers.fileSize, 256 << 20)
        // The limit counts memory that is reserved and never used too, so it is far above that of memory in use.
        Self.limit(SystemNumbers.memory, 6 << 30)
        try reader.prepare(folder + "/project", from: repository)
        guard FileManager.default.changeCurrentDirectoryPath(folder + "/project") else { throw POSIXError(.ENOENT) }
    }

    /// The path of the file to which the process writes its standard error.
    static func errorFile(in folder: String) -> String { folder + "/stderr" }

    private static func replace(_ descriptor: Int32, by path: String, _ flags: Int32) throws {
        let file = open(path, flags, 0o600)
        guard file >= 0, dup2(file, descriptor) >= 0 else { throw POSIXError(.EBADF) }
        close(file)
    }

    private static func limit(_ resource: Int32, _ value: Int) {
        var limits = rlimit(rlim_cur: rlim_t(value), rlim_max: rlim_t(value))
        _ = setrlimit(resource, &limits)
    }

    // MARK: - Inputs

    /// Reads inputs until standard input ends.
    func run() throws {
        let output = CommandOutput()
        while let input = nextInput() {
            if reader.isRenewed { try renew() }
            let place = URL(filePath: folder + "/project/" + reader.path)
            try Data(input).write(to: place)
            Self.forgetPeak()
            let start = Self.processorTime
            Self.setAlarm(seconds: Self.secondsLimit)
            let fault = try reader.use(input, output)
            Self.setAlarm(seconds: 0)
            let microseconds = Self.processorTime - start
            let line =
                fault.map { "bad " + $0.replacing("\n", with: " ") } ?? "ok \(microseconds) \(Self.peakKilobytes)"
            Pipe.write(Array((line + "\n").utf8), to: answers)
        }
    }

    private func nextInput() -> [UInt8]? {
        guard let count = Pipe.read(8, from: requests) else { return nil }
        return Pipe.read(count.reduce(0) { $0 << 8 | Int($1) }, from: requests)
    }

    /// Writes the files around the input again, in the working folder.
    private func renew() throws {
        try reader.prepare(folder + "/project", from: repository)
        guard FileManager.default.changeCurrentDirectoryPath(folder + "/project") else { throw POSIXError(.ENOENT) }
    }

    // MARK: - Time and memory

    /// The processor time that all threads have used, in microseconds.
    private static var processorTime: Int {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return time.tv_sec * 1_000_000 + time.tv_nsec / 1_000
    }

    /// Lets the system end the process with SIGPROF after some processor time; 0 removes the limit.
    private static func setAlarm(seconds: Int) {
        var timer = itimerval(it_interval: timeval(), it_value: timeval(tv_sec: seconds, tv_usec: 0))
        setitimer(SystemNumbers.processorTimer, &timer, nil)
    }

    /// Resets the system's record of the most memory in use, if the system allows it.
    private static func forgetPeak() {
        let file = open("/proc/self/clear_refs", O_WRONLY)
        guard file >= 0 else { return }
        _ = write(file, "5", 1)
        close(file)
    }

    /// The most memory in use since ``forgetPeak()``, in kilobytes; on systems other than Linux, since the process
    /// began.
    private static var peakKilobytes: Int {
        if let status = FileManager.default.contents(atPath: "/proc/self/status") {
            let lines = String(decoding: status, as: UTF8.self).split(separator: "\n")
            let words = lines.first { $0.hasPrefix("VmHWM:") }?.split(whereSeparator: { $0 == " " || $0 == "\t" }) ?? []
            return words.count > 1 ? Int(words[1]) ?? 0 : 0
        }
        var usage = rusage()
        getrusage(SystemNumbers.ownUsage, &usage)
        return usage.ru_maxrss >> 10
    }
}

/// Constants that C declares as enumerations on Linux and as integers elsewhere.
private enum SystemNumbers {
    #if canImport(Glibc)
        static let core = Int32(RLIMIT_CORE.rawValue)
        static let fileSize = Int32(RLIMIT_FSIZE.rawValue)
        static let memory = Int32(RLIMIT_AS.rawValue)
        static let processorTimer = Int32(ITIMER_PROF.rawValue)
        static let ownUsage = RUSAGE_SELF.rawValue
    #else
        static let core = RLIMIT_CORE
        static let fileSize = RLIMIT_FSIZE
        static let memory = RLIMIT_AS
        static let processorTimer = ITIMER_PROF
        static let ownUsage = RUSAGE_SELF
    #endif
}

/// Reads and writes whole messages on pipes.
enum Pipe {
    /// Reads a number of bytes; returns nil if the pipe ends before.
    static func read(_ count: Int, from descriptor: Int32) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        var done = 0
        while done < count {
            let taken = bytes.withUnsafeMutableBytes {
                systemRead(descriptor, $0.baseAddress.map { $0 + done }, count - done)
            }
            if taken < 0, errno == EINTR { continue }
            if taken <= 0 { return nil }
            done += taken
        }
        return bytes
    }

    /// Writes all bytes; stops if the pipe does not accept more.
    static func write(_ bytes: [UInt8], to descriptor: Int32) {
        var done = 0
        while done < bytes.count {
            let taken = bytes.withUnsafeBytes {
                systemWrite(descriptor, $0.baseAddress.map { $0 + done }, bytes.count - done)
            }
            if taken < 0, errno == EINTR { continue }
            if taken <= 0 { return }
            done += taken
        }
    }

    private static func systemRead(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int {
        Foundation.read(descriptor, bytes, count)
    }

    private static func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
        Foundation.write(descriptor, bytes, count)
    }
}
