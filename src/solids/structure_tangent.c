/* solids/structure_tangent.c - derivatives of what acts on a mesh, by its unknowns, the bodies that carry it, and time
 *
 * By the chain rule through what nodes follow (structure.c); what the turn of a body does to the torque of a force F on a node that it
 * carries is s x (A^T F x delta theta).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <math.h>

#include "parallel/pool.h"
#include "solids/structure_work.h"

static const tni_structure *of(const tni_part *part) { return part->data; }

static void eval_stiffness(void *user, int begin, int end) {
  const tni_structure_job *j = user;
  const tni_structure_block *b = j->block;
  size_t n2 = (size_t)b->nv*(size_t)b->nv;
  for (int k = begin; k < end; k++) {
    tni_structure_local l;
    double f[TNI_SOLID_MAXDOF];
    tni_solid_out o = {.f = f, .K = j->w->K + (size_t)k*n2};
    tni_structure_gather(j, j->first + k, &l);
    j->w->done[k] = b->kind.type->eval(&b->kind, &l.at, TNI_SOLID_FORCE | TNI_SOLID_STIFFNESS, &o);
  }
}

/* columns of a node as unknowns or of its carrier: what a displacement of the node follows */
typedef struct {
  int node, own, carrier;
  int n;                 /* unknowns, or components of the carrier that the layout has */
  int unknown0;
  signed char component[6]; /* of the node, of its unknowns                        */
  bool leads;            /* the node leads the one that is meant                    */
  double B[36];          /* [active][6] by the motion of the carrier, of the leader */
} end_of;

static void find_end(const tni_part *part, const tni_part_at *at, const tni_part_tangent *out, int node, int own,
                     end_of *e) {
  const tni_structure *s = of(part);
  e->node = node;
  e->own = s->own[node];
  e->carrier = s->carrier[node];
  e->n = 0;
  e->leads = false;
  if (e->carrier >= 0) {
    const double *A = at->kin[part->carrier[e->carrier] + 1].A;
    double S[9], AS[9];
    mat3_skew(S, s->arm + 3*(size_t)node);
    mat3_mul(AS, A, S);
    memset(e->B, 0, sizeof(e->B));
    for (int c = 0; c < own && c < 3; c++) {
      e->B[6*c + c] = 1;
      for (int k = 0; k < 3; k++) e->B[6*c + 3 + k] = -AS[3*c + k];
    }
    for (int c = 3; c < own; c++)
      for (int k = 0; k < 3; k++) e->B[6*c + 3 + k] = A[3*(c - 3) + k];
    e->n = out->body_size;
    return;
  }
  for (int c = 0; c < own; c++)
    if (s->unknown[(size_t)node*(size_t)s->ndof + (size_t)c] >= 0) e->component[e->n++] = (signed char)c;
}

/* ends of a node: itself and its leaders */
static int count_ends(const tni_structure *s, int node) {
  return 1 + (s->lead_adr ? s->lead_adr[node+1] - s->lead_adr[node] : 0);
}

static void find_leader(const tni_structure *s, int node, int k, int own, end_of *e) {
  size_t d = (size_t)s->ndof;
  int at = s->lead_adr[node] + k, leader = s->lead_node[at];
  *e = (end_of){.node = leader, .own = s->own[leader], .carrier = TNI_NOT_CARRIED, .leads = true};
  for (int c = 0; c < s->ndof; c++)
    if (s->unknown[(size_t)leader*d + (size_t)c] >= 0) e->component[e->n++] = (signed char)c;
  for (int c = 0; c < own; c++)
    for (size_t m = 0; m < d; m++) e->B[6*c + (int)m] = s->lead_B[((size_t)at*d + (size_t)c)*d + m];
}

/* place of node b among the neighbours of node a, both own */
static int near_column(const tni_part *part, const tni_structure *s, int a, int b) {
  int low = part->near_adr[a], high = part->near_adr[a+1] - 1;
  while (low < high) {
    int mid = (low + high)/2;
    if (part->near_node[mid] < b) low = mid + 1;
    else high = mid;
  }
  return s->near_col[low];
}

