/* system/joint.h - internals shared by the files of the joint representation
 *
 * Notation (theory notes, section "Joint coordinates"). Link k is a body with the joint that carries
 * it; its reference point P is the origin of the joint frame fixed in it. All vectors of the passes
 * are in ground axes:
 *
 *   e   from the centre of mass of the inboard body to P
 *   c   from P to the centre of mass of the body
 *   d   from P of the inboard link to P
 *   S   columns (velocity of P; angular velocity) that the joint adds, one per velocity
 *   b, beta   acceleration of the centre of mass and angular acceleration when v' = 0
 *
 * A wrench is (force; torque about P). With parents before children a pass from the ground is a
 * loop upwards, a pass to the ground a loop downwards.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_SYSTEM_JOINT_H
#define TNI_SYSTEM_JOINT_H

#include "system/common.h"
#include "topology/tree.h"

/* constants of a link, in the order of use */
typedef struct tni_jlink {
  int kind;       /* tni_mobilizer                                                     */
  int parent;     /* link, TNI_GROUND                                                  */
  int kin, kin0;  /* position in s->kin of the body and of the inboard body            */
  int nv;         /* velocities of the joint                                           */
  int qadr, vadr; /* first coordinate, first velocity                                  */
  int dadr;       /* its nv x nv block in the diagonal blocks                          */
  int slot;       /* accumulator that its children fill, -1: no children               */
  int slot0;      /* accumulator of the inboard link, -1: ground                       */
  bool opens;     /* first of its siblings to reach slot0 in a pass to the ground      */
  bool swapped;   /* universal joint seen from its other end                           */
  double s[3];    /* centre of mass of the inboard body to frame 0, inboard axes       */
  double c[3];    /* P to centre of mass, body axes                                    */
  double z[3];    /* axis of positive motion; prismatic: inboard axes, else body axes  */
  double h;       /* screw: displacement per radian                                    */
  double K[3][9]; /* rotation against the inboard body K0 + cos K1 + sin K2 (about one axis) */
  double mass;
  double j, j1[3], j2[3]; /* inertia about P, body axes: j 1 + j1 j1^T + j2 j2^T       */
} tni_jlink;

/* what the kinematic pass leaves for a link; [0] is the ground, link k is [k+1] */
typedef struct tni_jstate {
  double d[3], c[3];
  double b[3], beta[3];
  double g[3]; /* b - beta x c */
} tni_jstate;

/* inertia that a link feels, about its P, and the force that it must be given at zero v':
 * force = M a + H alpha + p, torque = H^T a + J alpha + n (symmetric parts xx yy zz xy xz yz) */
typedef struct tni_jinertia {
  double M[6], H[9], J[6];
  double p[3], n[3];
} tni_jinertia;

/* one constraint block of a cut joint */
typedef struct tni_jcut {
  const tni_con *con;
  int row0, nrow;      /* rows of the system: those of the block that are used       */
  const int *used;     /* [nrow] row of the block                                    */
  int npath;
  const int *path;     /* [npath] links between its bodies and the ground, falling   */
  int ndof;
  const int *dof;      /* [ndof] their velocities, falling                           */
  tni_con_out out;     /* last evaluation                                            */
} tni_jcut;

/* ---- linearised tree (joint_tangent.c) ------------------------------------------------------ */

/* twist of a velocity at the centre of mass of its link, what it adds to the derivatives of the twist
 * of the link, and whether it moves with the body rather than with the inboard one */
typedef struct tni_jcolumn {
  double s[6], s1[6], s2[6], z[6];
  bool with_body;
} tni_jcolumn;

/* a link; blocks [6][6] are wrenches by a twist, its first and second derivative */
typedef struct tni_jlin {
  double d[3];                 /* from the centre of mass of the inboard body             */
  double F[6];                 /* wrench of the residual of this link and all outboard    */
  double B[3][36];             /* on the body by itself                                   */
  struct tni_jpair *pair;      /* NULL: no force acts between it and the inboard body     */
} tni_jlin;

