// SPDX-License-Identifier: MIT
// C as Swift sees it on Apple's systems: the headers, and what Swift adds for functions with any number of arguments.

@_exported public import CDarwin

public var errno: Int32 {
    get { 0 }
    set {}
}

public func open(_ path: UnsafePointer<CChar>, _ flags: Int32) -> Int32 { 0 }
public func open(_ path: UnsafePointer<CChar>, _ flags: Int32, _ mode: mode_t) -> Int32 { 0 }
public func openat(_ folder: Int32, _ path: UnsafePointer<CChar>, _ flags: Int32) -> Int32 { 0 }
public func openat(_ folder: Int32, _ path: UnsafePointer<CChar>, _ flags: Int32, _ mode: mode_t) -> Int32 { 0 }
public func fcntl(_ descriptor: Int32, _ command: Int32) -> Int32 { 0 }
public func fcntl(_ descriptor: Int32, _ command: Int32, _ value: Int32) -> Int32 { 0 }
public func fcntl(_ descriptor: Int32, _ command: Int32, _ value: UnsafeMutableRawPointer) -> Int32 { 0 }
public func ioctl(_ descriptor: Int32, _ request: UInt, _ value: UnsafeMutableRawPointer) -> Int32 { 0 }

public typealias sig_t = @convention(c) (Int32) -> Void
public var SIG_DFL: sig_t? { nil }
public var SIG_IGN: sig_t { unsafeBitCast(1, to: sig_t.self) }
