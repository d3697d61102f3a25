/* read: materials of solids from model files, and what is refused
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "input/input.h"
#include "materials/list.h"
#include "support/check.h"

static const tni_key top[] = {{"tenon", TNI_KIND_INTEGER, 0, 0, 0, 0, NULL, NULL, NULL, "Version."},
                              {"params", TNI_KIND_ANY, 0, 0, 0, 0, NULL, NULL, NULL, "Parameters."}};

/* read one material; returns the message of the failure, NULL: read */
static const char *read_one(const char *body, tni_arena *arena, tn_ctx *ctx, tni_matter *m) {
  tni_schema *schema;
  schema = tni_arena_alloc(arena, 1, sizeof(*schema));
  *schema = (tni_schema){top, TNI_COUNT(top), &tni_matter_section, 1};
  char text[600];
  snprintf(text, sizeof(text), "tenon: 1\nmaterials: {m: %s}\n", body);
  tn_spec *spec = NULL;
  tn_status st = tni_input_read_text(ctx, schema, "test", text, NULL, 0, &spec);
  if (st == TN_OK) st = tni_matter_read(ctx, arena, tni_spec_find(spec, "materials", "m"), m);
  static char message[1024];
  snprintf(message, sizeof(message), "%s", st == TN_OK ? "" : tn_ctx_message(ctx));
  m->item = NULL, m->name = "m";
  tni_spec_destroy(&spec);
  return st == TN_OK ? NULL : message;
}

static void materials_are_read(void) {
  tn_ctx *ctx;
  tni_arena arena;
  tni_matter m;
  CHECK_OK(NULL, tn_ctx_create(NULL, &ctx));
  tni_arena_init(&arena, ctx);
  CHECK(!read_one("{type: elastic, E: 210e9, nu: 0.3, density: 7850, expansion: 1.2e-5, rayleigh: [0.1, 2e-5]}", &arena, ctx, &m));
  const tni_isotropic *iso = m.data;
  CHECK(m.type == &tni_matter_elastic);
  CHECK_NEAR(iso->mu, 210e9/2.6, 1e-15);
  CHECK_NEAR(m.density, 7850, 0);
  CHECK_NEAR(m.expansion, 1.2e-5, 0);
  CHECK_NEAR(m.rayleigh[0], 0.1, 0);
  CHECK_NEAR(m.rayleigh[1], 2e-5, 0);
  CHECK(!read_one("{type: orthotropic, E: [10, 2, 3], nu: [0.3, 0.25, 0.4], G: [1, 2, 3]}", &arena, ctx, &m));
  CHECK_NEAR(((const tni_orthotropic *)m.data)->C[7*3], 1, 0);
  CHECK(!read_one("{type: plastic, E: 200e3, nu: 0.3, yield: 250, hardening: 1000, kinematic: 2000}", &arena, ctx, &m));
  const tni_mises *s = m.data;
  CHECK(s->n == 1 && s->s[0] == 250 && s->slope == 1000 && s->kinematic == 2000);
  CHECK(!read_one("{type: plastic, E: 200e3, nu: 0.3, yield_table: [[0, 250], [0.1, 300], [0.2, 310]]}", &arena, ctx, &m));
  s = m.data;
  CHECK(s->n == 3 && s->p[2] == 0.2 && s->s[2] == 310 && s->slope == 0);
  static const char *const more[] = {"neo_hooke", "st_venant"};
  for (int i = 0; i < 2; i++) {
    char text[100];
    snprintf(text, sizeof(text), "{type: %s, E: 1, nu: -0.2}", more[i]);
    CHECK(!read_one(text, &arena, ctx, &m));
    CHECK(m.type == tni_matter_find(more[i]));
  }
  tni_arena_clear(&arena);
  tn_ctx_destroy(&ctx);
}

static void what_cannot_be_is_refused(void) {
  static const struct {
    const char *body, *says;
  } bad[] = {
      {"{type: elastic, E: 210e9}", "nu"},
      {"{type: elastic, E: -1, nu: 0.3}", "E"},
      {"{type: elastic, E: 1, nu: 0.5}", "nu"},
      {"{type: elastic, E: 1, nu: 0.3, density: -1}", "density"},
      {"{type: elastic, E: 1, nu: 0.3, yield: 3}", "yield"},
      {"{type: rubber, E: 1, nu: 0.3}", "rubber"},
      {"{E: 1, nu: 0.3}", "type"},
      {"{type: orthotropic, E: [1, 1, 1], nu: [0.9, 0.9, 0.9], G: [1, 1, 1]}", "not positive"},
      {"{type: orthotropic, E: [1, 1], nu: [0.1, 0.1, 0.1], G: [1, 1, 1]}", "E"},
      {"{type: plastic, E: 1, nu: 0.3}", "yield"},
      {"{type: plastic, E: 1, nu: 0.3, yield: 1, yield_table: [[0, 1], [1, 2]]}", "yield"},
      {"{type: plastic, E: 1, nu: 0.3, hardening: 1, yield_table: [[0, 1], [1, 2]]}", "hardening"},
      {"{type: plastic, E: 1, nu: 0.3, yield_table: [[0.1, 1], [1, 2]]}", "begin at 0"},
      {"{type: plastic, E: 1, nu: 0.3, yield_table: [[0, 2], [1, 1]]}", "falls"},
      {"{type: plastic, E: 1, nu: 0.3, yield_table: [[0, 0], [1, 1]]}", "> 0"},
      {"{type: plastic, E: 1, nu: 0.3, yield_table: [[0, 1], [0, 2]]}", "yield_table"},
      {"{type: plastic, E: 1, nu: 0.3, yield: 0}", "yield"},
      {"{type: elastic, E: 1, nu: 0.3, rayleigh: [1]}", "rayleigh"},
  };
  for (int i = 0; i < TNI_COUNT(bad); i++) {
    tn_ctx *ctx;
    tni_arena arena;
    tni_matter m;
    CHECK_OK(NULL, tn_ctx_create(NULL, &ctx));
    tni_arena_init(&arena, ctx);
    const char *says = read_one(bad[i].body, &arena, ctx, &m);
    if (!CHECK(says && strstr(says, bad[i].says) && !strchr(says, '\n'))) printf("  %s: %s\n", bad[i].body, says ? says : "read");
    tni_arena_clear(&arena);
    tn_ctx_destroy(&ctx);
  }
}

int main(void) {
  RUN(materials_are_read);
  RUN(what_cannot_be_is_refused);
  return REPORT();
}
