/* base/expr.c - expressions: graph, exact derivative, evaluation
 *
 * The derivative walks the graph once in the order of its numbers (forward mode). Constructors
 * simplify: constants fold, 0 + x, 0 x, 1 x, x^2 and their kin vanish. Symbolic rules hold where
 * the operands are finite: 0*x is 0 even where x would be inf.
 * Evaluation runs a list of instructions over registers; a register is reused once its value is
 * dead, so that a few suffice.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "base/expr_graph.h"

#include <math.h>
#include <stdint.h>

enum { MAX_REGISTERS = 1024 };

typedef struct {
  uint16_t op, order;
  uint16_t to, arg[3]; /* registers; register 0 holds 0, unused arguments read it */
  union {
    double value;
    int variable;
    const tni_table *table;
  } u;
} instruction;

struct tni_expr {
  int n;                   /* nodes; the first is the constant 0, the last is the result */
  int result;              /* register of the result                                     */
  int max_variable;        /* -1: none                                                   */
  const tni_node *node;    /* [n]                                                        */
  const instruction *code; /* [n-1] for all nodes but the first                          */
};

/* remainder with the sign of y, exact like fmod */
static double floored_mod(double x, double y) {
  double r = fmod(x, y);
  return r != 0 && (r < 0) != (y < 0) ? r + y : r;
}

static inline double apply(int op, double x, double y, double z) {
  switch (op) {
#define X(name, value) \
  case OP_##name: return value;
    TNI_OP_UNARY(X)
    TNI_OP_BINARY(X)
#undef X
    case OP_SELECT: return x != 0 ? y : z;
  }
  return 0;
}

/* ---- graph -------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t h, uint64_t v) {
  h = (h ^ v)*0x9e3779b97f4a7c15u;
  return h ^ (h >> 29);
}

static uint64_t hash(const tni_node *a) {
  uint64_t bits, h = mix((uint64_t)a->op, (uint64_t)a->order);
  memcpy(&bits, &a->value, sizeof(bits));
  h = mix(mix(h, bits), (uint64_t)a->variable);
  for (int i = 0; i < 3; i++) h = mix(h, (uint64_t)a->arg[i]);
  return h;
}

static bool same(const tni_node *a, const tni_node *b) {
  /* bits, not values: 0 and -0 differ, nan equals itself */
  return a->op == b->op && a->order == b->order && a->variable == b->variable &&
         a->table == b->table && memcmp(a->arg, b->arg, sizeof(a->arg)) == 0 &&
         memcmp(&a->value, &b->value, sizeof(double)) == 0;
}

static int *find_slot(tni_graph *g, const tni_node *a) {
  uint64_t mask = (uint64_t)g->nslot - 1, at = hash(a) & mask;
  while (g->slot[at] && !same(&g->node[g->slot[at]-1], a)) at = (at + 1) & mask;
  return &g->slot[at];
}

static bool grow(tni_graph *g) {
  void *items = g->node;
  if (!tni_arena_grow(&g->work, &items, g->n, &g->cap, sizeof(tni_node))) return false;
  g->node = items;
  if (2*g->cap <= g->nslot) return true;
  int nslot = 4*g->cap; /* cap is 8 times a power of 2 */
  int *slot = tni_arena_alloc(&g->work, (size_t)nslot, sizeof(int));
  if (!slot) return false;
  g->slot = slot;
  g->nslot = nslot;
  for (int i = 0; i < g->n; i++) *find_slot(g, &g->node[i]) = i + 1;
  return true;
}

static int intern(tni_graph *g, const tni_node *a) {
  if (g->status != TN_OK) return 0;
  int *at = find_slot(g, a);
  if (*at) return *at - 1;
  if (g->n >= TNI_EXPR_NODES) {
    g->status = TN_FAIL(g->work.ctx, TN_ERR_INPUT,
                        "the expression needs more than %d operations; split it or use a table",
                        TNI_EXPR_NODES);
    return 0;
  }
  if (!grow(g)) {
    g->status = tni_out_of_memory(g->work.ctx);
    return 0;
  }
  g->node[g->n] = *a;
  *find_slot(g, a) = g->n + 1;
  return g->n++;
}

