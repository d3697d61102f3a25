/* Abaqus and CalculiX decks: nodes, elements, sets, surfaces, includes, cards handed over, messages, mutated decks
 * SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 200809L
#define _DEFAULT_SOURCE
#include "mesh/deck.h"

#include <unistd.h>

#include "mesh/generate.h"
#include "mesh/quality.h"
#include "support/check.h"
#include "support/mutate.h"

static tn_ctx *ctx;
static bool all;

static tni_mesh *read_text(const char *text, tni_deck **deck) {
  tni_mesh *m;
  CHECK_OK(ctx, tni_inp_parse(ctx, "m", "a.inp", text, strlen(text), &m, deck));
  return m;
}

static int size_of(const tni_mesh *m, const char *name, tni_set_kind kind) {
  const tni_mesh_set *s = tni_deck_find_set(m, name, kind);
  return s ? s->n : -1;
}

/* two unit cubes as a deck would write them, with everything that sets can do */
static const char cubes[] =
    "*HEADING\nTwo cubes\n** a comment\n"
    "*Node, nset=Nall\n"
    " 1, 0., 0., 0.\n 2, 1., 0, 0\n 3, 1.,1.,0\n 4, 0, 1d0, 0\n"
    "5, 0,0,1\n6,1,0,1\r\n7,1,1,1,\n8,0,1,1.0E+00\n 11, 2\n12, 2,1\n13,2,0,1\n14,2,1,1\n"
    "*ELEMENT, TYPE=C3D8R, ELSET = Left\n"
    "100, 1,2,3,4,5,6,\n7,8\n"
    "*element, type=c3d8, elset=right\n"
    "200, 2,11,12,3, 6,13,14,7\n"
    "*NSET, NSET=base, GENERATE\n1, 4, 1\n"
    "*NSET,NSET=BASE\n11, 12\n"
    "*NSET, NSET=odd, GENERATE\n1,1000000000000,2\n"
    "*NSET, NSET=of_left, ELSET=LEFT\n"
    "*ELSET, ELSET=later\n EALL, 100\n"
    "*ELSET, ELSET=Eall\nleft, right\n"
    "*SURFACE, NAME=Press, TYPE=ELEMENT\nleft, S6\n200, S4\n"
    "*SURFACE, NAME=pins, TYPE=NODE\nbase\n8\n"
    "*MATERIAL, NAME=\"My steel\"\n*ELASTIC,\n TYPE=ISO\n210000., .3\n"
    "*SOLID SECTION, ELSET=EALL, MATERIAL=My steel\n"
    "*STEP\n*STATIC\n*BOUNDARY\nbase, 1, 3\n**\n\n8, 1,, 0.5\n*DLOAD\nPress, P, 3\n*END STEP\n";

