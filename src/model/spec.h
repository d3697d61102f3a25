/* model/spec.h - the editable description of a model, and the tables that say what may be in it
 *
 * A spec is what the user wrote: sections of items, each item a set of key = value attributes that
 * remember their place in the file. The tables (tni_key, tni_type, tni_section) are the one source
 * for the reader, the error messages, the JSON Schema and the input reference.
 *
 *   spec  ->  section "joints"  ->  item "elbow" of type "revolute"  ->  key "axis" = [0, 1, 0]
 *
 * Values are checked against the kind and range of their key when they are read; what needs the
 * whole model (does the body exist, is the inertia positive definite) is checked by compile.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_SPEC_H
#define TNI_SPEC_H

#include "base/base.h"

typedef struct tni_place {
  const char *file; /* as the user named it; "" for values set by program */
  int line;         /* 1-based, 0 if unknown                              */
} tni_place;

typedef enum tni_form { TNI_NUMBER, TNI_TEXT, TNI_LIST, TNI_MAP } tni_form;

/* One value. Numbers and constant expressions of parameters are evaluated by the reader; booleans
 * are NUMBER 0/1. A scalar keeps its text as well. */
typedef struct tni_value {
  tni_place at;
  tni_form form;
  double number;          /* NUMBER                             */
  const char *text;       /* scalars: as written                */
  int n;                  /* LIST, MAP: entries                 */
  struct tni_value *item; /* [n]                                */
  const char **key;       /* [n] MAP                            */
} tni_value;

/* What a value may be. The comment is what the input reference prints. */
typedef enum tni_kind {
  TNI_KIND_NUMBER,    /* number, or expression of parameters                                 */
  TNI_KIND_INTEGER,   /* whole number                                                        */
  TNI_KIND_BOOL,      /* true or false                                                       */
  TNI_KIND_TEXT,      /* text                                                                */
  TNI_KIND_CHOICE,    /* one of the words in `choices`, separated by '|'                     */
  TNI_KIND_VEC3,      /* [x, y, z]; [x, y] means z = 0                                       */
  TNI_KIND_NUMBERS,   /* list of numbers (exactly `count` of them, if count > 0)             */
  TNI_KIND_INERTIA,   /* Izz | [Ixx, Iyy, Izz] | [Ixx, Iyy, Izz, Ixy, Ixz, Iyz] | 3x3 list   */
  TNI_KIND_MATRIX6,   /* 6 numbers (diagonal) or a 6x6 list                                  */
  TNI_KIND_DIRECTION, /* x, y, z, -x, -y, -z or [x, y, z], not zero                          */
  TNI_KIND_ROTATION,  /* orientation: see the section on orientations; or an angle (planar)  */
  TNI_KIND_POINT,     /* [x, y, z] or the name of a point ("tip" or "rod.tip")               */
  TNI_KIND_POINTS,    /* list of points as [x, y, z]                                         */
  TNI_KIND_POINTMAP,  /* name: [x, y, z]                                                     */
  TNI_KIND_FRAMEMAP,  /* name: {at: [x, y, z], orientation: ...}                             */
  TNI_KIND_BODY,      /* name of a body, or ground                                           */
  TNI_KIND_BODIES,    /* [body, body], or `count` of them                                    */
  TNI_KIND_NAME,      /* name of another item (joint, force ...)                             */
  TNI_KIND_NAMES,     /* name, or list of names (exactly `count` of them, if count > 0)      */
  TNI_KIND_EXPR,      /* number, or expression of t and measured quantities                  */
  TNI_KIND_EXPR3,     /* list of three expressions                                           */
  TNI_KIND_TABLE,     /* [[x, y], [x, y], ...], x increasing                                 */
  TNI_KIND_NUMBERMAP, /* name: number                                                        */
  TNI_KIND_ANY        /* anything, checked by whoever reads it; constants come as NUMBER     */
} tni_kind;

