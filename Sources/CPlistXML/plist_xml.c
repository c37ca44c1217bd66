#include "plist_xml.h"
