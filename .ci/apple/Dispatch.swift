// SPDX-License-Identifier: MIT
// What the modules use of Dispatch; all of it is in every iOS and macOS that Swift 6 can be compiled for.

public struct DispatchQoS: Sendable {
    public enum QoSClass: Sendable { case userInitiated }
}

public enum DispatchTimeInterval: Equatable, Sendable {
    case seconds(Int), milliseconds(Int), microseconds(Int), nanoseconds(Int), never
}

public struct DispatchTime: Comparable, Sendable {
    public static func now() -> DispatchTime { DispatchTime() }
    public var uptimeNanoseconds: UInt64 { 0 }
    public static func < (left: DispatchTime, right: DispatchTime) -> Bool { false }
}

public func + (time: DispatchTime, interval: DispatchTimeInterval) -> DispatchTime { time }

public class DispatchGroup: @unchecked Sendable {
    public init() {}
    public func wait() {}
}

public class DispatchQueue: @unchecked Sendable {
    public class func global(qos: DispatchQoS.QoSClass = .userInitiated) -> DispatchQueue { DispatchQueue() }
    public func async(execute work: @escaping @Sendable () -> Void) {}
    public func async(group: DispatchGroup, execute work: @escaping @Sendable () -> Void) {}
    public func asyncAfter(deadline: DispatchTime, execute work: @escaping @Sendable () -> Void) {}
}