/* node 0 must exist whatever happens, so the first block is part of init */
static const tni_node zero_node = {.op = OP_CONST};

void tni_graph_init(tni_graph *g, tn_ctx *ctx) {
  memset(g, 0, sizeof(*g));
  tni_arena_init(&g->work, ctx);
  if (grow(g)) {
    intern(g, &zero_node);
  } else {
    g->status = tni_out_of_memory(ctx);
  }
}

void tni_graph_clear(tni_graph *g) { tni_arena_clear(&g->work); }

int tni_graph_constant(tni_graph *g, double value) {
  return intern(g, &(tni_node){.op = OP_CONST, .value = value});
}

int tni_graph_variable(tni_graph *g, int variable) {
  return intern(g, &(tni_node){.op = OP_VAR, .variable = variable});
}

static bool is(const tni_graph *g, int node, double value) {
  return g->node[node].op == OP_CONST && g->node[node].value == value;
}

int tni_graph_table(tni_graph *g, const tni_table *table, int order, int x) {
  if (g->status != TN_OK) return 0;
  if (tni_graph_is_constant(g, x))
    return tni_graph_constant(g, tni_table_eval(table, g->node[x].value, order));
  return intern(g, &(tni_node){.op = OP_TABLE, .order = order, .table = table, .arg = {x}});
}

int tni_graph_unary(tni_graph *g, int op, int x) {
  if (g->status != TN_OK) return 0;
  if (tni_graph_is_constant(g, x))
    return tni_graph_constant(g, apply(op, g->node[x].value, 0, 0));
  if (op == OP_NEG && g->node[x].op == OP_NEG) return g->node[x].arg[0];
  return intern(g, &(tni_node){.op = op, .arg = {x}});
}

/* short names for the constructors used most */
static int neg(tni_graph *g, int x) { return tni_graph_unary(g, OP_NEG, x); }
static int add(tni_graph *g, int x, int y) { return tni_graph_binary(g, OP_ADD, x, y); }
static int sub(tni_graph *g, int x, int y) { return tni_graph_binary(g, OP_SUB, x, y); }
static int mul(tni_graph *g, int x, int y) { return tni_graph_binary(g, OP_MUL, x, y); }
static int divide(tni_graph *g, int x, int y) { return tni_graph_binary(g, OP_DIV, x, y); }
static int power(tni_graph *g, int x, int y) { return tni_graph_binary(g, OP_POW, x, y); }
static int square(tni_graph *g, int x) { return mul(g, x, x); }
static int number(tni_graph *g, double value) { return tni_graph_constant(g, value); }

/* Simpler node equal to x op y, or -1. Constants stand left in sums and products (see binary). */
static int simplify(tni_graph *g, int op, int x, int y) {
  const tni_node nx = g->node[x], ny = g->node[y]; /* copies: the array may move */
  switch (op) {
    case OP_ADD:
      if (is(g, x, 0)) return y;
      if (x == y) return mul(g, number(g, 2), x);
      if (ny.op == OP_NEG) return sub(g, x, ny.arg[0]);
      if (nx.op == OP_NEG) return sub(g, y, nx.arg[0]);
      break;
    case OP_SUB:
      if (is(g, y, 0)) return x;
      if (is(g, x, 0)) return neg(g, y);
      if (ny.op == OP_NEG) return add(g, x, ny.arg[0]);
      break;
    case OP_MUL:
      if (is(g, x, 0)) return 0;
      if (is(g, x, 1)) return y;
      if (is(g, x, -1)) return neg(g, y);
      if (nx.op == OP_NEG && ny.op == OP_NEG) return mul(g, nx.arg[0], ny.arg[0]);
      if (nx.op == OP_CONST && ny.op == OP_NEG)
        return mul(g, number(g, -nx.value), ny.arg[0]);
      if (nx.op == OP_CONST && ny.op == OP_MUL && tni_graph_is_constant(g, ny.arg[0])) {
        double c = nx.value*g->node[ny.arg[0]].value;
        if (isnormal(c)) return mul(g, number(g, c), ny.arg[1]);
      }
      break;
    case OP_DIV:
      if (is(g, x, 0)) return 0;
      if (is(g, y, 1)) return x;
      break;
    case OP_POW:
      if (is(g, y, 0) || is(g, x, 1)) return number(g, 1);
      if (is(g, y, 1)) return x;
      if (is(g, y, 2)) return square(g, x);
      if (is(g, y, 3)) return mul(g, square(g, x), x);
      if (is(g, y, 4)) return square(g, square(g, x));
      if (is(g, y, -1)) return divide(g, number(g, 1), x);
      break;
    case OP_MIN:
    case OP_MAX:
      if (x == y) return x;
      break;
  }
  return -1;
}