enum {
  TNI_REQUIRED = 1,
  TNI_ABOVE_MIN = 2, /* value > min instead of >= */
  TNI_BELOW_MAX = 4, /* value < max instead of <= */
  TNI_REFUSED = 8    /* a common key of the section that means nothing for the type */
};

/* One key of an item. Zero fields mean "no limit"; limits hold when min < max, and 1e300 or more
 * is none. */
typedef struct tni_key {
  const char *name;
  tni_kind kind;
  unsigned flags;
  double min, max;     /* allowed range of numbers; for lists, of every number              */
  int count;           /* NUMBERS, BODIES, NAMES: exact count, 0 = any (BODIES: 2)          */
  const char *unit;    /* "kg", "N/m"; NULL: none                                           */
  const char *initial; /* default as text for the reference; NULL: none                     */
  const char *choices; /* CHOICE: "a|b|c"                                                   */
  const char *doc;     /* one sentence                                                      */
} tni_key;

/* a type of item within a section, e.g. the joint type "revolute" */
typedef struct tni_type {
  const char *name;
  const char *summary; /* one sentence */
  const tni_key *keys; /* beside the common ones of the section */
  int nkey;
} tni_type;

typedef struct tni_section {
  const char *name;             /* "joints"                                                  */
  const char *item;             /* word for one of them in messages: "joint"                 */
  const char *summary;
  bool single;                  /* the section is one item (analysis, output), not a map     */
  bool list;                    /* items may be an unnamed list (drive, forces, sensors): they
                                   get the names drive1, drive2 ... unless a key `name` is given */
  const tni_key *keys;          /* common keys                                               */
  int nkey;
  const tni_type *const *types; /* NULL: items have no `type`                                */
  int ntype;
} tni_section;

typedef struct tni_schema {
  const tni_key *top; /* keys of the document itself: tenon, title, gravity ...             */
  int ntop;
  const tni_section *section;
  int nsection;
} tni_schema;

typedef struct tni_attr {
  const tni_key *key;
  tni_value value;
} tni_attr;

typedef struct tni_item {
  const char *name;
  const tni_type *type; /* NULL if the section has no types */
  const tni_section *section;
  tni_place at;
  int nattr, cap;
  tni_attr *attr;
} tni_item;

typedef struct tni_param {
  const char *name;
  double value;
  tni_place at;
} tni_param;

typedef struct tn_spec tn_spec;
struct tn_spec {
  tn_ctx *ctx;
  tni_arena arena;
  const tni_schema *schema;
  const char *source; /* text of the main file as read, for the results file; "" if none    */
  int noverride;      /* parameters replaced when it was read, "name=value"                 */
  const char **overrides;
  tni_section document; /* the keys of the document as a section without a name             */
  tni_item top;       /* document keys                                                      */
  int nitem, item_cap;
  tni_item **item;    /* all sections, in file order                                        */
  int nparam, param_cap;
  tni_param *param;
  int nslot;          /* hash table from section and name to item, a power of 2             */
  int *slot;          /* [nslot] index into item + 1, 0: empty                              */
};

tn_status tni_spec_create(tn_ctx *ctx, const tni_schema *schema, tn_spec **out);
void tni_spec_destroy(tn_spec **spec);

enum { TNI_MAX_NAME = 100 }; /* bytes of the name of an item */
/* May an item of the section have this name? TN_ERR_INPUT with the reason if not. */
tn_status tni_name_check(tn_ctx *ctx, tni_place at, const tni_section *section, const char *name);
/* The item of a single section (analysis, output ...), NULL if the user did not write it. */
const tni_item *tni_spec_single(const tn_spec *spec, const char *section);
/* Item by section and name, NULL if none. */
tni_item *tni_spec_find(const tn_spec *spec, const char *section, const char *name);
/* Add an empty item; the name must be new in its section (TN_ERR_INPUT otherwise). */
tn_status tni_spec_add(tn_spec *spec, const tni_section *section, const char *name,
                       const tni_type *type, tni_place at, tni_item **out);
