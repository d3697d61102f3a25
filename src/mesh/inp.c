/* mesh/inp.c - Abaqus and CalculiX decks
 *
 * Sets may name members that come later, and other sets: what they list is kept and resolved at the end.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>

#include "base/file.h"
#include "mesh/deck.h"
#include "mesh/scan.h"

enum { DEPTH_MAX = 10, FILES_MAX = 1000, WORD_MAX = 256 };
#define DECK_MAX ((size_t)1 << 33)

/* --- types of elements --- */

typedef enum { SOLID, PLANE, SHELL, LINE, OTHER } family;

typedef struct {
  const char *name; /* all that begin so and go on with letters of `more` */
  tni_cell cell;
  family family;
  const char *more;
} type_row;

static const type_row kinds[] = {
    {"C3D4", TNI_CELL_TET4, SOLID, "HT"}, {"C3D6", TNI_CELL_WEDGE6, SOLID, "HT"}, {"C3D8", TNI_CELL_HEX8, SOLID, "RIHTS"},
    {"C3D10", TNI_CELL_TET10, SOLID, "HMTI"}, {"C3D15", TNI_CELL_WEDGE15, SOLID, "HT"}, {"C3D20", TNI_CELL_HEX20, SOLID, "RHTI"},
    {"CPS3", TNI_CELL_TRI3, PLANE, ""}, {"CPS4", TNI_CELL_QUAD4, PLANE, "RI"}, {"CPS6", TNI_CELL_TRI6, PLANE, "M"},
    {"CPS8", TNI_CELL_QUAD8, PLANE, "R"}, {"CPE3", TNI_CELL_TRI3, PLANE, "H"}, {"CPE4", TNI_CELL_QUAD4, PLANE, "RIH"},
    {"CPE6", TNI_CELL_TRI6, PLANE, "MH"}, {"CPE8", TNI_CELL_QUAD8, PLANE, "RH"}, {"CAX3", TNI_CELL_TRI3, PLANE, "H"},
    {"CAX4", TNI_CELL_QUAD4, PLANE, "RIH"}, {"CAX6", TNI_CELL_TRI6, PLANE, "MH"}, {"CAX8", TNI_CELL_QUAD8, PLANE, "RH"},
    {"S3", TNI_CELL_TRI3, SHELL, "RS"}, {"S4", TNI_CELL_QUAD4, SHELL, "RS"}, {"S6", TNI_CELL_TRI6, SHELL, ""},
    {"S8", TNI_CELL_QUAD8, SHELL, "R"}, {"STRI65", TNI_CELL_TRI6, SHELL, ""}, {"STRI3", TNI_CELL_TRI3, SHELL, ""},
    {"M3D3", TNI_CELL_TRI3, SHELL, ""}, {"M3D4", TNI_CELL_QUAD4, SHELL, "R"}, {"M3D6", TNI_CELL_TRI6, SHELL, ""},
    {"M3D8", TNI_CELL_QUAD8, SHELL, "R"}, {"T2D2", TNI_CELL_LINE2, LINE, ""}, {"T3D2", TNI_CELL_LINE2, LINE, ""},
    {"T3D3", TNI_CELL_LINE3, LINE, ""}, {"B21", TNI_CELL_LINE2, LINE, ""}, {"B31", TNI_CELL_LINE2, LINE, "RH"},
    {"B32", TNI_CELL_LINE3, LINE, "RH"}, {"B33", TNI_CELL_LINE2, LINE, ""}, {"MASS", TNI_CELL_POINT, OTHER, ""},
    {"SPRING1", TNI_CELL_POINT, OTHER, ""}, {"SPRING2", TNI_CELL_LINE2, OTHER, ""}, {"SPRINGA", TNI_CELL_LINE2, OTHER, ""},
    {"DASHPOTA", TNI_CELL_LINE2, OTHER, ""}, {"GAPUNI", TNI_CELL_LINE2, OTHER, ""},
    {"DCOUP3D", TNI_CELL_POINT, OTHER, ""}};

static const type_row *kind_of(const char *type) {
  for (int i = 0; i < TNI_COUNT(kinds); i++) {
    size_t n = strlen(kinds[i].name);
    if (strncmp(type, kinds[i].name, n) == 0 && strspn(type + n, kinds[i].more) == strlen(type + n)) return &kinds[i];
  }
  return NULL;
}

/* --- reader --- */

typedef struct {
  tni_scan s;
  char *text;      /* owned, NULL: of the caller */
  int parent;      /* file that includes it, -1  */
  int line;        /* lines read so far          */
} file;

/* numbers from .. to in steps, or (other) the members of a set; of surfaces with the label of a face */
typedef struct {
  tn_gid from, to, step;
  const char *other, *place;
  const char *face;
  bool explicitly; /* listed: each must be there */
} item;

typedef struct {
  const char *name;
  tni_set_kind kind;
  bool surface;    /* names of surfaces are apart from those of sets */
  int n, cap;
  item *item;
  int state;       /* 0: not yet, 1: being resolved, 2: done */
  int nmember, membercap;
  int *member;     /* local nodes or tickets                  */
  const char *place;
} group;

