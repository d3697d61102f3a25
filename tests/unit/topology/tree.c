/* tests/unit/topology/tree.c - the spanning tree: coordinates, cuts, loops, numbering
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "topology/tree.h"

#include "support/check.h"

enum { MAX = 64 };

/* a model that has only what the tree looks at */
typedef struct {
  tn_ctx *ctx;
  tn_model model;
  tni_body body[MAX];
  tni_joint joint[MAX];
  tni_arena arena;
  tni_tree tree;
} fixture;

static void start(fixture *f, int nbody) {
  memset(f, 0, sizeof(*f));
  CHECK(tn_ctx_create(NULL, &f->ctx) == TN_OK);
  tni_arena_init(&f->arena, f->ctx);
  f->model.ctx = f->ctx;
  f->model.body = f->body;
  f->model.joint = f->joint;
  f->model.nbody = nbody;
  for (int b = 0; b < nbody; b++) f->body[b].mass = 1;
}

static void stop(fixture *f) {
  tni_arena_clear(&f->arena);
  tn_ctx_destroy(&f->ctx);
}

static tni_joint *join(fixture *f, int body0, int body1, tni_mobilizer kind) {
  tni_joint *joint = &f->joint[f->model.njoint++];
  joint->body[0] = body0;
  joint->body[1] = body1;
  joint->mobilizer = kind;
  joint->ncon = 1;
  for (int k = 0; k < 2; k++) mat3_identity(joint->frame[k].R);
  return joint;
}

static void build(fixture *f) { CHECK_OK(f->ctx, tni_tree_build(&f->model, &f->arena, &f->tree)); }

/* what every tree must satisfy, whatever the mechanism */
static void check_numbering(const fixture *f) {
  const tni_tree *t = &f->tree;
  CHECK_INT(t->nlink, f->model.nbody);
  int nv = 0;
  for (int k = 0; k < t->nlink; k++) {
    const tni_link *l = &t->link[k];
    CHECK(l->parent < k);
    CHECK_INT(t->of_body[l->body], k);
    CHECK_INT(l->depth, l->parent < 0 ? 1 : t->link[l->parent].depth + 1);
    /* the range k+1 .. end-1 holds exactly the links that have k above them */
    for (int i = k + 1; i < t->nlink; i++) {
      int up = i;
      while (up > k) up = t->link[up].parent;
      CHECK((up == k) == (i < l->end));
    }
    nv += tni_mobilizer_dof(l->mobilizer);
  }
  CHECK_INT(t->nv, nv);
}

/* chassis 0, corners c: lower arm 1+3c, upper arm 2+3c, wheel 3+3c, rack 13 (spec 8.4) */
static void vehicle(fixture *f, tni_mobilizer upper_arm) {
  start(f, 14);
  f->body[0].mass = 2086.52;
  for (int c = 0; c < 4; c++) {
    int lower = 1 + 3*c, upper = 2 + 3*c, wheel = 3 + 3*c;
    join(f, 0, lower, TNI_MOBIL_REVOLUTE);
    join(f, 0, upper, upper_arm);
    join(f, lower, wheel, TNI_MOBIL_SPHERICAL);
    join(f, upper, wheel, TNI_MOBIL_SPHERICAL);
    join(f, c < 2 ? 13 : 0, wheel, TNI_MOBIL_NONE); /* tie rod */
  }
  join(f, 0, 13, TNI_MOBIL_PRISMATIC);
  build(f);
}

static void vehicle_has_27_coordinates(void) {
  fixture f;
  vehicle(&f, TNI_MOBIL_REVOLUTE);
  check_numbering(&f);
  CHECK_INT(f.tree.nv, 27);
  CHECK_INT(f.tree.ncut, 8);
  int rows = 0;
  for (int i = 0; i < f.tree.ncut; i++)
    rows += f.joint[f.tree.cut[i]].mobilizer == TNI_MOBIL_SPHERICAL ? 3 : 1;
  CHECK_INT(rows, 16);
  CHECK_INT(f.tree.nfree, 1);
  CHECK_INT(f.tree.link[0].body, 0); /* the chassis floats */
  CHECK(f.tree.link[0].mobilizer == TNI_MOBIL_FREE);
  CHECK_INT(f.tree.depth, 3);
  CHECK_INT(f.tree.nloop, 8);
  stop(&f);
  /* with ball joints at the upper arms: 6 + 4 lower + 4*3 upper + 4*3 wheels + rack */
  vehicle(&f, TNI_MOBIL_SPHERICAL);
  check_numbering(&f);
  CHECK_INT(f.tree.nv, 35);
  stop(&f);
}

