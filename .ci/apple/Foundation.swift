// SPDX-License-Identifier: MIT
// What the libraries for apps use of Foundation, with the versions of Apple's documentation. A declaration without a
// version is in every iOS and macOS that Swift 6 can be compiled for. What is not listed here does not compile: add it
// with its version.

@_exported public import Darwin
@_exported public import Dispatch

public typealias TimeInterval = Double

public struct ObjCBool: ExpressibleByBooleanLiteral {
    public var boolValue: Bool
    public init(booleanLiteral value: Bool) { boolValue = value }
}

public struct Date: Hashable, Comparable, Sendable {
    public init() {}
    public init(timeIntervalSince1970: TimeInterval) {}
    public init(timeIntervalSinceReferenceDate: TimeInterval) {}
    public init(timeIntervalSinceNow: TimeInterval) {}
    public func addingTimeInterval(_ interval: TimeInterval) -> Date { self }
    public var timeIntervalSince1970: TimeInterval { 0 }
    public var timeIntervalSinceReferenceDate: TimeInterval { 0 }
    public static func < (left: Date, right: Date) -> Bool { false }
}

public typealias uuid_t = (
    UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8
)

public struct UUID: Hashable, Sendable {
    public init() {}
    public init?(uuidString: String) { nil }
    public init(uuid: uuid_t) {}
    public var uuid: uuid_t { fatalError() }
    public var uuidString: String { "" }
}

public struct Data: Hashable, Sendable, RandomAccessCollection {
    public var startIndex: Int { 0 }
    public var endIndex: Int { 0 }
    public subscript(position: Int) -> UInt8 { 0 }
    public init() {}
    public init(_ bytes: some Sequence<UInt8>) {}
    public func base64EncodedString() -> String { "" }
}

public struct URL: Hashable, Sendable {
    public init(fileURLWithPath: String, isDirectory: Bool) {}
    public var path: String { "" }
    public var relativePath: String { "" }
    public init(fileURLWithPath: String) {}
    public func appendingPathComponent(_ component: String) -> URL { self }
    public func deletingLastPathComponent() -> URL { self }
    @available(iOS 16, macOS 13, *)
    public init(filePath: String) {}
    @available(iOS 16, macOS 13, *)
    public func appending(path: String) -> URL { self }
}

public struct FileAttributeKey: Hashable, Sendable {
    public init(rawValue: String) {}
}

public final class FileManager: Sendable {
    public static let `default` = FileManager()
    public func fileExists(atPath: String) -> Bool { false }
    public func fileExists(atPath: String, isDirectory: UnsafeMutablePointer<ObjCBool>?) -> Bool { false }
    public func setAttributes(_ attributes: [FileAttributeKey: Any], ofItemAtPath: String) throws {}
    public func attributesOfItem(atPath: String) throws -> [FileAttributeKey: Any] { [:] }
    public func destinationOfSymbolicLink(atPath: String) throws -> String { "" }
    public func isExecutableFile(atPath: String) -> Bool { false }
    public func contents(atPath: String) -> Data? { nil }
    public func contentsOfDirectory(atPath: String) throws -> [String] { [] }
    public func createDirectory(atPath: String, withIntermediateDirectories: Bool) throws {}
    public func containerURL(forSecurityApplicationGroupIdentifier: String) -> URL? { nil }
}

public struct URLComponents: Hashable, Sendable {
    public init?(string: String) { nil }
    public var scheme, host, user, password, percentEncodedQuery: String?
    public var percentEncodedPath: String
    public var port: Int?
}

public struct CharacterSet: Hashable, Sendable {
    public static var whitespaces: CharacterSet { fatalError() }
}

public func NSTemporaryDirectory() -> String { "" }

public final class ProcessInfo: Sendable {
    public static let processInfo = ProcessInfo()
    public var environment: [String: String] { [:] }
    public var activeProcessorCount: Int { 0 }
}

public class Bundle: @unchecked Sendable {
    public class var main: Bundle { Bundle() }
    public var executablePath: String? { nil }
}

public class NSLock: @unchecked Sendable {
    public init() {}
    public func lock() {}
    public func unlock() {}
}