static int touch_place(const tni_part *part, int carrier, int own) {
  int low = part->touch_adr[carrier], high = part->touch_adr[carrier+1] - 1;
  while (low < high) {
    int mid = (low + high)/2;
    if (part->touch[mid] < own) low = mid + 1;
    else high = mid;
  }
  return low;
}

/* first entry and row length of the block of two ends */
static void block_place(const tni_part *part, const tni_part_places *p, const end_of *r, const end_of *c, int *at,
                        int *width) {
  const tni_structure *s = of(part);
  if (r->carrier < 0 && c->carrier < 0) {
    *at = p->start[r->own] + near_column(part, s, r->own, c->own);
    *width = p->width[r->own];
  } else if (r->carrier < 0) {
    *at = p->touch_node[touch_place(part, c->carrier, r->own)];
    *width = p->width[r->own];
  } else if (c->carrier < 0) {
    *at = p->touch_body[touch_place(part, r->carrier, c->own)];
    *width = p->body_width[r->carrier];
  } else {
    *at = p->pair[part->ncarrier*r->carrier + c->carrier];
    *width = p->body_width[r->carrier];
  }
}

/* how component m of the node that an end stands for moves with its unknown k */
static double column_of(const tni_part_tangent *out, const end_of *e, int m, int k) {
  if (e->carrier >= 0) return e->B[6*m + out->body_role[k]];
  return e->leads ? e->B[6*m + (int)e->component[k]] : (int)e->component[k] == m;
}

/* out += factor X, the block of X [own nn][own nn] at the nodes a, b of an element */
static void add_block(const tni_part *part, const tni_part_tangent *out, const end_of *r, const end_of *c, int own,
                      const double *X, int ld, double factor, double *to) {
  int at, width;
  if (r->n == 0 || c->n == 0) return;
  block_place(part, out->places, r, c, &at, &width);
  to += at;
  if (r->carrier < 0 && c->carrier < 0 && !r->leads && !c->leads) {
    for (int i = 0; i < r->n; i++, to += width)
      for (int k = 0; k < c->n; k++) to[k] += factor*X[(int)r->component[i]*ld + (int)c->component[k]];
    return;
  }
  /* T_r^T X T_c by the columns that each end has */
  double Y[36];
  memset(Y, 0, sizeof(Y));
  for (int i = 0; i < own; i++)
    for (int k = 0; k < c->n; k++)
      for (int m = 0; m < own; m++) {
        Y[6*i + k] += X[i*ld + m]*column_of(out, c, m, k);
      }
  for (int i = 0; i < r->n; i++, to += width)
    for (int k = 0; k < c->n; k++) {
      double sum = 0;
      for (int m = 0; m < own; m++)
        sum += column_of(out, r, m, i)*Y[6*m + k];
      to[k] += factor*sum;
    }
}

/* out += factor X between two nodes, with all that they follow */
static void add_nodes(const tni_part *part, const tni_part_at *at, const tni_part_tangent *out, int a, int b, int own, const double *X,
                      int ld, double factor, double *to) {
  const tni_structure *s = of(part);
  int na = count_ends(s, a), nb = count_ends(s, b);
  for (int i = 0; i < na; i++) {
    end_of r, c;
    if (i == 0) find_end(part, at, out, a, own, &r);
    else find_leader(s, a, i - 1, own, &r);
    for (int k = 0; k < nb; k++) {
      if (k == 0) find_end(part, at, out, b, own, &c);
      else find_leader(s, b, k - 1, own, &c);
      add_block(part, out, &r, &c, own, X, ld, factor, to);
    }
  }
}