typedef struct tni_jpair {
  double by_inboard[2][36];    /* on the body by the inboard one                          */
  double on_inboard[2][36];    /* on the inboard one by the body                          */
} tni_jpair;

/* on a link by another one that is not next to it */
typedef struct tni_jfar {
  int on, by;
  double Q[2][36];
  const int *at;               /* places of its entries in the order of computation       */
} tni_jfar;

/* bodies of a force or cut joint, its blocks in `where` and `target` */
typedef struct tni_jgroup {
  int nbody;
  const int *body;
  int first;
} tni_jgroup;
enum { TNI_JBLOCK_OWN, TNI_JBLOCK_BY_INBOARD, TNI_JBLOCK_ON_INBOARD, TNI_JBLOCK_FAR };

/* a matrix eliminated along the tree; complex: pairs of numbers */
typedef struct tni_jfactor {
  double *P;                   /* [nslot][6][18] wrench by X, of the links being eliminated */
  double *G, *Y, *U;           /* [nv][18] X by y, y by X of the inboard link, [nv][6] wrench on it by y */
  double *D;                   /* [nlink][36] factors of the rows of a joint; one row: inverse */
  int *pivot;                  /* [nv]                                                     */
  double *X, *w;               /* [nlink+1][18], [nlink][6] of a pass                      */
} tni_jfactor;

typedef struct tni_jtan {
  double *own;                 /* [6 nbody] wrench that each body needs, less what it gets */
  double *F;                   /* [6 nlink] the same of a link and all outboard of it      */
  double *zero;                /* [nv]                                                     */
  tni_jcolumn *column;         /* [nv]                                                     */
  tni_jlin *lin;               /* [nlink]                                                  */
  double (*composite)[3][36];  /* [nlink] blocks summed over all outboard                  */
  double *Ja, *s1a;            /* [6 nbody], [nv][6] accelerations taken for velocities    */
  tni_jgroup *group;           /* [nforce + ncut]                                          */
  signed char *where;          /* kind of a block, and                                     */
  int *target;                 /* its link or far block                                    */
  int nfar;
  tni_jfar *far;
  double *room, *H;            /* tangents of forces, of one cut joint                     */
  size_t *room_adr;            /* [nforce]                                                 */
  tni_sparsity square, rows;
  const int *square_at;        /* places of entries in the order of computation            */
  const int *row_adr, *row_at; /* [ncut + 1], and of rows                                  */
  /* elimination along the tree (joint_newton.c); X = (eta, eta', eta'') */
  double *v, *a;               /* [nv] of the state                                        */
  tni_jfactor real, complex_;
  double *eta;                 /* [nv][6] of a pass                                        */
  bool *leaf;                  /* [nlink]                                                  */
} tni_jtan;