static void sets_surfaces_cards(void) {
  tni_deck *d;
  tni_mesh *m = read_text(cubes, &d);
  CHECK_INT(m->nnode, 12);
  CHECK_INT(m->ncell, 2);
  CHECK_TEXT(m->block[0].label, "C3D8R");
  CHECK_TEXT(m->block[1].label, "C3D8");
  for (int c = 0; c < 2; c++) CHECK_NEAR(tni_mesh_measure(m, c), 1, 1e-14);
  CHECK_INT(tni_mesh_cell_of(m, 200), 1);
  CHECK_INT(size_of(m, "NALL", TNI_SET_NODES), 12);
  CHECK_INT(size_of(m, "base", TNI_SET_NODES), 6);
  CHECK(tni_mesh_find_set(m, "base", TNI_SET_NODES)); /* as it was first written */
  CHECK_INT(size_of(m, "odd", TNI_SET_NODES), 6);     /* 1 3 5 7 11 13 */
  CHECK_INT(size_of(m, "of_left", TNI_SET_NODES), 8);
  CHECK_INT(size_of(m, "later", TNI_SET_CELLS), 2);
  CHECK_INT(size_of(m, "Left", TNI_SET_CELLS), 1);
  CHECK_INT(size_of(m, "pins", TNI_SET_NODES), 7);
  const tni_mesh_set *p = tni_deck_find_set(m, "PRESS", TNI_SET_FACES);
  CHECK(p && p->n == 2 && p->face[0] == 5 && p->face[1] == 3);
  const double where[2] = {0, 2}; /* S6 of the left one lies at x = 0, S4 of the right one at x = 2 */
  for (int i = 0; i < 2; i++) {
    int node[8];
    tni_mesh_face(m, p->member[i], p->face[i], node);
    for (int a = 0; a < 4; a++) CHECK(m->x[3*node[a]] == where[i]);
  }
  CHECK_INT(size_of(m, "press", TNI_SET_NODES), 8);
  static const char *const keyword[] = {"HEADING", "ELEMENT", "ELEMENT", "MATERIAL", "ELASTIC", "SOLIDSECTION", "STEP", "STATIC", "BOUNDARY", "DLOAD", "ENDSTEP"};
  CHECK_INT(d->ncard, TNI_COUNT(keyword));
  for (int i = 0; i < d->ncard && i < TNI_COUNT(keyword); i++) CHECK_TEXT(d->card[i].keyword, keyword[i]);
  CHECK_TEXT(tni_card_value(&d->card[3], "NAME"), "My steel");
  CHECK_TEXT(tni_card_value(&d->card[4], "TYPE"), "ISO"); /* on the next line */
  CHECK_TEXT(d->card[4].data[0], "210000., .3");
  CHECK(tni_card_value(&d->card[4], "DEPENDENCIES") == NULL);
  CHECK(d->card[1].ndata == 0 && tni_card_value(&d->card[2], "TYPE")); /* without the elements */
  const tni_card *b = &d->card[8];
  CHECK(b->ndata == 2 && b->data_line[1] == b->data_line[0] + 3);
  char buffer[100];
  const char *field[8];
  CHECK_INT(tni_card_fields(b->data[1], buffer, sizeof(buffer), field, 8), 4);
  CHECK_TEXT(field[0], "8");
  CHECK_TEXT(field[2], "");
  CHECK_TEXT(field[3], "0.5");
  CHECK_INT(tni_card_fields("1, 2,", buffer, sizeof(buffer), field, 8), 2);
  CHECK_INT(tni_card_fields("1, 2", buffer, 3, field, 8), -1);
  int line = 1; /* lines are those of the file */
  const char *at = strstr(cubes, "*BOUNDARY");
  for (const char *c = cubes; c < at; c++) line += *c == '\n';
  CHECK_INT(b->line, line);
  tni_deck_destroy(&d);
  tni_mesh_destroy(&m);
}