/* A force F on a carried node keeps its direction while the body turns: torque s x (A^T F x dtheta) */
static void add_turn(const tni_part *part, const tni_part_at *at, const tni_part_tangent *out, const end_of *e,
                     const double F[3], const double *moment) {
  const tni_structure *s = of(part);
  double own[3], S[9], G[9], SG[9];
  mat3_tvec(own, at->kin[part->carrier[e->carrier] + 1].A, F);
  mat3_skew(S, s->arm + 3*(size_t)e->node);
  mat3_skew(G, own);
  mat3_mul(SG, S, G);
  if (moment) { /* it keeps its direction likewise: A^T m x dtheta */
    mat3_tvec(own, at->kin[part->carrier[e->carrier] + 1].A, moment);
    mat3_skew(G, own);
    for (int i = 0; i < 9; i++) SG[i] += G[i];
  }
  double *to = out->K + out->places->pair[(part->ncarrier + 1)*e->carrier];
  for (int i = 0; i < out->body_size; i++, to += out->places->body_width[e->carrier])
    for (int k = 0; k < out->body_size; k++)
      if (out->body_role[i] >= 3 && out->body_role[k] >= 3)
        to[k] += out->factor*SG[3*(out->body_role[i] - 3) + out->body_role[k] - 3];
}

/* The same end by what the turn of its carrier does to the velocity of the node at constant v, w:
 * d(A (w x s)) = A (dtheta x (w x s)), of rotations A (dtheta x w) */
static void find_swing(const tni_part *part, const tni_part_at *at, int own, end_of *e) {
  const tni_structure *s = of(part);
  const tni_kin *k = &at->kin[part->carrier[e->carrier] + 1];
  double ws[3], S[9], AS[9];
  memset(e->B, 0, sizeof(e->B));
  vec3_cross(ws, k->w, s->arm + 3*(size_t)e->node);
  for (int c = 0; c < own; c += 3) {
    mat3_skew(S, c ? k->w : ws);
    mat3_mul(AS, k->A, S);
    for (int r = c; r < c + 3 && r < own; r++)
      for (int i = 0; i < 3; i++) e->B[6*r + 3 + i] = -AS[3*(r - c) + i];
  }
}

static void add_element(const tni_part *part, const tni_part_at *at, const tni_part_tangent *out,
                        const tni_structure_block *b, int e, const double *K) {
  const tni_structure *s = of(part);
  const int *node = b->node + (size_t)e*(size_t)b->nnode;
  int own = b->nv/b->nnode;
  double beta = b->kind.matter->rayleigh[1];
  end_of end[TNI_SOLID_MAXNODE];
  bool follows = false;
  for (int a = 0; a < b->nnode && s->lead_adr; a++) follows = follows || count_ends(s, node[a]) > 1;
  for (int a = 0; a < b->nnode; a++) find_end(part, at, out, node[a], own, &end[a]);
  for (int a = 0; a < b->nnode; a++)
    for (int c = 0; c < b->nnode; c++) {
      const double *X = K + (size_t)(a*own)*(size_t)b->nv + (size_t)(c*own);
      if (follows) {
        if (out->K) add_nodes(part, at, out, node[a], node[c], own, X, b->nv, -out->factor, out->K);
        if (out->D && beta > 0) add_nodes(part, at, out, node[a], node[c], own, X, b->nv, -beta*out->factor, out->D);
        continue;
      }
      if (out->K) add_block(part, out, &end[a], &end[c], own, X, b->nv, -out->factor, out->K);
      if (out->D && beta > 0) add_block(part, out, &end[a], &end[c], own, X, b->nv, -beta*out->factor, out->D);
    }
  for (int c = 0; c < b->nnode && out->K && beta > 0; c++) {
    if (end[c].carrier < 0) continue;
    end_of swing = end[c];
    find_swing(part, at, own, &swing);
    for (int a = 0; a < b->nnode; a++)
      for (int i = 0; i < count_ends(s, node[a]); i++) {
        end_of r = end[a];
        if (i > 0) find_leader(s, node[a], i - 1, own, &r);
        add_block(part, out, &r, &swing, own, K + (size_t)(a*own)*(size_t)b->nv + (size_t)(c*own), b->nv, -beta*out->factor, out->K);
      }
  }
}

