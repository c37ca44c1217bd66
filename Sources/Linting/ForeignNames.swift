// SPDX-License-Identifier: MIT

import PayloadKit

/// Names from other languages and from Braze's exports, each with the name in Braze's Liquid.
enum ForeignNames {
    /// The filters.
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
    ]

    /// The attributes, by their names in an export or in another system.
    static let attributes: [String: String] = {
        var names = [
            "name": "first_name", "fullname": "first_name", "surname": "last_name", "mail": "email_address",
            "birthday": "date_of_birth", "birthdate": "date_of_birth", "timezone": "time_zone",
            "locale": "most_recent_locale",
            "lang": "language", "id": "user_id", "app_version": "most_recent_app_version",
        ]
        for attribute in AttributeTable.all where attribute.namespace == nil {
            guard let name = attribute.name, let field = attribute.exportField, field != name, !field.contains("[")
            else { continue }
            names[field] = name
        }
        return names
    }()
}
