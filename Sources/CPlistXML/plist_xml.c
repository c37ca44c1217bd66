// SPDX-License-Identifier: MIT

#include "plist_xml.h"

#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <libxml/xmlerror.h>
#include <string.h>

typedef struct {
    const plist_xml_handler *handler;
    xmlParserCtxtPtr parser;
    int stopped;
} plist_xml_state;

static void stop(plist_xml_state *state) {
    state->stopped = 1;
    xmlStopParser(state->parser);
}

static void start_element(
    void *data, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri, int namespace_count,
    const xmlChar **namespaces, int attribute_count, int defaulted_count, const xmlChar **attributes
) {
    plist_xml_state *state = data;
    (void)name, (void)prefix, (void)uri, (void)namespace_count, (void)namespaces;
    (void)attribute_count, (void)defaulted_count, (void)attributes;
    if (state->stopped) return;
    if (!state->handler->start_element(state->handler->context, xmlByteConsumed(state->parser))) stop(state);
}

static void end_element(void *data, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri) {
    plist_xml_state *state = data;
    (void)name, (void)prefix, (void)uri;
    if (!state->stopped) state->handler->end_element(state->handler->context, xmlByteConsumed(state->parser));
}

static void text(void *data, const xmlChar *bytes, int count) {
    plist_xml_state *state = data;
    if (!state->stopped) state->handler->text(state->handler->context, (const char *)bytes, (size_t)count);
}

static void comment(void *data, const xmlChar *value) {
    plist_xml_state *state = data;
    (void)value;
    if (!state->stopped) state->handler->comment(state->handler->context, xmlByteConsumed(state->parser));
}

static void instruction(void *data, const xmlChar *target, const xmlChar *value) {
    plist_xml_state *state = data;
    (void)target, (void)value;
    if (!state->stopped) state->handler->instruction(state->handler->context, xmlByteConsumed(state->parser));
}

// The parameter lost and regained its const between the versions of libxml2 in use; a cast below bridges them.
static void fault(void *data, const xmlError *error) {
    plist_xml_state *state = data;
    // A reference to an undeclared entity is no fault of well-formedness where a DOCTYPE names an external subset, but
    // property lists have no entities beyond the five of XML.
    int undeclared = error->code == XML_WAR_UNDECLARED_ENTITY;
    if (state->stopped || (error->level != XML_ERR_FATAL && !undeclared)) return;
    long offset = xmlByteConsumed(state->parser);
    state->handler->fault(state->handler->context, error->code, error->message ? error->message : "", offset);
    stop(state);
}

int plist_xml_parse(const char *bytes, size_t count, const plist_xml_handler *handler) {
    plist_xml_state state = {handler, NULL, 0};
    xmlSAXHandler sax;
    memset(&sax, 0, sizeof sax);
    sax.initialized = XML_SAX2_MAGIC;
    sax.startElementNs = start_element;
    sax.endElementNs = end_element;
    sax.characters = text;
    sax.ignorableWhitespace = text;
    sax.cdataBlock = text;
    sax.comment = comment;
    sax.processingInstruction = instruction;
    sax.serror = (xmlStructuredErrorFunc)fault;

    xmlInitParser();
    state.parser = xmlCreatePushParserCtxt(&sax, &state, NULL, 0, NULL);
    if (state.parser == NULL) return 0;
    // Never NOENT, DTDLOAD, HUGE or RECOVER. The text is UTF-8 whatever its declaration says, hence IGNORE_ENC.
    xmlCtxtUseOptions(state.parser, XML_PARSE_NONET | XML_PARSE_IGNORE_ENC);
    const size_t step = 1 << 16;
    for (size_t offset = 0; offset < count && !state.stopped; offset += step) {
        size_t size = count - offset < step ? count - offset : step;
        if (xmlParseChunk(state.parser, bytes + offset, (int)size, 0) != XML_ERR_OK) break;
    }
    if (!state.stopped) xmlParseChunk(state.parser, NULL, 0, 1);
    xmlFreeDoc(state.parser->myDoc);
    xmlFreeParserCtxt(state.parser);
    return 1;
}