int tni_graph_binary(tni_graph *g, int op, int x, int y) {
  if (g->status != TN_OK) return 0;
  bool cx = tni_graph_is_constant(g, x), cy = tni_graph_is_constant(g, y);
  if (cx && cy) return tni_graph_constant(g, apply(op, g->node[x].value, g->node[y].value, 0));
  /* one order for sums and products, so that a*b and b*a are one node; constants first */
  if ((op == OP_ADD || op == OP_MUL) && (cy || (!cx && y < x))) {
    int swap = x;
    x = y;
    y = swap;
  }
  int simple = simplify(g, op, x, y);
  if (simple >= 0) return simple;
  return intern(g, &(tni_node){.op = op, .arg = {x, y}});
}

int tni_graph_select(tni_graph *g, int condition, int x, int y) {
  if (g->status != TN_OK) return 0;
  if (x == y) return x;
  if (tni_graph_is_constant(g, condition)) return g->node[condition].value != 0 ? x : y;
  return intern(g, &(tni_node){.op = OP_SELECT, .arg = {condition, x, y}});
}

/* ---- derivative --------------------------------------------------------------------------- */

/* df/dx of f = op(x), which is node f */
static int unary_slope(tni_graph *g, int op, int x, int f) {
  int one = number(g, 1);
  switch (op) {
    case OP_SIN: return tni_graph_unary(g, OP_COS, x);
    case OP_COS: return neg(g, tni_graph_unary(g, OP_SIN, x));
    case OP_TAN: return add(g, one, square(g, f));
    case OP_ASIN:
      return divide(g, one, tni_graph_unary(g, OP_SQRT, sub(g, one, square(g, x))));
    case OP_ACOS:
      return divide(g, number(g, -1), tni_graph_unary(g, OP_SQRT, sub(g, one, square(g, x))));
    case OP_ATAN: return divide(g, one, add(g, one, square(g, x)));
    case OP_SINH: return tni_graph_unary(g, OP_COSH, x);
    case OP_COSH: return tni_graph_unary(g, OP_SINH, x);
    case OP_TANH: return sub(g, one, square(g, f));
    case OP_EXP: return f;
    case OP_LOG: return divide(g, one, x);
    case OP_LOG10: return divide(g, number(g, 1/log(10.0)), x);
    case OP_SQRT: return divide(g, number(g, 0.5), f);
    case OP_CBRT: return divide(g, one, mul(g, number(g, 3), square(g, f)));
    case OP_ABS: return tni_graph_unary(g, OP_SIGN, x);
  }
  return 0; /* not, sign, floor, ceil */
}

/* derivative of f = x op y, given those of x and y */
static int binary_derivative(tni_graph *g, int op, int x, int y, int f, int dx, int dy) {
  switch (op) {
    case OP_ADD: return add(g, dx, dy);
    case OP_SUB: return sub(g, dx, dy);
    case OP_MUL: return add(g, mul(g, dx, y), mul(g, x, dy));
    case OP_DIV: return divide(g, sub(g, dx, mul(g, f, dy)), y);
    case OP_POW: {
      int along = dx ? mul(g, mul(g, y, power(g, x, sub(g, y, number(g, 1)))), dx) : 0;
      if (!dy) return along;
      /* x^y log x tends to 0 with x, where log alone gives -inf */
      int rise = tni_graph_select(g, tni_graph_binary(g, OP_EQ, x, 0), 0,
                                  mul(g, f, tni_graph_unary(g, OP_LOG, x)));
      return add(g, along, mul(g, rise, dy));
    }
    case OP_ATAN2: /* angle of the point (y, x) */
      return divide(g, sub(g, mul(g, dx, y), mul(g, x, dy)), add(g, square(g, x), square(g, y)));
    case OP_HYPOT: return divide(g, add(g, mul(g, x, dx), mul(g, y, dy)), f);
    case OP_MOD:
      return sub(g, dx, mul(g, tni_graph_unary(g, OP_FLOOR, divide(g, x, y)), dy));
    case OP_MIN: return tni_graph_select(g, tni_graph_binary(g, OP_LE, x, y), dx, dy);
    case OP_MAX: return tni_graph_select(g, tni_graph_binary(g, OP_LE, y, x), dx, dy);
  }
  return 0; /* comparisons and logic */
}

