/* unit test of elements/limit.c: the fastest vibration of an element against its eigenvalues by hand
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "elements/limit.h"

#include "support/loaded.h"

/* Two nodes with half of the mass each, strains in the middle: axial, torsion and bending are two equal masses that a spring c/L holds,
 * w^2 = 4 c/(L^2 inertia); shear (w2 - w1)/L - (turn1 + turn2)/2 has both ends go apart and both sections turn, w^2 = GA (4/(L^2 rhoA) + 1/rhoI). */
enum { AXIAL, SHEAR, TORSION, BENDING, NKIND };
static const char *const word[NKIND] = {"axial", "shear", "torsion", "bending"};

typedef struct {
  double EA, GA, GJ, EI, rhoA, rhoI;
} section;

/* each is the fastest of one of them; shear with sections that turn, and with sections that hardly do */
static const section some[] = {
    {9e4, 2e3, 3, 5, 2, 0.3}, {2e3, 6e4, 3, 5, 2, 0.001}, {2e3, 6e4, 3, 5, 0.01, 30}, {2e3, 1e2, 6e4, 5, 2, 0.3}, {2e3, 1e2, 3, 6e4, 2, 0.3}};
static const int fastest[] = {AXIAL, SHEAR, SHEAR, TORSION, BENDING};
static const bool rotary[] = {false, true, false, true, true};

static double square(const section *s, const tni_profile *p, int kind, double L, double scale) {
  double turn = scale*p->rhoI[2], twist = scale*p->rhoI[0];
  switch (kind) {
    case AXIAL: return 4*s->EA/(L*L*s->rhoA);
    case SHEAR: return s->GA*(4/(L*L*s->rhoA) + 1/turn);
    case TORSION: return 4*s->GJ/(L*L*twist);
    default: return 4*s->EI/(L*L*turn);
  }
}

/* in any direction, in the plane as well (no torsion there), damped and with heavier turns; the shortest of several beams */
static void fastest_vibration_is_that_of_an_element(void) {
  static const char *const to[] = {"[0.5, 0, 0]", "[0.2, -0.4, 0.22360679774997896]", "[0.3, -0.4]"};
  for (int k = 0; k < TNI_COUNT(some); k++)
    for (int way = 0; way < TNI_COUNT(to); way++)
      for (int heavy = 0; heavy < 2; heavy++) {
        const section *s = &some[k];
        bool planar = way == 2;
        double L = 0.5/4, damping = heavy ? 1e-3 : 0, scale = heavy ? 3 : 1, want = 0;
        char text[1000];
        if (planar && fastest[k] == TORSION) continue;
        snprintf(text, sizeof(text),
                 "%sbeams:\n  long: {from: [0, 0%s], to: %s, elements: 3, element: exact, EA: %g, GA: %g, GJ: %g, EI: %g, rhoA: %g, rhoI: %g, "
                 "damping: %g, rotary_scale: %g}\n  b: {from: [0, 0%s], to: %s, elements: 4, element: exact, EA: %g, GA: %g, GJ: %g, EI: %g, "
                 "rhoA: %g, rhoI: %g, damping: %g, rotary_scale: %g}\n",
                 planar ? "planar: true\n" : "", planar ? "" : ", 0", to[way], s->EA, s->GA, s->GJ, s->EI, s->rhoA, s->rhoI, damping, scale,
                 planar ? "" : ", 0", to[way], s->EA, s->GA, s->GJ, s->EI, s->rhoA, s->rhoI, damping, scale);
        loaded l;
        tni_fastest f;
        load_text(&l, text);
        tni_fastest_element(l.model, &f);
        int kind = -1;
        for (int i = 0; i < NKIND; i++) {
          if (planar && i == TORSION) continue;
          double w2 = square(s, l.model->beam[1].profile, i, L, scale);
          if (w2 > want) want = w2, kind = i;
        }
        if (!CHECK_NEAR(f.omega, sqrt(want), 1e-5)) printf("  section %d, way %d\n", k, way);
        CHECK_TEXT(f.strain, word[kind]);
        if (!heavy) CHECK_INT(kind, fastest[k]);
        if (!heavy) CHECK_INT(f.rotary, rotary[k]);
        CHECK_NEAR(f.zeta, 0.5*damping*f.omega, 1e-14);
        CHECK(f.element >= l.model->beam[1].element0);
        /* leaps at w h = 2, less with damping taken from the past: h^2 w^2 + 4 zeta w h = 4 */
        double step;
        char said[200];
        tni_limit_describe(l.model, &step, said, sizeof(said));
        double wh = step*f.omega;
        CHECK_NEAR(wh*wh + 4*f.zeta*wh, 4, 1e-12);
        CHECK(strstr(said, word[kind]) && strstr(said, f.rotary ? "against rotary inertia" : "against mass"));
        CHECK((strstr(said, "damped") != NULL) == (damping > 0));
        tni_limit_scaled(l.model, said, sizeof(said));
        CHECK_TEXT(said, heavy ? "'long' by 3, 'b' by 3" : "");
        unload(&l);
      }
}

