/* deck/deck.h - Abaqus and CalculiX decks as models: translation, runs, tables
 *
 * A deck is read (mesh/deck.h), its cards are followed step by step into histories of supports, loads and temperatures, and every step
 * becomes the text of a model file, which is compiled and run like any other. What is not understood is refused with its line; what
 * cannot change an answer passes.
 *
 *   nodes.c      degrees of freedom of the deck as those of the model: local axes, knots, means of expanded nodes
 *   read.c       cards -> tni_deck_model: histories of supports, loads, temperatures; couplings, steps, tables asked for
 *   matter.c     materials, sections
 *   loads.c      distributed loads
 *   translate.c  tni_deck_model, step -> text of a model
 *   tables.c     tables as CalculiX prints them
 *   run.c        the whole
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_DECK_MODEL_H
#define TNI_DECK_MODEL_H

#include <tenon/analysis.h>

#include "mesh/expand.h"

enum { TNI_DECK_NDOF = 6 };

typedef struct tni_deck_matter {
  const char *name;      /* as the model file may call it                                        */
  const char *as_written;
  const tni_card *card;
  double E, nu, density, expansion, alpha, beta;
  double ortho[9];       /* E [3], nu xy yz xz, G xy yz xz                                       */
  bool is_ortho, kinematic, neo_hooke, elastic;
  int nplastic;
  double (*plastic)[2];  /* plastic strain, stress                                               */
} tni_deck_matter;

typedef struct tni_deck_section {
  const tni_card *card;
  const char *set;       /* of elements                                                          */
  const tni_deck_matter *matter;
  double thickness;      /* 0: none given; of bars: area                                         */
  bool area;             /* of bars: the thickness is their area                                 */
  const char *orientation; /* its name, NULL: none                                               */
  bool turned;
  double axes[9];        /* columns: material axes                                               */
} tni_deck_section;

typedef struct tni_deck_amplitude {
  const char *name;
  bool total;            /* over the time of all steps                                           */
  int n;
  double *t, *a;
} tni_deck_amplitude;

/* one value through the steps: what it is at the end of each, and by which amplitude (-1: ramp) */
typedef struct tni_deck_value {
  double value;
  int amplitude;
  signed char on, fresh; /* given at all; in this step                                           */
} tni_deck_value;

typedef enum { TNI_DLOAD_FACE, TNI_DLOAD_SURFACE, TNI_DLOAD_GRAVITY, TNI_DLOAD_SPIN } tni_dload_kind;

typedef struct tni_deck_dload {
  tni_dload_kind kind;
  const tni_card *card;
  int line;
  const char *target;    /* set, number of an element, surface                                   */
  int face;              /* from 1                                                               */
  double direction[6];   /* gravity: unit vector; spin: point, axis                              */
  tni_deck_value *at;    /* [nstep]                                                              */
} tni_deck_dload;

typedef enum { TNI_DECK_STATIC, TNI_DECK_FREQUENCY, TNI_DECK_BUCKLE, TNI_DECK_DYNAMIC, TNI_DECK_EXPLICIT, TNI_DECK_MODAL } tni_step_kind;

typedef struct tni_deck_print {
  const tni_card *card;
  bool elements;         /* integration points; else nodes                                       */
  const char *set;
  const char *what;      /* "U", "RF", "S", "E", "PEEQ", "ELSE", "EVOL", ...                      */
  int totals;            /* 0: no, 1: yes, 2: only                                               */
  bool global;           /* stresses and strains in the axes of the ground, not of the material  */
} tni_deck_print;

typedef struct tni_deck_step {
  const tni_card *card;
  tni_step_kind kind;
  bool large;
  bool stressed;         /* PERTURBATION: with the stresses of the step before                   */
  int nmode;
  double lower;          /* frequency that none may be below                                     */
  double period, first;  /* time of the step, first increment                                    */
  bool step_loads;       /* loads come at once, not by a ramp                                    */
  bool direct;           /* the increments are given: all are as long as the first                  */
  double longest;        /* else they grow to this length at most, 0: to any                         */
  double hht;
  double *zeta;          /* [nmode] damping of modes, in parts of the critical one; NULL: none    */
  double rayleigh[2];    /* *MODAL DAMPING, RAYLEIGH                                             */
  int nprint;
  const tni_deck_print *print;
} tni_deck_step;

typedef struct tni_deck_equation {
  int n;
  int *node;
  signed char *dof;      /* from 0                                                               */
  double *factor;
  const tni_card *card;
  int line;
} tni_deck_equation;

typedef struct tni_deck_rigid {
  const tni_card *card;
  const char *set;
  bool of_elements;
  int ref, rot;          /* nodes, rot -1: none                                                  */
} tni_deck_rigid;

typedef struct tni_deck_spring {
  const tni_card *card;
  int node[2];           /* second -1: ground                                                    */
  signed char dof;       /* -1: along the line                                                   */
  double k, c;
} tni_deck_spring;

