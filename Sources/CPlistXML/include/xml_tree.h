// SPDX-License-Identifier: MIT

#ifndef XML_TREE_H
#define XML_TREE_H

#include <stddef.h>

/// A document of libxml2.
typedef struct xml_tree xml_tree;

/// An element of a document, which is valid as long as the document is.
typedef struct xml_element xml_element;

/// Reads UTF-8 text without external entities. Prints nothing. Returns null where the text is not well-formed XML.
/// The caller frees the document with `xml_tree_free`.
xml_tree *xml_tree_read(const char *bytes, size_t count);

void xml_tree_free(xml_tree *tree);

/// The outermost element, or null.
const xml_element *xml_tree_root(const xml_tree *tree);

/// The first element inside an element, or null.
const xml_element *xml_element_first(const xml_element *element);

/// The next element inside the same element, or null.
const xml_element *xml_element_next(const xml_element *element);

/// The name without a prefix.
const char *xml_element_name(const xml_element *element);

/// The text of an attribute with its references resolved, or null where there is none.
const char *xml_element_attribute(const xml_element *element, const char *name);

#endif