/* Add a parameter; the name must be new (TN_ERR_INPUT otherwise). */
tn_status tni_spec_add_param(tn_spec *spec, const char *name, double value, tni_place at);
const tni_param *tni_spec_param(const tn_spec *spec, const char *name); /* NULL: none */
/* Key table entry of an item by name (own type first, then section), NULL if unknown. */
const tni_key *tni_item_key(const tni_item *item, const char *name);
/* Set or replace an attribute after checking kind and range (message with place, value, limits).
 * The struct is copied; what it points to is borrowed and belongs into spec->arena. */
tn_status tni_item_set(tn_spec *spec, tni_item *item, const tni_key *key, const tni_value *value);
/* Check a value against its key; the message names section, item and key. */
tn_status tni_value_check(tn_ctx *ctx, const tni_item *item, const tni_key *key,
                          const tni_value *value);
/* Are all required keys there? The reader asks when an item ends, programs before compile. */
tn_status tni_item_complete(tn_ctx *ctx, const tni_item *item);

/* Attribute by key name, NULL when the user did not give it. */
const tni_value *tni_item_get(const tni_item *item, const char *key);
bool tni_item_has(const tni_item *item, const char *key);
/* Typed access; the fallback is returned when the key is absent. Values were checked when set. */
double tni_item_number(const tni_item *item, const char *key, double fallback);
int tni_item_integer(const tni_item *item, const char *key, int fallback);
bool tni_item_bool(const tni_item *item, const char *key, bool fallback);
const char *tni_item_text(const tni_item *item, const char *key, const char *fallback);
bool tni_item_vec3(const tni_item *item, const char *key, double out[3]); /* false: absent */
bool tni_item_direction(const tni_item *item, const char *key, double out[3]); /* unit vector */
bool tni_item_rotation(const tni_item *item, const char *key, double R[9]);
bool tni_item_inertia(const tni_item *item, const char *key, double I[9]);
/* the same for a value that was already checked */
void tni_value_vec3(const tni_value *v, double out[3]);
void tni_value_direction(const tni_value *v, double out[3]);
void tni_value_rotation(const tni_value *v, double R[9]);

/* Record "file:12: joint 'elbow': ..." and return TN_ERR_INPUT; the line is that of the key when
 * key is not NULL and present, else that of the item. File and line are left out when unknown. */
tn_status tni_item_fail(tn_ctx *ctx, const tni_item *item, const char *key, const char *fmt, ...)
    TN_PRINTF(4, 5);
/* the same at a place of the caller's choice; item may be NULL */
tn_status tni_place_fail(tn_ctx *ctx, tni_place at, const tni_item *item, const char *fmt, ...)
    TN_PRINTF(4, 5);

/* "> 0 and <= 1" from the limits of a key, "" when it has none. */
typedef struct tni_range {
  char s[80];
} tni_range;
tni_range tni_key_range(const tni_key *key);
/* What a kind may be, as the messages, the reference and the schema say it: "must be %s". */
const char *tni_kind_text(tni_kind kind);
/* Text for a message: in quotes, cut at 60 bytes, control characters shown as '?'. */
typedef struct tni_shown {
  char s[80];
} tni_shown;
tni_shown tni_show(const char *text);
/* "; did you mean 'damping'?", else "; known: mass, damping, ..." (cut when long) */
typedef struct tni_hint {
  char s[240];
} tni_hint;
tni_hint tni_hint_for(const char *word, const char *const *names, int n);

/* Rotation matrix of a checked Euler sequence: three letters, lower case about the turned axes
 * (R = R_a R_b R_c), upper case about the fixed ones (R = R_c R_b R_a). */
void tni_euler_matrix(const char *sequence, const double angle[3], double R[9]);

#endif
