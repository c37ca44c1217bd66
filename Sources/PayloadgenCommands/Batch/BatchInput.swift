// SPDX-License-Identifier: MIT

import PayloadKit

/// Reads all sources of a batch one after another, as blocks of lines.
struct BatchInput: ~Copyable {
    private var sources: ArraySlice<ProfileSource>
    private var stream: ProfileStream?
    /// The reader of the current text; nil between two texts.
    private var lines: LineReader?
    /// The number of the current text, from 1.
    private var inputNumber = 0
    /// The path of the current text, as long as all its lines so far are blank.
    private var emptyPath: String?

    /// The paths of the texts without any profile.
    private(set) var emptyPaths: [String] = []

    /// The indices of the sources that contain a profile.
    private(set) var filledSources: Set<Int> = []

    /// The number of lines that were read.
    private(set) var lineCount = 0

    /// The number of bytes that were read, counted before unpacking.
    private(set) var readCount = 0

    init(_ sources: [ProfileSource]) { self.sources = sources[...] }

    /// Reads the next block.
    ///
    /// - Parameter block: receives the lines.
    /// - Returns: whether there was a block; false in any call after a failure.
    /// - Throws: the reason that the input cannot be read.
    mutating func fill(_ block: inout LineBlock) throws(CommandFailure) -> Bool {
        do throws(CommandFailure) {
            return try next(&block)
        } catch {
            sources = []
            stream = nil
            lines = nil
            throw error
        }
    }

    private mutating func next(_ block: inout LineBlock) throws(CommandFailure) -> Bool {
        while true {
            if InterruptSignal.wasSent { throw .interrupted }
            if lines == nil, try !openNext() { return false }
            let isFilled = try lines?.fill(&block) { room throws(CommandFailure) in
                try stream?.read(into: room) ?? 0
            }
            readCount += stream?.takeReadCount() ?? 0
            if isFilled == true {
                if emptyPath != nil, !block.isBlank {
                    emptyPath = nil
                    filledSources.insert(sources.startIndex - 1)
                }
                block.inputNumber = inputNumber
                return true
            }
            lineCount += lines?.lineCount ?? 0
            if let emptyPath { emptyPaths.append(emptyPath) }
            lines = nil
        }
    }

    /// Moves to the next text; returns false at the end.
    private mutating func openNext() throws(CommandFailure) -> Bool {
        while true {
            if let text = try stream?.nextText() {
                inputNumber += 1
                emptyPath = text.path
                lines = LineReader(path: text.path, file: text.file, firstLine: text.firstLine)
                return true
            }
            readCount += stream?.takeReadCount() ?? 0
            stream = nil
            guard let source = sources.popFirst() else { return false }
            stream = try ProfileStream(source)
        }
    }
}
