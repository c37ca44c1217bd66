// SPDX-License-Identifier: MIT

/// A sound file of an app, whose header says whether iOS plays it as the sound of a push.
///
/// Sources: Apple, "UNNotificationSound" and "Apple Core Audio Format Specification 1.0"; "Audio Interchange File
/// Format AIFF-C"; Microsoft, "Multiple channel audio data and WAVE files".
struct SoundFile {
    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    private static let secondLimit = 30.0

    /// The reason why iOS plays the default sound instead of this one; nil if it plays this one, or if the file is not
    /// understood.
    var fault: String? {
        let format: (encoding: String, isPlayed: Bool, seconds: Double?)?
        switch (text(at: 0), text(at: 8)) {
        case ("caff", _): format = coreAudio
        case ("RIFF", "WAVE"): format = wave
        case ("FORM", "AIFF"), ("FORM", "AIFC"): format = interchange
        default: return otherKind.map { "it is \($0); expected a caf, aiff or wav file" }
        }
        guard let format else { return nil }
        guard format.isPlayed else {
            return "its encoding is '\(format.encoding)'; expected linear PCM, IMA4, µLaw or aLaw"
        }
        guard let seconds = format.seconds, seconds > Self.secondLimit, seconds < 1e6 else { return nil }
        return "it lasts \(Int(seconds.rounded(.up))) seconds; expected at most \(Int(Self.secondLimit))"
    }

    private var otherKind: String? {
        // MP3 has no magic number; its frames begin with eleven bits that are 1.
        let isFrame = (number(at: 0, count: 2) ?? 0) & 0xFFE0 == 0xFFE0
        if isFrame || bytes.starts(with: "ID3".utf8) { return "an MP3 file" }
        switch (text(at: 0), text(at: 4)) {
        case ("OggS", _): return "an Ogg file"
        case ("fLaC", _): return "a FLAC file"
        case (_, "ftyp"): return "an MPEG-4 file"
        default: return nil
        }
    }

    // MARK: - Formats

    private var coreAudio: (encoding: String, isPlayed: Bool, seconds: Double?)? {
        let chunks = chunks(from: 8, sizeBytes: 8, isLittleEndian: false)
        guard let description = chunks["desc"]?.start, let encoding = text(at: description + 8),
            let rate = number(at: description, count: 8).map(Double.init(bitPattern:)), rate > 0,
            let packetBytes = number(at: description + 16, count: 4),
            let packetFrames = number(at: description + 20, count: 4)
        else { return nil }
        var frames = chunks["pakt"].flatMap { number(at: $0.start + 8, count: 8) }.map(Double.init)
        if frames == nil, packetBytes > 0, let size = chunks["data"]?.size {
            frames = Double(size) / Double(packetBytes) * Double(packetFrames)
        }
        return (encoding, ["lpcm", "ima4", "ulaw", "alaw"].contains(encoding), frames.map { $0 / rate })
    }

    private var wave: (encoding: String, isPlayed: Bool, seconds: Double?)? {
        let chunks = chunks(from: 12, sizeBytes: 4, isLittleEndian: true)
        guard let format = chunks["fmt "]?.start, var tag = number(at: format, count: 2, isLittleEndian: true),
            let rate = number(at: format + 8, count: 4, isLittleEndian: true), rate > 0
        else { return nil }
        // In the extensible WAVE format, the last member has the actual format tag.
        if tag == 0xFFFE { tag = number(at: format + 24, count: 2, isLittleEndian: true) ?? tag }
        let seconds = chunks["data"].map { Double($0.size) / Double(rate) }
        return ("0x" + String(tag, radix: 16), [1, 3, 6, 7, 0x11].contains(tag), seconds)
    }

    private var interchange: (encoding: String, isPlayed: Bool, seconds: Double?)? {
        let chunks = chunks(from: 12, sizeBytes: 4, isLittleEndian: false)
        guard let common = chunks["COMM"]?.start, let frames = number(at: common + 2, count: 4),
            let exponent = number(at: common + 8, count: 2), let fraction = number(at: common + 10, count: 8)
        else { return nil }
        // AIFF has the sample rate as a floating-point number of 80 bits.
        let scale = Int(exponent & 0x7FFF) - 16_383 - 63
        let rate = Double(sign: .plus, exponent: scale, significand: Double(fraction))
        let encoding = text(at: 8) == "AIFF" ? "NONE" : text(at: common + 18) ?? "NONE"
        let played = ["none", "sowt", "twos", "in24", "in32", "fl32", "fl64", "ima4", "ulaw", "alaw"]
        return (encoding, played.contains(encoding.lowercased()), rate > 0 ? Double(frames) / rate : nil)
    }

    // MARK: - Bytes

    /// The start and the size of the contents of each chunk, by the chunk's name; chunks are the parts of a sound file.
    private func chunks(
        from start: Int,
        sizeBytes: Int,
        isLittleEndian: Bool
    ) -> [String: (start: Int, size: Int)] {
        var chunks: [String: (start: Int, size: Int)] = [:]
        var position = start
        while let name = text(at: position),
            let stated = number(at: position + 4, count: sizeBytes, isLittleEndian: isLittleEndian)
        {
            let contents = position + 4 + sizeBytes
            let left = bytes.count - contents
            // A size of -1 means that the chunk extends to the end of the file.
            let size = stated > UInt64(left) ? left : Int(stated)
            if chunks[name] == nil { chunks[name] = (contents, size) }
            position = contents + size + (sizeBytes == 4 ? size % 2 : 0)
        }
        return chunks
    }

    private func text(at start: Int) -> String? {
        start + 4 <= bytes.count ? String(decoding: bytes[start..<start + 4], as: UTF8.self) : nil
    }

    private func number(at start: Int, count: Int, isLittleEndian: Bool = false) -> UInt64? {
        guard start + count <= bytes.count else { return nil }
        let slice = bytes[start..<start + count]
        return (isLittleEndian ? Array(slice.reversed()) : Array(slice)).reduce(0) { $0 << 8 | UInt64($1) }
    }
}
