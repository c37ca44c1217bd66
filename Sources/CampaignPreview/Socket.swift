// SPDX-License-Identifier: MIT

internal import Foundation

/// A TCP connection, or a socket that listens for connections, closed when its last reference is released.
///
/// No call blocks, unless its documentation says so.
final class Socket: Sendable {
    let descriptor: Int32

    /// Takes over a new descriptor, which this object closes.
    private init(_ descriptor: Int32) {
        self.descriptor = descriptor
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        #if canImport(Darwin)
            setOption(SO_NOSIGPIPE)
        #endif
    }

    deinit { close(descriptor) }

    /// Listens on 127.0.0.1.
    ///
    /// - Parameter port: the port; 0 for any free one.
    /// - Returns: the socket and its port.
    /// - Throws: an error if the port cannot be used.
    static func listening(on port: UInt16) throws(PreviewProblem) -> (Socket, port: UInt16) {
        #if canImport(Glibc)
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
            let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        guard descriptor >= 0 else { throw PreviewProblem(cannotListenOn: port, errno) }
        let listener = Socket(descriptor)
        listener.setOption(SO_REUSEADDR)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let number = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, size) == 0 && listen(descriptor, 128) == 0
                    && getsockname(descriptor, address, &size) == 0 ? 0 : errno
            }
        }
        guard number == 0 else { throw PreviewProblem(cannotListenOn: port, number) }
        return (listener, UInt16(bigEndian: address.sin_port))
    }

    /// Accepts the next connection; nil, with the reason in `errno`, if there is none.
    func accept() -> Socket? {
        let connection = systemAccept(descriptor)
        return connection < 0 ? nil : Socket(connection)
    }

    /// The bytes that have arrived, possibly none; nil if the other side has closed the connection.
    func receive() -> [UInt8]? {
        var isOpen = true
        let bytes = [UInt8](unsafeUninitializedCapacity: 1 << 16) { buffer, count in
            let received = recv(descriptor, buffer.baseAddress, buffer.count, 0)
            isOpen = received > 0 || received < 0 && (errno == EAGAIN || errno == EINTR)
            count = max(0, received)
        }
        return isOpen ? bytes : nil
    }

    /// Sends bytes; waits up to `patience` seconds whenever the other side does not accept more.
    ///
    /// - Parameters:
    ///   - bytes: the bytes.
    ///   - patience: the maximum time in seconds to wait for the other side to accept more bytes.
    /// - Returns: whether all bytes were sent.
    func send(_ bytes: [UInt8], patience: Int32 = 0) -> Bool {
        #if canImport(Darwin)
            let flags: Int32 = 0
        #else
            let flags = Int32(MSG_NOSIGNAL)
        #endif
        return bytes.withUnsafeBytes { bytes in
            var sent = 0
            while sent < bytes.count {
                let rest = UnsafeRawBufferPointer(rebasing: bytes[sent...])
                let count = systemSend(descriptor, rest, flags)
                if count > 0 {
                    sent += count
                } else if count == 0 || errno == EAGAIN {
                    var wanted = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                    guard poll(&wanted, 1, patience * 1_000) > 0 else { return false }
                } else if errno != EINTR {
                    return false
                }
            }
            return true
        }
    }

    /// Ends sending, and discards bytes that have arrived: if they stayed unread, closing could discard what was sent.
    func finishSending() {
        shutdown(descriptor, Int32(SHUT_WR))
        _ = receive()
    }

    private func setOption(_ option: Int32) {
        var value: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }
}

extension PreviewProblem {
    /// Creates the problem that the server cannot listen on a port.
    ///
    /// - Parameters:
    ///   - port: the port; 0 for any free one.
    ///   - number: the reason, from `errno`.
    init(cannotListenOn port: UInt16, _ number: Int32) {
        let place = port == 0 ? "127.0.0.1" : "port \(port) of 127.0.0.1"
        let reason = number == EADDRINUSE ? "it is in use" : String(cString: strerror(number))
        self.init("cannot listen on \(place): \(reason)")
    }
}

/// Calls `accept(2)`, as the name `accept` means a method inside ``Socket``.
private func systemAccept(_ descriptor: Int32) -> Int32 { accept(descriptor, nil, nil) }

/// Calls `send(2)`, as the name `send` means a method inside ``Socket``.
private func systemSend(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, _ flags: Int32) -> Int {
    send(descriptor, bytes.baseAddress, bytes.count, flags)
}