/* types: shapes, second order, faces by their label; every cell of the generators as a deck */
static void all_types(void) {
  static const struct {
    const char *type, *mesh;
  } list[] = {{"C3D8I", "box size=1,2,3 cells=2,2,2"}, {"C3D20R", "box size=1,2,3 cells=2,2,2 cell=hex20"},
              {"C3D4", "box size=1,2,3 cells=2,2,2 cell=tet4"}, {"C3D10", "box size=1,2,3 cells=2,2,2 cell=tet10"},
              {"C3D6", "box size=1,2,3 cells=2,2,2 cell=wedge6"}, {"C3D15", "box size=1,2,3 cells=2,2,2 cell=wedge15"},
              {"CPS4R", "plate size=1,2 cells=2,2"}, {"CPE8", "plate size=1,2 cells=2,2 cell=quad8"},
              {"CAX3", "plate size=1,2 cells=2,2 cell=tri3"}, {"CPS6", "plate size=1,2 cells=2,2 cell=tri6"},
              {"S8R", "panel radius=1 length=2 angle=1 cells=2,2 cell=quad8"}, {"T3D2", "bar size=1 cells=4"}, {"B32", "bar size=1 cells=4 cell=line3"}};
  for (int t = 0; t < TNI_COUNT(list); t++) {
    tni_mesh *m, *back;
    CHECK_OK(ctx, tni_mesh_from_text(ctx, list[t].mesh, &m));
    tni_text text;
    tni_text_init(&text, ctx);
    tni_text_add(&text, "*NODE\n");
    for (int i = 0; i < m->nnode; i++) tni_text_add(&text, "%lld, %.17g, %.17g, %.17g\n", (long long)m->gid[i], m->x[3*i], m->x[3*i+1], m->x[3*i+2]);
    tni_text_add(&text, "*ELEMENT, TYPE=%s, ELSET=all\n", list[t].type);
    for (int c = 0; c < m->ncell; c++) {
      const tni_cell_shape *s;
      const int *n = tni_mesh_nodes(m, c, &s);
      tni_text_add(&text, "%d", c + 1);
      for (int a = 0; a < s->nnode; a++) {
        int from = s->dim == 1 && s->order == 2 ? (a == 1 ? 2 : a == 2 ? 1 : 0) : a;
        tni_text_add(&text, ",%s %lld", a == 14 ? "\n" : "", (long long)m->gid[n[from]]);
      }
      tni_text_add(&text, "\n");
    }
    const tni_mesh_set *f = tni_mesh_find_set(m, "x1", TNI_SET_FACES);
    bool shell = list[t].type[0] == 'S' && f;
    if (f) tni_text_add(&text, "*SURFACE, NAME=x1\n");
    for (int i = 0; f && i < f->n; i++) tni_text_add(&text, "%d, S%d\n", f->member[i] + 1, f->face[i] + (shell ? 3 : 1));
    back = read_text(text.s, NULL);
    CHECK(back->nnode == m->nnode && back->ncell == m->ncell && back->nblock == 1 && back->block[0].cell == m->block[0].cell);
    CHECK(memcmp(m->block[0].node, back->block[0].node, (size_t)m->ncell*(size_t)tni_cell_of(m->block[0].cell)->nnode*sizeof(int)) == 0);
    CHECK(memcmp(m->x, back->x, 3*(size_t)m->nnode*sizeof(double)) == 0);
    const tni_mesh_set *g = tni_mesh_find_set(back, "x1", TNI_SET_FACES);
    CHECK(!f || (g && g->n == f->n && memcmp(f->member, g->member, (size_t)f->n*sizeof(int)) == 0 && memcmp(f->face, g->face, (size_t)f->n) == 0));
    if (f) CHECK_INT(size_of(back, "x1", TNI_SET_NODES), size_of(m, "x1", TNI_SET_NODES));
    tni_text_free(&text);
    tni_mesh_destroy(&m);
    tni_mesh_destroy(&back);
  }
}

static void shells_and_systems(void) {
  tni_mesh *m = read_text("*NODE, SYSTEM=C\n1, 2, 0\n2, 2, 90\n3, 2, 180\n4, 2, 270, 1\n*ELEMENT,TYPE=S4\n7,1,2,3,4\n"
                          "*SURFACE,NAME=out\n7,SPOS\n*SURFACE,NAME=in\n7,SNEG\n*SURFACE,NAME=rim\n7,E2\n", NULL);
  CHECK_WITHIN(m->x[3], 0, 1e-15);
  CHECK_NEAR(m->x[4], 2, 1e-15);
  CHECK_NEAR(m->x[10], -2, 1e-15);
  CHECK(m->x[11] == 1);
  CHECK_INT(tni_mesh_find_set(m, "out", TNI_SET_FACES)->face[0], TNI_FACE_POSITIVE);
  CHECK_INT(tni_mesh_find_set(m, "in", TNI_SET_FACES)->face[0], TNI_FACE_NEGATIVE);
  CHECK_INT(tni_mesh_find_set(m, "rim", TNI_SET_FACES)->face[0], 1);
  tni_mesh_destroy(&m);
  m = read_text("*PART, NAME=p\n*NODE\n1,0,0,0\n2,1,0,0\n*ELEMENT,TYPE=B31\n1,1,2\n*END PART\n*ASSEMBLY, NAME=a\n*INSTANCE, NAME=i, PART=p\n"
                "*END INSTANCE\n*NSET, NSET=tip, INSTANCE=i\n2\n*END ASSEMBLY\n", NULL);
  CHECK_INT(size_of(m, "TIP", TNI_SET_NODES), 1);
  tni_mesh_destroy(&m);
}

static char warning[4][300];
static int nwarning;
static void hear(void *user, tn_log_level level, const char *text) {
  (void)user;
  if (level == TN_LOG_WARNING && nwarning < 4) snprintf(warning[nwarning++], sizeof(warning[0]), "%s", text);
}