/* out += factor M (x) P with consistent masses: each number m of M becomes the block m P [3][3]; alpha: times damping by mass */
static void add_masses_times(const tni_part *part, const tni_part_at *at, const tni_part_tangent *out, const double P[9], int own,
                             bool alpha, double factor, double *to) {
  const tni_structure *s = of(part);
  for (int k = 0; k < s->nblock; k++) {
    const tni_structure_block *b = &s->block[k];
    int nd = b->nv/b->nnode;
    double a = factor*(alpha ? b->kind.matter->rayleigh[0] : 1);
    for (int e = 0; e < b->n && a != 0; e++) {
      const int *node = b->node + (size_t)e*(size_t)b->nnode;
      double M[TNI_SOLID_MAXDOF*TNI_SOLID_MAXDOF], Y[3*TNI_SOLID_MAXNODE];
      for (int i = 0; i < b->nnode; i++) vec3_copy(Y + 3*i, s->mesh->x + 3*(size_t)node[i]);
      b->kind.type->mass(&b->kind, Y, false, M);
      for (int i = 0; i < b->nnode; i++)
        for (int j = 0; j < b->nnode; j++) {
          double X[36] = {0};
          int n = alpha ? nd : own;
          for (int r = 0; r < n; r++)
            for (int c = 0; c < n; c++)
              X[6*r + c] = alpha ? M[b->nv*(i*nd + r) + j*nd + c] : M[b->nv*(i*nd) + j*nd]*P[3*r + c];
          add_nodes(part, at, out, node[i], node[j], n, X, 6, a, to);
        }
    }
  }
}

static void add_spring_tangents(const tni_part *part, const tni_structure_work *w, const tni_part_at *at, const tni_part_tangent *out) {
  const tni_structure *s = of(part);
  for (int i = 0; i < s->nspring; i++) {
    const tni_node_spring *p = &s->spring[i];
    tni_spring_now now;
    tni_spring_eval(s, p, w->u, w->v, w->x, &now);
    bool line = p->component[0] < 0, turns = line && s->large && now.l > 0;
    for (int a = 0; a < 2 && p->node[a] >= 0; a++)
      for (int b = 0; b < 2 && p->node[b] >= 0; b++) {
        double K[36], D[36], sign = a == b ? 1 : -1;
        for (int r = 0; r < 6; r++)
          for (int c = 0; c < 6; c++) {
            K[6*r + c] = p->k*now.S[a][r]*now.S[b][c];
            D[6*r + c] = p->c*now.S[a][r]*now.S[b][c];
            if (turns && r < 3 && c < 3)
              K[6*r + c] += sign*(now.f*((r == c) - now.n[r]*now.n[c]) + p->c*now.n[r]*now.across[c])/now.l;
          }
        if (out->K) add_nodes(part, at, out, p->node[a], p->node[b], s->ndof, K, 6, -out->factor, out->K);
        if (out->D && p->c > 0) add_nodes(part, at, out, p->node[a], p->node[b], s->ndof, D, 6, -out->factor, out->D);
      }
  }
}

