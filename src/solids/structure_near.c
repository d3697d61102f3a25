/* solids/structure_near.c - which nodes of a structure share an element
 *
 * What follows others brings its leaders along, springs their ends: clusters of nodes beside those of elements.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <stdlib.h>

#include "solids/structure.h"

typedef struct {
  tni_builder *b;
  const tni_item *item;
  tni_structure *s;
  tni_part *part;
  /* nodes that are coupled beside those of elements: leaders of what follows, ends of springs */
  int nextra;
  const int *extra_adr, *extra;
} neighbours;

/* nodes of a cluster and the leaders of those that follow; list [..] NULL: count */
static int expand(const tni_structure *s, int n, const int *node, int *list) {
  int count = 0;
  for (int i = 0; i < n; i++) {
    if (list) list[count] = node[i];
    count++;
    for (int k = s->lead_adr ? s->lead_adr[node[i]] : 0; s->lead_adr && k < s->lead_adr[node[i]+1]; k++) {
      if (list) list[count] = s->lead_node[k];
      count++;
    }
  }
  return count;
}

static tn_status find_extras(neighbours *m) {
  tni_structure *s = m->s;
  int *adr, *list = NULL;
  if (!s->follows && s->nspring == 0) return TN_OK;
  int most = s->nspring + s->nfollower;
  for (int k = 0; k < s->nblock && s->follows; k++) most += s->block[k].n;
  TNI_ARENA_NEW(m->b->arena, adr, most + 1);
  for (int pass = 0; pass < 2; pass++) {
    m->nextra = 0;
    for (int k = 0; k < s->nblock && s->follows; k++) {
      const tni_structure_block *b = &s->block[k];
      for (int e = 0; e < b->n; e++) {
        const int *node = b->node + (size_t)e*(size_t)b->nnode;
        int n = expand(s, b->nnode, node, NULL);
        if (n == b->nnode) continue;
        adr[m->nextra + 1] = adr[m->nextra] + n;
        if (pass) expand(s, b->nnode, node, list + adr[m->nextra]);
        m->nextra++;
      }
    }
    for (int i = 0; i < s->nspring + s->nfollower; i++) {
      const int *node = i < s->nspring ? s->spring[i].node : &s->follower[i - s->nspring];
      int n = i < s->nspring && node[1] >= 0 ? 2 : 1;
      adr[m->nextra + 1] = adr[m->nextra] + expand(s, n, node, NULL);
      if (pass) expand(s, n, node, list + adr[m->nextra]);
      m->nextra++;
    }
    if (!pass) TNI_ARENA_NEW(m->b->arena, list, adr[m->nextra]);
  }
  m->extra_adr = adr;
  m->extra = list;
  return TN_OK;
}

static int compare_ints(const void *a, const void *b) {
  int x = *(const int *)a, y = *(const int *)b;
  return (x > y) - (x < y);
}