typedef struct tni_jsys {
  tni_data base;
  /* constants, see struct tni_system */
  tni_tree tree;
  tni_layout layout;
  int solver;         /* TNI_JOINT_...                                                 */
  char reason[96];    /* why                                                           */
  int nlink;
  tni_jlink *link;    /* [nlink]                                                       */
  tni_frame (*frame)[2]; /* [nlink] joint frames, for the joints that turn about more than one axis */
  int nslot, ndiagonal; /* articulated: accumulators, numbers in the diagonal blocks   */
  int *up;            /* [nv] velocity before this one on the way to the ground, -1    */
  int *rowlen;        /* [nv] velocities on the way to the ground, itself included     */
  size_t *rowadr;     /* [nv+1]                                                        */
  int ncut;
  int *row_cut;       /* [m] block of a row                                            */
  bool *nonholonomic; /* [m]                                                           */
  double rank_tol;

  /* its own; tangents when they are asked for */
  tni_jtan tan;
  tni_jcut *cut;      /* [ncut] constants of the system, and the last evaluation       */
  tni_jstate *state;  /* [nlink+1]                                                     */
  double *S;          /* [nv][6]                                                       */
  double *f;          /* [6 nbody] applied forces                                      */
  double *z;          /* [nv] half-solved right-hand side                              */
  double *rhs;        /* [nv]                                                          */
  double *work6;      /* [nlink][6] wrenches of passes to the ground, 0 between passes */

  /* articulated */
  tni_jinertia *acc;  /* [nslot]                                                       */
  double *U;          /* [nv][6] articulated inertia times S                           */
  double *D;          /* diagonal blocks S^T U: inverse (one velocity) or Cholesky factor */
  double *root;       /* [nv] square root of the inverse of D, one velocity            */
  double *a6;         /* [nlink+1][6] accelerations of the pass from the ground        */

  /* composite */
  double *Ic;         /* [nlink][10] composite inertia about P: mass, m c, J           */
  double *L;          /* rows: itself, then up to the ground; dense: [nv][nv]          */

  /* cut joints; [m][nv] arrays are zero off the paths */
  double *phi;        /* [m]                                                           */
  double *tau;        /* [m] right-hand side of C v' = tau                             */
  double *C, *T;      /* [m][nv] Jacobian, half-solved                                 */
  double *G, *F;      /* [m][m] T T^T and its Cholesky factor                          */
  double *g;          /* [m] right-hand side of G lambda = g                           */
  double *lambda;     /* [m]                                                           */
  bool *use;          /* [m] rows in the factor                                        */
  bool changed;       /* other rows than in the factor before                          */
  double bar, usual;  /* pivots below are rounding; the smallest at the last rank analysis */
  double *size;       /* [m] what a diagonal of G would be if the bodies were free     */
  double *W, *B;      /* [m][m] dependent rows by the others; scratch of the least norm */
  bool *kept;         /* [m] rows to use: those of rank, or others for one state       */
  bool exchanged;     /* others                                                        */
  int *order;         /* [m] rows in the order of the factor: kept ones, then dropped ones */
  int *dropped;       /* [m] dropped rows                                              */
  double *C_chosen;   /* [m][nv] C when they were chosen                               */
  tni_rank rank;
  double *qr, *qr_tau, *qr_work; /* rank analysis                                      */
  int *qr_pivot, qr_nwork;
} tni_jsys;

/* ---- twists and wrenches -------------------------------------------------------------------- */

static inline double tni_dot6(const double a[6], const double b[6]) {
  return vec3_dot(a, b) + vec3_dot(a + 3, b + 3);
}

/* twist V x s */
static inline void tni_twist_cross(double out[6], const double V[6], const double s[6]) {
  double x[3], y[3];
  vec3_cross(x, V + 3, s);
  vec3_cross(y, V, s + 3);
  vec3_cross(out + 3, V + 3, s + 3);
  vec3_add(out, x, y);
}

/* wrench or covector at a point, about another one that lies -d from it */
static inline void tni_carry6(double w[6], const double d[3]) {
  double x[3];
  vec3_cross(x, d, w);
  vec3_add(w + 3, w + 3, x);
}

/* twist at a point d further */
static inline void tni_shift6(double out[6], const double s[6], const double d[3]) {
  double x[3];
  vec3_cross(x, s + 3, d);
  vec3_add(out, s, x);
  vec3_copy(out + 3, s + 3);
}

/* ---- one link ------------------------------------------------------------------------------ */

/* y = S x for a symmetric S (xx yy zz xy xz yz) */
static inline void tni_sym_vec(double y[3], const double S[6], const double x[3]) {
  double a = S[0]*x[0] + S[3]*x[1] + S[4]*x[2];
  double b = S[3]*x[0] + S[1]*x[1] + S[5]*x[2];
  double c = S[4]*x[0] + S[5]*x[1] + S[2]*x[2];
  vec3_set(y, a, b, c);
}

/* inertia about P in ground axes */
static inline void tni_joint_turn_inertia(const tni_jlink *l, const double A[9], double J[6]) {
  double u[3], w[3];
  mat3_vec(u, A, l->j1);
  mat3_vec(w, A, l->j2);
  for (int i = 0; i < 3; i++) J[i] = l->j + (u[i]*u[i] + w[i]*w[i]);
  J[3] = u[0]*u[1] + w[0]*w[1];
  J[4] = u[0]*u[2] + w[0]*w[2];
  J[5] = u[1]*u[2] + w[1]*w[2];
}