public class NSCondition: @unchecked Sendable {
    public init() {}
    public func lock() {}
    public func unlock() {}
    public func wait() {}
    public func wait(until limit: Date) -> Bool { false }
    public func broadcast() {}
}

public class Thread {
    public class func sleep(forTimeInterval seconds: TimeInterval) {}
}

public class Pipe {
    public init() {}
    public var fileHandleForReading: FileHandle { fatalError() }
    public var fileHandleForWriting: FileHandle { fatalError() }
}

// Not on iOS, where nothing of the command is built.
public class Process {
    public init() {}
    @available(macOS 10.13, *)
    public var executableURL: URL?
    public var arguments: [String]?
    public var environment: [String: String]?
    public var standardInput, standardOutput, standardError: Any?
    @available(macOS 10.13, *)
    public func run() throws {}
    public func terminate() {}
    public func waitUntilExit() {}
    public var terminationStatus: Int32 { 0 }
    public enum TerminationReason: Sendable { case exit, uncaughtSignal }
    public var terminationReason: TerminationReason { .exit }
    public var isRunning: Bool { false }
}

extension StringProtocol {
    public var precomposedStringWithCanonicalMapping: String { "" }
    public func trimmingCharacters(in characters: CharacterSet) -> String { "" }
    public func range(of text: some StringProtocol, options: NSString.CompareOptions = []) -> Range<Index>? { nil }
}

public class NSString {
    public struct CompareOptions: OptionSet, Sendable {
        public var rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let backwards = CompareOptions(rawValue: 4)
    }
}

public final class FileHandle: Sendable {
    public init?(forReadingAtPath: String) {}
    public init(fileDescriptor: Int32, closeOnDealloc: Bool) {}
    public static var nullDevice: FileHandle { fatalError() }
    public func readDataToEndOfFile() -> Data { Data() }
    public var fileDescriptor: Int32 { 0 }
    @available(iOS 13.4, macOS 10.15.4, *)
    public func write(contentsOf data: Data) throws {}
    @available(iOS 13, macOS 10.15, *)
    public func close() throws {}
    @available(iOS 13.4, macOS 10.15.4, *)
    public func read(upToCount: Int) throws -> Data? { nil }
}

public struct TimeZone: Hashable, Sendable {
    public static var abbreviationDictionary: [String: String] { [:] }
    public static var knownTimeZoneIdentifiers: [String] { [] }
    public init?(identifier: String) { nil }
    public func secondsFromGMT(for date: Date = Date()) -> Int { 0 }
    public func abbreviation(for date: Date = Date()) -> String? { nil }
}

public class NSNumber {
    public var doubleValue: Double { 0 }
}

public class UserDefaults {
    public init?(suiteName: String?) {}
    public func object(forKey key: String) -> Any? { nil }
    public func array(forKey key: String) -> [Any]? { nil }
    public func set(_ value: Any?, forKey key: String) {}
    public func removeObject(forKey key: String) {}
}

public class PropertyListSerialization {
    public enum PropertyListFormat: Sendable { case xml, binary }
    public static func data(fromPropertyList: Any, format: PropertyListFormat, options: Int) throws -> Data { Data() }
}

public struct NSRange {
    public init(_ range: some RangeExpression<String.Index>, in text: String) {}
}

public class NSTextCheckingResult {}

public class NSRegularExpression {
    public struct Options: OptionSet, Sendable {
        public var rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let caseInsensitive = Options(rawValue: 1)
    }
    public struct MatchingOptions: OptionSet, Sendable {
        public var rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let reportProgress = MatchingOptions(rawValue: 1)
        public static let reportCompletion = MatchingOptions(rawValue: 2)
        public static let anchored = MatchingOptions(rawValue: 4)
    }
    public struct MatchingFlags: OptionSet, Sendable {
        public var rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let progress = MatchingFlags(rawValue: 1)
        public static let internalError = MatchingFlags(rawValue: 16)
    }
    public init(pattern: String, options: Options) throws {}
    public func enumerateMatches(
        in text: String,
        options: MatchingOptions,
        range: NSRange,
        using block: (NSTextCheckingResult?, MatchingFlags, UnsafeMutablePointer<ObjCBool>) -> Void
    ) {}
}
