// SPDX-License-Identifier: MIT

public import BrazeLiquid
import JSON
public import Liquid
public import SourceText

/// Reads the short form: one JSON object whose keys are the namespaces of Liquid, fixtures, variables and the clock.
enum ContextReader {
    /// Reads a context.
    ///
    /// - Parameters:
    ///   - bytes: the JSON.
    ///   - what: what the file is, for messages.
    /// - Returns: the context.
    /// - Throws: the first fault of JSON or of the form.
    static func read(_ bytes: UnsafeBufferPointer<UInt8>, what: String) throws(ProfileError) -> RenderContext {
        var context = RenderContext.empty
        var problem: ProfileError?
        do throws(JSONError) {
            var json = JSONReader(bytes)
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

extension RenderContext {
    /// Reads a context from JSON: the short form, or what Braze exports of a user.
    ///
    /// - Parameter file: the file.
    /// - Throws: why the file is no context, with its place.
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

extension LiquidObject {
    /// Reads a file of properties, such as that of `--trigger-properties`: one JSON object.
    ///
    /// - Throws: why the file holds no object, with its place.
    public convenience init(propertiesIn file: SourceFile) throws(InputError) {
        var members: LiquidObject?
        do throws(JSONError) {
            members = try file.bytes.withUnsafeBufferPointer { bytes throws(JSONError) in
                var json = JSONReader(bytes)
                let members = try json.readObject()
                try json.finish()
                return members
            }
        } catch {
            throw InputError(.invalid, [error.diagnostic(rule: .profileSyntax, in: file)])
        }
        guard let members else {
            let error = ProfileError("expected an object of names and values", at: SourceRange(0, 0))
            throw InputError(.invalid, [error.diagnostic(in: file)])
        }
        self.init(Builder(members))
    }
}
