/* materials/section.c - cross sections of beams: stiffness and inertia per length
 *
 * Shear factors after Cowper (Journal of Applied Mechanics 33, 1966):
 *
 *   rectangle  10 (1 + nu)/(12 + 11 nu)           circle  6 (1 + nu)/(7 + 6 nu)
 *   tube       6 (1 + nu) (1 + m^2)^2/((7 + 6 nu) (1 + m^2)^2 + (20 + 12 nu) m^2),  m = inner/outer
 *
 * Torsion of a rectangle by Saint-Venant's series, w >= t:
 *   J = w t^3/3 (1 - 192/pi^5 t/w sum over odd n of tanh(n pi w/(2 t))/n^5)
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "materials/section.h"

#include <math.h>

static const double PI = 3.14159265358979323846;

/* geometry of a shape */
typedef struct {
  double A, Iy, Iz, J, factor; /* factor: shear area by area */
  tni_outline outline;
} shape;

static double rectangle_torsion(double a, double b) {
  double w = fmax(a, b), t = fmin(a, b), sum = 0;
  for (int n = 1; n <= 49; n += 2) sum += tanh(n*PI*w/(2*t))/pow(n, 5);
  return w*t*t*t/3*(1 - 192/pow(PI, 5)*t/w*sum);
}

static tn_status read_shape(tn_ctx *ctx, const tni_item *item, const tni_value *v, double nu, shape *out) {
  bool map = v->form == TNI_MAP && v->n == 1;
  const char *kind = map ? v->key[0] : "";
  double x[2] = {0, 0};
  int n = 0;
  if (map && v->item[0].form == TNI_NUMBER) x[n++] = v->item[0].number;
  if (map && v->item[0].form == TNI_LIST)
    for (; n < v->item[0].n && n < 2; n++)
      x[n] = v->item[0].item[n].form == TNI_NUMBER ? v->item[0].item[n].number : -1;
  for (int i = 0; i < n; i++)
    if (!(x[i] > 0) || !isfinite(x[i]))
      return tni_item_fail(ctx, item, "section", "section: %s with size %g m, must be > 0", kind,
                           x[i]);
  memset(out, 0, sizeof(*out));
  if (strcmp(kind, "rectangle") == 0 && n == 2) {
    *out = (shape){x[0]*x[1], x[0]*pow(x[1], 3)/12, x[1]*pow(x[0], 3)/12,
                   rectangle_torsion(x[0], x[1]), 10*(1 + nu)/(12 + 11*nu),
                   {TNI_OUTLINE_RECTANGLE, {x[0], x[1]}}};
  } else if (strcmp(kind, "circle") == 0 && n == 1) {
    double I = PI*pow(x[0], 4)/4;
    *out = (shape){PI*x[0]*x[0], I, I, 2*I, 6*(1 + nu)/(7 + 6*nu),
                   {TNI_OUTLINE_CIRCLE, {x[0], 0}}};
  } else if (strcmp(kind, "tube") == 0 && n == 2) {
    if (!(x[1] < x[0]))
      return tni_item_fail(ctx, item, "section",
                           "section: tube with inner radius %g m, must be < outer radius %g m",
                           x[1], x[0]);
    double I = PI*(pow(x[0], 4) - pow(x[1], 4))/4, m2 = x[1]*x[1]/(x[0]*x[0]);
    double k = (1 + m2)*(1 + m2);
    *out = (shape){PI*(x[0]*x[0] - x[1]*x[1]), I, I, 2*I,
                   6*(1 + nu)*k/((7 + 6*nu)*k + (20 + 12*nu)*m2),
                   {TNI_OUTLINE_TUBE, {x[0], x[1]}}};
  } else {
    return tni_item_fail(ctx, item, "section",
                         "section %s with %d size%s, must be {rectangle: [width, height]}, "
                         "{circle: radius} or {tube: [outer, inner]}", tni_show(kind).s, n,
                         n == 1 ? "" : "s");
  }
  return TN_OK;
}

/* E, G, rho of the material; *nu is Poisson's ratio that follows */
static tn_status read_material(tn_ctx *ctx, const tni_item *item, double *E, double *G, double *nu,
                               double *rho) {
  static const char *const known[] = {"E", "nu", "G", "rho"};
  const tni_value *v = tni_item_get(item, "material");
  double x[4] = {NAN, NAN, NAN, NAN};
  if (!v)
    return tni_item_fail(ctx, item, "section", "section needs 'material', for example {E: 2.1e11, "
                         "nu: 0.3, rho: 7850}");
  for (int i = 0; i < v->n; i++) {
    int k = 0;
    while (k < 4 && strcmp(known[k], v->key[i]) != 0) k++;
    if (k == 4)
      return tni_item_fail(ctx, item, "material", "material: unknown key %s%s",
                           tni_show(v->key[i]).s, tni_hint_for(v->key[i], known, 4).s);
    x[k] = v->item[i].number;
  }
  for (int k = 0; k < 4; k += 3)
    if (!(x[k] > 0))
      return isnan(x[k]) ? tni_item_fail(ctx, item, "material", "material: '%s' is missing",
                                         known[k])
                         : tni_item_fail(ctx, item, "material", "material: %s = %g, must be > 0",
                                         known[k], x[k]);
  if (isnan(x[1]) == isnan(x[2]))
    return tni_item_fail(ctx, item, "material", "material: needs one of 'nu' and 'G'");
  *E = x[0], *rho = x[3];
  *nu = isnan(x[1]) ? x[0]/(2*x[2]) - 1 : x[1];
  if (!(*nu > -1 && *nu <= 0.5))
    return tni_item_fail(ctx, item, "material", "material: Poisson's ratio %g, must be > -1 and <= "
                         "0.5", *nu);
  *G = isnan(x[2]) ? *E/(2*(1 + *nu)) : x[2];
  return TN_OK;
}