/* nodes with unknowns that share an element; their columns */
static tn_status find_near(neighbours *m) {
  tni_structure *s = m->s;
  tni_part *p = m->part;
  tni_arena *arena = m->b->arena, scratch;
  int *adr, *near, *col, *mark, *list, *in_adr, *in, *next;
  tni_arena_init(&scratch, m->b->ctx);
  tn_status st = TN_OK;
  /* elements of nodes */
  in_adr = tni_arena_alloc(&scratch, (size_t)s->nnode + 1, sizeof(int));
  next = tni_arena_alloc(&scratch, (size_t)s->nnode + 1, sizeof(int));
  mark = tni_arena_alloc(&scratch, (size_t)p->nnode, sizeof(int));
  adr = tni_arena_alloc(arena, (size_t)p->nnode + 1, sizeof(int));
  size_t total = 0;
  for (int k = 0; k < s->nblock; k++) total += (size_t)s->block[k].n*(size_t)s->block[k].nnode;
  if (m->nextra) total += (size_t)m->extra_adr[m->nextra];
  in = tni_arena_alloc(&scratch, total, sizeof(int));
  list = tni_arena_alloc(&scratch, (size_t)p->nnode + 1, sizeof(int));
  if (!in_adr || !next || !mark || !adr || !in || !list) st = tni_out_of_memory(m->b->ctx);
  if (st == TN_OK && total > 2000000000u)
    st = tni_item_fail(m->b->ctx, m->item, "mesh", "more than 2e9 corners of elements");
  for (int pass = 0; pass < 2 && st == TN_OK; pass++) {
    for (int k = 0; k < s->nblock; k++) {
      const tni_structure_block *b = &s->block[k];
      for (int e = 0; e < b->n; e++)
        for (int a = 0; a < b->nnode; a++) {
          int node = b->node[(size_t)e*(size_t)b->nnode + (size_t)a];
          if (pass == 0) in_adr[node + 1]++;
          else in[next[node]++] = b->first + e;
        }
    }
    for (int k = 0; k < m->nextra; k++)
      for (int a = m->extra_adr[k]; a < m->extra_adr[k+1]; a++) {
        if (pass == 0) in_adr[m->extra[a] + 1]++;
        else in[next[m->extra[a]]++] = s->nelement + k;
      }
    if (pass) break;
    for (int i = 0; i < s->nnode; i++) in_adr[i+1] += in_adr[i];
    memcpy(next, in_adr, (size_t)s->nnode*sizeof(int));
  }
  near = NULL;
  for (int pass = 0; pass < 2 && st == TN_OK; pass++) {
    for (int i = 0; i < p->nnode; i++) mark[i] = -1;
    size_t at = 0;
    for (int i = 0; i < s->nnode; i++) {
      int own = s->own[i], n = 0;
      if (own < 0) continue;
      mark[own] = own; /* itself, even if nothing else is there */
      list[n++] = own;
      for (int q = in_adr[i]; q < in_adr[i+1]; q++) {
        int k = 0, more = in[q] - s->nelement;
        while (k + 1 < s->nblock && s->block[k+1].first <= in[q]) k++;
        const tni_structure_block *b = &s->block[k];
        const int *node = more >= 0 ? m->extra + m->extra_adr[more] : b->node + (size_t)(in[q] - b->first)*(size_t)b->nnode;
        int nn = more >= 0 ? m->extra_adr[more+1] - m->extra_adr[more] : b->nnode;
        for (int a = 0; a < nn; a++) {
          int o = s->own[node[a]];
          if (o < 0 || mark[o] == own) continue;
          mark[o] = own;
          list[n++] = o;
        }
      }
      if (pass) {
        qsort(list, (size_t)n, sizeof(int), compare_ints);
        memcpy(near + adr[own], list, (size_t)n*sizeof(int));
      } else {
        adr[own + 1] = n;
        at += (size_t)n;
      }
    }
    if (pass) break;
    if (at > 2000000000u) {
      st = tni_item_fail(m->b->ctx, m->item, "mesh", "more than 2e9 pairs of neighbouring nodes");
      break;
    }
    for (int i = 0; i < p->nnode; i++) adr[i+1] += adr[i];
    near = tni_arena_alloc(arena, at, sizeof(int));
    if (!near) st = tni_out_of_memory(m->b->ctx);
  }
  tni_arena_clear(&scratch);
  TN_TRY(st);
  TNI_ARENA_NEW(arena, col, adr[p->nnode]);
  for (int i = 0; i < p->nnode; i++)
    for (int k = adr[i] + 1; k < adr[i+1]; k++)
      col[k] = col[k-1] + p->vadr[near[k-1] + 1] - p->vadr[near[k-1]];
  p->near_adr = adr;
  p->near_node = near;
  s->near_col = col;
  return TN_OK;
}

/* nodes with unknowns that share an element with nodes of each carrier */
static tn_status find_touch(neighbours *m) {
  tni_structure *s = m->s;
  tni_part *p = m->part;
  int *adr, *mark, *touch;
  TNI_ARENA_NEW(m->b->arena, adr, p->ncarrier + 1);
  p->touch_adr = adr;
  if (p->ncarrier == 0) return TN_OK;
  TNI_ARENA_NEW(m->b->arena, mark, p->nnode);
  touch = NULL;
  for (int pass = 0; pass < 2; pass++) {
    int n = 0;
    for (int k = 0; k < p->ncarrier; k++) {
      memset(mark, 0, (size_t)p->nnode*sizeof(int));
      for (int i = 0; i < s->nblock; i++) {
        const tni_structure_block *b = &s->block[i];
        for (int e = 0; e < b->n; e++) {
          const int *node = b->node + (size_t)e*(size_t)b->nnode;
          bool carried = false;
          for (int a = 0; a < b->nnode; a++) carried = carried || s->carrier[node[a]] == k;
          for (int a = 0; a < b->nnode && carried; a++)
            if (s->own[node[a]] >= 0) mark[s->own[node[a]]] = 1;
        }
      }
      for (int i = 0; i < m->nextra; i++) {
        bool carried = false;
        for (int a = m->extra_adr[i]; a < m->extra_adr[i+1]; a++) carried = carried || s->carrier[m->extra[a]] == k;
        for (int a = m->extra_adr[i]; a < m->extra_adr[i+1] && carried; a++)
          if (s->own[m->extra[a]] >= 0) mark[s->own[m->extra[a]]] = 1;
      }
      for (int i = 0; i < p->nnode; i++) {
        if (mark[i] && pass) touch[n] = i;
        n += mark[i];
      }
      adr[k+1] = n;
    }
    if (pass) break;
    p->ntouch = n;
    TNI_ARENA_NEW(m->b->arena, touch, n);
  }
  p->touch = touch;
  return TN_OK;
}

tn_status tni_structure_neighbours(tni_builder *b, const tni_item *item, tni_part *part, tni_structure *s) {
  neighbours m = {.b = b, .item = item, .s = s, .part = part};
  TN_TRY(find_extras(&m));
  TN_TRY(find_near(&m));
  return find_touch(&m);
}