typedef struct {
  tn_ctx *ctx;
  tni_arena work;
  tni_mesh_builder *b;
  tni_deck *deck;  /* NULL: not wanted */
  int cardcap;
  int nfile, now, filecap; /* now: index of the file being read, -1: all read */
  file *file;
  int nnode, nodecap, nelement, elementcap;
  tn_gid *node_gid, *element_gid;
  const char **node_place, **element_place;
  const type_row **element_kind;
  tn_gid *pending;         /* nodes of elements by number, resolved at the end */
  size_t npending, pendingcap;
  size_t *first;           /* [nelement] into pending */
  const char **label;
  int ngroup, groupcap;
  group *group;
  int nparts;
} reader;

typedef struct {
  const char *at, *end; /* without blanks at either end */
  int number;
} line;

static const tni_scan *scan_of(const reader *r, const char *place) {
  for (int i = 0; i < r->nfile; i++)
    if (place >= r->file[i].s.begin && place <= r->file[i].s.end) return &r->file[i].s;
  return &r->file[0].s;
}

static tn_status wrong(const reader *r, const char *place, const char *fmt, ...) TN_PRINTF(3, 4);
static tn_status wrong(const reader *r, const char *place, const char *fmt, ...) {
  char what[TNI_MESSAGE_MAX];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(what, sizeof(what), fmt, ap);
  va_end(ap);
  return tni_scan_fail(scan_of(r, place), place, "%s", what);
}

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

/* the next line that says something, from the file being read or from that which includes it */
static bool next_line(reader *r, line *out) {
  while (r->now >= 0) {
    tni_scan *s = &r->file[r->now].s;
    if (s->at >= s->end) {
      r->now = r->file[r->now].parent;
      continue;
    }
    const char *from = s->at, *to = memchr(from, '\n', (size_t)(s->end - from));
    s->at = to ? to + 1 : s->end;
    int number = ++r->file[r->now].line;
    if (!to) to = s->end;
    while (from < to && is_blank(*from)) from++;
    while (to > from && (is_blank(to[-1]) || to[-1] == 0)) to--;
    if (from == to || (to - from >= 2 && from[0] == '*' && from[1] == '*')) continue;
    *out = (line){from, to, number};
    return true;
  }
  return false;
}

/* --- words of a line --- */

static int upper(int c) { return c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c; }

static bool same_name(const char *a, const char *b) {
  for (; *a && upper((unsigned char)*a) == upper((unsigned char)*b); a++, b++) {}
  return upper((unsigned char)*a) == upper((unsigned char)*b);
}

/* the next field: trimmed, quotes removed; false: the line is at its end */
static bool next_field(line *l, const char **from, const char **to) {
  if (l->at > l->end) return false;
  const char *c = l->at;
  bool quoted = false;
  while (c < l->end && (quoted || *c != ',')) {
    if (*c == '"') quoted = !quoted;
    c++;
  }
  *from = l->at;
  *to = c;
  l->at = c + 1; /* beyond the end: the line is used up */
  while (*from < *to && is_blank(**from)) ++*from;
  while (*to > *from && is_blank((*to)[-1])) --*to;
  if (*to - *from >= 2 && **from == '"' && (*to)[-1] == '"') {
    ++*from;
    --*to;
  }
  return true;
}

static char *copy(tni_arena *arena, const char *from, const char *to) {
  char *s = tni_arena_alloc(arena, (size_t)(to - from) + 1, 1);
  if (!s) return NULL;
  memcpy(s, from, (size_t)(to - from));
  tni_text_to_line(s);
  return s;
}

/* a whole number, alone in its field */
static bool whole(const char *from, const char *to, tn_gid *out) {
  tni_scan s = {.begin = from, .end = to, .at = from};
  return from < to && tni_scan_integer(&s, out) && s.at == to;
}

static bool real(const char *from, const char *to, double *out) {
  tni_scan s = {.begin = from, .end = to, .at = from};
  return from < to && tni_scan_number(&s, out) && s.at == to;
}

static int shown(const char *from, const char *to) { return to - from > 40 ? 40 : (int)(to - from); }

/* --- cards --- */

/* keyword and parameters; lines that end with a comma go on */
static tn_status read_keyword(reader *r, tni_arena *arena, line l, tni_card *card) {
  char word[WORD_MAX];
  const char *from, *to, *place = l.at;
  const tni_scan *s = scan_of(r, l.at);
  *card = (tni_card){.file = s->source, .line = l.number};
  l.at++;
  next_field(&l, &from, &to);
  size_t n = 0;
  for (const char *c = from; c < to && n < sizeof(word) - 1; c++)
    if (!is_blank(*c)) word[n++] = (char)upper((unsigned char)*c);
  if (n == 0 || !isalpha((unsigned char)word[0])) return wrong(r, place, "'*' must be followed by a keyword");
  card->keyword = copy(arena, word, word + n);
  if (!card->keyword) return tni_out_of_memory(r->ctx);
  int cap = 0, cap2 = 0;
  while (true) {
    while (next_field(&l, &from, &to)) {
      if (from == to) continue;
      const char *eq = memchr(from, '=', (size_t)(to - from)), *name_end = eq ? eq : to, *value = eq ? eq + 1 : to, *value_end = to;
      while (name_end > from && is_blank(name_end[-1])) name_end--;
      while (value < value_end && is_blank(*value)) value++;
      if (value_end - value >= 2 && *value == '"' && value_end[-1] == '"') {
        value++;
        value_end--;
      }
      if (card->nparam >= 100) return wrong(r, from, "more than 100 parameters");
      if (!tni_arena_grow(arena, (void **)&card->param, card->nparam, &cap, sizeof(char *)) ||
          !tni_arena_grow(arena, (void **)&card->value, card->nparam, &cap2, sizeof(char *)))
        return tni_out_of_memory(r->ctx);
      char *name = copy(arena, from, name_end), *text = copy(arena, value, value_end);
      if (!name || !text) return tni_out_of_memory(r->ctx);
      for (char *c = name; *c; c++) *c = (char)upper((unsigned char)*c);
      card->param[card->nparam] = name;
      card->value[card->nparam++] = text;
    }
    if (l.end[-1] != ',') return TN_OK;
    line more;
    if (!next_line(r, &more)) return TN_OK;
    if (*more.at == '*') return wrong(r, more.at, "the line before ends with a comma, but no parameter follows");
    l = more;
  }
}

