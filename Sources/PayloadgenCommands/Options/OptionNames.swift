// SPDX-License-Identifier: MIT

import ArgumentParser
import DiagnosticSources
import JSONTexts

/// Finds options of a command that are given more than once.
enum OptionNames {
    /// Returns an option that takes one value and is given more than once, as the parser would silently use the last
    /// value.
    ///
    /// - Parameters:
    ///   - arguments: arguments that the parser accepts, so that no value of an option begins with two hyphens.
    ///   - command: the command that the arguments are for.
    /// - Returns: the first such option, such as `--app`; nil if there is none.
    static func repeatedOption(in arguments: [String], for command: any ParsableCommand.Type) -> String? {
        var seen: Set<Substring> = []
        let repeated = arguments.prefix { $0 != "--" }.filter { $0.hasPrefix("--") }
            .map { $0.prefix { $0 != "=" } }
            .filter { !seen.insert($0).inserted }
        // The parser needs long to describe a command, so it does so only if an option is repeated.
        if repeated.isEmpty { return nil }
        let single = withOneValue(command)
        return repeated.first { single.contains(String($0)) }.map { String($0) }
    }

    /// The names of a command's options that take one value.
    private static func withOneValue(_ command: any ParsableCommand.Type) -> Set<String> {
        let description = SourceFile(path: "", text: command._dumpHelp())
        guard let arguments = (try? JSONDocument(description))?.root["command"]?["arguments"] else { return [] }
        let single = arguments.elements.filter { argument in
            argument["kind"]?.string == "option" && argument["isRepeating"]?.bool == false
        }
        let names = single.compactMap { $0["names"] }.flatMap { Array($0.elements) }
        return Set(names.filter { $0["kind"]?.string == "long" }.compactMap { $0["name"]?.string }.map { "--" + $0 })
    }
}
