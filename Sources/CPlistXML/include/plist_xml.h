// SPDX-License-Identifier: MIT

#ifndef PLIST_XML_H
#define PLIST_XML_H

#include <stddef.h>

/// What the parser meets. Offsets count bytes of the text handed to `plist_xml_parse`.
///
/// A callback may point where libxml2 happens to stand: at the `>` or `/` that ends a start tag, behind the `>` of an
/// end tag, a comment or an instruction. The caller finds the start of the construct in its own copy of the text.
typedef struct {
    void *context;
    /// A start tag. Returning 0 ends parsing.
    int (*start_element)(void *context, ptrdiff_t offset);
    /// An end tag, or the end of an empty-element tag.
    void (*end_element)(void *context, ptrdiff_t offset);
    /// A run of text with its references resolved, or of a CDATA section. One text may come in several runs.
    void (*text)(void *context, const char *bytes, size_t count);
    void (*comment)(void *context, ptrdiff_t offset);
    void (*instruction)(void *context, ptrdiff_t offset);
    /// A fault of well-formedness: libxml2's `xmlParserErrors` code and its message. Parsing ends behind it.
    void (*fault)(void *context, int code, const char *message, ptrdiff_t offset);
} plist_xml_handler;

/// Parses UTF-8 text without a byte order mark; an encoding declaration in it is not looked at. Returns 0 when there
/// is no memory for a parser.
int plist_xml_parse(const char *bytes, size_t count, const plist_xml_handler *handler);

#endif
