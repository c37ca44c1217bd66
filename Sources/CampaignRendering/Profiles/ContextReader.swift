// SPDX-License-Identifier: MIT

import BrazeLiquid
import DiagnosticSources
import JSONTexts
import LiquidTemplates

/// Reads the short form: a JSON object whose keys are the namespaces of Liquid, the fixtures, variables and the clock.
enum ContextReader {
    /// Reads a context.
    ///
    /// - Parameters:
    ///   - bytes: the JSON.
    ///   - what: what the file should contain, for messages.
    /// - Returns: the context.
    /// - Throws: the first fault in the JSON or in the form.
    static func read(_ bytes: UnsafeBufferPointer<UInt8>, what: String) throws(ProfileError) -> RenderContext {
        var context = RenderContext.empty
        var problem: ProfileError?
        do throws(JSONError) {
            var json = JSONReader(bytes)
            json.requiresFiniteNumbers = true
            let token = try json.readValue()
            if token != .object {
                problem = ProfileError("found \(token.kindName), expected the object of \(what)", at: json.tokenRange)
                try json.skipRest(of: token)
            }
            while token == .object, let key = try json.nextKey() {
                let value = try json.readAnyValue()
                do throws(LiquidError) {
                    try context.set(json.string(key), value)
                } catch {
                    problem = problem ?? ProfileError(error.message, at: key.quotedRange)
                }
            }
            try json.finish()
        } catch {
            throw ProfileError(error)
        }
        if let problem { throw problem }
        return context
    }
}