/* Wrench about P that link k must be given when v' = 0, its own inertia less applied forces:
 * m b - F;  J beta + c x (m g - F) - A n.  J from the above. */
static inline void tni_joint_bias(const tni_jsys *s, int k, const double J[6], const double *f,
                                  double p[6]) {
  const tni_jlink *l = &s->link[k];
  const tni_jstate *st = &s->state[k + 1];
  const double *fb = f + 6*(l->kin - 1);
  double x[3], y[3], n[3];
  for (int i = 0; i < 3; i++) {
    p[i] = l->mass*st->b[i] - fb[i];
    x[i] = l->mass*st->g[i] - fb[i];
  }
  tni_sym_vec(p + 3, J, st->beta);
  vec3_cross(y, st->c, x);
  mat3_vec(n, s->base.kin[l->kin].A, fb + 3);
  for (int i = 0; i < 3; i++) p[i + 3] += y[i] - n[i];
}

/* Links use bodies in another order than they lie in memory: ask for those of the link that comes
 * four later in a pass. At 10,000 links this saves a twentieth of the time. */
enum { TNI_JOINT_AHEAD = 4 };
#if defined(__GNUC__)
#define TNI_ALWAYS_INLINE inline __attribute__((always_inline))
#define TNI_NOINLINE __attribute__((noinline))
static inline void tni_joint_fetch(const void *p) { __builtin_prefetch(p); }
#else
#define TNI_ALWAYS_INLINE inline
#define TNI_NOINLINE
static inline void tni_joint_fetch(const void *p) { (void)p; }
#endif
static inline void tni_joint_fetch_body(const tni_jsys *s, int k) {
  if (k < 0 || k >= s->nlink) return;
  const tni_kin *kin = &s->base.kin[s->link[k].kin];
  tni_joint_fetch(kin->r);
  tni_joint_fetch(kin->A + 5);
  tni_joint_fetch(kin->w);
  tni_joint_fetch(s->f + 6*(s->link[k].kin - 1));
}

/* add the wrench w at P of link k to the wrench at P of its inboard link */
static inline void tni_joint_carry(const tni_jsys *s, int k, const double w[6], double inboard[6]) {
  double x[3];
  vec3_cross(x, s->state[k + 1].d, w);
  for (int i = 0; i < 3; i++) {
    inboard[i] += w[i];
    inboard[i + 3] += w[i + 3] + x[i];
  }
}

/* ---- passes (joint_kin.c) ------------------------------------------------------------------ */

/* s->kin, state and S at (q, v); v NULL: at rest */
void tni_joint_kin(tni_jsys *s, const double *q, const double *v);
/* S of a link at its coordinates when the inboard body is turned by A0; S zeroed by the caller */
void tni_joint_axes(const tni_jlink *l, const tni_frame *frame, const double *q,
                    const double A0[9], double *S);
/* s->acc for given accelerations, after tni_joint_kin with the same q, v */
void tni_joint_acc(tni_jsys *s, const double *a);
/* generalized forces of the wrench f (6 nbody, as tni_system_forces) less the inertia at v' = 0 */
void tni_joint_generalized(tni_jsys *s, const double *f, double *r);

/* ---- tangents (joint_tangent.c) ------------------------------------------------------------- */

tn_status tni_joint_tangent_begin(tni_jsys *s);
tn_status tni_joint_tangent_prepare(tni_data *s);
void tni_joint_balance(tni_data *s, const tni_at *at, const tni_want *want);
/* columns and blocks at a state */
void tni_joint_linearize(tni_jsys *s, double t, const double *q, const double *v, const double *a,
                         const double *lambda);
