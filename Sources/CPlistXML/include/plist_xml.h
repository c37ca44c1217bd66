// SPDX-License-Identifier: MIT

#ifndef PLIST_XML_H
#define PLIST_XML_H

#include <stddef.h>

/// The code that `fault` gets if libxml2 reports an offset outside of the text, which is a fault of libxml2.
#define PLIST_XML_LOST (-1)

/// The functions that the parser calls for each part of the text. Offsets count bytes from the start of the text. They
/// are inside the text and in ascending order, except that of a fault, which can be less than the one before.
///
/// Each function except `text` gets the offset that libxml2 has reached: that of the `>` or `/` that ends a start tag,
/// or the one after the `>` of an end tag, a comment or an instruction. libxml2 does not know where the construct
/// starts. Names and texts are valid only during the call.
typedef struct {
    void *context;
    /// Handles a start tag with the name `prefix:name`, or only `name` if the prefix is null; returns 0 to end parsing.
    int (*start_element)(
        void *context, const unsigned char *prefix, const unsigned char *name, ptrdiff_t offset
    );
    /// Handles an end tag, or the end of an empty-element tag.
    void (*end_element)(void *context, ptrdiff_t offset);
    /// Handles text with its references resolved, or the text of a CDATA section. A text may come in several calls.
    void (*text)(void *context, const unsigned char *bytes, size_t count);
    void (*comment)(void *context, ptrdiff_t offset);
    void (*instruction)(void *context, ptrdiff_t offset);
    /// Handles an error of XML syntax, which ends parsing. The code is one of libxml2's `xmlParserErrors`, with
    /// libxml2's message, or `PLIST_XML_LOST`.
    void (*fault)(void *context, int code, const char *message, ptrdiff_t offset);
} plist_xml_handler;

/// Parses the UTF-8 text in `bytes` from the offset `start` on, which must have neither a byte order mark nor U+0000.
/// An encoding declaration in it is ignored. Prints nothing. Returns 0 if there is not enough memory for a parser,
/// otherwise 1.
int plist_xml_parse(const unsigned char *bytes, size_t count, size_t start, const plist_xml_handler *handler);

#endif
