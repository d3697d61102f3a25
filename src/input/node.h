/* input/node.h - YAML text -> tree of nodes that know their lines
 *
 * Aliases share the node they refer to, merge keys are resolved, duplicate keys and everything that
 * could blow up (depth, size, aliases of aliases) are refused here, so that the rest of the reader
 * walks a plain finite tree.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_NODE_H
#define TNI_NODE_H

#include "base/base.h"

typedef enum tni_node_form { TNI_SCALAR, TNI_SEQUENCE, TNI_MAPPING } tni_node_form;

typedef struct tni_yaml {
  tni_node_form form;
  bool quoted;            /* scalar in quotes or block style: never a boolean or null          */
  int line;               /* 1-based                                                           */
  const char *text;       /* SCALAR                                                            */
  int n;                  /* SEQUENCE, MAPPING: entries                                        */
  struct tni_yaml **item; /* [n]                                                               */
  const char **key;       /* [n] MAPPING                                                       */
  int *keyline;           /* [n] MAPPING: line of the key                                      */
  double weight;          /* nodes below, aliases counted as often as they are used            */
} tni_yaml;

enum {
  TNI_YAML_MAX_DEPTH = 64,
  TNI_YAML_MAX_BYTES = 32*1024*1024,
  TNI_YAML_MAX_ALIASED = 1000000 /* nodes that aliases and merge keys may add                  */
};

/* Parse one document into the arena; file is used in messages and kept. *out is NULL for an empty
 * document. n bytes of text; a byte order mark is skipped. */
tn_status tni_yaml_parse(tni_arena *arena, const char *file, const char *text, size_t n,
                         tni_yaml **out);

const tni_yaml *tni_yaml_entry(const tni_yaml *map, const char *key); /* NULL: none */
bool tni_yaml_is_null(const tni_yaml *node);

#endif
