// SPDX-License-Identifier: MIT

#ifndef XML_TREE_H
#define XML_TREE_H

#include <stddef.h>

/// An XML document that libxml2 has read.
typedef struct xml_tree xml_tree;

/// An element of a document, valid until the document is freed.
typedef struct xml_element xml_element;

/// Reads UTF-8 text without external entities. Prints nothing. Returns null if the text is not well-formed XML.
/// The caller frees the document with `xml_tree_free`.
xml_tree *xml_tree_read(const char *bytes, size_t count);

void xml_tree_free(xml_tree *tree);

/// The outermost element of a document; null if it has none.
const xml_element *xml_tree_root(const xml_tree *tree);

/// The first element inside an element; null if there is none.
const xml_element *xml_element_first(const xml_element *element);

/// The next element inside the same outer element; null if there is none.
const xml_element *xml_element_next(const xml_element *element);

/// The name of an element, without a namespace prefix.
const char *xml_element_name(const xml_element *element);

/// The text of an attribute with its references resolved; null if the element does not have the attribute.
const char *xml_element_attribute(const xml_element *element, const char *name);

#endif
