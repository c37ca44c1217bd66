// SPDX-License-Identifier: MIT

import PayloadKit

/// Names from other languages and from Braze's exports, each with the name in Braze's Liquid.
enum ForeignNames {
    /// Liquid's filter that a name from another language means, regardless of case and underscores.
    static func filter(_ name: String) -> String? { filters[name] ?? plainFilters[plainName(name)] }

    /// The attribute that a name means, regardless of case and underscores.
    static func attribute(_ name: String) -> String? { attributes[name] ?? plainAttributes[plainName(name)] }

    private static let plainFilters = plain(filters)
    /// Names that are also ordinary words, so that they mean an attribute only inside of `${…}`.
    private static let wordsForAttributes = [
        "given_name": "first_name", "forename": "first_name", "fname": "first_name",
        "family_name": "last_name", "lname": "last_name", "external_user_id": "user_id", "uid": "user_id",
        "customer_id": "user_id", "mobile": "phone_number", "mobile_number": "phone_number",
        "telephone": "phone_number",
        "sex": "gender", "birth_date": "date_of_birth", "zone": "time_zone", "country_code": "country",
        "language_code": "language", "town": "city", "bucket": "random_bucket_number",
        "last_used": "last_used_app_date",
    ]

    private static let plainAttributes: [String: String] = {
        var names = plain(attributes.merging(wordsForAttributes) { first, _ in first })
        for attribute in AttributeTable.all where attribute.namespace == nil {
            if let name = attribute.name { names[plainName(name)] = name }
        }
        return names
    }()

    private static func plain(_ names: [String: String]) -> [String: String] {
        Dictionary(first: names.map { (plainName($0.key), $0.value) }.sorted { $0.1 < $1.1 })
    }

    /// Liquid's filters, by the names that other languages have for them.
    static let filters = [
        "length": "size", "count": "size", "len": "size", "lower": "downcase", "lowercase": "downcase",
        "toLowerCase": "downcase", "to_lower": "downcase", "upper": "upcase", "uppercase": "upcase",
        "toUpperCase": "upcase",
        "to_upper": "upcase", "titlecase": "capitalize", "title": "capitalize", "titleize": "capitalize",
        "ucfirst": "capitalize", "trim": "strip", "substr": "slice", "substring": "slice", "to_json": "as_json_string",
        "json": "as_json_string", "jsonify": "as_json_string", "parse_json": "json_parse", "urlencode": "url_encode",
        "escape_url": "url_escape", "date_format": "date", "format_date": "date", "strftime": "date", "add": "plus",
        "subtract": "minus", "sub": "minus", "multiply": "times", "divide": "divided_by", "div": "divided_by",
        "mod": "modulo", "currency": "money", "format_number": "number_with_delimiter", "timezone": "time_zone",
        "tz": "time_zone", "truncate_words": "truncatewords", "unique": "uniq", "distinct": "uniq", "to_i": "plus: 0",
        "to_number": "plus: 0", "int": "plus: 0", "concat_string": "append", "fallback": "default", "or": "default",
        "if_empty": "default", "if_blank": "default", "ifnull": "default", "coalesce": "default", "nvl": "default",
        "else": "default", "otherwise": "default", "nl2br": "newline_to_br", "br": "newline_to_br",
        "striptags": "strip_html", "strip_tags": "strip_html", "html_escape": "escape", "e": "escape", "h": "escape",
        "htmlspecialchars": "escape", "encode_uri_component": "url_param_escape", "encode_uri": "url_escape",
        "escape_json": "json_escape", "param_escape": "url_param_escape", "escape_url_param": "url_param_escape",
        "encode_url": "url_encode", "encode_base64": "base64_encode",
        "rawurlencode": "url_param_escape", "uri_escape": "url_param_escape", "decode_uri_component": "url_decode",
        "urldecode": "url_decode", "base64": "base64_encode", "btoa": "base64_encode", "atob": "base64_decode",
        "to_string": "append: ''", "str": "append: ''", "string": "append: ''", "float": "plus: 0", "to_f": "plus: 0",
        "parse_int": "plus: 0", "parse_float": "plus: 0", "number": "plus: 0", "to_int": "plus: 0",
        "to_float": "plus: 0",
        "percent": "times: 100",
        "ceiling": "ceil", "round_up": "ceil", "round_down": "floor", "trunc": "floor",
        "truncate_number": "floor", "to_fixed": "round", "number_format": "number_with_delimiter",
        "commafy": "number_with_delimiter", "delimited": "number_with_delimiter", "thousands": "number_with_delimiter",
        "money_format": "money", "price": "money", "format_currency": "money", "absolute": "abs",
        "initcap": "capitalize", "proper": "capitalize", "propercase": "capitalize", "pascalcase": "capitalize",
        "sentence_case": "capitalize", "capitalise": "capitalize", "upper_first": "capitalize", "explode": "split",
        "implode": "join", "tokenize": "split", "concatenate": "append", "suffix": "append", "prefix": "prepend",
        "sub_str": "slice", "left": "slice: 0,", "right": "slice:", "mid": "slice", "char_at": "slice",
        "gsub": "replace",
        "replace_all": "replace", "regex_replace": "replace", "delete": "remove", "cut": "truncate",
        "limit": "truncate",
        "shorten": "truncate", "ellipsis": "truncate", "excerpt": "truncatewords", "pluck": "map", "collect": "map",
        "filter": "where", "select": "where", "sort_by": "sort", "order_by": "sort", "reversed": "reverse",
        "flip": "reverse", "to_date": "date", "datetime": "date", "moment": "date", "time": "date",
        "in_time_zone": "time_zone",
        "to_time_zone": "time_zone", "at_timezone": "time_zone", "convert_timezone": "time_zone",
        "from_json": "json_parse",
        "json_decode": "json_parse", "json_encode": "as_json_string", "stringify": "as_json_string", "hash": "sha256",
        "sha_1": "sha1", "sha_256": "sha256", "trim_spaces": "strip", "chomp": "strip", "squeeze": "squish",
    ]

