// SPDX-License-Identifier: MIT

/// A variable and the steps into its value, such as `user.addresses[0].city` or `custom_attribute.${plan}`.
///
/// Names are compared byte by byte, as the engine looks them up.
public struct VariablePath: Sendable, Hashable, CustomStringConvertible {
    /// What a path starts from.
    public enum Root: Sendable, Hashable {
        /// A variable by its name.
        case name(String)
        /// An attribute of the dialect without a namespace, such as `${first_name}`.
        case attribute(String)
        /// A variable whose name is known only when the template is rendered.
        case computed

        private var form: WrittenForm {
            switch self {
            case .name(let name): WrittenForm(kind: 0, name: name)
            case .attribute(let name): WrittenForm(kind: 1, name: name)
            case .computed: WrittenForm(kind: 2, name: "")
            }
        }

        /// Compares names byte by byte.
        public static func == (left: Root, right: Root) -> Bool { left.form == right.form }

        /// Hashes the bytes of the name.
        public func hash(into hasher: inout Hasher) { hasher.combine(form) }
    }

    /// One step of a path.
    public enum Segment: Sendable, Hashable {
        /// `.name` or `["name"]`
        case key(String)
        /// `[0]`
        case index(Int)
        /// `.${name}` of the dialect.
        case attribute(String)
        /// A step that is known only when the template is rendered.
        case computed

        private var form: WrittenForm {
            switch self {
            case .key(let name): WrittenForm(kind: 0, name: name)
            case .index(let index): WrittenForm(kind: 1, name: String(index))
            case .attribute(let name): WrittenForm(kind: 2, name: name)
            case .computed: WrittenForm(kind: 3, name: "")
            }
        }

        /// Compares names byte by byte.
        public static func == (left: Segment, right: Segment) -> Bool { left.form == right.form }

        /// Hashes the bytes of the name.
        public func hash(into hasher: inout Hasher) { hasher.combine(form) }
    }

    /// The start of the path.
    public var root: Root

    /// The steps.
    public var segments: [Segment]

    /// Creates a path.
    public init(_ root: Root, _ segments: [Segment] = []) {
        self.root = root
        self.segments = segments
    }

    /// The attribute of the dialect that the path reads, with the namespace before it; nil for a path without an
    /// attribute.
    ///
    /// `${first_name}` has no namespace; the namespace of `custom_attribute.${plan}` is `custom_attribute`.
    public var attribute: (namespace: String?, name: String)? {
        switch root {
        case .attribute(let name): return (nil, name)
        case .name(let namespace):
            guard case .attribute(let name)? = segments.first else { return nil }
            return (namespace, name)
        case .computed: return nil
        }
    }

    /// Whether every step is known without rendering.
    public var isStatic: Bool { root != .computed && !segments.contains(.computed) }

    /// Whether the path is equal to another path, or leads further into its value.
    public func starts(with other: VariablePath) -> Bool {
        root == other.root && segments.starts(with: other.segments)
    }

    /// The path as written in a template, with `[…]` for computed parts.
    public var description: String {
        var text =
            switch root {
            case .name(let name): name
            case .attribute(let name): "${\(name)}"
            case .computed: "[…]"
            }
        for segment in segments {
            switch segment {
            case .key(let key): text += "." + key
            case .index(let index): text += "[\(index)]"
            case .attribute(let name): text += ".${\(name)}"
            case .computed: text += "[…]"
            }
        }
        return text
    }
}

/// A number for the case of a root or segment, and the name; names are compared byte by byte.
private struct WrittenForm: Hashable {
    let kind: Int
    let name: String

    static func == (left: WrittenForm, right: WrittenForm) -> Bool {
        left.kind == right.kind && left.name.sameBytes(as: right.name)
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(kind)
        hasher.combine(bytesOf: name)
    }
}