bool tni_card_same_word(const char *a, const char *b) {
  for (;; a++, b++) {
    a += strspn(a, " \t");
    b += strspn(b, " \t");
    if (*a != *b) return false;
    if (!*a) return true;
  }
}

const char *tni_card_value(const tni_card *card, const char *name) {
  for (int i = 0; i < card->nparam; i++)
    if (tni_card_same_word(card->param[i], name)) return card->value[i];
  return NULL;
}

int tni_card_fields(const char *data, char *buffer, size_t nbuffer, const char **field, int most) {
  line l = {data, data + strlen(data), 0};
  const char *from, *to;
  size_t used = 0;
  int n = 0, filled = 0;
  while (n < most && next_field(&l, &from, &to)) {
    size_t k = (size_t)(to - from);
    if (used + k + 1 > nbuffer) return -1;
    memcpy(buffer + used, from, k);
    buffer[used+k] = 0;
    field[n++] = buffer + used;
    used += k + 1;
    if (k > 0) filled = n;
  }
  return filled;
}

const tni_mesh_set *tni_deck_find_set(const tni_mesh *m, const char *name, tni_set_kind kind) {
  for (int i = 0; i < m->nset; i++)
    if (m->set[i].kind == kind && same_name(m->set[i].name, name)) return &m->set[i];
  return NULL;
}

void tni_deck_destroy(tni_deck **deck) {
  if (!deck || !*deck) return;
  tn_ctx *ctx = (*deck)->ctx;
  tni_arena_clear(&(*deck)->arena);
  tni_free(ctx, *deck);
  *deck = NULL;
}

/* --- sets --- */

static int find_named(const reader *r, const char *name, tni_set_kind kind, bool surface) {
  for (int i = r->ngroup - 1; i >= 0; i--)
    if (r->group[i].kind == kind && r->group[i].surface == surface && same_name(r->group[i].name, name)) return i;
  return -1;
}

static int find_group(const reader *r, const char *name, tni_set_kind kind) { return find_named(r, name, kind, false); }

static tn_status need_group(reader *r, const char *name, tni_set_kind kind, bool surface, const char *place, int *out) {
  *out = find_named(r, name, kind, surface);
  if (*out >= 0) return TN_OK;
  if (!name[0]) return wrong(r, place, "the set needs a name");
  if (!tni_arena_grow(&r->work, (void **)&r->group, r->ngroup, &r->groupcap, sizeof(group))) return tni_out_of_memory(r->ctx);
  char *own = copy(&r->work, name, name + strlen(name));
  if (!own) return tni_out_of_memory(r->ctx);
  r->group[r->ngroup] = (group){.name = own, .kind = kind, .surface = surface, .place = place};
  *out = r->ngroup++;
  return TN_OK;
}

static tn_status add_item(reader *r, int g, item i) {
  group *set = &r->group[g];
  /* one after the other, as in *ELEMENT, ELSET=: a longer range */
  if (set->n > 0 && !i.other && !i.face && i.step == 1 && set->kind != TNI_SET_FACES) {
    item *last = &set->item[set->n-1];
    if (!last->other && last->step == 1 && last->explicitly == i.explicitly && last->to < INT64_MAX && i.from == last->to + 1) {
      last->to = i.to;
      return TN_OK;
    }
  }
  if (!tni_arena_grow(&r->work, (void **)&set->item, set->n, &set->cap, sizeof(item))) return tni_out_of_memory(r->ctx);
  set->item[set->n++] = i;
  return TN_OK;
}

/* --- data of the cards that make the mesh; each returns at the next keyword, in *l, *more: there is one --- */

typedef tn_status (*handler)(reader *r, const tni_card *card, const char *place, line *l, bool *more);

static bool data_line(reader *r, line *l, bool *more) {
  *more = next_line(r, l);
  return *more && *l->at != '*';
}

static tn_status room(reader *r, void *items, int n, int *cap, size_t size, bool keep_cap) {
  int c = *cap;
  void *p;
  memcpy(&p, items, sizeof(p));
  if (!tni_arena_grow(&r->work, &p, n, &c, size)) return tni_out_of_memory(r->ctx);
  memcpy(items, &p, sizeof(p));
  if (!keep_cap) *cap = c;
  return TN_OK;
}

