/* system/joint_newton_kernel.h - factors and solutions along the tree, for real and for complex numbers
 *
 * Included twice by joint_newton.c, which defines
 *
 *   NUM         type of the numbers            NAME(x)     name of a function or type
 *   MUL(a, b)   product of two of them         SIZE(x)     a measure of one, real
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

/* the numbers of one factorization, see tni_jfactor */
typedef struct NAME(factor) {
  NUM *P, *G, *Y, *U, *D, *X, *w;
  int *pivot;
} NAME(factor);

static NAME(factor) NAME(of)(const tni_jfactor *f) {
  return (NAME(factor)){(NUM *)f->P, (NUM *)f->G, (NUM *)f->Y, (NUM *)f->U,
                        (NUM *)f->D, (NUM *)f->X, (NUM *)f->w, f->pivot};
}

/* as tni_carry6 */
static inline void NAME(carry)(NUM *w, const double d[3]) {
  NUM x = d[1]*w[2] - d[2]*w[1], y = d[2]*w[0] - d[0]*w[2], z = d[0]*w[1] - d[1]*w[0];
  w[3] += x;
  w[4] += y;
  w[5] += z;
}

/* as tni_shift6, for eta, eta', eta'' */
static inline void NAME(shift)(NUM *out, const NUM *in, const double d[3]) {
  for (int l = 0; l < 3; l++, in += 6, out += 6) {
    out[0] = in[0] + (in[4]*d[2] - in[5]*d[1]);
    out[1] = in[1] + (in[5]*d[0] - in[3]*d[2]);
    out[2] = in[2] + (in[3]*d[1] - in[4]*d[0]);
    for (int i = 3; i < 6; i++) out[i] = in[i];
  }
}

static inline NUM NAME(dot18)(const NUM *a, const NUM *b) {
  NUM x = 0, y = 0, z = 0;
  for (int i = 0; i < 6; i++) {
    x += MUL(a[i], b[i]);
    y += MUL(a[6 + i], b[6 + i]);
    z += MUL(a[12 + i], b[12 + i]);
  }
  return (x + y) + z;
}

static inline NUM NAME(dot6)(const double *a, const NUM *b) {
  return ((a[0]*b[0] + a[1]*b[1]) + (a[2]*b[2] + a[3]*b[3])) + (a[4]*b[4] + a[5]*b[5]);
}

static inline void NAME(add_column)(const tni_jcolumn *c, NUM dq, NUM dv, NUM da, NUM *X) {
  for (int i = 0; i < 6; i++) {
    X[i] += c->s[i]*dq;
    X[6 + i] += c->s1[i]*dq + c->s[i]*dv;
    X[12 + i] += (c->s2[i]*dq + c->z[i]*dv) + c->s[i]*da;
  }
}

/* G of link k */
static void NAME(set_motion)(const tni_jsys *j, int k, NUM m, NUM g, NUM b, tni_newton_turns turns,
                             const NAME(factor) *f) {
  const tni_jlink *l = &j->link[k];
  double K[9], L[9];
  int first = turn_matrices(j, l, turns, creal(g), K, L);
  for (int i = 0; i < l->nv; i++) {
    NUM *G = f->G + 18*(l->vadr + i);
    for (int a = 0; a < 18; a++) G[a] = 0;
    NAME(add_column)(&j->tan.column[l->vadr + i], b, g, m, G);
    if (first < 0 || i < first) continue;
    for (int n = 0; n < 3; n++)
      NAME(add_column)(&j->tan.column[l->vadr + first + n], 0, K[3*n + i - first]*b,
                       -L[3*n + i - first]*b, G);
  }
}

/* D [n][n] := its LU factors with row exchanges; false: singular */
static bool NAME(factor_small)(int n, NUM *D, int *pivot) {
  for (int c = 0; c < n; c++) {
    int best = c;
    for (int r = c + 1; r < n; r++)
      if (SIZE(D[n*r + c]) > SIZE(D[n*best + c])) best = r;
    pivot[c] = best;
    double size = SIZE(D[n*best + c]);
    if (!(size > 0) || !isfinite(size)) return false;
    for (int i = 0; i < n && best != c; i++) {
      NUM x = D[n*c + i];
      D[n*c + i] = D[n*best + i];
      D[n*best + i] = x;
    }
    for (int r = c + 1; r < n; r++) {
      NUM q = D[n*r + c] /= D[n*c + c];
      for (int i = c + 1; i < n; i++) D[n*r + i] -= MUL(q, D[n*c + i]);
    }
  }
  return true;
}