static int node_derivative(tni_graph *g, const tni_node *a, int f, const int *id, const int *d,
                           int variable) {
  int x = id[a->arg[0]], dx = d[a->arg[0]], y = id[a->arg[1]], dy = d[a->arg[1]];
  if (a->op == OP_VAR) return a->variable == variable ? number(g, 1) : 0;
  if (a->op == OP_CONST) return 0;
  if (a->op == OP_SELECT) return tni_graph_select(g, x, dy, d[a->arg[2]]);
  if (!dx && (a->op < OP_ADD || !dy)) return 0;
  if (a->op == OP_TABLE)
    return mul(g, tni_graph_table(g, a->table, a->order + 1, x), dx);
  if (a->op == OP_NEG) return neg(g, dx);
  if (a->op < OP_ADD) return mul(g, unary_slope(g, a->op, x, f), dx);
  return binary_derivative(g, a->op, x, y, f, dx, dy);
}

tn_status tni_expr_derivative(tni_arena *arena, const tni_expr *e, int variable,
                              const tni_expr **out) {
  *out = NULL;
  tni_graph g;
  tni_graph_init(&g, arena->ctx);
  int *id = tni_arena_alloc(&g.work, (size_t)e->n, sizeof(int));
  int *d = tni_arena_alloc(&g.work, (size_t)e->n, sizeof(int));
  tn_status status = id && d ? TN_OK : tni_out_of_memory(arena->ctx);
  for (int i = 0; status == TN_OK && i < e->n; i++) {
    tni_node a = e->node[i];
    for (int k = 0; k < 3; k++) a.arg[k] = id[a.arg[k]]; /* id[0] is 0: both have 0 as node 0 */
    id[i] = intern(&g, &a);
    d[i] = node_derivative(&g, &e->node[i], id[i], id, d, variable);
  }
  if (status == TN_OK) status = tni_graph_finish(&g, arena, d[e->n-1], out);
  tni_graph_clear(&g);
  return status;
}

/* ---- from graph to expression ------------------------------------------------------------- */

/* copies the nodes that root needs, renumbered, into node; returns how many */
static int keep_needed(const tni_graph *g, int root, int *number_of, tni_node *node) {
  number_of[0] = number_of[root] = 1;
  for (int i = root; i > 0; i--)
    for (int k = 0; number_of[i] && k < tni_op_arity(g->node[i].op); k++)
      number_of[g->node[i].arg[k]] = 1;
  int n = 0;
  for (int i = 0; i <= root; i++) {
    if (!number_of[i]) continue;
    number_of[i] = n;
    node[n] = g->node[i];
    for (int k = 0; k < 3; k++) node[n].arg[k] = number_of[node[n].arg[k]];
    n++;
  }
  return n;
}

/* Give every node a register, dropping values after their last use; false: too many at once.
 * work[3 n]: last use, register, free registers. */
static bool assign_registers(const tni_node *node, int n, int *work, instruction *code,
                             int *result) {
  int *last = work, *home = work + n, *idle = work + 2*n, nidle = 0, nreg = 1;
  for (int i = 1; i < n; i++)
    for (int k = 0; k < tni_op_arity(node[i].op); k++) last[node[i].arg[k]] = i;
  for (int i = 1; i < n; i++) {
    const tni_node *a = &node[i];
    instruction *in = &code[i-1];
    in->op = (uint16_t)a->op;
    in->order = (uint16_t)a->order;
    if (a->op == OP_CONST) in->u.value = a->value;
    if (a->op == OP_VAR) in->u.variable = a->variable;
    if (a->op == OP_TABLE) in->u.table = a->table;
    for (int k = 0; k < tni_op_arity(a->op); k++) {
      int from = a->arg[k];
      in->arg[k] = (uint16_t)home[from];
      if (from && last[from] == i) {
        idle[nidle++] = home[from];
        last[from] = -1; /* freed once, also when it is both operands */
      }
    }
    home[i] = nidle ? idle[--nidle] : nreg++;
    in->to = (uint16_t)home[i];
    if (nreg > MAX_REGISTERS) return false;
  }
  *result = home[n-1];
  return true;
}

