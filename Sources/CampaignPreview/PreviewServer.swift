// SPDX-License-Identifier: MIT

internal import Foundation
internal import POSIXFiles

/// Serves the page of a preview on 127.0.0.1 only.
///
/// One thread waits for all connections. It reads requests within limits of bytes and time, and checks each request's
/// token before it reads a body or hands the request to a thread that answers it. The number of connections that have
/// not shown the token is limited: a new one closes the oldest of them, so that nobody can lock the owner out. A
/// connection is closed after its answer, so that further bytes are never taken for another request.
package final class PreviewServer: Sendable {
    /// The maximum number of bytes in the body of a request.
    private static let bodyLimit = 2_000_000

    /// The maximum number of requests with the token that are read or answered at once, and of open event streams.
    private static let requestLimit = 32
    private static let streamLimit = 16

    /// The maximum number of connections that have not shown the token, and the times allowed for a head and for a
    /// body.
    private static let unverifiedLimit = 64
    private static let headTime = DispatchTimeInterval.seconds(10)
    private static let bodyTime = DispatchTimeInterval.seconds(30)

    /// The time for which the server goes on reading after a refusal, so that the sender can read the refusal.
    private static let drainTime = DispatchTimeInterval.seconds(2)

    /// The highest descriptor that a connection may have.
    ///
    /// The system assigns the lowest free one, so the higher ones are left for files.
    private static let lastDescriptor: Int = {
        let limit = sysconf(Int32(_SC_OPEN_MAX))
        return limit < 0 ? .max : limit - 32
    }()

    /// The address of the page.
    package let address: String

    private let project: PreviewProject
    private let routes: PreviewRoutes
    private let check: RequestGuard
    private let listener: Socket
    private let isStopped = Locked(false)

    /// The number of threads that are answering requests.
    private let answering = Locked(0)

    /// Begins to listen.
    ///
    /// - Parameters:
    ///   - project: the campaigns and people of the page.
    ///   - token: the secret part of the address; nil for a new one.
    /// - Throws: the reason that the server cannot listen.
    package init(_ project: PreviewProject, token: String? = nil) throws(PreviewProblem) {
        let token = token ?? RequestGuard.newToken()
        let (listener, port) = try Socket.listening(on: project.settings.port)
        self.project = project
        self.listener = listener
        routes = PreviewRoutes(project: project, token: token)
        check = RequestGuard(token: token, port: port)
        address = "http://127.0.0.1:\(port)/\(token)/" + (project.settings.isOnePerBranch ? "?branches=1" : "")
    }

    /// Makes ``serve(until:onEntry:)`` return soon.
    package func stop() { isStopped.withLock { $0 = true } }

    /// Serves the page and watches the files, until ``stop()`` is called.
    ///
    /// - Parameters:
    ///   - isOver: returns true to end the server as well; called at least ten times a second.
    ///   - onEntry: is called once, on the first request with the token.
    package func serve(until isOver: () -> Bool = { false }, onEntry: () -> Void = {}) {
        var isFollowing = false
        var isEntered = false
        var connections: [Connection] = []
        var pauseEnd = DispatchTime.now()
        while !isStopped.withLock({ $0 }), !isOver() {
            if !isFollowing { isFollowing = LargeStack.start { self.followFiles() } }
            let isPaused = DispatchTime.now() < pauseEnd
            var polled = [pollfd(fd: isPaused ? -1 : listener.descriptor, events: Int16(POLLIN), revents: 0)]
            polled += connections.map { pollfd(fd: $0.socket.descriptor, events: Int16(POLLIN), revents: 0) }
            poll(&polled, nfds_t(polled.count), 100)
            let now = DispatchTime.now()
            for (connection, poll) in zip(connections, polled.dropFirst()) {
                let isOpen = advance(connection, isReady: poll.revents != 0, among: connections)
                if !isOpen || connection.end.map({ now >= $0 }) ?? false { connection.isDone = true }
                if !isEntered, !connection.isUnverified {
                    isEntered = true
                    onEntry()
                }
            }
            connections.removeAll(where: \.isDone)
            guard polled[0].revents != 0 else { continue }
            if let oldest = connections.firstIndex(where: \.isUnverified),
                connections.count(where: \.isUnverified) >= Self.unverifiedLimit
            {
                connections.remove(at: oldest)
            }
            if let socket = listener.accept() {
                if socket.descriptor > Self.lastDescriptor { connections.removeAll(where: \.isUnverified) }
                connections.append(Connection(socket, end: now + Self.headTime))
            } else if errno == EMFILE || errno == ENFILE, connections.contains(where: \.isUnverified) {
                connections.removeAll(where: \.isUnverified)
            } else if errno != EINTR, errno != EAGAIN, errno != ECONNABORTED {
                // The system lacks a resource, and would report the same connection at once again, so this waits a
                // little.
                pauseEnd = now + .milliseconds(100)
            }
        }
    }

    private func followFiles() {
        var spent = 0.0
        while !isStopped.withLock({ $0 }) {
            // However busy the machine is, checking the files of a large project thus takes at most an eighth of the
            // time.
            Thread.sleep(forTimeInterval: max(0.25, 8 * spent))
            let start = Self.processorSeconds
            let changes = project.changes
            spent = Self.processorSeconds - start
            if !changes.isEmpty { project.reload(changes) }
        }
    }

    /// The processor time of this thread, in seconds.
    private static var processorSeconds: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    // MARK: - Connections

    /// A connection on which the server waits for bytes.
    private final class Connection {
        enum State {
            case head
            /// The head was read and contains the token; the body follows.
            case body(RequestHead, route: String, count: Int)
            /// The request was refused, and the rest of it is read and ignored.
            case refused
            /// The connection gets events; the value is the number of the state that was sent last.
            case events(Int)
        }

        let socket: Socket
        var state = State.head
        var reader = RequestHeadReader()

        /// The time at which the server closes the connection; nil if it does not.
        var end: DispatchTime?

        /// Whether the server no longer waits for bytes on the connection.
        var isDone = false

        init(_ socket: Socket, end: DispatchTime) {
            self.socket = socket
            self.end = end
        }

        /// Whether the connection still has to show the token, or was refused.
        var isUnverified: Bool {
            switch state {
            case .head, .refused: true
            case .body, .events: false
            }
        }
    }

    /// Reads the bytes that have arrived on a connection, and answers.
    ///
    /// - Returns: whether the server still waits for the connection.
    private func advance(_ connection: Connection, isReady: Bool, among all: [Connection]) -> Bool {
        if isReady {
            guard let bytes = connection.socket.receive() else { return false }
            switch connection.state {
            case .head, .body: connection.reader.append(bytes)
            case .refused, .events: break
            }
        }
        do throws(RequestGuard.Refusal) {
            if case .head = connection.state, isReady {
                guard let head = try connection.reader.head() else { return true }
                try begin(connection, head, among: all)
            }
            switch connection.state {
            case .body(let head, let route, let count):
                let rest = connection.reader.bytes[connection.reader.end...]
                guard rest.count >= count else { return true }
                try answer(head, route, Array(rest.prefix(count)), on: connection.socket)
                return false
            case .events(let last):
                let revision = project.revision
                guard revision != last else { return true }
                connection.state = .events(revision)
                return connection.socket.send(Array("event: state\ndata: {\"revision\":\(revision)}\n\n".utf8))
            case .head, .refused: return true
            }
        } catch {
            connection.state = .refused
            connection.end = .now() + Self.drainTime
            guard connection.socket.send(Response(error).bytes) else { return false }
            connection.socket.finishSending()
            return true
        }
    }

    /// Begins to read the body of a request with the token, or to send events.
    ///
    /// The number of requests at the same time is limited.
    private func begin(
        _ connection: Connection,
        _ head: RequestHead,
        among all: [Connection]
    ) throws(RequestGuard.Refusal) {
        let route = try check.route(head)
        let count = try head.bodyCount(limit: Self.bodyLimit)
        if head.method == "GET", route == "api/events" {
            let streams = all.count { if case .events = $0.state { true } else { false } }
            guard streams < Self.streamLimit, connection.socket.send(Response.eventStream) else {
                throw RequestGuard.Refusal(status: 503, code: "busy", message: "too many pages are open")
            }
            connection.state = .events(0)
            connection.end = nil
            return
        }
        // Connections that are done are among those whose requests are being answered, and are counted there.
        let read = all.count { if case .body = $0.state { !$0.isDone } else { false } }
        guard read + answering.withLock({ $0 }) < Self.requestLimit else { throw Self.busy }
        connection.state = .body(head, route: route, count: count)
        connection.end = .now() + Self.bodyTime
    }

    private static let busy = RequestGuard.Refusal(
        status: 503, code: "busy", message: "too many requests at one time")

    /// Answers a request on a new thread, which may block.
    ///
    /// - Throws: an error if the system cannot create a thread.
    private func answer(
        _ head: RequestHead,
        _ route: String,
        _ body: [UInt8],
        on socket: Socket
    ) throws(RequestGuard.Refusal) {
        answering.withLock { $0 += 1 }
        let isStarted = LargeStack.start { [self] in
            _ = socket.send(routes.response(to: head, route, body).bytes, patience: 15)
            socket.finishSending()
            answering.withLock { $0 -= 1 }
        }
        guard isStarted else {
            answering.withLock { $0 -= 1 }
            throw Self.busy
        }
    }
}
