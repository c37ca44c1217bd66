// SPDX-License-Identifier: MIT

#ifndef PLIST_XML_H
#define PLIST_XML_H

#include <stddef.h>

/// The code of a fault of libxml2 itself: it gave an offset that cannot be one of the text.
#define PLIST_XML_LOST (-1)

/// What the parser meets. Offsets count bytes of the text handed to `plist_xml_parse`: they are never negative, never
/// beyond the end of the text, and never less than the one before, except that of a fault.
///
/// A callback gets the offset that libxml2 has reached: that of the `>` or `/` that ends a start tag, or the one after
/// the `>` of an end tag, a comment or an instruction. The caller finds the start of the construct in its own copy of
/// the text.
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
    /// A fault of well-formedness: libxml2's `xmlParserErrors` code and its message, or `PLIST_XML_LOST`. Parsing ends
    /// after it.
    void (*fault)(void *context, int code, const char *message, ptrdiff_t offset);
} plist_xml_handler;

/// Parses UTF-8 text without a byte order mark and without U+0000; an encoding declaration in it is not looked at.
/// Prints nothing. Returns 0 when there is no memory for a parser.
int plist_xml_parse(const char *bytes, size_t count, const plist_xml_handler *handler);

#endif
