/* deck/reader.h - what the readers of cards share: where they are, fields of lines, words of cards
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_DECK_READER_H
#define TNI_DECK_READER_H

#include "deck/deck.h"

enum { TNI_DECK_FIELDS = 64, TNI_DECK_LINE = 4096 };

typedef struct {
  tni_deck_model *m;
  tn_ctx *ctx;
  int now;                /* card */
  int step;               /* -1: before the first */
  tni_deck_matter *matter; /* being described, NULL: none */
  int cap[10];
  int nprint, print_cap;
  tni_deck_print *print;
  bool asked[2];          /* this step has asked for tables of nodes, of elements */
  char begun[4];          /* cards of this step so far: 0 none, 1 the first one without OP=NEW, 2 with it */
  int *loader;            /* of faces of cells, [6]: see deck/loads.c */
} tni_deck_reader;

typedef enum { TNI_DECK_BOUNDARY, TNI_DECK_CLOAD, TNI_DECK_DLOAD, TNI_DECK_TEMPERATURE } tni_deck_family;

/* OP of a card: does it begin anew? Only the first card of a family in a step can. */
tn_status tni_deck_op(tni_deck_reader *r, tni_deck_family family, bool *anew);

typedef struct {
  char text[TNI_DECK_LINE];
  const char *at[TNI_DECK_FIELDS];
  int n;
} tni_deck_fields;

const tni_card *tni_deck_card(const tni_deck_reader *r);
bool tni_deck_same(const char *a, const char *b);
bool tni_deck_is_number(const char *s, double *x);

/* data line of the card that is read, its fields; number i of it, empty: fallback */
tn_status tni_deck_split(tni_deck_reader *r, int line, tni_deck_fields *f);
tn_status tni_deck_number(tni_deck_reader *r, int line, const tni_deck_fields *f, int i, double fallback, double *x);

/* parameters that a card may have; others are refused */
tn_status tni_deck_allow(tni_deck_reader *r, const char *const *known);
#define ALLOW(r, ...)                                  \
  do {                                                 \
    static const char *const known[] = {__VA_ARGS__, NULL}; \
    TN_TRY(tni_deck_allow((r), known));                         \
  } while (0)

/* number of the AMPLITUDE that a card names, -1: none */
tn_status tni_deck_amplitude_of(tni_deck_reader *r, int *amplitude);

/* *MATERIAL and what follows it; *SOLID SECTION, *SHELL SECTION, *BEAM SECTION */
tn_status tni_deck_begin_matter(tni_deck_reader *r);
tn_status tni_deck_read_elastic(tni_deck_reader *r);
tn_status tni_deck_read_plastic(tni_deck_reader *r);
tn_status tni_deck_read_expansion(tni_deck_reader *r);
tn_status tni_deck_read_damping(tni_deck_reader *r);
tn_status tni_deck_read_density(tni_deck_reader *r);
tn_status tni_deck_read_section(tni_deck_reader *r);
/* the six numbers of a card; rows x', y', z' from a point on the local x axis and one in the local plane xy, false: they span none */
tn_status tni_deck_six_numbers(tni_deck_reader *r, const tni_card *c, double x[6]);
bool tni_deck_rectangular(const double a[3], const double b[3], double R[9]);

/* *DLOAD, *DSLOAD */
tn_status tni_deck_read_dload(tni_deck_reader *r);

#endif
