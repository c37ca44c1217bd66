// SPDX-License-Identifier: MIT
// What the libraries for apps use of Foundation, with the versions of Apple's documentation. A declaration without a
// version is in every iOS and macOS that Swift 6 can be compiled for. What is not listed here does not compile: add it
// with its version.

@_exported public import Darwin

public typealias TimeInterval = Double

public struct ObjCBool: ExpressibleByBooleanLiteral {
    public var boolValue: Bool
    public init(booleanLiteral value: Bool) { boolValue = value }
}

public struct Date: Hashable, Comparable, Sendable {
    public init() {}
    public init(timeIntervalSince1970: TimeInterval) {}
    public init(timeIntervalSinceReferenceDate: TimeInterval) {}
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
}

public struct URL: Hashable, Sendable {
    public init(fileURLWithPath: String, isDirectory: Bool) {}
    public var path: String { "" }
    public init(fileURLWithPath: String) {}
    public func appendingPathComponent(_ component: String) -> URL { self }
    public func deletingLastPathComponent() -> URL { self }
    @available(iOS 16, macOS 13, *)
    public init(filePath: String) {}
    @available(iOS 16, macOS 13, *)
    public func appending(path: String) -> URL { self }
}

public final class FileManager: Sendable {
    public static let `default` = FileManager()
    public func fileExists(atPath: String, isDirectory: UnsafeMutablePointer<ObjCBool>?) -> Bool { false }
    public func containerURL(forSecurityApplicationGroupIdentifier: String) -> URL? { nil }
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

public struct DispatchQoS: Sendable {
    public enum QoSClass: Sendable { case userInitiated }
}

public class DispatchQueue: @unchecked Sendable {
    public class func global(qos: DispatchQoS.QoSClass) -> DispatchQueue { DispatchQueue() }
    public func async(execute work: @escaping @Sendable () -> Void) {}
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
