// SPDX-License-Identifier: MIT
// What ArgumentParser uses of the module os: iOS 10 and macOS 10.12.

public struct os_unfair_lock {
    public init() {}
}

public func os_unfair_lock_lock(_ lock: UnsafeMutablePointer<os_unfair_lock>) {}
public func os_unfair_lock_unlock(_ lock: UnsafeMutablePointer<os_unfair_lock>) {}
