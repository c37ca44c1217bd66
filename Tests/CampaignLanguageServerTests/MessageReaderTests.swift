// SPDX-License-Identifier: MIT

import CampaignLanguageServer
import Testing

@Suite struct MessageReaderTests {
    /// What the reader makes of an input that arrives in parts of `count` bytes.
    private func read(_ text: String, by count: Int = 7) -> [MessageReader.Input] {
        var rest = Array(text.utf8)[...]
        var reader = MessageReader { buffer in
            let part = rest.prefix(min(count, buffer.count))
            buffer.copyBytes(from: part)
            rest = rest.dropFirst(part.count)
            return part.count
        }
        var inputs: [MessageReader.Input] = []
        while let input = reader.next() { inputs.append(input) }
        return inputs
    }

    private func message(_ text: String) -> MessageReader.Input { .message(Array(text.utf8)) }

    private func isFault(_ input: MessageReader.Input?) -> Bool {
        if case .fault = input { true } else { false }
    }

    @Test(arguments: [1, 2, 7, 1_000]) func `messages come in parts`(count: Int) {
        let text = "Content-Length: 2\r\n\r\n{}content-length:3\r\nContent-Type: x\r\n\r\n[1]"
        #expect(read(text, by: count) == [message("{}"), message("[1]")])
        #expect(
            read("\r\n\r\nContent-Length: 0\n\nContent-Length: 4\n\nnull", by: count) == [message(""), message("null")])
    }

    @Test(
        arguments: [
            "Content-Length: x", "Content-Length: -1", "Content-Length: 67108865",
            "Content-Length: 99999999999999999999",
            "Content-Length:", "Nonsense", "Nonsense: 1", "{}", "Content-Type: a\r\nX: 1",
        ]
    )
    func `after a malformed header the next message is read`(header: String) {
        let inputs = read(header + "\r\n\r\nContent-Length: 2\r\n\r\n{}")
        #expect(isFault(inputs.first))
        #expect(inputs.last == message("{}"))
    }

    @Test func `what follows a length that is too small does not hide the next message`() {
        let inputs = read(#"Content-Length: 2"# + "\r\n\r\n" + #"{"a": 1}Content-Length: 2"# + "\r\n\r\n{}")
        #expect(inputs.first == message(#"{""#))
        #expect(inputs.dropFirst().contains(where: isFault))
        #expect(inputs.last == message("{}"))
    }

    @Test func `a long line is not kept`() {
        let inputs = read(String(repeating: "x", count: 100_000) + "Content-Length: 2\r\n\r\n{}", by: 4_096)
        #expect(isFault(inputs.first) && inputs.last == message("{}"))
    }

    @Test func `an end inside a message is the end`() {
        #expect(read("Content-Length: 3\r\n\r\n{}").isEmpty)
        #expect(read("Content-Length: 67108864\r\n\r\n{}").isEmpty)
        #expect(read("Content-Len").isEmpty)
        #expect(read("").isEmpty)
    }
}
