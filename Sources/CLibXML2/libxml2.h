// SPDX-License-Identifier: MIT

#include <libxml/parser.h>
#include <libxml/tree.h>
