// SPDX-License-Identifier: MIT

/// The results of the analysis.
extension PayloadTracer {
    /// A place in the code that reads one key.
    struct Site: Hashable {
        var path: [String]
        var key: String
        var place: CodePlace
        /// The place where a caller names the key, if that is not the place of the read.
        var origin: CodePlace?
    }

    /// The facts that are known about a site.
    struct SiteFacts {
        /// The pushes for which the code reads the key.
        var circumstances: Circumstances
        /// The types to which the value is cast.
        var casts: Set<ReadType> = []
        /// The types of the casts that are an `as?` or `as!` of Swift, which values of other types fail.
        var strictCasts: Set<ReadType> = []
        /// The casts of Swift to types that no value in a push has.
        var impossibleCasts: Set<String> = []
        /// The casts and conversions of the value at which the code crashes if they fail.
        var crashes: [Crash] = []
        /// The types to which the value is converted.
        var conversions: Set<ReadType> = []
        /// Whether a conversion makes a date of a number, or of a text that is not known to be in ISO 8601.
        var hasOtherDates = false
        var demands: Set<Demand> = []
        /// What the code does without the key, in runs that began at functions that other code calls.
        var repeated: Set<ReadRequirement> = []
        var alternatives: [Int] = []
        /// Whether the code may read another key instead, which is not known.
        var isOneOfMany = false
        /// The functions whose callers give the key that the code may read instead.
        var choosers: Set<ObjectIdentifier> = []
        /// Whether the variable that holds the value is nil where the code does not read the key.
        var isNullElsewhere = false
    }

    /// What the code does if a key is missing, and for which pushes.
    struct Demand: Hashable {
        var requirement: ReadRequirement
        var isGate: Bool
        var circumstances: Circumstances
        /// The reads of which any one is enough instead.
        var instead: Set<Int> = []
    }

    /// A cast or conversion at which the code crashes if it fails, and for which pushes.
    struct Crash: Hashable {
        var conversion: Conversion
        /// Whether it only leaves the function to which the system passes the push.
        var isExit: Bool
        var circumstances: Circumstances
    }

    struct Report: Hashable {
        var place: CodePlace
        var why: String
    }

    /// Records the read of a key.
    func read(_ path: [String], _ key: String, at place: CodePlace, origin: CodePlace?) -> Int? {
        let site = Site(path: path, key: key, place: place, origin: origin)
        if let known = siteIDs[site] {
            // A repeated run knows less about the conditions than the calls.
            if !circumstances.isRepeated { facts[known].circumstances.formUnion(circumstances) }
            return known
        }
        guard sites.count < Limit.sites else {
            isExhausted = true
            return nil
        }
        siteIDs[site] = sites.count
        sites.append(site)
        facts.append(SiteFacts(circumstances: circumstances))
        return sites.count - 1
    }

    /// Records what the code does if a key is missing.
    func mark(_ sites: [Int], _ requirement: ReadRequirement, _ frame: Frame, isGate: Bool = false) {
        guard circumstances.categories != .none else { return }
        let isOfCall = !frame.isLast && (frame.depth > 0 || frame.isClosure)
        let isGate = isGate || isOfCall || frame.isAside || frame.loops > 0
        for site in sites {
            let name = KeyName(path: self.sites[site].path, key: self.sites[site].key)
            // Code that has tested for the key does not miss it.
            if requirement > .default, circumstances.keys.contains(name) { continue }
            if circumstances.isRepeated {
                if !isGate { facts[site].repeated.insert(requirement) }
                continue
            }
            // The value may be used where other conditions hold than at the read.
            let isNull = facts[site].isNullElsewhere
            let both = isNull ? circumstances : circumstances.intersection(facts[site].circumstances)
            facts[site].demands.insert(Demand(requirement: requirement, isGate: isGate, circumstances: both))
        }
    }

    /// Records that a value is cast to a type.
    func note(_ type: ReadType?, of value: TracedValue) {
        guard let type, type != .any else { return }
        for site in value.sites { facts[site].casts.insert(type) }
    }