/* what CalculiX lets pass is left out with a warning; sets and surfaces of one name are two things */
static void warnings_and_names(void) {
  tn_ctx *keep = ctx;
  tn_ctx_opts o = {.log = hear};
  if (tn_ctx_create(&o, &ctx) != TN_OK) exit(1);
  tni_mesh *m = read_text("*NODE\n1,0,0,0\n2,1,0,0\n3,0,1,0\n4,0,0,1\n5,1,1,1\n*ELEMENT,TYPE=C3D4,ELSET=E\n1,1,2,3,4,5\n2,2,3,4,5,1\n"
                          "*NSET,NSET=top\n1,77\n*SURFACE,NAME=TOP\nE,S1\n*SURFACE,TYPE=NODE,NAME=top\ntop\n2\n", NULL);
  CHECK_INT(nwarning, 2);
  CHECK_TEXT(warning[0], "a.inp:8: elements of type C3D4 have 4 nodes, what follows in the line is left out");
  CHECK_TEXT(warning[1], "a.inp:11: set 'top': there is no node 77, it is left out");
  CHECK_INT(size_of(m, "top", TNI_SET_NODES), 1);
  CHECK_INT(size_of(m, "top", TNI_SET_FACES), 2);
  CHECK_INT(size_of(m, "top surface", TNI_SET_NODES), 2);
  tni_mesh_destroy(&m);
  tn_ctx_destroy(&ctx);
  ctx = keep;
}

static void write_file(const char *path, const char *text) {
  FILE *f = fopen(path, "w");
  if (!f || fputs(text, f) < 0 || fclose(f) != 0) exit(1);
}

/* files beside the deck, and lines of messages in them; circles end */
static void includes(void) {
  char dir[] = "/tmp/tenon-inp-XXXXXX", path[4][100];
  if (!mkdtemp(dir)) exit(1);
  static const char *const name[4] = {"main.inp", "nodes.inc", "loop.inp", "bad.inp"};
  for (int i = 0; i < 4; i++) snprintf(path[i], sizeof(path[i]), "%s/%s", dir, name[i]);
  write_file(path[0], "*INCLUDE, INPUT=nodes.inc\n3, 0, 1, 0\n*ELEMENT, TYPE=CPS3\n1, 1, 2, 3\n");
  write_file(path[1], "** nodes\n*NODE\n1, 0, 0\n2, 1, 0\n");
  write_file(path[2], "*INCLUDE, INPUT=loop.inp\n");
  write_file(path[3], "*NODE\n1,0,0\n*INCLUDE, INPUT=nodes.inc\n");
  tni_mesh *m;
  CHECK_OK(ctx, tni_mesh_read(ctx, "m", path[0], NULL, &m));
  CHECK_INT(m->nnode, 3);
  CHECK_NEAR(tni_mesh_measure(m, 0), 0.5, 1e-15);
  tni_mesh_destroy(&m);
  CHECK(tni_mesh_read(ctx, "m", path[2], NULL, &m) == TN_ERR_INPUT);
  CHECK(strstr(tn_ctx_message(ctx), "loop.inp:1: *INCLUDE of 'loop.inp': files include each other more than 10 deep"));
  CHECK(tni_mesh_read(ctx, "m", path[3], NULL, &m) == TN_ERR_INPUT);
  CHECK(strstr(tn_ctx_message(ctx), "nodes.inc:3: node 1 is given twice"));
  for (int i = 0; i < 4; i++) remove(path[i]);
  rmdir(dir);
}

#define NODES "*NODE\n1,0,0,0\n2,1,0,0\n3,0,1,0\n4,0,0,1\n"
#define TET NODES "*ELEMENT,TYPE=C3D4,ELSET=E\n1,1,2,3,4\n"