static tn_status read_nodes(reader *r, const tni_card *card, const char *place, line *l, bool *more) {
  const char *set = tni_card_value(card, "NSET"), *system = tni_card_value(card, "SYSTEM"), *from, *to;
  int g = -1;
  bool polar = system && (same_name(system, "C") || same_name(system, "CYLINDRICAL"));
  if (system && !polar && !same_name(system, "R") && !same_name(system, "RECTANGULAR"))
    return wrong(r, place, "*NODE, SYSTEM=%s is unknown, known: R, C", system);
  if (tni_card_value(card, "INPUT")) return wrong(r, place, "*NODE, INPUT= is unknown; use *INCLUDE");
  if (set) TN_TRY(need_group(r, set, TNI_SET_NODES, false, place, &g));
  while (data_line(r, l, more)) {
    const char *at = l->at;
    tn_gid gid;
    double x[3] = {0};
    next_field(l, &from, &to);
    if (!whole(from, to, &gid) || gid < 1) return wrong(r, at, "number of a node: '%.*s', must be a whole number from 1", shown(from, to), from);
    for (int k = 0; next_field(l, &from, &to); k++) {
      if (from == to) continue;
      if (k >= 3) continue; /* direction cosines of the normal */
      if (!real(from, to, &x[k]) || !isfinite(x[k]))
        return wrong(r, at, "node %lld: %c = '%.*s', must be a number", (long long)gid, "xyz"[k], shown(from, to), from);
    }
    if (polar) {
      double a = x[1]*3.14159265358979323846/180, radius = x[0];
      x[0] = radius*cos(a);
      x[1] = radius*sin(a);
    }
    TN_TRY(room(r, &r->node_gid, r->nnode, &r->nodecap, sizeof(tn_gid), true));
    TN_TRY(room(r, &r->node_place, r->nnode, &r->nodecap, sizeof(char *), false));
    r->node_gid[r->nnode] = gid;
    r->node_place[r->nnode++] = at;
    if (tni_mesh_add_node(r->b, gid, x[0], x[1], x[2]) < 0) return tni_out_of_memory(r->ctx);
    if (g >= 0) TN_TRY(add_item(r, g, (item){gid, gid, 1, NULL, at, NULL, true}));
  }
  return TN_OK;
}

static tn_status hand_over(reader *r, tni_card c) {
  if (!r->deck) return TN_OK;
  if (!tni_arena_grow(&r->deck->arena, (void **)&r->deck->card, r->deck->ncard, &r->cardcap, sizeof(tni_card)))
    return tni_out_of_memory(r->ctx);
  c.file = tni_arena_strdup(&r->deck->arena, c.file);
  if (!c.file) return tni_out_of_memory(r->ctx);
  r->deck->card[r->deck->ncard++] = c;
  return TN_OK;
}

static tn_status read_elements(reader *r, const tni_card *card, const char *place, line *l, bool *more) {
  const char *type = tni_card_value(card, "TYPE"), *set = tni_card_value(card, "ELSET"), *from, *to;
  char word[WORD_MAX];
  int g = -1;
  bool warned = false;
  if (!type || !type[0]) return wrong(r, place, "*ELEMENT needs TYPE=");
  if (tni_card_value(card, "INPUT")) return wrong(r, place, "*ELEMENT, INPUT= is unknown; use *INCLUDE");
  size_t n = 0;
  for (; type[n] && n < sizeof(word) - 1; n++) word[n] = (char)upper((unsigned char)type[n]);
  word[n] = 0;
  const type_row *k = kind_of(word);
  if (!k) return wrong(r, place, "*ELEMENT, TYPE=%.40s is unknown, known: C3D4/6/8/10/15/20, CPS, CPE, CAX 3/4/6/8, S3/4/6/8, M3D, T3D2, B31, "
                       "B32, MASS, SPRING1, SPRING2, SPRINGA and their variants", word);
  const char *label = copy(&r->work, word, word + n);
  if (!label) return tni_out_of_memory(r->ctx);
  if (set) TN_TRY(need_group(r, set, TNI_SET_CELLS, false, place, &g));
  TN_TRY(hand_over(r, *card)); /* where a type comes from */
  int nnode = tni_cell_of(k->cell)->nnode;
  while (data_line(r, l, more)) {
    const char *at = l->at;
    tn_gid gid, node;
    int have = 0;
    next_field(l, &from, &to);
    if (!whole(from, to, &gid) || gid < 1)
      return wrong(r, at, "number of an element: '%.*s', must be a whole number from 1", shown(from, to), from);
    TN_TRY(room(r, &r->element_gid, r->nelement, &r->elementcap, sizeof(tn_gid), true));
    TN_TRY(room(r, &r->element_place, r->nelement, &r->elementcap, sizeof(char *), true));
    TN_TRY(room(r, &r->element_kind, r->nelement, &r->elementcap, sizeof(type_row *), true));
    TN_TRY(room(r, &r->label, r->nelement, &r->elementcap, sizeof(char *), true));
    TN_TRY(room(r, &r->first, r->nelement, &r->elementcap, sizeof(size_t), false));
    if (r->npending + (size_t)nnode > r->pendingcap) {
      size_t cap = 2*r->pendingcap + 1024;
      tn_gid *larger = tni_arena_alloc(&r->work, cap, sizeof(tn_gid));
      if (!larger) return tni_out_of_memory(r->ctx);
      if (r->npending) memcpy(larger, r->pending, r->npending*sizeof(tn_gid));
      r->pending = larger;
      r->pendingcap = cap;
    }
    while (have < nnode) {
      if (!next_field(l, &from, &to) || (from == to && l->at > l->end)) { /* goes on in the next line */
        if (!data_line(r, l, more)) return wrong(r, at, "element %lld of type %s has %d nodes, needs %d", (long long)gid, word, have, nnode);
        continue;
      }
      if (!whole(from, to, &node))
        return wrong(r, from, "element %lld: node '%.*s', must be a whole number", (long long)gid, shown(from, to), from);
      r->pending[r->npending + (size_t)have++] = node;
    }
    if (next_field(l, &from, &to) && (from < to || l->at <= l->end)) {
      if (k->family != SOLID) return wrong(r, at, "element %lld of type %s has more than %d nodes", (long long)gid, word, nnode);
      if (!warned) tni_log(r->ctx, TN_LOG_WARNING, "%s:%d: elements of type %s have %d nodes, what follows in the line is left out",
                           scan_of(r, at)->source, l->number, word, nnode);
      warned = true;
    }
    r->element_gid[r->nelement] = gid;
    r->element_place[r->nelement] = at;
    r->element_kind[r->nelement] = k;
    r->label[r->nelement] = label;
    r->first[r->nelement++] = r->npending;
    r->npending += (size_t)nnode;
    if (g >= 0) TN_TRY(add_item(r, g, (item){gid, gid, 1, NULL, at, NULL, true}));
  }
  return TN_OK;
}

