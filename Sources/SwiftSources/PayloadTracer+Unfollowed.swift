// SPDX-License-Identifier: MIT

/// Pushes that reach a part of the code which the analysis does not follow.
///
/// Each of them is an unknown read at its place, so that a key that is read there is not taken for one that no code
/// reads.
extension PayloadTracer {
    /// Whether code that gets a value may read key-value pairs in it, or in a field of the object that it is.
    func holdsPush(_ value: TracedValue, depth: Int = 0) -> Bool {
        if value.givesKeys { return true }
        guard depth < 4 else { return false }
        return value.forms.contains { form in
            guard case .object(_, let instance) = form, followedInstances.contains(instance) else { return false }
            return instanceFields(instance).values.contains { holdsPush($0, depth: depth + 1) }
        }
    }

    /// Notes a push among the parts of an expression of which only the parts are known.
    func noteParts(_ parts: [TracedValue], at place: CodePlace) {
        if parts.contains(where: \.givesKeys) {
            noteUnknown("the push is used in an expression that is not followed", at: place)
        }
    }

    /// Notes a push that is passed to an initializer of a type of the target that no code declares, such as one of a
    /// macro.
    func noteUnfollowedInitializer(of type: Int, with argument: TracedValue, at place: CodePlace) {
        // What an object of the target holds is read by its own members, which classes of the system call.
        let isLost = argument.givesKeys || !inheritsSystemClass(type) && holdsPush(argument)
        if isLost {
            noteUnknown(
                "the push is passed to an initializer of '\(index.types[type].simpleName)' that is not found", at: place
            )
        }
    }

    /// Notes a member of a push, or of an object that holds one, that no code declares.
    ///
    /// - Parameters:
    ///   - name: the name of the member.
    ///   - value: the value whose member it is.
    ///   - place: the place of the member.
    func noteUnknownMember(_ name: String, of value: TracedValue, at place: CodePlace) {
        let isLost = value.forms.contains { form in
            switch form {
            case .json(let path):
                (path.isEmpty || value.isDictionaryOfPush && value.type?.isDictionary ?? false) && value.givesKeys
                    && !SystemTypes.dictionaryMembers.contains(name)
            case .system(let type):
                SystemTypes.givesKeys(type) && type != "Braze.Notifications.Payload"
                    && !SystemTypes.notificationMembers.contains(name)
            case .object(let type, _): mayInheritMembers(type) && holdsPush(TracedValue(form))
            default: false
            }
        }
        if isLost && !SystemTypes.objectMembers.contains(name) { noteForeign(name, at: place) }
    }

    /// Notes a method of a decoder, of a notification, or of an object that holds a push, that no code declares.
    func noteUnknownMethod(_ call: MethodCall) {
        guard !Self.decodingMethods.contains(call.name), !Self.keylessMethods.contains(call.name),
            !SystemTypes.objectMembers.contains(call.name)
        else { return }
        let isLost = call.target.forms.contains { form in
            switch form {
            case .jsonDecoder: false
            case .system(let type):
                SystemTypes.givesKeys(type) && type != "Braze.Notifications.Payload"
                    && !SystemTypes.notificationMethods.contains(call.name)
                    // In Objective-C, the getter of a property is a method.
                    && !(call.arguments.isEmpty && SystemTypes.notificationMembers.contains(call.name))
            case .object(let type, _): mayInheritMembers(type) && holdsPush(TracedValue(form))
            default: form.isDecoding
            }
        }
        if isLost { noteForeign(call.name, at: call.place) }
    }

    /// Whether nothing is known about a function that is called, and it is not an argument that callers of this code
    /// pass.
    func isUnknownFunction(_ value: TracedValue, named name: String, _ frame: Frame) -> Bool {
        guard value.forms.isEmpty, !circumstances.isRepeated, !SystemTypes.takesWholePush(name) else { return false }
        guard frame.depth == 0, let function = frame.function else { return true }
        return function.kind == .function && !isCalled(function)
    }