/* loads that follow, by their places */
static void add_load_tangents(const tni_part *part, const tni_structure_work *w, const tni_part_at *at, const tni_part_tangent *out) {
  const tni_structure *s = of(part);
  int own = s->ndof < 3 ? s->ndof : 3;
  for (int i = 0; i < s->nload; i++) {
    const tni_load *l = &s->load[i];
    if (!l->follows) continue;
    if (l->kind == TNI_LOAD_SPIN) {
      double w0 = tni_structure_value(l->f[0], at->t), P[9];
      for (int k = 0; k < 9; k++) P[k] = w0*w0*((k % 4 == 0) - l->axis[k/3]*l->axis[k % 3]);
      for (int n = 0; n < s->nnode; n++) {
        double X[9], mass = s->consistent ? s->own_mass[n] : s->mass[n];
        if (s->active[n] == 0 || mass == 0) continue;
        for (int k = 0; k < 9; k++) X[k] = mass*P[k];
        add_nodes(part, at, out, n, n, own, X, 3, out->factor, out->K);
      }
      if (s->consistent) add_masses_times(part, at, out, P, own, false, out->factor, out->K);
      continue;
    }
    double p = tni_structure_value(l->pressure, at->t);
    for (int k = 0; k < l->nface && p != 0; k++) {
      enum { N = 3*TNI_CELL_MAXFACENODE };
      int node[TNI_CELL_MAXFACENODE];
      double x[N], g[N], X[N*N];
      const double none[3] = {0, 0, 0};
      tni_cell cell;
      int n = tni_structure_face_nodes(s, l, k, w->x, &cell, node, x);
      tni_face_load(cell, x, p, none, l->width[k], s->plane == TNI_PLANE_AXISYMMETRIC, g, X);
      for (int a = 0; a < n; a++)
        for (int c = 0; c < n; c++)
          add_nodes(part, at, out, node[a], node[c], own, X + 3*a*3*n + 3*c, 3*n, out->factor, out->K);
    }
  }
}

/* rate of f by prescribed motions: w->rate -= K u' of the nodes that they move */
static void add_motion_rate(const tni_structure *s, tni_structure_work *w, const tni_structure_block *b, int e, const double *K) {
  const int *node = b->node + (size_t)e*(size_t)b->nnode;
  int own = b->nv/b->nnode;
  size_t d = (size_t)s->ndof;
  double v[TNI_SOLID_MAXDOF], beta = b->kind.matter->rayleigh[1];
  bool any = false;
  for (int a = 0; a < b->nnode; a++)
    for (int c = 0; c < own; c++) {
      v[own*a + c] = w->given[(size_t)node[a]*d + (size_t)c] + beta*w->given2[(size_t)node[a]*d + (size_t)c];
      any = any || v[own*a + c] != 0;
    }
  for (int a = 0; a < b->nnode && any; a++)
    for (int c = 0; c < own; c++)
      for (int k = 0; k < b->nv; k++)
        w->rate[(size_t)node[a]*d + (size_t)c] -= K[(size_t)(own*a + c)*(size_t)b->nv + (size_t)k]*v[k];
}

/* velocities of prescribed nodes, of all others 0; false: all rest */
static bool given_rates(const tni_structure *s, tni_structure_work *w, double t, bool still) {
  bool any = false;
  size_t bytes = (size_t)s->nnode*(size_t)s->ndof*sizeof(double);
  memset(w->rate, 0, bytes);
  for (int i = 0; i < s->nmotion; i++) {
    const tni_node_motion *m = &s->motion[i];
    double *v = &w->given[(size_t)m->node*(size_t)s->ndof + (size_t)m->component];
    *v = tni_structure_value(m->x[1], t);
    w->given2[(size_t)m->node*(size_t)s->ndof + (size_t)m->component] = still ? 0 : tni_structure_value(m->x[2], t);
    any = any || m->x[1];
  }
  for (int i = 0; i < s->ngift; i++) any = any || s->gift[i].x[1];
  if (s->follows) {
    tni_follow_place(s, t, 1, w->given);
    tni_follow_place(s, t, still ? -1 : 2, w->given2);
  }
  return any;
}

/* the same of centrifugal forces, where followers and consistent masses hand them on */
static void add_spin_rate(const tni_structure *s, tni_structure_work *w, const tni_load *l, double t) {
  size_t d = (size_t)s->ndof, all = (size_t)s->nnode*d;
  double w0 = tni_structure_value(l->f[0], t);
  if (!s->follows && !s->consistent) return;
  if (s->consistent) memset(w->spin, 0, all*sizeof(double));
  for (int n = 0; n < s->nnode; n++) {
    double v[3] = {0}, mass = s->consistent ? s->own_mass[n] : s->mass[n];
    for (size_t c = 0; c < 3 && c < d; c++) v[c] = w->given[(size_t)n*d + c];
    vec3_addmul(v, -vec3_dot(v, l->axis), l->axis);
    for (size_t c = 0; c < 3 && c < d; c++) {
      w->rate[(size_t)n*d + c] += mass*w0*w0*v[c];
      if (s->consistent) w->spin[(size_t)n*d + c] = v[c];
    }
  }
  if (s->consistent) tni_structure_apply_mass(s, false, w0*w0, w->spin, w->rate);
}