static tn_status read_set(reader *r, const tni_card *card, const char *place, line *l, bool *more) {
  bool nodes = strcmp(card->keyword, "NSET") == 0;
  const char *name = tni_card_value(card, nodes ? "NSET" : "ELSET"), *from, *to, *of = nodes ? tni_card_value(card, "ELSET") : NULL;
  bool generate = tni_card_value(card, "GENERATE") != NULL;
  int g;
  if (!name) return wrong(r, place, "*%s needs %s=", card->keyword, card->keyword);
  TN_TRY(need_group(r, name, nodes ? TNI_SET_NODES : TNI_SET_CELLS, false, place, &g));
  if (of) { /* nodes of a set of elements */
    char *other = copy(&r->work, of, of + strlen(of));
    if (!other) return tni_out_of_memory(r->ctx);
    TN_TRY(add_item(r, g, (item){0, 0, -1, other, place, NULL, true}));
  }
  while (data_line(r, l, more)) {
    const char *at = l->at;
    if (generate) {
      tn_gid v[3] = {0, 0, 1};
      int n = 0;
      while (next_field(l, &from, &to)) {
        if (from == to) continue;
        if (n == 3 || !whole(from, to, &v[n++]))
          return wrong(r, at, "GENERATE needs first, last and step as whole numbers, found '%.*s'", shown(from, to), from);
      }
      if (n == 1) v[1] = v[0];
      if (n == 0 || v[2] < 1 || v[1] < v[0] || v[0] < 0)
        return wrong(r, at, "GENERATE: %lld, %lld, %lld, must be first, last >= first, step >= 1", (long long)v[0], (long long)v[1], (long long)v[2]);
      TN_TRY(add_item(r, g, (item){v[0], v[1], v[2], NULL, at, NULL, false}));
      continue;
    }
    while (next_field(l, &from, &to)) {
      tn_gid v;
      if (from == to) continue;
      if (whole(from, to, &v)) {
        TN_TRY(add_item(r, g, (item){v, v, 1, NULL, from, NULL, true}));
        continue;
      }
      char *other = copy(&r->work, from, to);
      if (!other) return tni_out_of_memory(r->ctx);
      TN_TRY(add_item(r, g, (item){0, 0, 1, other, from, NULL, true}));
    }
  }
  return TN_OK;
}

static tn_status read_surface(reader *r, const tni_card *card, const char *place, line *l, bool *more) {
  const char *name = tni_card_value(card, "NAME"), *type = tni_card_value(card, "TYPE"), *from, *to;
  int g;
  bool nodes = type && same_name(type, "NODE");
  if (!name) return wrong(r, place, "*SURFACE needs NAME=");
  if (type && !nodes && !same_name(type, "ELEMENT")) return wrong(r, place, "*SURFACE, TYPE=%.40s is unknown, known: ELEMENT, NODE", type);
  TN_TRY(need_group(r, name, nodes ? TNI_SET_NODES : TNI_SET_FACES, true, place, &g));
  while (data_line(r, l, more)) {
    const char *at = l->at;
    item i = {0, 0, 1, NULL, at, NULL, true};
    next_field(l, &from, &to);
    if (from == to) return wrong(r, at, "*SURFACE: an element or a set must be named");
    if (whole(from, to, &i.from)) i.to = i.from;
    else if (!(i.other = copy(&r->work, from, to))) return tni_out_of_memory(r->ctx);
    if (!nodes) {
      if (!next_field(l, &from, &to) || from == to) return wrong(r, at, "*SURFACE: the face is missing: S1, S2, ..., SPOS, SNEG");
      char *face = copy(&r->work, from, to);
      if (!face) return tni_out_of_memory(r->ctx);
      for (char *c = face; *c; c++) *c = (char)upper((unsigned char)*c);
      i.face = face;
    }
    TN_TRY(add_item(r, g, i));
  }
  return TN_OK;
}

