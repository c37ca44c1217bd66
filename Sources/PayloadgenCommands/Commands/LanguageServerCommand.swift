// SPDX-License-Identifier: MIT

import ArgumentParser
import CampaignLanguageServer
import DiagnosticSources
import Foundation

/// `payloadgen lsp`: the language server for editors.
struct LanguageServerCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "lsp",
        _superCommandName: Payloadgen.name,
        abstract: "Run a language server for editors, on standard input and output.",
        discussion: """
            The editor starts it and shows what lint finds in texts that are not saved, with fixes, completion, \
            explanations, definitions and references. No file is written, and nothing outside the folders that the \
            editor has open is read. docs/editors.md has the settings of editors.

            Example: printf 'Content-Length: 58\\r\\n\\r\\n{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}' | \
            payloadgen lsp | head -c 40
            """
    )

    @OptionGroup var color: ColorOption

    func perform(on console: Console) throws(CommandFailure) -> ExitStatus {
        let output = StandardStream.output
        let server = LanguageServer(version: Payloadgen.version) { bytes in
            bytes.withUnsafeBufferPointer { buffer in
                do throws(CommandFailure) { try output.writeAll(buffer, name: "standard output") } catch {
                    return false
                }
                return true
            }
        }
        let isShutDown = server.run { buffer in
            while true {
                let count = read(STDIN_FILENO, buffer.baseAddress, buffer.count)
                if count >= 0 || errno != EINTR { return count }
            }
        }
        // The protocol requires a failure if the client ends the session without asking for the shutdown first.
        return isShutDown ? .success : .findings
    }
}
