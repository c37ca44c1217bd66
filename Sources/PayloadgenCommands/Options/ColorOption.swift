// SPDX-License-Identifier: MIT

import ArgumentParser
import Foundation

/// The option `--color`, which every command has.
struct ColorOption: ParsableArguments {
    @Option(help: "Colour in readable output; auto: on a terminal and without NO_COLOR.")
    var color = ColorChoice.auto
}

/// When to use colour.
enum ColorChoice: String, ExpressibleByArgument, CaseIterable {
    case auto, always, never

    /// Whether output to a stream is coloured with this choice.
    func colors(_ stream: StandardStream) -> Bool {
        switch self {
        case .always: true
        case .never: false
        case .auto: stream.isTerminal && (ProcessInfo.processInfo.environment["NO_COLOR"] ?? "").isEmpty
        }
    }
}