/* in the plane what would bend out of it is no vibration of the model: a wide band bends about z only */
static void planar_beams_bend_about_z(void) {
  loaded l;
  tni_fastest f;
  load_text(&l, "planar: true\nbeams: {b: {from: [0, 0], to: [0.3, 0.4], elements: 2, element: exact, EA: 9e3, GA: [700, 8e9], GJ: 9e9, EI: [1e9, 5], "
            "rhoA: 2, rhoI: [1e-3, 0.9]}}\n");
  tni_fastest_element(l.model, &f);
  CHECK_NEAR(f.omega, 2/0.25*sqrt(9e3/2), 1e-5);
  CHECK_TEXT(f.strain, "axial");
  unload(&l);
}

/* Looking at one element leaves the others where they are: of three beams that are clamped to the ground the last, shortest one counts */
static void every_element_is_looked_at_where_it_is(void) {
  char text[1200];
  int n = 0;
  loaded l;
  tni_fastest f;
  n += snprintf(text, sizeof(text), "beams:\n");
  for (int i = 0; i < 3; i++)
    n += snprintf(text + n, sizeof(text) - (size_t)n, "  b%d: {from: [%d, 2, 0], to: [%d, 2, %g], start: ground, elements: 2, element: exact, "
                  "EA: 9e4, GA: 2e3, GJ: 3, EI: 5, rhoA: 2, rhoI: 0.3}\n", i, i, i, 1.0/(i + 1));
  load_text(&l, text);
  tni_fastest_element(l.model, &f);
  CHECK_NEAR(f.omega, 2/(0.5/3)*sqrt(9e4/2), 1e-5);
  CHECK_TEXT(f.strain, "axial");
  unload(&l);
}

/* Three nodes with 1/6, 4/6, 1/6 of the mass: w^2 = 24 EA/(rhoA L^2), ends against the middle */
static void quadratic_elements_have_their_own_masses(void) {
  loaded l;
  tni_fastest f;
  load_text(&l, "beams: {b: {from: [0, 0, 0], to: [0, 0.9, 1.2], elements: 3, element: quadratic, EA: 9e5, GA: 2e3, GJ: 3, EI: 5, rhoA: 2, rhoI: 0.3}}\n");
  tni_fastest_element(l.model, &f);
  CHECK_NEAR(f.omega, sqrt(24*9e5/(2*0.25)), 1e-5);
  CHECK(!f.rotary);
  unload(&l);
}

/* trusses have no turns: bars between point masses */
static void bars_vibrate_along_themselves(void) {
  loaded l;
  tni_fastest f;
  load_text(&l, "trusses: {c: {from: [0, 0, 0], to: [0.6, 0, 0.8], elements: 5, EA: 700, rhoA: 0.3}}\n");
  tni_fastest_element(l.model, &f);
  CHECK_NEAR(f.omega, 2/0.2*sqrt(700/0.3), 1e-5);
  CHECK_TEXT(f.strain, "axial");
  CHECK(!f.rotary);
  unload(&l);
}

int main(void) {
  RUN(fastest_vibration_is_that_of_an_element);
  RUN(planar_beams_bend_about_z);
  RUN(every_element_is_looked_at_where_it_is);
  RUN(quadratic_elements_have_their_own_masses);
  RUN(bars_vibrate_along_themselves);
  return REPORT();
}