/* the same of pressure that follows a surface which prescribed motions deform */
static void add_follow_rate(const tni_structure *s, tni_structure_work *w, double t) {
  size_t d = (size_t)s->ndof;
  int own = s->ndof < 3 ? s->ndof : 3;
  for (int i = 0; i < s->nload; i++) {
    const tni_load *l = &s->load[i];
    if (l->follows && l->kind == TNI_LOAD_SPIN) add_spin_rate(s, w, l, t);
    double p = l->follows && l->kind == TNI_LOAD_FACES ? tni_structure_value(l->pressure, t) : 0;
    for (int k = 0; k < l->nface && p != 0; k++) {
      enum { N = 3*TNI_CELL_MAXFACENODE };
      int node[TNI_CELL_MAXFACENODE];
      double x[N], g[N], X[N*N];
      const double none[3] = {0, 0, 0};
      tni_cell cell;
      int n = tni_structure_face_nodes(s, l, k, w->x, &cell, node, x);
      tni_face_load(cell, x, p, none, l->width[k], s->plane == TNI_PLANE_AXISYMMETRIC, g, X);
      for (int a = 0; a < n; a++)
        for (int r = 0; r < own; r++)
          for (int b = 0; b < n; b++)
            for (int c = 0; c < own; c++)
              w->rate[(size_t)node[a]*d + (size_t)r] += X[(3*a + r)*3*n + 3*b + c]*w->given[(size_t)node[b]*d + (size_t)c];
    }
  }
}

/* of springs between prescribed nodes and others */
static void add_spring_rate(const tni_structure *s, tni_structure_work *w) {
  size_t d = (size_t)s->ndof;
  for (int i = 0; i < s->nspring; i++) {
    const tni_node_spring *p = &s->spring[i];
    tni_spring_now now;
    tni_spring_eval(s, p, w->u, w->v, w->x, &now);
    bool turns = p->component[0] < 0 && s->large && now.l > 0;
    double speed = 0, change = 0, across[3] = {0};
    for (int e = 0; e < 2 && p->node[e] >= 0; e++)
      for (int c = 0; c < s->ndof; c++) {
        double v = w->given[(size_t)p->node[e]*d + (size_t)c];
        speed += now.S[e][c]*v;
        change += now.S[e][c]*w->given2[(size_t)p->node[e]*d + (size_t)c];
        if (turns && c < 3) across[c] += (e ? 1 : -1)*v;
      }
    for (int c = 0; c < 3; c++) across[c] -= speed*now.n[c];
    double f = p->k*speed + p->c*change + (turns ? p->c*vec3_dot(now.across, across)/now.l : 0);
    for (int e = 0; e < 2 && p->node[e] >= 0; e++)
      for (int c = 0; c < s->ndof; c++)
        w->rate[(size_t)p->node[e]*d + (size_t)c] -=
            f*now.S[e][c] + (turns && c < 3 ? (e ? 1 : -1)*now.f*across[c]/now.l : 0);
  }
}

/* of damping by mass where followers and consistent masses hand it on */
static void add_damping_rate(const tni_structure *s, tni_structure_work *w) {
  size_t d = (size_t)s->ndof;
  if (s->consistent) tni_structure_apply_mass(s, true, -1, w->given2, w->rate);
  for (int i = 0; i < s->nnode && !s->consistent; i++)
    for (size_t c = 0; c < 3 && c < d; c++) w->rate[(size_t)i*d + c] -= s->alpha[i]*s->mass[i]*w->given2[(size_t)i*d + c];
}

