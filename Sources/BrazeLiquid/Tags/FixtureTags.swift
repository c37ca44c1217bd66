// SPDX-License-Identifier: MIT

import LiquidTemplates

/// Tags that look up one fixture by its name, and print it or set a variable to it.
extension TagDefinition {
    /// `{% promotion('list') %}`: prints a code from a list; the code is the same throughout a message.
    ///
    /// If the list has no codes, the message ends. The same happens if the fixtures have `promotion_codes` without any
    /// list. In any other case, a missing list is an error, because it is unknown what Braze would do. Source: Braze,
    /// "Promotion codes".
    static let promotion = TagDefinition(
        "promotion",
        summary: "Prints a promotion code from a list; the message is aborted where none is left."
    ) { (markup) throws(LiquidError) -> String in
        let range = markup.argumentRange
        guard let list = markup.quotedString(range) else {
            throw markup.error("found '\(markup.text(range))', expected the quoted name of a list of codes", at: range)
        }
        return list
    } run: { (list: String, _, renderer) throws(LiquidError) in
        let state = try renderer.messageState()
        let lists = state.members("promotion_codes")
        let code: Value?
        switch lists[list] {
        case nil where state.hasMembers("promotion_codes") && lists.count == 0: code = nil
        case nil, .null?: throw state.unusable("list of promotion codes", list, in: "promotion_codes")
        case .array(let codes)?: code = codes.first
        case let single?: code = single
        }
        guard let code, !code.isBlank else { return .stop(reason: "no promotion codes available in \(list)") }
        state.use("promotion_codes", list)
        renderer.write(code.text)
        return .proceed
    }

    /// `{% landing_page_url handle %}`: prints the user's URL of a landing page.
    ///
    /// Source: Braze, "Supported personalization tags".
    static let landingPageURL = TagDefinition(
        "landing_page_url",
        summary: "Prints the user's URL of a landing page.",
        takesText: true
    ) { (markup) throws(LiquidError) -> MarkupText in
        try markup.readText(markup.singleWord("the handle of a landing page"))
    } run: { (handle, values, renderer) throws(LiquidError) in
        let handle = try values.text(handle, renderer.limits)
        let state = try renderer.messageState()
        let pages = state.members("landing_pages")
        guard let url = pages[handle] else {
            throw state.unusable("landing page", handle, in: "landing_pages")
        }
        state.use("landing_pages", handle)
        renderer.write(url.text)
        return .proceed
    }

    /// `{% translation id %}default{% endtranslation %}`: prints a translation, or else the text inside the tag.
    ///
    /// The fixtures hold each translation under its ID, or under the user's locale or language and the ID. Source:
    /// Braze, "Locales in messages".
    static let translation = TagDefinition(
        "translation",
        summary: "Prints the translation for the user's locale, else the text inside.",
        hasBody: true,
        takesText: true
    ) { (markup) throws(LiquidError) -> MarkupText in
        try markup.readText(markup.singleWord("the id of a translation"))
    } run: { (id, values, renderer) throws(LiquidError) in
        let id = try values.text(id, renderer.limits)
        let state = try renderer.messageState()
        let translations = state.members("translations")
        var text = translations[id]
        if case .object(let user) = renderer.variable(BrazeEnvironment.attributesMember) {
            for attribute in ["language", "most_recent_locale"] {
                guard case .string(let locale)? = user[attribute], case .object(let texts)? = translations[locale],
                    let translated = texts[id]
                else { continue }
                text = translated
            }
        }
        guard case .string(let source)? = text else { return .proceed }
        state.use("translations", id)
        guard !state.isTranslating else {
            throw LiquidError(.disabled, "the translation '\(id)' is inside another one, which Braze does not accept")
        }
        state.isTranslating = true
        defer { state.isTranslating = false }
        try renderer.render(source: source, name: "translation \(id)")
        return .skipBody
    }

    /// `{% shopping_cart id :abort_if_not_abandoned false %}`: sets `shopping_cart`.
    ///
    /// If the member `abandoned` of the cart is false, the message ends, unless the option is false. Source: Braze,
    /// "Supported personalization tags".
    static let shoppingCart = TagDefinition(
        "shopping_cart",
        summary: "Sets 'shopping_cart' to a cart; the message is aborted where the cart is no longer abandoned.",
        takesText: true
    ) { (markup) throws(LiquidError) -> (id: MarkupText, aborts: Bool) in
        let words = markup.words(in: markup.range)
        guard let id = words.first, words.count == 1 || words.count == 3 else {
            throw markup.error("expected the id of a cart, and nothing but ':abort_if_not_abandoned' after it")
        }
        var aborts = "true"
        if words.count == 3 {
            guard markup.text(words[1]) == ":abort_if_not_abandoned" else {
                throw markup.error("found '\(markup.text(words[1]))', expected ':abort_if_not_abandoned'", at: words[1])
            }
            aborts = markup.text(words[2])
            guard aborts == "true" || aborts == "false" else {
                throw markup.error("found '\(aborts)', expected true or false", at: words[2])
            }
        }
        return (try markup.readText(id), aborts == "true")
    } run: { (cart, values, renderer) throws(LiquidError) in
        let id = try values.text(cart.id, renderer.limits)
        let state = try renderer.messageState()
        let carts = state.members("shopping_carts")
        guard case .object(let found)? = carts[id] else {
            throw state.unusable("shopping cart", id, in: "shopping_carts", expected: "an object")
        }
        state.use("shopping_carts", id)
        if cart.aborts, case .bool(false)? = found["abandoned"] {
            return .stop(reason: "shopping cart \(id) is not abandoned")
        }
        try renderer.assign("shopping_cart", .object(found))
        return .proceed
    }
}

extension TagMarkup {
    /// The range of the only word in the markup.
    func singleWord(_ expected: String) throws(LiquidError) -> Range<Int> {
        let words = words(in: range)
        guard let word = words.first, words.count == 1 else { throw error("expected \(expected) and nothing else") }
        return word
    }

    /// A syntax error that marks the whole tag.
    func error(_ message: String) -> LiquidError { LiquidError(.syntax, "'\(name)': \(message)", range: tagRange) }
}