    /// The namespace that a name means, regardless of case and underscores.
    static func namespace(_ name: String) -> String? { namespaces[plainName(name)] }

    private static let namespaces = plain([
        "device": "most_recently_used_device", "user_device": "most_recently_used_device",
        "last_used_device": "most_recently_used_device", "target_device": "targeted_device",
        "event": "event_properties", "event_attribute": "event_properties", "purchase_properties": "event_properties",
        "trigger": "api_trigger_properties", "trigger_properties": "api_trigger_properties",
        "api_properties": "api_trigger_properties", "canvas_properties": "canvas_entry_properties",
        "entry_properties": "canvas_entry_properties", "context_properties": "context",
        "attribute": "custom_attribute", "attributes": "custom_attribute", "user_attribute": "custom_attribute",
        "user_attributes": "custom_attribute", "custom": "custom_attribute", "block": "content_blocks",
        "blocks": "content_blocks", "subscription_state": "subscribed_state",
    ])

    /// Braze's attributes, by their names in an export or in another system.
    static let attributes: [String: String] = {
        var names = [
            "name": "first_name",
            "fullname": "first_name", "surname": "last_name", "mail": "email_address",
            "birthday": "date_of_birth", "birthdate": "date_of_birth", "timezone": "time_zone",
            "locale": "most_recent_locale",
            "lang": "language", "id": "user_id", "app_version": "most_recent_app_version",
            "vorname": "first_name", "nachname": "last_name", "prenom": "first_name", "nombre": "first_name",
            "apellido": "last_name", "apellidos": "last_name", "nome": "first_name", "cognome": "last_name",
            "sobrenome": "last_name", "voornaam": "first_name", "achternaam": "last_name",
        ]
        for attribute in AttributeTable.all where attribute.namespace == nil {
            guard let name = attribute.name, let field = attribute.exportField, field != name, !field.contains("[")
            else { continue }
            names[field] = name
        }
        return names
    }()
}

extension AttributeTable {
    /// The names of the attributes without a namespace.
    static let plainNames = Set(all.filter { $0.namespace == nil }.compactMap(\.name))
}
