// SPDX-License-Identifier: MIT
// What ArgumentParser uses of Foundation.

public protocol LocalizedError: Error { var errorDescription: String? { get } }

public class JSONEncoder {
    public struct OutputFormatting: OptionSet, Sendable {
        public var rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let prettyPrinted = OutputFormatting(rawValue: 1)
        @available(iOS 11, macOS 10.13, *)
        public static let sortedKeys = OutputFormatting(rawValue: 2)
    }
    public var outputFormatting = OutputFormatting()
    public init() {}
    public func encode(_ value: some Encodable) throws -> [UInt8] { [] }
}

public struct StringEncoding: Sendable { public static let utf8 = StringEncoding() }

extension String {
    public init?(data: [UInt8], encoding: StringEncoding) { nil }
}
