/* documents -> spec: values arrive as written, structure repeats, files include each other
 * SPDX-License-Identifier: BSD-3-Clause */
#include "language.h"
#include "support/check.h"

static tn_ctx *ctx;

static tn_spec *read_text(const char *text) {
  tn_spec *spec = NULL;
  CHECK_OK(ctx, tni_input_read_text(ctx, &language, "m.yaml", text, NULL, 0, &spec));
  return spec;
}

static const char slider_crank[] =
    "tenon: 1\n"
    "title: Slider-crank\n"
    "gravity: [0, 0, -9.81]\n"
    "params: {speed: 12.57, double: 2*speed}\n"
    "bodies:\n"
    "  crank: {mass: 0.2, inertia: [1e-4, 1e-4, 2e-5], at: [0, 0, 0.04]}\n"
    "  rod:\n"
    "    mass: 0.5\n"
    "    between: [[0, 0, 0.08], [0.3, 0, 0]]\n"
    "joints:\n"
    "  pin:   {type: revolute, bodies: [ground, crank], at: [0, 0, 0], axis: y}\n"
    "  elbow: {type: spherical, bodies: [crank, rod], at: tip}\n"
    "drive:\n"
    "  - {joint: pin, motion: \"speed*t\"}\n"
    "  - {joint: elbow, motion: 3, name: second}\n"
    "analysis: {until: double/10, steps: 40, method: rk4}\n";

/* the example of the design brief, value by value */
static void example_arrives_as_written(void) {
  tn_spec *spec = read_text(slider_crank);
  double v[3];
  CHECK_TEXT(tni_item_text(&spec->top, "title", ""), "Slider-crank");
  CHECK(tni_item_vec3(&spec->top, "gravity", v));
  CHECK_NEAR(v[2], -9.81, 0);
  CHECK_INT(spec->nitem, 7);
  CHECK_INT(spec->nparam, 2);
  CHECK_NEAR(tni_spec_param(spec, "double")->value, 25.14, 1e-15);
  const tni_item *crank = tni_spec_find(spec, "bodies", "crank");
  CHECK_NEAR(tni_item_number(crank, "mass", 0), 0.2, 0);
  double I[9];
  CHECK(tni_item_inertia(crank, "inertia", I));
  CHECK_NEAR(I[8], 2e-5, 0);
  CHECK_INT(crank->at.line, 6);
  const tni_item *rod = tni_spec_find(spec, "bodies", "rod");
  CHECK_INT(tni_item_get(rod, "between")->at.line, 9);
  CHECK_NEAR(tni_item_get(rod, "between")->item[1].item[0].number, 0.3, 0);
  const tni_item *pin = tni_spec_find(spec, "joints", "pin");
  CHECK(pin->type == &revolute);
  CHECK(tni_item_direction(pin, "axis", v));
  CHECK_NEAR(v[1], 1, 0);
  CHECK_TEXT(tni_item_get(pin, "bodies")->item[1].text, "crank");
  CHECK_TEXT(tni_item_text(tni_spec_find(spec, "joints", "elbow"), "at", ""), "tip");
  CHECK_TEXT(tni_item_text(tni_spec_find(spec, "drive", "drive1"), "motion", ""), "speed*t");
  CHECK_NEAR(tni_item_number(tni_spec_find(spec, "drive", "second"), "motion", 0), 3, 0);
  const tni_item *analysis = tni_spec_find(spec, "analysis", "analysis");
  CHECK_NEAR(tni_item_number(analysis, "until", 0), 2.514, 1e-15);
  CHECK_INT(tni_item_integer(analysis, "steps", 0), 40);
  CHECK_TEXT(spec->source, slider_crank);
  tni_spec_destroy(&spec);
  CHECK(spec == NULL);
}

int main(void) {
  if (tn_ctx_create(NULL, &ctx) != TN_OK) return 1;
  RUN(example_arrives_as_written);
  tn_ctx_destroy(&ctx);
  return REPORT();
}
