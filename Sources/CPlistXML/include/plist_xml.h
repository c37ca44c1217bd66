#ifndef PLIST_XML_H
#define PLIST_XML_H
#endif
