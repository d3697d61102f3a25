/* tenon/deck.h - Abaqus and CalculiX decks: from cards to tables
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TN_DECK_H
#define TN_DECK_H

#include <tenon/analysis.h>

typedef struct tn_deck_opts {
  const char *results;   /* name of results files without ".h5": name.h5, name.2.h5 ...; NULL, "": none        */
  const char *tables;    /* file for the tables that the deck asks for; NULL: none                             */
  bool translate_only;   /* translate, do not run                                                              */
  void *user;
  /* the model file that steps first .. last become; called before they run. NULL: not wanted */
  void (*translated)(void *user, int first, int last, const char *text);
  /* after they have run. NULL: not wanted */
  void (*done)(void *user, int first, int last, const tn_summary *summary);
} tn_deck_opts;

typedef struct tn_deck_report {
  int steps;             /* that have run                                                                      */
  int doubtful;          /* runs whose audit is not content                                                    */
  tn_summary summary;    /* of the last run                                                                    */
} tn_deck_report;

/* Read, translate and run all steps of a deck. TN_ERR_INPUT names file, line and what is not understood. */
TN_API TN_NODISCARD tn_status tn_deck_run(tn_ctx *ctx, const char *path, const tn_deck_opts *opts, tn_deck_report *report);

#endif
