// SPDX-License-Identifier: MIT
// What MessageDigests uses of CryptoKit, with the versions of Apple's documentation: iOS 13.0, macOS 10.15.

@available(iOS 13, macOS 10.15, *)
public protocol HashFunction { static func hash(data: [UInt8]) -> [UInt8] }

@available(iOS 13, macOS 10.15, *)
public struct SHA256: HashFunction { public static func hash(data: [UInt8]) -> [UInt8] { data } }

@available(iOS 13, macOS 10.15, *)
public struct SHA512: HashFunction { public static func hash(data: [UInt8]) -> [UInt8] { data } }

@available(iOS 13, macOS 10.15, *)
public enum Insecure {
    public struct MD5: HashFunction { public static func hash(data: [UInt8]) -> [UInt8] { data } }
    public struct SHA1: HashFunction { public static func hash(data: [UInt8]) -> [UInt8] { data } }
}
