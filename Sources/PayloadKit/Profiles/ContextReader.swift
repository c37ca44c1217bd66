// SPDX-License-Identifier: MIT

public import Liquid
public import SourceText

/// Reads the short form: one JSON object whose keys are the namespaces of Liquid, fixtures, variables and the clock.
enum ContextReader {
    /// Keys whose members templates read, with the name that templates use.
    private static let namespaces: [(key: StaticString, name: String)] = [
        ("user", RenderContext.bareNamespace), ("custom_attributes", "custom_attribute"),
        ("event_properties", "event_properties"), ("api_trigger_properties", "api_trigger_properties"),
        ("canvas_entry_properties", "canvas_entry_properties"), ("context", "context"), ("campaign", "campaign"),
        ("canvas", "canvas"), ("card", "card"), ("app", "app"),
        ("most_recently_used_device", "most_recently_used_device"), ("targeted_device", "targeted_device"),
        ("subscribed_state", "subscribed_state"), ("sms", "sms"), ("whats_app", "whats_app"),
        ("preference_center", "preference_center"), ("product_recommendation", "product_recommendation"),
        ("content_blocks", RenderContext.contentBlocks),
    ]

    /// Keys of what a template would fetch.
    static let fixtures = [
        "catalogs", "catalog_selections", "connected_content", "promotion_codes", "shopping_carts",
        "landing_pages", "translations",
    ]

    private static let known = namespaces.map { "\($0.key)" } + fixtures + ["vars", "now"]

    /// Reads a context.
    ///
    /// - Parameters:
    ///   - bytes: the JSON.
    ///   - what: what the file is, for messages.
    /// - Returns: the context.
    /// - Throws: the first fault of JSON or of the form.
    static func read(_ bytes: UnsafeBufferPointer<UInt8>, what: String) throws(ProfileError) -> RenderContext {
        var context = RenderContext.empty
        var fixtures = LiquidObject.Builder()
        var problem: ProfileError?
        do throws(JSONError) {
            var json = JSONReader(bytes)
            let token = try json.readValue()
            if token != .object {
                problem = ProfileError("found \(token.kindName), expected the object of \(what)", at: json.tokenRange)
                try json.skipRest(of: token)
            }
            while token == .object, let key = try json.nextKey() {
                if let namespace = namespaces.first(where: { json.matches(key, $0.key) }) {
                    if let members = try json.readObject() {
                        context.setMembers(members, of: namespace.name)
                    } else {
                        problem = problem ?? ProfileError.noObject(namespace.key.description, json.tokenRange)
                    }
                } else if json.matches(key, "vars") {
                    context.variables = try json.readObject() ?? .empty
                } else if json.matches(key, "now") {
                    let value = try json.readAnyValue()
                    context.now = time(value)
                    if context.now == nil {
                        problem = problem ?? ProfileError("'now' is no time in ISO 8601", at: json.tokenRange)
                    }
                } else {
                    let name = json.string(key)
                    if Self.fixtures.contains(name) {
                        fixtures.set(name, try json.readAnyValue())
                    } else {
                        problem = problem ?? unknownKey(name, key.quotedRange, what)
                        try json.skipValue()
                    }
                }
            }
            try json.finish()
        } catch {
            throw ProfileError(error)
        }
        if let problem { throw problem }
        context.fixtures = LiquidObject(fixtures)
        return context
    }

    private static func time(_ value: Value) -> Time? {
        switch value {
        case .string(let text): Time(iso8601: text)
        case .time(let time): time
        default: nil
        }
    }

    private static func unknownKey(_ name: String, _ range: SourceRange, _ what: String) -> ProfileError {
        var message = "unknown key '\(name)' in \(what) of the short form"
        if let near = nearestName(to: name, in: known) { message += "; did you mean '\(near)'?" }
        return ProfileError(message, at: range)
    }
}

extension ProfileError {
    static func noObject(_ key: String, _ range: SourceRange) -> ProfileError {
        ProfileError("'\(key)' has to be an object of names and values", at: range)
    }
}

extension RenderContext {
    /// Reads a context from JSON: the short form, or what Braze exports of a user.
    ///
    /// - Parameter file: the file.
    /// - Throws: why the file is no context, with its place.
    public init(file: SourceFile) throws(CampaignError) {
        do throws(ProfileError) {
            self = try file.bytes.withUnsafeBufferPointer { bytes throws(ProfileError) in
                try ContextReader.read(bytes, what: "a context")
            }
        } catch {
            throw CampaignError(.invalid, [error.diagnostic(in: file)])
        }
    }
}

extension LiquidObject {
    /// Reads a file of properties, such as that of `--trigger-properties`: one JSON object.
    ///
    /// - Throws: why the file holds no object, with its place.
    public convenience init(propertiesIn file: SourceFile) throws(CampaignError) {
        var members: LiquidObject?
        do throws(JSONError) {
            members = try file.bytes.withUnsafeBufferPointer { bytes throws(JSONError) in
                var json = JSONReader(bytes)
                let members = try json.readObject()
                try json.finish()
                return members
            }
        } catch {
            throw CampaignError(.invalid, [error.diagnostic(rule: ProfileError.rule, in: file)])
        }
        guard let members else {
            let error = ProfileError("expected an object of names and values", at: SourceRange(0, 0))
            throw CampaignError(.invalid, [error.diagnostic(in: file)])
        }
        self.init(Builder(members))
    }
}
