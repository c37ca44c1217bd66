// SPDX-License-Identifier: MIT

public import BrazeLiquid
public import DiagnosticSources
import JSONTexts
public import LiquidTemplates

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
                problem = ProfileError(
                    "found \(token.kindName), expected \(what) as a JSON object", at: json.tokenRange)
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

extension RenderContext {
    /// Reads a context from JSON in the short form.
    ///
    /// A user in Braze's export format has to be read as a ``Profile``.
    ///
    /// - Parameter file: the file.
    /// - Throws: an error with its place if the file is not a context.
    public init(file: SourceFile) throws(InputError) {
        do throws(ProfileError) {
            self = try file.bytes.withUnsafeBufferPointer { bytes throws(ProfileError) in
                try ContextReader.read(bytes, what: "a context")
            }
        } catch {
            throw InputError(.invalid, [error.diagnostic(in: file)])
        }
    }
}

extension RenderContext {
    /// The context with properties of the API trigger and of the event added; the context's own values take precedence.
    public func laid(overTriggerProperties trigger: LiquidObject, eventProperties: LiquidObject) -> RenderContext {
        if trigger.count == 0, eventProperties.count == 0 { return self }
        return laid(
            over: RenderContext(
                namespaces: [("api_trigger_properties", trigger), ("event_properties", eventProperties)]
                    .filter { $0.1.count > 0 }
            )
        )
    }
}

extension RenderContext {
    /// The names of the plain Liquid variables that the context sets.
    package var variableNames: [String] { variables.keys }
}

extension LiquidObject {
    /// Reads a file of properties, such as the file of `--trigger-properties`, which has to contain one JSON object.
    ///
    /// - Throws: an error with its place if the file does not contain a valid object.
    public init(propertiesIn file: SourceFile) throws(InputError) {
        var members: LiquidObject?
        do throws(JSONError) {
            members = try file.bytes.withUnsafeBufferPointer { bytes throws(JSONError) in
                var json = JSONReader(bytes)
                json.requiresFiniteNumbers = true
                let members = try json.readObject()
                try json.finish()
                return members
            }
        } catch {
            throw InputError(.invalid, [error.diagnostic(rule: .profileSyntax, in: file)])
        }
        guard let members else {
            let error = ProfileError("expected an object of names and values", at: .wholeFile)
            throw InputError(.invalid, [error.diagnostic(in: file)])
        }
        self.init(Builder(members))
    }
}