tn_status tni_graph_finish(tni_graph *g, tni_arena *arena, int root, const tni_expr **out) {
  *out = NULL;
  if (g->status != TN_OK) return g->status;
  int *number_of, *work;
  tni_node *node;
  instruction *code;
  tni_expr *e;
  TNI_ARENA_NEW(&g->work, number_of, root + 1);
  TNI_ARENA_NEW(&g->work, node, root + 1);
  int n = keep_needed(g, root, number_of, node);
  TNI_ARENA_NEW(&g->work, work, 3*n);
  TNI_ARENA_NEW(&g->work, code, n);
  int result;
  TN_REQUIRE(arena->ctx, assign_registers(node, n, work, code, &result), TN_ERR_INPUT,
             "the expression keeps more than %d values at once; split it or use a table",
             MAX_REGISTERS);
  tni_node *nodes;
  instruction *codes;
  TNI_ARENA_NEW(arena, e, 1);
  TNI_ARENA_NEW(arena, nodes, n);
  TNI_ARENA_NEW(arena, codes, n);
  memcpy(nodes, node, (size_t)n*sizeof(*nodes));
  memcpy(codes, code, (size_t)n*sizeof(*codes));
  e->n = n, e->result = result, e->node = nodes, e->code = codes, e->max_variable = -1;
  for (int i = 0; i < n; i++)
    if (node[i].op == OP_VAR && node[i].variable > e->max_variable)
      e->max_variable = node[i].variable;
  *out = e;
  return TN_OK;
}

tn_status tni_expr_constant(tni_arena *arena, double value, const tni_expr **out) {
  tni_graph g;
  tni_graph_init(&g, arena->ctx);
  tn_status status = tni_graph_finish(&g, arena, tni_graph_constant(&g, value), out);
  tni_graph_clear(&g);
  return status;
}

tn_status tni_expr_variable(tni_arena *arena, int variable, const tni_expr **out) {
  tni_graph g;
  tni_graph_init(&g, arena->ctx);
  tn_status status = tni_graph_finish(&g, arena, tni_graph_variable(&g, variable), out);
  tni_graph_clear(&g);
  return status;
}

/* ---- use ---------------------------------------------------------------------------------- */

double tni_expr_eval(const tni_expr *e, const double *vars) {
  double r[MAX_REGISTERS];
  r[0] = 0;
  const instruction *end = e->code + (e->n - 1);
  for (const instruction *in = e->code; in < end; in++) {
    double x = r[in->arg[0]];
    switch (in->op) {
      case OP_CONST: x = in->u.value; break;
      case OP_VAR: x = vars[in->u.variable]; break;
      case OP_TABLE: x = tni_table_eval(in->u.table, x, in->order); break;
      default: x = apply(in->op, x, r[in->arg[1]], r[in->arg[2]]);
    }
    r[in->to] = x;
  }
  return r[e->result];
}

const tni_node *tni_expr_nodes(const tni_expr *e, int *n) {
  *n = e->n;
  return e->node;
}

double tni_node_value(const tni_node *a, const double *x) {
  if (a->op == OP_TABLE) return tni_table_eval(a->table, x[a->arg[0]], a->order);
  return apply(a->op, x[a->arg[0]], x[a->arg[1]], x[a->arg[2]]);
}

bool tni_expr_is_constant(const tni_expr *e, double *value) {
  const tni_node *last = &e->node[e->n-1];
  if (last->op == OP_CONST && value) *value = last->value;
  return last->op == OP_CONST;
}

int tni_expr_max_variable(const tni_expr *e) { return e->max_variable; }

bool tni_expr_uses(const tni_expr *e, int variable) {
  for (int i = 0; i < e->n; i++)
    if (e->node[i].op == OP_VAR && e->node[i].variable == variable) return true;
  return false;
}
