/* base/expr_graph.h - the graph behind an expression, shared by its parser and its calculus
 *
 * Nodes are numbered so that operands come before their users, and equal nodes exist once. All
 * passes are therefore loops, never recursions, and a derivative costs a few nodes per node.
 * A graph is scratch: finish copies what the result needs into the arena of the caller.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_EXPR_GRAPH_H
#define TNI_EXPR_GRAPH_H

#include "base/expr.h"
#include "base/table.h"

/* X(operation, value in terms of x) */
#define TNI_OP_UNARY(X)                      \
  X(NEG, -x)                                 \
  X(NOT, x == 0)                             \
  X(SIN, sin(x))                             \
  X(COS, cos(x))                             \
  X(TAN, tan(x))                             \
  X(ASIN, asin(x))                           \
  X(ACOS, acos(x))                           \
  X(ATAN, atan(x))                           \
  X(SINH, sinh(x))                           \
  X(COSH, cosh(x))                           \
  X(TANH, tanh(x))                           \
  X(EXP, exp(x))                             \
  X(LOG, log(x))                             \
  X(LOG10, log10(x))                         \
  X(SQRT, sqrt(x))                           \
  X(CBRT, cbrt(x))                           \
  X(ABS, fabs(x))                            \
  X(SIGN, x > 0 ? 1 : (x < 0 ? -1 : x))      \
  X(FLOOR, floor(x))                         \
  X(CEIL, ceil(x))
/* X(operation, value in terms of x, y); min and max let a nan through */
#define TNI_OP_BINARY(X)                     \
  X(ADD, x + y)                              \
  X(SUB, x - y)                              \
  X(MUL, x*y)                                \
  X(DIV, x/y)                                \
  X(POW, pow(x, y))                          \
  X(ATAN2, atan2(x, y))                      \
  X(HYPOT, hypot(x, y))                      \
  X(MOD, floored_mod(x, y))                  \
  X(MIN, x <= y || x != x ? x : y)           \
  X(MAX, x >= y || x != x ? x : y)           \
  X(LT, x < y)                               \
  X(LE, x <= y)                              \
  X(EQ, x == y)                              \
  X(AND, x != 0 && y != 0)                   \
  X(OR, x != 0 || y != 0)

enum {
  OP_CONST,
  OP_VAR,
  OP_TABLE, /* derivative `order` of a table at x */
#define X(name, value) OP_##name,
  TNI_OP_UNARY(X) TNI_OP_BINARY(X)
#undef X
  OP_SELECT /* x != 0 ? y : z */
};

typedef struct {
  int op, order, variable;
  int arg[3]; /* nodes; 0 where unused */
  double value;
  const tni_table *table;
} tni_node;

/* Failures are sticky: constructors go on returning valid nodes, finish returns the status. */
typedef struct {
  tni_arena work;
  tni_node *node;
  int n, cap;
  int *slot; /* [nslot] hash table: node + 1, 0 empty */
  int nslot;
  tn_status status;
} tni_graph;

enum { TNI_EXPR_NODES = 50000 }; /* more than any sane expression and its second derivative */

void tni_graph_init(tni_graph *g, tn_ctx *ctx); /* node 0 is the constant 0 */
void tni_graph_clear(tni_graph *g);

int tni_graph_constant(tni_graph *g, double value);
int tni_graph_variable(tni_graph *g, int variable);
int tni_graph_table(tni_graph *g, const tni_table *table, int order, int x);
int tni_graph_unary(tni_graph *g, int op, int x);
int tni_graph_binary(tni_graph *g, int op, int x, int y);
int tni_graph_select(tni_graph *g, int condition, int x, int y);

/* operands that an operation has */
static inline int tni_op_arity(int op) { return op <= OP_VAR ? 0 : op < OP_ADD ? 1 : op < OP_SELECT ? 2 : 3; }

/* of an expression: operands come before their users, the last one is its value */
const tni_node *tni_expr_nodes(const tni_expr *e, int *n);
/* of a node, from those of its operands */
double tni_node_value(const tni_node *a, const double *x);

static inline bool tni_graph_is_constant(const tni_graph *g, int node) {
  return g->node[node].op == OP_CONST;
}

/* expression with value `root` in the arena */
tn_status tni_graph_finish(tni_graph *g, tni_arena *arena, int root, const tni_expr **out);

#endif
