/* input/reader.h - state shared by the parts of the reader
 *
 *   node.c    YAML text -> nodes
 *   value.c   node -> value of a kind: numbers, expressions, {i} in texts
 *   read.c    documents, includes, parameters, sections, items
 *   repeat.c  the same sections once per index
 *
 *   schema.c, reference.c   JSON Schema and input reference from the same tables
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_READER_H
#define TNI_READER_H

#include <locale.h>

#include "input/input.h"
#include "input/node.h"

enum {
  TNI_MAX_INDEX = 16,         /* loop indices in force at one place      */
  TNI_MAX_INCLUDE = 32,       /* depth of includes                       */
  TNI_MAX_INSTANCE = 1000000, /* combinations of indices                 */
  TNI_MAX_REPEATED = 2000000, /* items that repeats make                 */
  TNI_ITEM_BYTES = 8*1024     /* memory that an item needs until it runs, at least */
};

/* a loop index: a number, or a word when text is not NULL */
typedef struct tni_index {
  const char *name;
  double value;
  const char *text;
} tni_index;

typedef struct tni_document {
  const char *file;
  const tni_yaml *root;
} tni_document;

typedef struct tni_reader {
  tn_ctx *ctx;
  tn_spec *spec;
  const tni_schema *schema;
  const char *file;     /* of the nodes now read                                        */
  bool placeless;       /* values set by program: lines mean nothing                    */
  tni_arena scratch;    /* expressions that are evaluated and forgotten                 */
  int nscratch;         /* expressions in scratch                                       */
  const tni_item *item; /* whose key is now read, for messages; may be NULL             */
  const char *label[2]; /* what is now read, for messages: "key" and "mass"; may be NULL */
  const tni_yaml *params; /* the parameters now read, to say "is defined later"         */
  tni_index index[TNI_MAX_INDEX];
  int nindex;
  bool counting;        /* repeats are counted, nothing is made                          */
  int ninstance;        /* combinations of indices so far                               */
  int nrepeated;        /* items made by them                                           */
  int *unnamed;         /* [nsection] list items that got a number as name              */
  const char *const *overrides;
  int noverride;
  bool *override_used;  /* [noverride]                                                  */
  tni_document *document;
  int ndocument, document_cap;
  struct tni_seen *seen;     /* files read so far, to include each one once               */
  int nseen, seen_cap;
} tni_reader;

/* numbers are read and printed with a point, whatever the locale of the program; locale_t needs
 * _POSIX_C_SOURCE in the including file */
typedef struct tni_point_locale {
  locale_t c, old;
} tni_point_locale;
tni_point_locale tni_point_begin(void);
void tni_point_end(tni_point_locale locale);

/* place of a line of the present file */
tni_place tni_reader_place(const tni_reader *r, int line);
/* "file:line: body 'a': key 'mass': ..." with the present item and label */
tn_status tni_reader_fail(const tni_reader *r, int line, const char *fmt, ...) TN_PRINTF(3, 4);
/* what 'name', both borrowed until the next label; either may be NULL */
void tni_reader_label(tni_reader *r, const char *what, const char *name);

/* value.c */
tn_status tni_read_value(tni_reader *r, tni_kind kind, const tni_yaml *node, tni_value *out);
/* a finite number from the text of a scalar: constant expression of parameters and indices */
tn_status tni_read_number(tni_reader *r, const char *text, int line, double *out);
/* text with every {expression} replaced by its value; {{ and }} stand for braces */
tn_status tni_read_text(tni_reader *r, const char *text, int line, const char **out);
bool tni_is_identifier(const char *name);
tn_status tni_is_function(tni_reader *r, const char *name, bool *out); /* built in, like sin */

/* read.c: one entry "bodies: {...}" of a document or repeat; false in *known: no such section */
tn_status tni_read_section(tni_reader *r, const char *name, const tni_yaml *node, int line,
                           bool *known);
/* names of all sections and the given extra ones, for suggestions; [n] in the scratch arena */
tn_status tni_section_names(tni_reader *r, const char *const *extra, int nextra,
                            const char *const **out, int *n);

/* repeat.c */
tn_status tni_read_repeat(tni_reader *r, const tni_yaml *node, int line);

#endif