static tn_status open_file(reader *r, const char *source, const char *text, size_t n, char *owned) {
  if (!tni_arena_grow(&r->work, (void **)&r->file, r->nfile, &r->filecap, sizeof(file))) {
    tni_free(r->ctx, owned);
    return tni_out_of_memory(r->ctx);
  }
  r->file[r->nfile] = (file){{r->ctx, source, text, text + n, text}, owned, r->now, 0};
  r->now = r->nfile++;
  return TN_OK;
}

static tn_status read_include(reader *r, const tni_card *card, const char *place, line *l, bool *more) {
  const char *path = tni_card_value(card, "INPUT"), *from = scan_of(r, place)->source, *slash = strrchr(from, '/');
  int depth = 0;
  if (!path || !path[0]) return wrong(r, place, "*INCLUDE needs INPUT=");
  for (int f = r->now; f >= 0; f = r->file[f].parent) depth++;
  if (depth >= DEPTH_MAX || r->nfile >= FILES_MAX)
    return wrong(r, place, "*INCLUDE of '%s': files include each other more than %d deep", path, DEPTH_MAX);
  const char *whole_path = path[0] == '/' || !slash ? tni_arena_strdup(&r->work, path)
                                                    : tni_arena_printf(&r->work, "%.*s/%s", (int)(slash - from), from, path);
  if (!whole_path) return tni_out_of_memory(r->ctx);
  char *text, why[TNI_WHY_MAX] = "";
  size_t n;
  tni_file_id id;
  tn_status st = tni_file_read(r->ctx, whole_path, DECK_MAX, &text, &n, &id, why);
  if (st == TN_ERR_IO) return wrong(r, place, "*INCLUDE: cannot read '%s': %s", whole_path, why);
  TN_TRY(st);
  TN_TRY(open_file(r, whole_path, text, n, text));
  *more = next_line(r, l);
  return TN_OK;
}

/* a part and its only instance: taken as one flat deck */
static tn_status read_part(reader *r, const tni_card *card, const char *place, line *l, bool *more) {
  bool part = strcmp(card->keyword, "PART") == 0, instance = strcmp(card->keyword, "INSTANCE") == 0;
  if (part && r->nparts++ > 0) return wrong(r, place, "a second *PART; only decks of one part are known");
  while (data_line(r, l, more)) {
    if (instance) return wrong(r, l->at, "*INSTANCE moves the part; only one instance in its place is known");
  }
  return TN_OK;
}

static tn_status refuse(reader *r, const tni_card *card, const char *place, line *l, bool *more) {
  (void)l;
  (void)more;
  return wrong(r, place, "*%s is not understood: nodes and elements must be listed", card->keyword);
}

/* cards that are handed over */
static tn_status keep_card(reader *r, const tni_card *card, line *l, bool *more) {
  int cap = 0, cap2 = 0;
  tni_card c = *card;
  while (data_line(r, l, more)) {
    if (!r->deck) continue;
    tni_arena *arena = &r->deck->arena;
    if (!tni_arena_grow(arena, (void **)&c.data, c.ndata, &cap, sizeof(char *)) ||
        !tni_arena_grow(arena, (void **)&c.data_line, c.ndata, &cap2, sizeof(int)))
      return tni_out_of_memory(r->ctx);
    c.data_line[c.ndata] = l->number;
    if (!(c.data[c.ndata++] = copy(arena, l->at, l->end))) return tni_out_of_memory(r->ctx);
  }
  return hand_over(r, c);
}

static const struct {
  const char *keyword;
  handler read;
} handlers[] = {{"NODE", read_nodes}, {"ELEMENT", read_elements}, {"NSET", read_set}, {"ELSET", read_set}, {"SURFACE", read_surface},
                {"INCLUDE", read_include}, {"PART", read_part}, {"ENDPART", read_part}, {"ASSEMBLY", read_part},
                {"ENDASSEMBLY", read_part}, {"INSTANCE", read_part}, {"ENDINSTANCE", read_part}, {"NGEN", refuse}, {"NFILL", refuse},
                {"NCOPY", refuse}, {"ELGEN", refuse}, {"ELCOPY", refuse}, {"NMAP", refuse}, {"SYSTEM", refuse}};

static tn_status read_cards(reader *r) {
  line l;
  bool more = next_line(r, &l);
  while (more) {
    if (*l.at != '*') return wrong(r, l.at, "a keyword must come first, found '%.*s'", shown(l.at, l.end), l.at);
    const char *place = l.at;
    tni_card card;
    TN_TRY(read_keyword(r, r->deck ? &r->deck->arena : &r->work, l, &card));
    int k = 0;
    while (k < TNI_COUNT(handlers) && strcmp(handlers[k].keyword, card.keyword) != 0) k++;
    if (k < TNI_COUNT(handlers)) TN_TRY(handlers[k].read(r, &card, place, &l, &more));
    else TN_TRY(keep_card(r, &card, &l, &more));
  }
  return TN_OK;
}

