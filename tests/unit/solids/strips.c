/* strips: elements in rows have the bits of elements in any order of lanes, whatever their axes are called
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "solids/batch.h"

#include "unit/solids/fe.h"

static uint64_t seed = 2463534242u;
static double rnd(void) { return check_random(&seed); }

enum { N0 = 11, N1 = 3, N2 = 2, NN = (N0 + 1)*(N1 + 1)*(N2 + 1), NE = N0*N1*N2 };
static double X[3*NN], u[3*NN], rows[3][3][NN]; /* rows: X, u, f */
static int node[8*NE];

/* nodes numbered along `axis` first, upwards or downwards; elements too */
static void make(int axis, bool down, double shake) {
  static const int corner[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
  for (int n = 0; n < NN; n++) {
    int at[3] = {n%(N0 + 1), n/(N0 + 1)%(N1 + 1), n/((N0 + 1)*(N1 + 1))};
    if (down) at[0] = N0 - at[0];
    for (int j = 0; j < 3; j++) X[3*n + (axis + j)%3] = at[j] + shake*rnd();
    for (int i = 0; i < 3; i++) u[3*n + i] = 0.1*rnd();
  }
  for (int e = 0; e < NE; e++)
    for (int a = 0; a < 8; a++) {
      int at[3], cell[3] = {e%N0, e/N0%N1, e/(N0*N1)};
      for (int j = 0; j < 3; j++) at[j] = cell[j] + (j == 0 && down ? 1 - corner[a][axis] : corner[a][(axis + j)%3]);
      node[8*e + a] = at[0] + (N0 + 1)*(at[1] + (N1 + 1)*at[2]);
    }
}

static tni_batch_rows rows_of(const tni_solid_kind *k) {
  tni_batch_rows in = {.kind = k};
  for (int i = 0; i < 3; i++) {
    for (int n = 0; n < NN; n++) rows[0][i][n] = X[3*n + i], rows[1][i][n] = u[3*n + i], rows[2][i][n] = 0;
    in.X[i] = rows[0][i], in.u[i] = rows[1][i], in.f[i] = rows[2][i];
  }
  return in;
}

/* forces of all elements, strips where they are found; returns how many were in strips */
static int by_strips(const tni_solid_kind *k, int begin, int cut, bool strips) {
  const tni_solid_batch *b = k->type->batch;
  tni_batch_rows in = rows_of(k);
  unsigned char real[NE];
  int stripped = 0;
  for (int e = begin; e < NE;) {
    tni_batch_strip strip;
    int stop = e < cut ? cut : NE, end = strips ? b->find_strip(node, e, stop, &strip, real) : e;
    if (end > e) {
      CHECK(strip.n >= end - e && strip.n <= 2*(end - e));
      CHECK(b->strip(&in, &strip));
      stripped += end - e;
      e = end;
    } else {
      CHECK(b->loose(&in, node, e, e + 1));
      e++;
    }
  }
  return stripped;
}

static void strips_have_the_bits_of_forces(void) {
  for (int axis = 0; axis < 3; axis++)
    for (int down = 0; down < 2; down++)
      for (int cut = 0; cut < NE; cut++) {
        tni_matter m = fe_elastic("elastic", 3, 0.3, 2);
        tni_solid_kind k = fe_kind(&m, "hex8", "one", TNI_PLANE_NONE, false);
        static double f[3*NN];
        memset(f, 0, sizeof(f));
        k.hourglass = cut%2 ? 0.1 : 0;
        make(axis, down, 0.2);
        tni_batch_in in = {&k, node, X, u, NULL};
        tni_batch_out out = {.f = f};
        CHECK(k.type->batch->force(&in, 0, NE, &out));
        int all = by_strips(&k, 0, cut, true);
        if (cut == 0) CHECK_INT(all, NE); /* over the ends of rows */
        CHECK(all >= NE - 16);
        for (int n = 0; n < NN; n++)
          for (int i = 0; i < 3; i++) {
            if (axis == 0 && !down) CHECK(memcmp(&f[3*n + i], &rows[2][i][n], sizeof(double)) == 0);
            else CHECK_WITHIN(rows[2][i][n], f[3*n + i], 1e-14);
          }
        by_strips(&k, 0, cut, false);
        for (int n = 0; n < NN; n++)
          for (int i = 0; i < 3; i++) CHECK(memcmp(&f[3*n + i], &rows[2][i][n], sizeof(double)) == 0);
      }
}

/* memory beside the nodes of a strip is neither read nor written */
static void strips_keep_to_their_nodes(void) {
  tni_matter m = fe_elastic("elastic", 3, 0.3, 2);
  tni_solid_kind k = fe_kind(&m, "hex8", "one", TNI_PLANE_NONE, false);
  for (int n = 8; n <= N0; n++) {
    make(0, false, 0.2);
    tni_batch_rows in = rows_of(&k);
    unsigned char real[NE];
    tni_batch_strip strip;
    bool mine[NN] = {false};
    CHECK_INT(k.type->batch->find_strip(node, 0, n, &strip, real), n);
    for (int i = 0; i < 8*n; i++) mine[node[i]] = true;
    for (int i = 0; i < NN; i++)
      for (int c = 0; c < 9 && !mine[i]; c++) rows[c/3][c%3][i] = NAN;
    CHECK(k.type->batch->strip(&in, &strip));
    for (int i = 0; i < NN; i++)
      for (int c = 0; c < 3; c++) CHECK(mine[i] ? isfinite(rows[2][c][i]) : isnan(rows[2][c][i]));
  }
}

/* an element turned inside out is noticed, wherever it stands; what is no element between rows is not one */
static void strips_notice_elements_without_volume(void) {
  tni_matter m = fe_elastic("elastic", 3, 0.3, 2);
  tni_solid_kind k = fe_kind(&m, "hex8", "one", TNI_PLANE_NONE, false);
  for (int bad = 0; bad < NE; bad++) {
    int begin = bad/(N0*N1)*(N0*N1), end = begin + N0*N1; /* a layer is a strip */
    make(0, false, 0);
    tni_batch_strip strip;
    unsigned char real[NE];
    CHECK_INT(k.type->batch->find_strip(node, begin, NE, &strip, real), end);
    tni_batch_rows in = rows_of(&k);
    CHECK(k.type->batch->strip(&in, &strip));
    for (int a = 0; a < 4; a++) rows[0][2][node[8*bad + a]] += 5; /* of this and of its neighbours: lower than below */
    CHECK(!k.type->batch->strip(&in, &strip) && !k.type->batch->loose(&in, node, bad, bad + 1));
  }
}

/* lines of nodes that are close would be added to at once */
static void narrow_rows_are_no_strips(void) {
  int few[8*20];
  for (int e = 0; e < 20; e++)
    for (int a = 0; a < 8; a++) few[8*e + a] = e + (a%4 == 1 || a%4 == 2) + (a%4 >= 2 ? 8 : 0) + (a >= 4 ? 100 : 0);
  tni_batch_strip strip;
  unsigned char real[20];
  CHECK_INT(tni_batch_hex8.find_strip(few, 0, 20, &strip, real), 0);
  for (int i = 0; i < 8*20; i++) few[i] += i%8%4 >= 2;
  CHECK_INT(tni_batch_hex8.find_strip(few, 0, 20, &strip, real), 20);
  CHECK_INT(tni_batch_hex8.find_strip(few, 13, 20, &strip, real), 13); /* too short */
}

int main(void) {
  RUN(strips_have_the_bits_of_forces);
  RUN(strips_keep_to_their_nodes);
  RUN(strips_notice_elements_without_volume);
  RUN(narrow_rows_are_no_strips);
  return REPORT();
}