    /// Notes a property whose wrapper reads the object that has the property, where this may hold a push.
    func noteEnclosingWrapper(_ wrapper: Int, of owner: Int, at place: CodePlace) {
        let readsObject = index.types[wrapper].functions["subscript"]?.contains {
            $0.declaration.parameters.first?.label == "_enclosingInstance"
                // The object is one of the types of which the body is known.
                && isGeneric($0.declaration.parameters.first?.type, $0.declaration)
        }
        let holdsPush = index.types[owner].stored.contains { property in
            property.declaration.name.flatMap { field($0, of: owner) }?.givesKeys ?? false
        }
        if readsObject ?? false, holdsPush {
            noteUnknown("the wrapper of the property reads its object, which is not followed", at: place)
        }
    }

    private func isGeneric(_ type: CodeTypeName?, _ function: CodeFunction) -> Bool {
        type?.name.map(function.generics.contains) ?? false
    }

    /// Whether a name is that of a type which replaces a generic one, and which is not known.
    func isTypeParameter(_ name: String, _ frame: Frame) -> Bool {
        guard frame.generics[name] == nil, !circumstances.isRepeated else { return false }
        return frame.function?.generics.contains(name) ?? false
            || frame.owner.map { index.types[$0].generics.contains(name) } ?? false
    }

    /// Whether a value is an object, a type or a case of an enumeration of the target.
    func isOfTarget(_ value: TracedValue) -> Bool { value.forms.contains(where: \.isReceiver) }

    /// Whether a class inherits from one of the system.
    private func inheritsSystemClass(_ type: Int) -> Bool {
        index.foreignSuperclass(of: type).map { SystemTypes.isKnown($0) } ?? false
    }

    /// Whether a type inherits from a class or conforms to a protocol of code that is not read, which may give it
    /// members.
    func mayInheritMembers(_ type: Int) -> Bool {
        guard importsOthers, !inheritsSystemClass(type) else { return false }
        return index.ancestry(of: type).contains { owner in
            index.types[owner].inherited.compactMap(\.name).contains {
                !SystemTypes.isKnown($0) && !index.mayDeclare($0)
            }
        }
    }
}

extension SystemTypes {
    /// The properties of dictionaries that give no value in them, or one that is followed or reported where it is used.
    fileprivate static let dictionaryMembers: Set<String> = [
        "count", "isEmpty", "capacity", "underestimatedCount", "startIndex", "endIndex", "indices", "keys", "values",
        "first", "allKeys", "allValues", "keyEnumerator", "objectEnumerator", "descriptionInStringsFileFormat",
        "unsafelyUnwrapped",
    ]

    /// The properties of notifications, their requests, contents and responses.
    fileprivate static let notificationMembers: Set<String> = [
        "request", "date", "identifier", "content", "trigger", "notification", "actionIdentifier", "targetScene",
        "userText", "attachments", "badge", "body", "categoryIdentifier", "filterCriteria", "interruptionLevel",
        "launchImageName", "relevanceScore", "sound", "subtitle", "summaryArgument", "summaryArgumentCount",
        "targetContentIdentifier", "threadIdentifier", "title", "userInfo",
    ]

    /// The methods of notifications and their contents, apart from those that any object has.
    fileprivate static let notificationMethods: Set<String> = [
        "updating", "contentByUpdatingWithProvider:error:", "init", "isKindOfClass:", "value", "valueForKey:",
        "valueForKeyPath:", "setValue", "setValue:forKey:", "setTitle:", "setSubtitle:", "setBody:", "setBadge:",
        "setSound:", "setAttachments:", "setUserInfo:", "setCategoryIdentifier:", "setThreadIdentifier:",
        "setLaunchImageName:", "setRelevanceScore:", "setInterruptionLevel:", "setTargetContentIdentifier:",
        "setFilterCriteria:", "setSummaryArgument:", "setSummaryArgumentCount:", "map", "flatMap",
    ]

    /// The properties that any object has.
    fileprivate static let objectMembers: Set<String> = [
        "description", "debugDescription", "hash", "hashValue", "customMirror", "class", "self", "superclass",
        "isProxy", "copy", "mutableCopy", "className", "classForCoder", "retain", "autorelease",
    ]
}
