/* forces/contact_touch.h - one touch of two shapes: where it is, how it moves, how that changes
 *
 * A contact has one touch for each sphere or part of a core of its first shape (contact.c).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_CONTACT_TOUCH_H
#define TNI_CONTACT_TOUCH_H

#include "forces/contact_core.h"
#include "forces/contact_shape.h"
#include "forces/impact.h"

typedef enum { TNI_GRIP_FREE, TNI_GRIP_STICK, TNI_GRIP_SLIDE } tni_grip;

/* memory of one touch, after that of its impact: grip; of the stick spring its two points and the normals there
 * on the bodies, slip so far, how fast the normal turned and the place left body 2 there; direction of sliding; time
 * of the two; speed along the surface where the touch began; on
 * body 1 the perpendicular of the normal on body 2, for the twist of the two about it */
enum { TNI_TOUCH_GRIP = TNI_IMPACT_NMEMORY, TNI_TOUCH_A1, TNI_TOUCH_A2 = TNI_TOUCH_A1 + 3,
       TNI_TOUCH_N1 = TNI_TOUCH_A2 + 3, TNI_TOUCH_N2 = TNI_TOUCH_N1 + 3,
       TNI_TOUCH_XI = TNI_TOUCH_N2 + 3, TNI_TOUCH_DIRECTION = TNI_TOUCH_XI + 3,
       TNI_TOUCH_TIME = TNI_TOUCH_DIRECTION + 3, TNI_TOUCH_SPEED, TNI_TOUCH_E1,
       TNI_TOUCH_TURN = TNI_TOUCH_E1 + 3, TNI_TOUCH_LEAVE = TNI_TOUCH_TURN + 3, TNI_TOUCH_NMEMORY };

/* switching functions of one touch, after those of its impact */
enum { TNI_TOUCH_SLIP = TNI_IMPACT_NEVENT, TNI_TOUCH_HALT, TNI_TOUCH_NEVENT };

typedef struct tni_contact {
  int slot[2];      /* of the two bodies in the force, -1 ground           */
  int body[2];
  double mass[2], Iinv[2][9]; /* 0 for ground                              */
  int ntouch;
  double radius;    /* of shape 1                                          */
  bool parts;       /* of cores; else spheres against a surface            */
  double probe[TNI_SHAPE_MAXPROBE][3]; /* spheres: centres on body 1       */
  tni_shape shape;  /* their surface, on body 2                            */
  double p[3], R[9]; /* its frame on body 2                                */
  tni_core core[2];
  double rho;
  tni_impact impact;
  double mu;
  int memory;       /* first slot of the touches                           */
  int closed;       /* slot of how many of them are not open               */
  int impulse;      /* of TNI_IMPULSE_NMEMORY                              */
} tni_contact;

/* one touch at a state */
typedef struct tni_touch {
  double centre[3], y[3];       /* sphere or point on the core: ground; body 2 */
  double n2[3], H2[9];          /* spheres: normal and its derivative by y, body 2 */
  tni_gap gap;                  /* parts                                   */
  double n[3], x[3], arm[2][3]; /* ground                                  */
  double u[3], un, c;           /* un = n.u                                */
  double p, rate, ut[3];        /* rate = p'                               */
} tni_touch;

/* Changes of a touch for one component of delta (level 0) or of v (level 1) */
typedef struct tni_change {
  double x[3], n[3], u[3], p, c;
} tni_change;

/* Touches that are not worth a look: those of parts which are apart by more than their thickness for sure. */
typedef struct tni_far {
  bool all;
  double thickness; /* 0: nothing is known */
  tni_apart apart;
} tni_far;
void tni_touch_far(const tni_contact *d, const tni_env *env, tni_far *far);
/* a gap [m] that touch i has at least; 0: it must be looked at */
double tni_touch_gap(const tni_contact *d, const tni_far *far, int i);

/* tangent: also what derivatives and rates need */
void tni_touch_look(const tni_contact *d, int i, const tni_env *env, bool tangent, tni_touch *w);
/* x', n' of the place of contact, which moves over both bodies */
void tni_touch_rates(const tni_contact *d, const tni_env *env, const tni_touch *w, double xd[3],
                     double nd[3]);
/* velocity of a point x [ground] of body b */
void tni_touch_velocity(const tni_contact *d, const tni_env *env, int b, const double x[3], double v[3]);
/* effective mass of the two bodies along the normal */
double tni_touch_mass(const tni_contact *d, const tni_env *env, const tni_touch *w);
/* change by component `column` of body column/6 */
void tni_touch_vary(const tni_contact *d, const tni_env *env, const tni_touch *w, int column, int level,
                    tni_change *c);

#endif
