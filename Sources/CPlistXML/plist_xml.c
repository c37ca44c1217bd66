// SPDX-License-Identifier: MIT

#include "plist_xml.h"

#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <libxml/xmlerror.h>
#include <string.h>

typedef struct {
    const plist_xml_handler *handler;
    xmlParserCtxtPtr parser;
    // The offset at which parsing began, the end of the bytes that libxml2 has got so far, and the last offset that it
    // reported.
    ptrdiff_t start, fed, last;
    int stopped, result;
} plist_xml_state;

static void stop(plist_xml_state *state) {
    state->stopped = 1;
    xmlStopParser(state->parser);
}

// The offset that libxml2 has reached; -1 if it cannot count, or counts more bytes than it has got. It counts in the
// encoding that it assumes for the text.
static ptrdiff_t reached(plist_xml_state *state) {
    ptrdiff_t count = xmlByteConsumed(state->parser);
    return count < 0 || count > state->fed - state->start ? -1 : state->start + count;
}

// The offset that libxml2 has reached; -1 if it is impossible or before the last one, after reporting this and ending
// the parsing.
static ptrdiff_t position(plist_xml_state *state) {
    ptrdiff_t offset = reached(state);
    if (offset >= state->last) return state->last = offset;
    state->handler->fault(state->handler->context, PLIST_XML_LOST, "", state->last);
    stop(state);
    return -1;
}

static void start_element(
    void *data, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri, int namespace_count,
    const xmlChar **namespaces, int attribute_count, int defaulted_count, const xmlChar **attributes
) {
    plist_xml_state *state = data;
    (void)uri, (void)namespace_count, (void)namespaces, (void)attribute_count;
    (void)defaulted_count, (void)attributes;
    if (state->stopped) return;
    ptrdiff_t offset = position(state);
    if (offset >= 0 && !state->handler->start_element(state->handler->context, prefix, name, offset)) stop(state);
}

static void end_element(void *data, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri) {
    plist_xml_state *state = data;
    (void)name, (void)prefix, (void)uri;
    if (state->stopped) return;
    ptrdiff_t offset = position(state);
    if (offset >= 0) state->handler->end_element(state->handler->context, offset);
}

static void text(void *data, const xmlChar *bytes, int count) {
    plist_xml_state *state = data;
    if (!state->stopped && count > 0) {
        state->handler->text(state->handler->context, bytes, (size_t)count);
    }
}

static void comment(void *data, const xmlChar *value) {
    plist_xml_state *state = data;
    (void)value;
    if (state->stopped) return;
    ptrdiff_t offset = position(state);
    if (offset >= 0) state->handler->comment(state->handler->context, offset);
}

static void instruction(void *data, const xmlChar *target, const xmlChar *value) {
    plist_xml_state *state = data;
    (void)target, (void)value;
    if (state->stopped) return;
    ptrdiff_t offset = position(state);
    if (offset >= 0) state->handler->instruction(state->handler->context, offset);
}

// Only some versions of libxml2 declare the second parameter as const, so the function is cast below.
static void fault(void *data, const xmlError *error) {
    plist_xml_state *state = data;
    // If a DOCTYPE names an external subset, libxml2 accepts a reference to an undeclared entity. But property lists
    // have no entities except the five of XML, so it is an error here.
    int undeclared = error->code == XML_WAR_UNDECLARED_ENTITY;
    if (state->stopped || (error->level != XML_ERR_FATAL && !undeclared)) return;
    // The fault may be in a construct that was reported already, so its offset may be less than the last one.
    ptrdiff_t offset = reached(state);
    if (offset < 0) offset = state->last;
    state->handler->fault(state->handler->context, error->code, error->message ? error->message : "", offset);
    stop(state);
}

// Ignores errors that belong to no parser, such as those of encodings: without a handler, libxml2 would print them.
static void ignore(void *data, const xmlError *error) {
    (void)data, (void)error;
}

int plist_xml_parse(const unsigned char *bytes, size_t count, size_t start, const plist_xml_handler *handler) {
    plist_xml_state state = {handler, NULL, (ptrdiff_t)start, (ptrdiff_t)start, (ptrdiff_t)start, 0, 0};
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
    // These variables of the thread are restored at the end, because the caller may use them for something else.
    xmlStructuredErrorFunc outer_handler = xmlStructuredError;
    void *outer_context = xmlStructuredErrorContext;
    xmlSetStructuredErrorFunc(NULL, (xmlStructuredErrorFunc)ignore);
    state.parser = xmlCreatePushParserCtxt(&sax, &state, NULL, 0, NULL);
    // NOENT, DTDLOAD, HUGE and RECOVER must never be set: they would load other files, lift limits or accept errors.
    // The encoding is set to UTF-8, because libxml2 would otherwise guess one from the first four bytes.
    if (state.parser != NULL
        && xmlCtxtUseOptions(state.parser, XML_PARSE_NONET | XML_PARSE_IGNORE_ENC) == 0
        && xmlSwitchEncoding(state.parser, XML_CHAR_ENCODING_UTF8) == 0) {
        const size_t step = 1 << 16;
        for (size_t offset = start; offset < count && !state.stopped; offset += step) {
            size_t size = count - offset < step ? count - offset : step;
            state.fed += (ptrdiff_t)size;
            if (xmlParseChunk(state.parser, (const char *)bytes + offset, (int)size, 0) != XML_ERR_OK) break;
        }
        if (!state.stopped) xmlParseChunk(state.parser, NULL, 0, 1);
        state.result = 1;
    }
    if (state.parser != NULL) xmlFreeDoc(state.parser->myDoc);
    xmlFreeParserCtxt(state.parser);
    xmlSetStructuredErrorFunc(outer_context, outer_handler);
    return state.result;
}