/* of temperatures, by central differences: exact where stresses are linear in them */
static bool add_heat_rate(const tni_part *part, tni_structure_work *w, const tni_part_at *at) {
  const tni_structure *s = of(part);
  size_t n = (size_t)s->nnode*(size_t)s->ndof;
  double dt;
  if (!tni_structure_heat_rates(s, w, at->t, &dt)) return true;
  for (int side = 1; side >= -1; side -= 2) {
    tni_structure_heat_add(s, w, side > 0 ? dt : -2*dt);
    if (!tni_structure_eval_internal(part, w, at)) return false;
    for (size_t k = 0; k < n; k++) w->rate[k] += side*w->f[k]/(2*dt);
  }
  tni_structure_heat_nodes(s, at->t, true, w->warm);
  return true;
}

/* K of an element by spins -> by the unknowns of rotation: G^T K G */
static void turn_stiffness(const tni_structure *s, const tni_structure_work *w, const tni_structure_block *b, int e, double *K) {
  const int *node = b->node + (size_t)e*(size_t)b->nnode;
  int nv = b->nv;
  for (int a = 0; a < b->nnode; a++) {
    double G[9], x[3], y[3];
    if (s->carrier[node[a]] >= 0) continue;
    tni_turn_rates(w->delta + 3*(size_t)node[a], G, NULL, NULL);
    for (int i = 0; i < nv; i++) { /* columns */
      mat3_tvec(y, G, K + i*nv + 6*a + 3);
      vec3_copy(K + i*nv + 6*a + 3, y);
    }
    for (int j = 0; j < nv; j++) { /* rows */
      for (int i = 0; i < 3; i++) x[i] = K[(6*a + 3 + i)*nv + j];
      mat3_tvec(y, G, x);
      for (int i = 0; i < 3; i++) K[(6*a + 3 + i)*nv + j] = y[i];
    }
  }
}

/* what rotations that are prescribed do to the direction in which moments on their nodes count */
static bool add_turn_rate(const tni_part *part, tni_structure_work *w, const tni_part_at *at) {
  const tni_structure *s = of(part);
  if (!tni_structure_eval_internal(part, w, at)) return false;
  for (int i = 0; i < s->nnode; i++) {
    const double *v = w->given + 6*(size_t)i + 3;
    double G[9], D[9], x[3];
    if (s->carrier[i] >= 0 || s->active[i] != 6 || (v[0] == 0 && v[1] == 0 && v[2] == 0)) continue;
    tni_turn_rates(w->delta + 3*(size_t)i, G, w->f + 6*(size_t)i + 3, D);
    mat3_vec(x, D, v);
    vec3_add(w->rate + 6*(size_t)i + 3, w->rate + 6*(size_t)i + 3, x);
  }
  return true;
}

bool tni_structure_stiffness(const tni_part *part, void *user, const tni_part_at *at, int block, int element, double *K) {
  const tni_structure *s = of(part);
  tni_structure_work *w = user;
  const tni_structure_block *b = &s->block[block];
  tni_structure_job j = {.part = part, .s = s, .at = at, .w = w, .block = b};
  tni_structure_local l;
  double f[TNI_SOLID_MAXDOF];
  tni_solid_out o = {.f = f, .K = K};
  tni_structure_gather(&j, element, &l);
  if (b->kind.type->eval(&b->kind, &l.at, TNI_SOLID_FORCE | TNI_SOLID_STIFFNESS, &o)) {
    if (w->T && b->nv == 6*b->nnode) turn_stiffness(s, w, b, element, K);
    return true;
  }
  w->bad = b->first + element;
  return false;
}