static void bad_decks_are_named(void) {
  static const struct {
    const char *text, *message;
  } list[] = {
      {"", "a.inp: the deck has no nodes"},
      {"1, 2, 3\n", "a.inp:1: a keyword must come first, found '1, 2, 3'"},
      {NODES, "a.inp: the deck has no elements"},
      {"* 5\n", "a.inp:1: '*' must be followed by a keyword"},
      {"*NODE\nx, 1\n", "a.inp:2: number of a node: 'x', must be a whole number from 1"},
      {"*NODE\n1, 1, zwei\n", "a.inp:2: node 1: y = 'zwei', must be a number"},
      {"*NODE\n1, 1, 1e999\n", "a.inp:2: node 1: y = '1e999', must be a number"},
      {NODES "3, 1, 1, 1\n*ELEMENT,TYPE=C3D4\n1,1,2,3,4\n", "a.inp:6: node 3 is given twice"},
      {TET "*ELEMENT,TYPE=C3D4\n1,1,2,3,4\n", "a.inp:9: element 1 is given twice"},
      {"*NODE, SYSTEM=S\n", "a.inp:1: *NODE, SYSTEM=S is unknown, known: R, C"},
      {NODES "*ELEMENT\n", "a.inp:6: *ELEMENT needs TYPE="},
      {NODES "*ELEMENT, TYPE=C3D27\n",
       "a.inp:6: *ELEMENT, TYPE=C3D27 is unknown, known: C3D4/6/8/10/15/20, CPS, CPE, CAX 3/4/6/8, S3/4/6/8, M3D, T3D2, B31, B32, MASS, "
       "SPRING1, SPRING2, SPRINGA and their variants"},
      {NODES "*ELEMENT, TYPE=C3D4\n1, 1, 2, 3\n*STEP\n", "a.inp:7: element 1 of type C3D4 has 3 nodes, needs 4"},
      {NODES "*ELEMENT, TYPE=B31\n1, 1, 2, 3\n", "a.inp:7: element 1 of type B31 has more than 2 nodes"},
      {NODES "*ELEMENT, TYPE=C3D4\n1, 1, 2, 3, 9\n", "a.inp:7: element 1 has node 9, which is not given"},
      {NODES "*ELEMENT, TYPE=C3D4\n1, 1, 2, x, 9\n", "a.inp:7: element 1: node 'x', must be a whole number"},
      {TET "*NSET\n1\n", "a.inp:8: *NSET needs NSET="},
      {TET "*ELSET, ELSET=a\nnobody\n", "a.inp:9: there is no set of elements 'nobody'"},
      {TET "*ELSET, ELSET=a\nb\n*ELSET, ELSET=b\na\n", "a.inp:8: set 'a' contains itself"},
      {TET "*NSET, NSET=a, GENERATE\n4, 1, 1\n", "a.inp:9: GENERATE: 4, 1, 1, must be first, last >= first, step >= 1"},
      {TET "*SURFACE, NAME=s\nE, S5\n", "a.inp:9: element 1 of type C3D4 has no face S5"},
      {TET "*SURFACE, NAME=s\nE\n", "a.inp:9: *SURFACE: the face is missing: S1, S2, ..., SPOS, SNEG"},
      {TET "*SURFACE, NAME=s\n5, S1\n", "a.inp:9: surface 's': there is no element 5"},
      {TET "*SURFACE, TYPE=CUTTING, NAME=s\n", "a.inp:8: *SURFACE, TYPE=CUTTING is unknown, known: ELEMENT, NODE"},
      {"*NGEN\n1, 5\n", "a.inp:1: *NGEN is not understood: nodes and elements must be listed"},
      {"*PART\n*END PART\n*PART\n", "a.inp:3: a second *PART; only decks of one part are known"},
      {"*INSTANCE\n1., 0., 0.\n", "a.inp:2: *INSTANCE moves the part; only one instance in its place is known"},
      {"*INCLUDE, INPUT=/nowhere/x.inp\n", "a.inp:1: *INCLUDE: cannot read '/nowhere/x.inp': No such file or directory"},
      {"*NODE,\n*STEP\n", "a.inp:2: the line before ends with a comma, but no parameter follows"},
  };
  for (int i = 0; i < TNI_COUNT(list); i++) {
    tni_mesh *m = NULL;
    tni_deck *d = NULL;
    CHECK(tni_inp_parse(ctx, "m", "a.inp", list[i].text, strlen(list[i].text), &m, &d) == TN_ERR_INPUT && !m && !d);
    CHECK_TEXT(tn_ctx_message(ctx), list[i].message);
  }
}

