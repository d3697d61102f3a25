/* mesh/deck.h - Abaqus and CalculiX decks: the mesh, and every other card as it stands
 *
 * Nodes, elements, sets, surfaces and included files become a mesh. All other cards (materials, sections, boundary, loads,
 * steps; and *ELEMENT without its lines) are handed over in order for whoever understands them. Keywords and names of parameters are in capitals; values and
 * names of sets as written, compared without regard to capitals, as both programs do.
 *
 * Surfaces have names of their own: one of elements gives faces, and nodes unless a set of nodes has the name; one of nodes is the
 * set of nodes of its name, or "name surface" where a set of nodes has it.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_DECK_H
#define TNI_DECK_H

#include "mesh/read.h"

typedef struct tni_card {
  const char *keyword;      /* without blanks: "SOLIDSECTION", "ENDSTEP"                     */
  const char *file;
  int line;                 /* of the keyword                                               */
  int nparam;
  const char **param;       /* [nparam] names                                               */
  const char **value;       /* [nparam] "" where there is none                              */
  int ndata;
  const char **data;        /* [ndata] lines, without comments and blank lines              */
  int *data_line;           /* [ndata]                                                      */
} tni_card;

typedef struct tni_deck {
  tni_arena arena;
  tn_ctx *ctx;
  int ncard;
  tni_card *card;
} tni_deck;

void tni_deck_destroy(tni_deck **deck);

/* names without regard to blanks: REF NODE, REFNODE */
bool tni_card_same_word(const char *a, const char *b);
/* the value of a parameter, "" if it has none, NULL if it is not given; name in capitals */
const char *tni_card_value(const tni_card *card, const char *name);
/* Fields of a data line between commas, without blanks around them, into buffer [nbuffer]; a last empty field does not count.
 * Returns how many, at most most; -1: the buffer is too small. */
int tni_card_fields(const char *data, char *buffer, size_t nbuffer, const char **field, int most);
/* set by name without regard to capitals, NULL: none */
const tni_mesh_set *tni_deck_find_set(const tni_mesh *m, const char *name, tni_set_kind kind);

/* deck may be NULL: cards are not wanted */
TN_NODISCARD tn_status tni_inp_read(tn_ctx *ctx, const char *name, const char *path, tni_mesh **mesh, tni_deck **deck);
/* text of n bytes and a final zero; includes are looked for beside source */
TN_NODISCARD tn_status tni_inp_parse(tn_ctx *ctx, const char *name, const char *source, const char *text, size_t n, tni_mesh **mesh,
                                     tni_deck **deck);

#endif