/* few coordinates: the ball joint of a four-bar is the one that is cut, wherever it is listed */
static void joints_with_most_freedom_are_cut(void) {
  for (int ball = 0; ball < 4; ball++) {
    fixture f;
    start(&f, 3);
    int ends[4][2] = {{-1, 0}, {0, 1}, {1, 2}, {2, -1}};
    for (int j = 0; j < 4; j++)
      join(&f, ends[j][0], ends[j][1], j == ball ? TNI_MOBIL_SPHERICAL : TNI_MOBIL_REVOLUTE);
    build(&f);
    check_numbering(&f);
    CHECK_INT(f.tree.nv, 3);
    CHECK_INT(f.tree.ncut, 1);
    CHECK_INT(f.tree.cut[0], ball);
    CHECK_INT(f.tree.nloop, 1);
    stop(&f);
  }
}

/* a ring of equal hinges is opened opposite to the ground */
static void rings_are_cut_in_the_middle(void) {
  fixture f;
  start(&f, 9);
  for (int j = 0; j < 10; j++) join(&f, j - 1, j < 9 ? j : -1, TNI_MOBIL_REVOLUTE);
  build(&f);
  check_numbering(&f);
  CHECK_INT(f.tree.depth, 5);
  CHECK_INT(f.tree.ncut, 1);
  CHECK(f.tree.cut[0] == 5);
  int reversed = 0;
  for (int k = 0; k < 9; k++) {
    const tni_link *l = &f.tree.link[k];
    reversed += l->reversed;
    int outboard = f.joint[l->joint].body[l->reversed ? 0 : 1];
    CHECK_INT(outboard, l->body);
  }
  CHECK_INT(reversed, 4);
  stop(&f);
}

static void drives_and_couplings_are_cut(void) {
  fixture f;
  start(&f, 2);
  join(&f, -1, 0, TNI_MOBIL_REVOLUTE);
  join(&f, -1, 0, TNI_MOBIL_REVOLUTE)->is_drive = true;
  join(&f, 0, 1, TNI_MOBIL_REVOLUTE);
  join(&f, -1, 1, TNI_MOBIL_NONE); /* gear */
  build(&f);
  check_numbering(&f);
  CHECK_INT(f.tree.nv, 2);
  CHECK_INT(f.tree.ncut, 2);
  CHECK_INT(f.tree.cut[0], 1);
  CHECK_INT(f.tree.cut[1], 3);
  CHECK_INT(f.tree.nloop, 1); /* the gear; a drive closes none */
  stop(&f);
}

/* the free joint goes to the body with most joints, then most mass, then listed first */
static void loose_parts_float(void) {
  fixture f;
  start(&f, 5);
  join(&f, 0, 1, TNI_MOBIL_REVOLUTE);
  join(&f, 1, 2, TNI_MOBIL_REVOLUTE);
  join(&f, 3, 4, TNI_MOBIL_SPHERICAL);
  f.body[4].mass = 2;
  build(&f);
  check_numbering(&f);
  CHECK_INT(f.tree.nfree, 2);
  CHECK_INT(f.tree.nv, 6 + 2 + 6 + 3);
  CHECK(f.tree.link[f.tree.of_body[1]].joint < 0);
  CHECK(f.tree.link[f.tree.of_body[4]].joint < 0);
  stop(&f);
}

static void planar_models_have_planar_joints(void) {
  fixture f;
  start(&f, 5);
  f.model.planar = true;
  join(&f, -1, 0, TNI_MOBIL_SPHERICAL);
  join(&f, 0, 1, TNI_MOBIL_REVOLUTE);
  tni_joint *slide = join(&f, 1, 2, TNI_MOBIL_PRISMATIC);
  double along_x[9] = {0, 0, 1, 1, 0, 0, 0, 1, 0}; /* z of the joint is x of the body */
  for (int k = 0; k < 2; k++) memcpy(slide->frame[k].R, along_x, sizeof(along_x));
  join(&f, 2, 3, TNI_MOBIL_PRISMATIC); /* out of the plane: holds */
  build(&f);
  check_numbering(&f);
  CHECK_INT(f.tree.nv, 1 + 1 + 1 + 0 + 3);
  CHECK(f.tree.link[f.tree.of_body[0]].mobilizer == TNI_MOBIL_REVOLUTE);
  CHECK(f.tree.link[f.tree.of_body[2]].mobilizer == TNI_MOBIL_PRISMATIC);
  CHECK(f.tree.link[f.tree.of_body[3]].mobilizer == TNI_MOBIL_FIXED);
  CHECK(f.tree.link[f.tree.of_body[4]].mobilizer == TNI_MOBIL_PLANAR);
  stop(&f);
}

static void no_bodies_is_a_tree(void) {
  fixture f;
  start(&f, 0);
  build(&f);
  CHECK_INT(f.tree.nlink, 0);
  CHECK_INT(f.tree.nv, 0);
  stop(&f);
}

int main(void) {
  RUN(vehicle_has_27_coordinates);
  RUN(joints_with_most_freedom_are_cut);
  RUN(rings_are_cut_in_the_middle);
  RUN(drives_and_couplings_are_cut);
  RUN(loose_parts_float);
  RUN(planar_models_have_planar_joints);
  RUN(no_bodies_is_a_tree);
  return REPORT();
}
