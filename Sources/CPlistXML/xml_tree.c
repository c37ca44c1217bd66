// SPDX-License-Identifier: MIT

#include "xml_tree.h"

#include <libxml/parser.h>
#include <libxml/tree.h>
#include <limits.h>

static const xmlNode *node(const xml_element *element) { return (const xmlNode *)element; }

// The first element among a node and the siblings after it; null if there is none.
static const xml_element *element_from(const xmlNode *node) {
    while (node != NULL && node->type != XML_ELEMENT_NODE) node = node->next;
    return (const xml_element *)node;
}

xml_tree *xml_tree_read(const char *bytes, size_t count) {
    int options = XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING;
    if (count > INT_MAX) return NULL;
    return (xml_tree *)xmlReadMemory(bytes, (int)count, NULL, "UTF-8", options);
}

void xml_tree_free(xml_tree *tree) { xmlFreeDoc((xmlDoc *)tree); }

const xml_element *xml_tree_root(const xml_tree *tree) {
    return element_from(((const xmlDoc *)tree)->children);
}

const xml_element *xml_element_first(const xml_element *element) { return element_from(node(element)->children); }

const xml_element *xml_element_next(const xml_element *element) { return element_from(node(element)->next); }

const char *xml_element_name(const xml_element *element) { return (const char *)node(element)->name; }

const char *xml_element_attribute(const xml_element *element, const char *name) {
    const xmlAttr *attribute = xmlHasProp((xmlNode *)element, (const xmlChar *)name);
    if (attribute == NULL || attribute->type != XML_ATTRIBUTE_NODE || attribute->children == NULL) return NULL;
    return (const char *)attribute->children->content;
}