/* after it: explicit time dependence of the residual */
void tni_joint_time_rate(tni_jsys *s, double *r_t);
void tni_joint_sparse_tangent(tni_data *s, const tni_at *at, const tni_sparse_tangent *out);

/* ---- matrix of an implicit step (joint_newton.c) -------------------------------------------- */

tn_status tni_joint_newton_setup(tni_jsys *s);
void tni_joint_newton_at(tni_data *s, const tni_at *at, double *r_t);
void tni_joint_apply(tni_data *s, const double *dq, const double *dv, const double *da, double *y);
bool tni_joint_newton_factor(tni_data *s, double m, double g, double b, tni_newton_turns turns);
void tni_joint_newton_solve(tni_data *s, double *x);
bool tni_joint_newton_factor_complex(tni_data *s, const double g[2], const double b[2]);
void tni_joint_newton_solve_complex(tni_data *s, double *x);
tn_status tni_joint_pattern(tni_data *s);

/* ---- articulated bodies (joint_aba.c) ------------------------------------------------------- */

tn_status tni_joint_aba_setup(tni_jsys *s); /* constants */
tn_status tni_joint_aba_begin(tni_jsys *s);
/* Factor the mass matrix; with f also leave the half-solved right-hand side in z (else f, z NULL) */
void tni_joint_aba_factor(tni_jsys *s, const double *f, double *z);
/* half-solve r along a path of links that falls to the ground */
void tni_joint_aba_half(tni_jsys *s, const int *path, int npath, double *r);
/* the other half: a from z */
void tni_joint_aba_back(tni_jsys *s, const double *z, double *a);

/* ---- composite bodies (joint_crb.c) --------------------------------------------------------- */

tn_status tni_joint_crb_begin(tni_jsys *s);
/* mass matrix into the rows of L, or into dense [nv][nv] (lower triangle by columns) */
void tni_joint_mass(tni_jsys *s, double *dense);
void tni_joint_crb_factor(tni_jsys *s);
/* half-solve r on some velocities that fall to the ground; dof NULL: on all, ndof = nv */
void tni_joint_crb_half(tni_jsys *s, const int *dof, int ndof, double *r);
void tni_joint_crb_back(tni_jsys *s, const double *z, double *a);

/* ---- cut joints (joint_cut.c) --------------------------------------------------------------- */

tn_status tni_joint_cut_setup(tni_jsys *s); /* constants */
tn_status tni_joint_cut_begin(tni_jsys *s);
/* evaluate the blocks at s->kin */
void tni_joint_cut_eval(tni_jsys *s, double t, unsigned what);
/* C from the last evaluation; with_tau also tau, after tni_joint_kin with velocities */
void tni_joint_cut_jacobian(tni_jsys *s, bool with_tau);
/* T for the factored mass matrix, or for diagonal weights instead of it */
void tni_joint_cut_half(tni_jsys *s, const double *weight);
/* T, G and its factor for the factored mass matrix, or for diagonal weights instead of it.
 * For accelerations rows near to a singular position are left out earlier. */
void tni_joint_cut_factor(tni_jsys *s, const double *weight, bool for_accelerations);
/* G lambda = g on the rows of the factor, the others by least norm when asked */
void tni_joint_cut_solve(tni_jsys *s, const double *g, double *lambda, bool least_norm);
/* rank at the last T */
tn_status tni_joint_cut_rank(tni_jsys *s);
/* has a row of C changed since the kept ones were chosen? */
bool tni_joint_cut_changed(const tni_jsys *s);
/* Exchange kept rows for dropped ones by the last factor, where that is better; returns how many.
 * The factor becomes that of the new rows. */
int tni_joint_cut_exchange(tni_jsys *s);
/* the present choice of rows, made at the last C, is the one of rank from now on */
void tni_joint_cut_take(tni_jsys *s);
/* back to the choice of rank */
void tni_joint_cut_restore(tni_jsys *s);
/* a row of the last evaluation times the velocities in s->kin, or times body6 [6 nbody] */
double tni_joint_cut_times(const tni_jsys *s, int row, const double *body6, bool of_kin);

#endif