/* x := D^-1 x, n rows of `width` numbers */
static void NAME(solve_small)(int n, const NUM *D, const int *pivot, int width, NUM *x) {
  for (int c = 0; c < n; c++)
    for (int i = 0; i < width && pivot[c] != c; i++) {
      NUM y = x[width*c + i];
      x[width*c + i] = x[width*pivot[c] + i];
      x[width*pivot[c] + i] = y;
    }
  for (int c = 0; c < n; c++)
    for (int r = c + 1; r < n; r++)
      for (int i = 0; i < width; i++) x[width*r + i] -= MUL(D[n*r + c], x[width*c + i]);
  for (int r = n - 1; r >= 0; r--) {
    for (int c = r + 1; c < n; c++)
      for (int i = 0; i < width; i++) x[width*r + i] -= MUL(D[n*r + c], x[width*c + i]);
    NUM inverse = 1/D[n*r + r];
    for (int i = 0; i < width; i++) x[width*r + i] = MUL(x[width*r + i], inverse);
  }
}

/* rows of joint k, their factors, Y and what y does to the inboard link */
static bool NAME(eliminate)(tni_jsys *j, int k, const NUM *P, const NAME(factor) *f) {
  const tni_jlink *l = &j->link[k];
  const tni_jlin *lin = &j->tan.lin[k];
  NUM *D = f->D + 36*k, *Y = f->Y + 18*l->vadr, *U = f->U + 6*l->vadr;
  const NUM *G = f->G + 18*l->vadr;
  int n = l->nv;
  for (int i = 0; i < n; i++) {
    const tni_jcolumn *c = &j->tan.column[l->vadr + i];
    double e[6];
    NUM *row = Y + 18*i;
    for (int a = 0; a < 18; a++)
      row[a] = ((c->s[0]*P[a] + c->s[1]*P[18 + a]) + (c->s[2]*P[36 + a] + c->s[3]*P[54 + a])) +
               (c->s[4]*P[72 + a] + c->s[5]*P[90 + a]);
    turning(c->s, lin->F, e);
    if (c->with_body)
      for (int a = 0; a < 6; a++) row[a] += e[a];
    for (int b = 0; b < n; b++) D[n*i + b] = NAME(dot18)(row, G + 18*b);
    if (!c->with_body)
      for (int a = 0; a < 6; a++) row[a] += e[a];
    for (int a = 0; a < 3; a++) NAME(carry)(row + 6*a, lin->d);
    if (!lin->pair) continue;
    for (int m = 0; m < 2; m++)
      for (int r = 0; r < 6; r++)
        for (int a = 0; a < 6; a++) row[6*m + a] += c->s[r]*lin->pair->by_inboard[m][6*r + a];
  }
  if (n == 1) {
    double size = SIZE(D[0]);
    if (!(size > 0) || !isfinite(size)) return false;
    D[0] = 1/D[0];
    for (int a = 0; a < 18; a++) Y[a] = MUL(Y[a], D[0]);
  } else {
    if (!NAME(factor_small)(n, D, f->pivot + l->vadr)) return false;
    NAME(solve_small)(n, D, f->pivot + l->vadr, 18, Y);
  }
  for (int i = 0; i < n; i++)
    for (int r = 0; r < 6; r++) U[6*i + r] = NAME(dot18)(P + 18*r, G + 18*i);
  return true;
}

/* what forces between link k and its inboard one add to P of that: by T X_p, and by y */
static void NAME(hand_on_pair)(tni_jsys *j, int k, NUM *to, const NAME(factor) *f) {
  const tni_jlink *l = &j->link[k];
  const tni_jlin *lin = &j->tan.lin[k];
  for (int m = 0; m < 2; m++) {
    double R[36];
    memcpy(R, lin->pair->on_inboard[m], sizeof(R));
    for (int r = 0; r < 6; r++) {
      tni_carry6(R + 6*r, lin->d);
      for (int a = 0; a < 6; a++) to[18*r + 6*m + a] += R[6*r + a];
    }
  }
  for (int i = 0; i < l->nv; i++) {
    const NUM *G = f->G + 18*(l->vadr + i), *Y = f->Y + 18*(l->vadr + i);
    for (int r = 0; r < 6; r++) {
      NUM u = NAME(dot6)(lin->pair->on_inboard[0] + 6*r, G) +
              NAME(dot6)(lin->pair->on_inboard[1] + 6*r, G + 6);
      f->U[6*(l->vadr + i) + r] += u;
      for (int a = 0; a < 18; a++) to[18*r + a] -= MUL(u, Y[a]);
    }
  }
}