    /// Records that a cast to a type fails for values of other types, whatever the code does with the result.
    func noteStrictCast(to type: ReadType?, of value: TracedValue, isForced: Bool, _ frame: Frame) {
        guard let type, type == .string || ReadType.notText.contains(type) else { return }
        for site in value.sites { facts[site].strictCasts.insert(type) }
        if isForced, let sent = value.sent, sent.conversion == nil { noteCrash(.cast(type), of: sent.site, frame) }
    }

    /// Records a cast to a type that no value in a push has.
    func noteImpossibleCast(to type: CodeTypeName, of value: TracedValue, isForced: Bool, _ frame: Frame) {
        guard let name = type.name, Conversion.impossibleTypes.contains(name), !index.mayDeclare(name),
            let sent = value.sent, sent.conversion == nil
        else { return }
        facts[sent.site].impossibleCasts.insert(name)
        if isForced { noteCrash(.impossibleCast(name), of: sent.site, frame) }
    }

    /// Records a cast of the whole push to a dictionary of values of one type, which its value of `aps` is not.
    func noteCastOfPush(_ value: TracedValue, to type: CodeTypeName, at place: CodePlace) {
        guard value.isWholePush, case .dictionary(_, let element) = type.unwrapped, let element = ReadType(element),
            element != .dictionary
        else { return }
        failingCasts.insert(place)
    }

    /// Records that the code crashes if a value is nil because a conversion has failed.
    func noteForced(_ value: TracedValue, _ frame: Frame) {
        if let sent = value.sent { noteFailure(of: sent, isExit: false, frame) }
    }

    /// Records that the code crashes, or only leaves the function, if the conversion of a value has failed.
    func noteFailure(of sent: SentValue, isExit: Bool, _ frame: Frame) {
        if let conversion = sent.conversion { noteCrash(conversion, of: sent.site, isExit: isExit, frame) }
    }

    private func noteCrash(_ conversion: Conversion, of site: Int, isExit: Bool = false, _ frame: Frame) {
        guard circumstances.categories != .none, !circumstances.isRepeated else { return }
        // Code leaves where the conversion fails, or for an earlier condition of the same statement.
        var both = isExit ? circumstances : circumstances.intersection(facts[site].circumstances)
        // A loop may have no iterations.
        if frame.loops > 0 { both.uncertain = .all }
        facts[site].crashes.formUnion([Crash(conversion: conversion, isExit: isExit, circumstances: both)])
    }

    /// Records that a value is converted to a type.
    func noteConversion(_ type: ReadType, of value: TracedValue) {
        for site in value.sites { facts[site].conversions.insert(type) }
    }

    /// Records that code makes a date of a value, in another form than that of ISO 8601.
    func noteOtherDate(of value: TracedValue) { for site in value.sites { facts[site].hasOtherDates = true } }

    /// Records that at least one of two reads is needed.
    func noteAlternatives(_ left: TracedValue, _ right: TracedValue) {
        for site in left.sites { facts[site].alternatives.formUnion(right.sites) }
        for site in right.sites { facts[site].alternatives.formUnion(left.sites) }
    }

    /// Records that code reads one of several keys.
    ///
    /// - Parameters:
    ///   - sites: the reads of these keys.
    ///   - key: the value that is the key, which may be others too.
    func noteChoice(of sites: [Int], by key: TracedValue) {
        // Of each value in turn it reads all; a repeated run knows less about the values than the calls.
        guard !key.isEach, !circumstances.isRepeated else { return }
        if key.dependsOnObject, sites.count > 1 {
            for site in sites { facts[site].isOneOfMany = true }
            return
        }
        for form in key.forms {
            switch form {
            case .null, .text, .enumCase: break
            case .parameter(let function): for site in sites { facts[site].choosers.insert(function) }
            default: for site in sites { facts[site].isOneOfMany = true }
            }
        }
        for site in sites { facts[site].alternatives.formUnion(sites.filter { $0 != site }) }
    }

    func noteUnknown(_ why: String, at place: CodePlace) { unknown.insert(Report(place: place, why: why)) }