bool tni_structure_tangent(const tni_part *part, void *user, const tni_part_at *at, const tni_part_tangent *out) {
  const tni_structure *s = of(part);
  tni_structure_work *w = user;
  bool carried = part->ncarrier > 0, moves = out->f_t && given_rates(s, w, at->t, !at->v);
  tni_structure_place(part, w, at);
  w->bad = -1;
  for (int b = 0; b < s->nblock && (out->K || moves || (out->D && s->damped)); b++) {
    const tni_structure_block *block = &s->block[b];
    for (int first = 0; first < block->n; first += TNI_STRUCTURE_TOGETHER) {
      int n = block->n - first < TNI_STRUCTURE_TOGETHER ? block->n - first : TNI_STRUCTURE_TOGETHER;
      tni_structure_job j = {.part = part, .s = s, .at = at, .w = w, .block = block, .first = first};
      tni_parallel_for(s->ctx, n, 4, eval_stiffness, &j);
      for (int k = 0; k < n; k++) {
        if (!w->done[k]) {
          w->bad = block->first + first + k;
          return false;
        }
        double *K = w->K + (size_t)k*(size_t)block->nv*(size_t)block->nv;
        if (w->T && block->nv == 6*block->nnode) turn_stiffness(s, w, block, first + k, K);
        add_element(part, at, out, block, first + k, K);
        if (moves) add_motion_rate(s, w, block, first + k, K);
      }
    }
  }
  for (int i = 0; i < s->nnode && out->D && s->alpha && !s->consistent; i++) {
    double X[9] = {0};
    if (s->active[i] == 0 || s->carrier[i] >= 0 || s->alpha[i] == 0) continue;
    X[0] = X[4] = X[8] = -s->alpha[i]*s->mass[i];
    add_nodes(part, at, out, i, i, s->ndof < 3 ? s->ndof : 3, X, 3, out->factor, out->D);
  }
  if (out->D && s->alpha && s->consistent) {
    const double none[9] = {0};
    add_masses_times(part, at, out, none, 0, true, -out->factor, out->D);
  }
  if (s->nspring > 0) add_spring_tangents(part, w, at, out);
  if (out->K) add_load_tangents(part, w, at, out);
  if (out->K && (carried || w->T)) {
    double power = 0;
    tni_part_out none = {0};
    if (!tni_structure_eval_internal(part, w, at)) return false;
    tni_structure_add_springs(s, w, &none);
    tni_structure_add_loads(s, w, at->t, false, &power);
    for (int i = 0; i < s->nnode; i++) {
      const double *F = w->f + (size_t)i*(size_t)s->ndof;
      if (s->carrier[i] < 0) {
        double X[36] = {0}, G[9], D[9];
        if (!w->T || s->active[i] != 6) continue;
        /* what the unknowns of rotation do to the direction of the moment */
        tni_turn_rates(w->delta + 3*(size_t)i, G, F + 3, D);
        for (int r = 0; r < 3; r++)
          for (int c = 0; c < 3; c++) X[6*(3 + r) + 3 + c] = D[3*r + c];
        add_nodes(part, at, out, i, i, 6, X, 6, out->factor, out->K);
        continue;
      }
      double F3[3] = {F[0], F[1], s->ndof > 2 ? F[2] : 0};
      end_of e;
      find_end(part, at, out, i, s->ndof < 3 ? s->ndof : 3, &e);
      add_turn(part, at, out, &e, F3, s->ndof == 6 ? F + 3 : NULL);
    }
  }
  if (out->f_t) {
    double power = 0;
    if (moves) add_follow_rate(s, w, at->t);
    if (moves) add_spring_rate(s, w);
    if (moves && s->alpha) add_damping_rate(s, w);
    if (moves && w->T && !add_turn_rate(part, w, at)) return false;
    if (w->warm && !at->unloaded && tni_structure_heat_changes(s) && !add_heat_rate(part, w, at)) return false;
    memcpy(w->f, w->rate, (size_t)s->nnode*(size_t)s->ndof*sizeof(double));
    if (!at->unloaded) tni_structure_add_loads(s, w, at->t, true, &power);
    tni_structure_scatter(part, w, at->kin, false, out->f_t, out->f6_t); /* rates are by unknowns already; loads have no moments */
  }
  return true;
}