static tn_status parse(tn_ctx *c, const char *text, size_t n) {
  tni_mesh *m;
  tni_deck *d;
  tni_mesh_report r;
  tn_status st = tni_inp_parse(c, "m", "a.inp", text, n, &m, &d);
  if (st == TN_OK) st = tni_mesh_examine(m, &r);
  tni_mesh_destroy(&m);
  tni_deck_destroy(&d);
  return st;
}

static void mutated_decks(void) {
  mutate_many(cubes, strlen(cubes), all ? 12000 : 600, 1, parse);
  mutate_many(TET "*NSET,NSET=a,GENERATE\n1,4\n*SURFACE,NAME=s\nE,S1\n", 110, all ? 4000 : 200, 2, parse);
}

static void little_memory(void) { starve(cubes, strlen(cubes), parse); }

/* a million tetrahedra as a deck */
static void large_deck(void) {
  int side = all ? 55 : 15;
  char text[100];
  tni_mesh *m, *back;
  snprintf(text, sizeof(text), "box size=1,1,1 cells=%d,%d,%d cell=tet4", side, side, side);
  CHECK_OK(ctx, tni_mesh_from_text(ctx, text, &m));
  size_t cap = 100*(size_t)(m->nnode + m->ncell), n = 0;
  char *s = malloc(cap);
  if (!s) exit(1);
  n += (size_t)snprintf(s + n, cap - n, "*NODE, NSET=NALL\n");
  for (int i = 0; i < m->nnode; i++)
    n += (size_t)snprintf(s + n, cap - n, "%d, %.12g, %.12g, %.12g\n", i + 1, m->x[3*i], m->x[3*i+1], m->x[3*i+2]);
  n += (size_t)snprintf(s + n, cap - n, "*ELEMENT, TYPE=C3D4, ELSET=EALL\n");
  for (int c = 0; c < m->ncell; c++) {
    const int *k = tni_mesh_nodes(m, c, NULL);
    n += (size_t)snprintf(s + n, cap - n, "%d, %d, %d, %d, %d\n", c + 1, k[0] + 1, k[1] + 1, k[2] + 1, k[3] + 1);
  }
  clock_t since = clock();
  CHECK_OK(ctx, tni_inp_parse(ctx, "m", "t.inp", s, n, &back, NULL));
  double t = check_seconds(since);
  if (all) printf("%d tetrahedra, deck, %.0f MB: %.2f s\n", back->ncell, n/1e6, t);
  CHECK(t < (all ? 5 : 1));
  CHECK_INT(back->ncell, m->ncell);
  CHECK(memcmp(m->block[0].node, back->block[0].node, 4*(size_t)m->ncell*sizeof(int)) == 0);
  free(s);
  tni_mesh_destroy(&m);
  tni_mesh_destroy(&back);
}

/* numbers of any length and size, with the exponents of Fortran as with those of C */
static void numbers_have_all_their_digits(void) {
  static const char *const number[] = {"1.2345678901234567", "-0.98765432109876543", "3", "12345678901234567890", "0.000123456789012345678"};
  static const int power[] = {0, 3, -3, 30, -40};
  for (int i = 0; i < TNI_COUNT(number); i++)
    for (int k = 0; k < TNI_COUNT(power); k++)
      for (int letter = 0; letter < 3; letter++) {
        char text[200], same[80];
        snprintf(text, sizeof(text), "*NODE\n1, %s%c%+d, 0, 0\n2, 1, 0, 0\n*ELEMENT, TYPE=T3D2\n1, 1, 2\n", number[i], "eDd"[letter], power[k]);
        snprintf(same, sizeof(same), "%se%d", number[i], power[k]);
        tni_mesh *m = read_text(text, NULL);
        CHECK(m->x[0] == strtod(same, NULL));
        tni_mesh_destroy(&m);
      }
}

int main(int argc, char **argv) {
  all = argc > 1 && strcmp(argv[1], "all") == 0;
  CHECK_OK(ctx, tn_ctx_create(NULL, &ctx));
  RUN(sets_surfaces_cards);
  RUN(all_types);
  RUN(shells_and_systems);
  RUN(numbers_have_all_their_digits);
  RUN(warnings_and_names);
  RUN(includes);
  RUN(bad_decks_are_named);
  RUN(mutated_decks);
  RUN(little_memory);
  RUN(large_deck);
  tn_ctx_destroy(&ctx);
  return REPORT();
}