    /// Runs the callers of a function in the next round, because they name the keys or categories that it gets.
    func followCallers(of function: ObjectIdentifier) {
        if let name = functionsByID[function]?.declaration.name, name != "init", name != "subscript",
            keyReaders.insert(name).inserted
        {
            hasNewFields = true
        }
    }

    func notePending(_ function: ObjectIdentifier, at place: CodePlace) {
        followCallers(of: function)
        pending[function, default: []].insert(
            Report(place: place, why: "the key is a parameter, and its callers are not known")
        )
    }

    func noteWrite(_ key: String, at place: CodePlace) { writes[key] = writes[key] ?? place }

    func noteCategory(_ name: String, _ actions: [String: Bool], isWhole: Bool, at place: CodePlace) {
        if categories[name] == nil { categories[name] = ([:], true, place) }
        categories[name]?.actions.merge(actions) { $0 || $1 }
        if !isWhole { categories[name]?.isWhole = false }
    }

    func noteAction(_ name: String, isTextInput: Bool, at place: CodePlace) {
        if actions[name] == nil { actions[name] = (isTextInput, place) }
    }

    func noteCompared(_ value: TracedValue, at place: CodePlace) {
        for form in value.forms {
            switch form {
            case .text(let text, _): if comparedActions[text] == nil { comparedActions[text] = place }
            case .enumCase(let type, let name, _):
                if let text = rawValue(type, name) { noteCompared(TracedValue(.text(text, nil)), at: place) }
            case .list(let values): for value in values { noteCompared(value, at: place) }
            default: break
            }
        }
    }

    func noteGroup(_ value: TracedValue, at place: CodePlace, isGroup: Bool) {
        // A group that is read from elsewhere often has an empty text as its default.
        for (text, _) in value.texts ?? [] where !text.isEmpty && (isGroup || text.hasPrefix("group.")) {
            if groups[text] == nil { groups[text] = place }
        }
    }

    /// The raw value of an enumeration case with a text as raw value.
    func rawValue(_ type: Int, _ name: String) -> String? {
        rawValues(type, name).first?.text
    }

    /// The raw values that an enumeration case has in builds, that of releases first.
    func rawValues(_ type: Int, _ name: String) -> [(text: String, isOfBuild: Bool)] {
        let entries = index.types[type].cases.filter { $0.declaration.name == name }
        let ordered = entries.filter { !$0.declaration.isConditional } + entries.filter(\.declaration.isConditional)
        return ordered.compactMap { entry in
            rawText(of: entry, in: type).map { ($0, entry.declaration.isConditional) }
        }
    }

    /// The raw value that the declaration of an enumeration case gives; nil where it is not known.
    private func rawText(of entry: CodeIndex.Placed<CodeType.Case>, in type: Int) -> String? {
        guard let raw = entry.declaration.raw else { return entry.declaration.name }
        let frame = Frame(file: entry.file, owner: type, receiver: nil, result: nil, depth: 1)
        return evaluate(raw, Scope(), frame).texts?.first?.text
    }

    /// The raw values of an enumeration whose raw values are texts; nil where not all of them are known.
    func rawTexts(of type: Int) -> [String]? {
        guard index.types[type].inherited.contains(.named("String", [])) else { return nil }
        let cases = index.types[type].cases
        let texts = cases.compactMap { rawText(of: $0, in: type) }
        return texts.count == cases.count ? texts : nil
    }

    /// The text that an enumeration case is as a raw value.
    func rawText(_ type: Int, _ name: String, _ origin: CodePlace?) -> TracedValue? {
        let found = rawValues(type, name)
        guard let first = found.first else { return nil }
        let type = CodeTypeName.named("String", [])
        return found.dropFirst().reduce(TracedValue(.text(first.text, origin), type: type)) { value, other in
            let text = TracedValue(.text(other.text, origin), type: type)
            return other.isOfBuild && !first.isOfBuild ? value.besides(text) : value.either(text)
        }
    }

    func capture(_ value: Captured) -> Int {
        captured.append(value)
        return captured.count - 1
    }
}

extension [String: CodePlace] {
    /// Records a name with the first place that has it.
    mutating func note(_ name: String, at place: CodePlace) { self[name] = self[name] ?? place }
}
