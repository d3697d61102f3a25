/* tests/support/xml.h - is a text well-formed XML, as far as our writers use it?
 *
 * Elements, attributes in double quotes, text, the five entities; no declarations.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TN_XML_H
#define TN_XML_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static inline const char *xml_text(const char *p, char end) {
  for (; *p && *p != end; p++) {
    if (*p == '<') return NULL;
    if (*p != '&') continue;
    size_t n = strcspn(p, ";");
    if (n > 7 || p[n] != ';') return NULL;
  }
  return *p == end ? p : NULL;
}

/* position of the first mistake, NULL: none. One root element, nothing but spaces after it. */
static inline const char *xml_mistake(const char *text) {
  const char *open[64], *p = text;
  int depth = 0;
  bool root = false;
  while (*p) {
    if (*p != '<') {
      if (depth == 0 && !strchr(" \n", *p)) return p;
      if (depth > 0) {
        const char *q = xml_text(p, '<');
        if (!q) return p;
        p = q;
      } else {
        p++;
      }
      continue;
    }
    if (p[1] == '/') {
      size_t n = strcspn(p + 2, ">");
      if (depth == 0 || strncmp(open[--depth], p + 2, n) != 0) return p;
      p += n + 3;
      continue;
    }
    if (depth == 0 && root) return p;
    root = true;
    const char *name = ++p;
    p += strcspn(p, " />\n");
    while (*p == ' ') {
      p++;
      p += strcspn(p, "= >");
      if (p[0] != '=' || p[1] != '"') return p;
      const char *q = xml_text(p + 2, '"');
      if (!q) return p;
      p = q + 1;
    }
    if (p[0] == '/' && p[1] == '>') {
      p += 2;
    } else if (*p == '>' && depth < 64) {
      open[depth++] = name;
      p++;
    } else {
      return p;
    }
  }
  return depth || !root ? p : NULL;
}

#endif