/* --- numbers to nodes and cells --- */

static tn_status make_elements(reader *r, const tni_gid_map *nodes) {
  for (int e = 0; e < r->nelement; e++) {
    const type_row *k = r->element_kind[e];
    const tni_cell_shape *s = tni_cell_of(k->cell);
    int node[TNI_CELL_MAXNODE];
    for (int a = 0; a < s->nnode; a++) {
      tn_gid gid = r->pending[r->first[e] + (size_t)a];
      int at = tni_gid_map_find(nodes, gid);
      if (at < 0)
        return wrong(r, r->element_place[e], "element %lld has node %lld, which is not given", (long long)r->element_gid[e], (long long)gid);
      /* quadratic lines: end, middle, end */
      node[k->cell == TNI_CELL_LINE3 ? (a == 1 ? 2 : a == 2 ? 1 : 0) : a] = at;
    }
    if (tni_mesh_add_cell(r->b, k->cell, r->label[e], r->element_gid[e], node) < 0) return tni_out_of_memory(r->ctx);
  }
  return TN_OK;
}

typedef struct {
  reader *r;
  const tni_gid_map *node, *element;
} resolver;

static tn_status add_member(reader *r, group *g, int member) {
  if (!tni_arena_grow(&r->work, (void **)&g->member, g->nmember, &g->membercap, sizeof(int))) return tni_out_of_memory(r->ctx);
  g->member[g->nmember++] = member;
  return TN_OK;
}

static tn_status resolve(const resolver *v, int at);

/* members of an item: numbers, or those of another set */
static tn_status resolve_item(const resolver *v, int at, const item *i) {
  reader *r = v->r;
  group *g = &r->group[at];
  bool nodes = g->kind == TNI_SET_NODES;
  const tni_gid_map *map = nodes ? v->node : v->element;
  const char *what = nodes ? "node" : "element";
  if (i->other) {
    bool of_elements = i->step < 0; /* *NSET, ELSET= */
    int other = find_group(r, i->other, of_elements ? TNI_SET_CELLS : g->kind);
    if (other < 0) return wrong(r, i->place, "there is no set of %ss '%.100s'", of_elements ? "element" : what, i->other);
    TN_TRY(resolve(v, other));
    g = &r->group[at];
    const group *o = &r->group[other];
    for (int k = 0; k < o->nmember; k++) {
      if (!of_elements) {
        TN_TRY(add_member(r, g, o->member[k]));
        continue;
      }
      tni_cell cell;
      const int *node = tni_mesh_building_cell(r->b, o->member[k], &cell, NULL);
      for (int a = 0; a < tni_cell_of(cell)->nnode; a++) TN_TRY(add_member(r, g, node[a]));
    }
    return TN_OK;
  }
  /* a generated range may be much longer than what there is */
  int have = nodes ? r->nnode : r->nelement;
  uint64_t count = ((uint64_t)i->to - (uint64_t)i->from)/(uint64_t)i->step;
  if (count > (uint64_t)have) {
    const tn_gid *gid = nodes ? r->node_gid : r->element_gid;
    for (int k = 0; k < have; k++)
      if (gid[k] >= i->from && gid[k] <= i->to && (gid[k] - i->from)%i->step == 0) TN_TRY(add_member(r, g, k));
    return TN_OK;
  }
  tn_gid gid = i->from;
  for (uint64_t k = 0; k <= count; k++, gid += k <= count ? i->step : 0) {
    int member = tni_gid_map_find(map, gid);
    if (member >= 0) TN_TRY(add_member(r, g, member));
    else if (i->explicitly)
      tni_log(r->ctx, TN_LOG_WARNING, "%s:%d: set '%.100s': there is no %s %lld, it is left out", scan_of(r, i->place)->source,
              tni_scan_line(scan_of(r, i->place), i->place), g->name, what, (long long)gid);
  }
  return TN_OK;
}

static tn_status resolve(const resolver *v, int at) {
  group *g = &v->r->group[at];
  if (g->state == 2) return TN_OK;
  if (g->state == 1) return wrong(v->r, g->place, "set '%.100s' contains itself", g->name);
  g->state = 1;
  for (int k = 0; k < g->n; k++) {
    TN_TRY(resolve_item(v, at, &v->r->group[at].item[k]));
    g = &v->r->group[at];
  }
  g->state = 2;
  return TN_OK;
}

/* the face that a label means on an element; false: it has none of that name */
static bool face_number(const type_row *k, const char *label, int *face) {
  const tni_cell_shape *s = tni_cell_of(k->cell);
  if (k->family == SHELL && (strcmp(label, "SPOS") == 0 || strcmp(label, "S2") == 0 || strcmp(label, "P") == 0)) {
    *face = TNI_FACE_POSITIVE;
    return true;
  }
  if (k->family == SHELL && (strcmp(label, "SNEG") == 0 || strcmp(label, "S1") == 0 || strcmp(label, "N") == 0)) {
    *face = TNI_FACE_NEGATIVE;
    return true;
  }
  bool edge = k->family == SHELL && label[0] == 'E';
  if ((label[0] != 'S' && !edge) || label[1] < '1' || label[1] > '9' || label[2]) return false;
  *face = label[1] - '1' - (k->family == SHELL && !edge ? 2 : 0);
  return (k->family == SOLID || k->family == PLANE || k->family == SHELL) && *face >= 0 && *face < s->nface;
}