/* a positive number, or a pair of them */
static tn_status read_pair(tn_ctx *ctx, const tni_item *item, const char *key, double out[2]) {
  const tni_value *v = tni_item_get(item, key);
  bool ok = v->form == TNI_NUMBER || (v->form == TNI_LIST && v->n == 2);
  for (int i = 0; i < 2 && ok; i++) {
    const tni_value *x = v->form == TNI_LIST ? &v->item[i] : v;
    ok = x->form == TNI_NUMBER && x->number > 0 && isfinite(x->number);
    out[i] = x->number;
  }
  if (ok) return TN_OK;
  return tni_item_fail(ctx, item, key, "%s must be a number > 0 or a pair of them, [y, z]", key);
}

static tn_status read_given(tn_ctx *ctx, const tni_item *item, bool planar, bool axial_only,
                            tni_profile *out) {
  static const char *const need[] = {"EA", "rhoA", "GA", "EI", "rhoI", "GJ"};
  int n = axial_only ? 2 : planar ? 5 : 6;
  for (int i = 0; i < n; i++)
    if (!tni_item_has(item, need[i]))
      return tni_item_fail(ctx, item, NULL, "key '%s' is missing; give %s, or section and material",
                           need[i], axial_only ? "EA and rhoA" : "EA, GA, EI, GJ, rhoA, rhoI");
  out->C[0] = tni_item_number(item, "EA", 0);
  out->rhoA = tni_item_number(item, "rhoA", 0);
  if (axial_only) return TN_OK;
  double rho[2];
  TN_TRY(read_pair(ctx, item, "GA", &out->C[1]));
  TN_TRY(read_pair(ctx, item, "EI", &out->C[4]));
  TN_TRY(read_pair(ctx, item, "rhoI", rho));
  out->C[3] = tni_item_number(item, "GJ", out->C[5]);
  out->rhoI[0] = rho[0] + rho[1], out->rhoI[1] = rho[0], out->rhoI[2] = rho[1];
  return TN_OK;
}

static tni_profile profile_of(const shape *s, double k, double E, double G, double rho) {
  return (tni_profile){.C = {E*s->A, k*G*s->A, k*G*s->A, G*s->J, E*s->Iy, E*s->Iz},
                       .rhoA = rho*s->A,
                       .rhoI = {rho*(s->Iy + s->Iz), rho*s->Iy, rho*s->Iz},
                       .outline = s->outline,
                       .area = s->A};
}

tn_status tni_profile_read(tn_ctx *ctx, const tni_item *item, bool planar, bool axial_only,
                           tni_profile *out) {
  static const char *const given[] = {"EA", "rhoA", "GA", "EI", "GJ", "rhoI"};
  memset(out, 0, sizeof(*out));
  if (!tni_item_has(item, "section")) {
    if (tni_item_has(item, "material"))
      return tni_item_fail(ctx, item, "material", "material needs 'section'");
    return read_given(ctx, item, planar, axial_only, out);
  }
  for (int i = 0; i < (axial_only ? 2 : TNI_COUNT(given)); i++)
    if (tni_item_has(item, given[i]))
      return tni_item_fail(ctx, item, given[i], "has '%s' beside 'section'; give one or the other",
                           given[i]);
  double E = 0, G = 0, nu = 0, rho = 0;
  shape s;
  TN_TRY(read_material(ctx, item, &E, &G, &nu, &rho));
  TN_TRY(read_shape(ctx, item, tni_item_get(item, "section"), nu, &s));
  *out = profile_of(&s, axial_only ? 1 : tni_item_number(item, "shear_factor", s.factor), E, G, rho);
  return TN_OK;
}

tn_status tni_profile_of_shape(tn_ctx *ctx, const tni_item *item, const tni_value *section, double E, double nu, double rho, tni_profile *out) {
  shape s;
  TN_TRY(read_shape(ctx, item, section, nu, &s));
  *out = profile_of(&s, s.factor, E, E/(2*(1 + nu)), rho);
  return TN_OK;
}