/* P of link k without its y, seen from the inboard link, added to P of that */
static void NAME(hand_on)(tni_jsys *j, int k, NUM *P, const NAME(factor) *f) {
  const tni_jlink *l = &j->link[k];
  const tni_jlin *lin = &j->tan.lin[k];
  const double *d = lin->d;
  const NUM *Y = f->Y + 18*l->vadr;
  NUM *U = f->U + 6*l->vadr, *to = f->P + 108*l->slot0;
  for (int r = 0; r < 6; r++)
    for (int m = 0; m < 3; m++) NAME(carry)(P + 18*r + 6*m, d);
  for (int m = 0; m < 2 && lin->pair; m++)
    for (int r = 0; r < 6; r++)
      for (int a = 0; a < 6; a++) P[18*r + 6*m + a] += lin->pair->by_inboard[m][6*r + a];
  for (int i = 0; i < l->nv; i++)
    for (int r = 0; r < 6; r++) {
      NUM u = U[6*i + r];
      for (int a = 0; a < 18; a++) P[18*r + a] -= MUL(u, Y[18*i + a]);
    }
  /* rows about the inboard centre of mass: torque + d x force */
  for (int a = 0; a < 18; a++) {
    NUM fx = P[a], fy = P[18 + a], fz = P[36 + a];
    P[54 + a] += d[1]*fz - d[2]*fy;
    P[72 + a] += d[2]*fx - d[0]*fz;
    P[90 + a] += d[0]*fy - d[1]*fx;
  }
  if (l->opens) memcpy(to, P, 108*sizeof(NUM));
  else
    for (int a = 0; a < 108; a++) to[a] += P[a];
  for (int i = 0; i < l->nv; i++) NAME(carry)(U + 6*i, d);
  if (lin->pair) NAME(hand_on_pair)(j, k, to, f);
}

static bool NAME(factor_tree)(tni_jsys *j, const NAME(factor) *f, NUM m, NUM g, NUM b, tni_newton_turns turns) {
  for (int k = j->nlink - 1; k >= 0; k--) {
    NUM P[108];
    if (j->link[k].slot >= 0) memcpy(P, f->P + 108*j->link[k].slot, sizeof(P));
    else memset(P, 0, sizeof(P));
    for (int n = 0; n < 3; n++)
      for (int r = 0; r < 6; r++)
        for (int a = 0; a < 6; a++) P[18*r + 6*n + a] += j->tan.lin[k].B[n][6*r + a];
    NAME(set_motion)(j, k, m, g, b, turns, f);
    if (!NAME(eliminate)(j, k, P, f)) return false;
    if (j->link[k].parent >= 0) NAME(hand_on)(j, k, P, f);
  }
  return true;
}

static void NAME(solve_tree)(tni_jsys *j, const NAME(factor) *f, NUM *x) {
  const tni_jtan *tan = &j->tan;
  memset(f->w, 0, 6*(size_t)j->nlink*sizeof(NUM));
  for (int k = j->nlink - 1; k >= 0; k--) {
    const tni_jlink *l = &j->link[k];
    NUM *w = f->w + 6*k, *y = x + l->vadr;
    for (int i = 0; i < l->nv; i++) y[i] -= NAME(dot6)(tan->column[l->vadr + i].s, w);
    if (l->nv == 1) y[0] = MUL(y[0], f->D[36*k]);
    else if (l->nv > 1) NAME(solve_small)(l->nv, f->D + 36*k, f->pivot + l->vadr, 1, y);
    if (l->parent < 0) continue;
    NUM *to = f->w + 6*l->parent;
    NAME(carry)(w, tan->lin[k].d);
    for (int i = 0; i < 6; i++) to[i] += w[i];
    for (int i = 0; i < l->nv; i++) {
      const NUM *U = f->U + 6*(l->vadr + i);
      for (int a = 0; a < 6; a++) to[a] += MUL(y[i], U[a]);
    }
  }
  for (int k = 0; k < j->nlink; k++) {
    const tni_jlink *l = &j->link[k];
    const NUM *Xp = f->X + 18*(l->parent + 1);
    NUM *X = f->X + 18*(k + 1);
    if (l->parent >= 0) {
      for (int i = 0; i < l->nv; i++)
        x[l->vadr + i] -= NAME(dot18)(f->Y + 18*(l->vadr + i), Xp);
      if (tan->leaf[k]) continue;
      NAME(shift)(X, Xp, tan->lin[k].d);
    } else {
      memset(X, 0, 18*sizeof(NUM));
    }
    for (int i = 0; i < l->nv; i++) {
      const NUM *G = f->G + 18*(l->vadr + i);
      NUM y = x[l->vadr + i];
      for (int a = 0; a < 18; a++) X[a] += MUL(y, G[a]);
    }
  }
}

#undef NUM
#undef NAME
#undef MUL
#undef SIZE