typedef struct tni_deck_model {
  tni_arena arena;
  tn_ctx *ctx;
  const char *path;
  tni_mesh *mesh;        /* of solids where the deck has shells, beams, plane stress             */
  tni_deck *deck;
  tni_expansion *expansion; /* NULL: the mesh is as in the deck                                  */
  char *family;          /* [ncell] 's' shell, 'b' beam, 'p' plane stress, ' ': as it is          */
  int *origin;           /* [nnode] the node of the deck, itself where it is one                 */
  int nmatter, nsection, namplitude, ndload, nequation, nrigid, nspring, ntie, nstep;
  tni_deck_matter *matter;
  tni_deck_section *section;
  tni_deck_amplitude *amplitude;
  tni_deck_dload *dload;
  tni_deck_equation *equation;
  tni_deck_rigid *rigid;
  tni_deck_spring *spring;
  const tni_card **tie;
  tni_deck_step *step;
  /* [nstep][nnode][6] of the model, local axes where a transformation says so */
  tni_deck_value *boundary, *force;
  tni_deck_value *temperature; /* [nstep][nnode]                                                 */
  double *gradient;      /* [nstep][nnode] of temperature along the normal of shells            */
  double *reference;     /* [nnode] temperature at the start                                     */
  double (*velocity)[3]; /* [nnode] at the start                                                 */
  const tni_card *moving; /* that gives it, NULL: all is at rest                                 */
  double *mass;          /* [nnode] of elements MASS                                             */
  const tni_card **loaded_by; /* [nnode] the last *CLOAD                                         */
  const tni_card *warm;  /* the last *TEMPERATURE                                                */
  const double **axes;   /* [nnode] local axes [9], rows; NULL: none                             */
  bool *in_elements;     /* [nnode]                                                              */
  bool planar, yields, any_mass;
  char plane[16];        /* stress, strain, axisymmetric                                         */
} tni_deck_model;

/* the deck with all that it says, or TN_ERR_INPUT with file, line and what is not understood */
tn_status tni_deck_model_read(tn_ctx *ctx, const char *path, tni_deck_model **out);
void tni_deck_model_destroy(tni_deck_model **m);
/* refuse a card: "file:line: *KEYWORD: ..." */
tn_status tni_card_refuse(tn_ctx *ctx, const tni_card *card, int line, const char *fmt, ...) TN_PRINTF(4, 5);
/* Steps from..to (static ones that hang together, else one) as the text of a model; load_steps of it, and at how many of its rows a
 * step ends. */
tn_status tni_deck_translate(const tni_deck_model *m, int from, int to, tni_text *out, int *rows_a_step);
/* do the static steps depend on each other's ends? */
bool tni_deck_is_nonlinear(const tni_deck_model *m, int step);
/* one degree of freedom of the deck, from 0, as a sum of those of the model */
typedef struct tni_deck_term {
  int node, component;
  double factor;
} tni_deck_term;
enum { TNI_DECK_TERMS = 32 };
/* returns the number of terms, 0: nothing moves there */
int tni_deck_terms(const tni_deck_model *m, int node, int dof, tni_deck_term *term);
/* the same for a force: by which parts it goes to the nodes of the model */
int tni_deck_load_terms(const tni_deck_model *m, int node, int dof, tni_deck_term *term);
/* ways of a node of the deck, NULL: it is not expanded */
const tni_expanded *tni_deck_expanded(const tni_deck_model *m, int node);
/* after the mesh was expanded from a flat one: families of cells, origins of nodes, which nodes are in elements */
TN_NODISCARD tn_status tni_deck_look_back(tni_deck_model *m, const tni_mesh *flat);
/* axes (rows) of a shell at its middle, of a triangle at its first node: z' is the normal, x' as near as can be to x, or to z where x is the
 * normal; false: the cell is none */
bool tni_deck_shell_axes(const tni_deck_model *m, int cell, double R[9]);
/* the nodes whose mean is that of the deck's node along a way: both sides of a shell, corners of a beam; returns how many */
int tni_deck_corners(const tni_way *w, int node[4]);
/* has the step times within it? */
static inline bool tni_deck_moves(const tni_deck_step *s) {
  return s->kind == TNI_DECK_DYNAMIC || s->kind == TNI_DECK_EXPLICIT || s->kind == TNI_DECK_MODAL;
}
/* value of a history at the end of a step */
double tni_deck_end_value(const tni_deck_model *m, const tni_deck_value *v, int step);
/* time of all steps up to the end of one */
double tni_deck_total_time(const tni_deck_model *m, int step);

/* tables of a step at the state that a simulation shows, of modes from the summary */
tn_status tni_deck_tables(const tni_deck_model *m, int step, tn_sim *sim, tni_text *out);
void tni_deck_mode_table(const tn_summary *sum, tni_text *out);
void tni_deck_buckling_table(const tn_summary *sum, tni_text *out);

#endif