static tn_status add_face(reader *r, int set, int nodes, const item *i, int element) {
  int face;
  const type_row *k = r->element_kind[element];
  if (!face_number(k, i->face, &face))
    return wrong(r, i->place, "element %lld of type %s has no face %.40s", (long long)r->element_gid[element], r->label[element], i->face);
  tni_mesh_add_member(r->b, set, element, face);
  if (nodes < 0) return TN_OK;
  const tni_cell_shape *s = tni_cell_of(k->cell), *f = face >= 0 ? tni_cell_of(s->face_cell[face]) : s;
  const int *node = tni_mesh_building_cell(r->b, element, NULL, NULL);
  for (int a = 0; a < f->nnode; a++) tni_mesh_add_member(r->b, nodes, node[face >= 0 ? s->face[face][a] : a], 0);
  return TN_OK;
}

static tn_status make_surface(const resolver *v, int at) {
  reader *r = v->r;
  const group *g = &r->group[at];
  /* a set of nodes, or a surface of nodes, that has the name keeps it */
  bool taken = find_group(r, g->name, TNI_SET_NODES) >= 0 || find_named(r, g->name, TNI_SET_NODES, true) >= 0;
  int set = tni_mesh_add_set(r->b, g->name, TNI_SET_FACES), nodes = taken ? -1 : tni_mesh_add_set(r->b, g->name, TNI_SET_NODES);
  for (int k = 0; k < g->n; k++) {
    const item *i = &g->item[k];
    if (i->other) {
      int other = find_group(r, i->other, TNI_SET_CELLS);
      if (other < 0) return wrong(r, i->place, "there is no set of elements '%.100s'", i->other);
      TN_TRY(resolve(v, other));
      for (int e = 0; e < r->group[other].nmember; e++) TN_TRY(add_face(r, set, nodes, i, r->group[other].member[e]));
    } else {
      int element = tni_gid_map_find(v->element, i->from);
      if (element < 0) return wrong(r, i->place, "surface '%.100s': there is no element %lld", g->name, (long long)i->from);
      TN_TRY(add_face(r, set, nodes, i, element));
    }
  }
  return TN_OK;
}

static tn_status finish(reader *r, tni_mesh **out) {
  tni_gid_map *node, *element;
  int twice;
  TN_TRY(tni_gid_map_create(&r->work, r->node_gid, r->nnode, &node, &twice));
  if (twice >= 0) return wrong(r, r->node_place[twice], "node %lld is given twice", (long long)r->node_gid[twice]);
  TN_TRY(tni_gid_map_create(&r->work, r->element_gid, r->nelement, &element, &twice));
  if (twice >= 0) return wrong(r, r->element_place[twice], "element %lld is given twice", (long long)r->element_gid[twice]);
  if (r->nnode == 0 || r->nelement == 0)
    return TN_FAIL(r->ctx, TN_ERR_INPUT, "%s: the deck has no %s", r->file[0].s.source, r->nnode ? "elements" : "nodes");
  TN_TRY(make_elements(r, node));
  resolver v = {r, node, element};
  for (int i = 0; i < r->ngroup; i++) {
    if (r->group[i].kind == TNI_SET_FACES) {
      TN_TRY(make_surface(&v, i));
      continue;
    }
    TN_TRY(resolve(&v, i));
    const group *g = &r->group[i];
    const char *own = g->name;
    if (g->surface && find_group(r, g->name, TNI_SET_NODES) >= 0) own = tni_arena_printf(&r->work, "%s surface", g->name);
    if (!own) return tni_out_of_memory(r->ctx);
    int set = tni_mesh_add_set(r->b, own, g->kind);
    for (int k = 0; k < g->nmember; k++) tni_mesh_add_member(r->b, set, g->member[k], 0);
  }
  return tni_mesh_finish(&r->b, out);
}

tn_status tni_inp_parse(tn_ctx *ctx, const char *name, const char *source, const char *text, size_t n, tni_mesh **mesh, tni_deck **deck) {
  reader r = {.ctx = ctx, .now = -1};
  *mesh = NULL;
  if (deck) *deck = NULL;
  tni_arena_init(&r.work, ctx);
  tn_status st = tni_mesh_begin(ctx, name, source, &r.b);
  if (st == TN_OK && deck) {
    r.deck = tni_alloc(ctx, 1, sizeof(*r.deck));
    if (r.deck) {
      r.deck->ctx = ctx;
      tni_arena_init(&r.deck->arena, ctx);
    } else {
      st = tni_out_of_memory(ctx);
    }
  }
  tni_scan_locale locale = tni_scan_locale_begin();
  if (st == TN_OK) st = open_file(&r, source, text, n, NULL);
  if (st == TN_OK) st = read_cards(&r);
  if (st == TN_OK) st = finish(&r, mesh);
  tni_scan_locale_end(locale);
  for (int i = 0; i < r.nfile; i++) tni_free(ctx, r.file[i].text);
  tni_mesh_abandon(&r.b);
  tni_arena_clear(&r.work);
  if (st == TN_OK && deck) *deck = r.deck;
  else tni_deck_destroy(&r.deck);
  return st;
}
