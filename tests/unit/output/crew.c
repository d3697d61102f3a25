/* Results files that several ranks write: the numbers of one that one process writes, killed, and on a full disk
 * SPDX-License-Identifier: BSD-3-Clause */
#define _XOPEN_SOURCE 700
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "output/crew.h"
#include "sample.h"

static tn_ctx *ctx;

enum { NNODE = 30001, NCELL = 5000, NAPART = 3*NNODE + NCELL + 6*NNODE, FIRST = SAMPLE_NCOLUMN, NALL = FIRST + NAPART, NSTATE = 70001 };
static double x[3*NNODE];
static int cell[4*NCELL], owner_of_node[NNODE];
static unsigned char type[NCELL];
static tni_mesh_info mesh;
static const char *const six[] = {"a", "b", "c", "d", "e", "f"};
static const tni_field field[] = {
  {.name = "displacement", .ncomponent = 3, .component = sample_xyz, .unit = "m", .apart = true, .single = true},
  {.name = "pressure", .cells = true, .ncomponent = 1, .unit = "Pa", .apart = true},
  {.name = "stress", .ncomponent = 6, .component = six, .unit = "Pa", .apart = true}};
enum { NFIELD = 3 };

static double value(long frame, int k) { return sin(1.3*(double)frame + 1e-3*k)*(1 + k % 7); }

static void make_mesh(void) {
  for (int i = 0; i < 4*NCELL; i++) cell[i] = (i/4 + i % 4) % NNODE;
  memset(type, 10, sizeof(type));
  mesh = (tni_mesh_info){.name = "block", .nnode = NNODE, .ncell = NCELL, .x = x, .cell = cell, .type = type};
}

static tni_results_info describe(int nstate) {
  tni_results_info info = sample_info;
  info.nmesh = 1;
  info.mesh = &mesh;
  info.nfield = NFIELD;
  info.field = field;
  info.ncheckpoint = nstate;
  return info;
}

/* what a file is written with, by all ranks alike */
typedef struct {
  const char *path;
  int writers, nstate;
  bool divided;          /* nodes belong to ranks, in no order          */
  bool at_once;
  long rows, every;      /* a checkpoint after so many rows             */
  bool finish;
  volatile long *there;  /* rows that a settled crew has promised       */
} job;

/* what one rank hands over */
typedef struct {
  const job *j;
  int rank, size, nown;
  int *place, *local;    /* own nodes, ascending; where they lie: the other way round */
  double *row, *piece;
} hand;

static const double *values(void *user, int i) {
  hand *h = user;
  static const int at[NFIELD] = {FIRST, FIRST + 3*NNODE, FIRST + 3*NNODE + NCELL};
  int each = field[i].ncomponent;
  if (!h->j->divided || field[i].cells) return h->row + at[i];
  for (int k = 0; k < h->nown; k++) memcpy(h->piece + h->local[k]*each, h->row + at[i] + h->place[k]*each, (size_t)each*sizeof(double));
  return h->piece;
}

static tn_status write_rows(tni_comm *c, hand *h, tni_writer *w, tni_crew *crew) {
  const job *j = h->j;
  double *state = calloc((size_t)j->nstate + 1, sizeof(double));
  size_t lent = 0;
  tn_status st = TN_OK;
  for (long n = 0; n < j->rows && st == TN_OK; n++) {
    tni_crew_take_back(crew, lent);
    for (int k = 0; k < NALL; k++) h->row[k] = k >= FIRST || c->rank == 0 ? value(n, k) : NAN;
    if (j->divided) /* nobody may use what it does not have */
      for (int k = 0; k < NNODE; k++)
        for (int i = 0; i < 9 && owner_of_node[k] % h->size != h->rank; i++)
          h->row[i < 3 ? FIRST + 3*k + i : FIRST + 3*NNODE + NCELL + 6*k + i - 3] = NAN;
    st = tni_crew_append(crew, sample_time(n), h->row, false, values, h);
    lent = tni_crew_mark(crew);
    if (st == TN_OK && (n + 1) % j->every == 0) {
      for (int k = 0; k < j->nstate; k++) state[k] = value(n, k);
      st = tni_crew_checkpoint(crew, sample_time(n), state);
    }
    if (st == TN_OK && j->there) {
      st = tni_crew_settle(crew);
      if (c->rank == 0 && st == TN_OK) *j->there = n + 1;
    }
  }
  if (st == TN_OK && j->finish) st = tni_crew_settle(crew);
  if (st == TN_OK && j->finish && w) st = tni_results_finish(w, "complete", "{}");
  free(state);
  return st;
}

static tn_status write_together(tni_comm *c, void *user) {
  const job *j = user;
  tni_results_info info = describe(j->nstate);
  hand h = {.j = j, .rank = c->rank, .size = c->size};
  tni_writer *w = NULL;
  tni_crew *crew = NULL;
  int *owner = malloc(NNODE*sizeof(int));
  h.place = malloc(NNODE*sizeof(int));
  h.local = malloc(NNODE*sizeof(int));
  h.row = malloc(NALL*sizeof(double));
  h.piece = malloc(6*NNODE*sizeof(double));
  info.writers = j->writers;
  info.at_once = j->at_once;
  for (int i = 0; i < NNODE; i++) {
    owner[i] = owner_of_node[i] % c->size;
    if (owner[i] == c->rank) h.place[h.nown++] = i;
  }
  for (int k = 0; k < h.nown; k++) h.local[k] = h.nown - 1 - k;
  const tni_crew_share share[NFIELD] = {{owner, h.local}, {NULL, NULL}, {owner, h.local}};
  tn_status st = c->rank == 0 ? tni_results_create(c->ctx, j->path, true, &info, &w) : TN_OK;
  if (st == TN_OK) st = tni_crew_create(c->ctx, c, w, &info, j->divided ? share : NULL, &crew);
  if (st == TN_OK) st = write_rows(c, &h, w, crew);
  if (st == TN_OK && j->rows > 0 && !(tni_crew_bytes(crew) > 0) && j->writers >= c->size) st = TN_FAIL(c->ctx, TN_ERR_INTERNAL, "rank %d wrote nothing", c->rank);
  tni_crew_destroy(&crew);
  tni_results_destroy(&w);
  free(owner);
  free(h.place);
  free(h.local);
  free(h.row);
  free(h.piece);
  return st;
}

static double got[NALL], state[NSTATE];

static bool row_is_right(tni_reader *r, long n) {
  if (tni_results_read_row(r, n, got) != TN_OK) return false;
  for (int k = 0; k < NALL; k++) {
    double want = value(n, k);
    if (k >= FIRST && k < FIRST + 3*NNODE) want = (double)(float)want;
    if (got[k] != want) return false;
  }
  return true;
}

static void check_file(const job *j, long least, long checkpoints) {
  tni_reader *r;
  CHECK_OK(ctx, tni_results_open(ctx, j->path, &r));
  if (!r) return;
  long n = tni_results_ntime(r), m = tni_results_ncheckpoint(r);
  CHECK(n >= least && n <= j->rows);
  for (long i = 0; i < n; i++)
    if (!CHECK(row_is_right(r, i))) break;
  CHECK(m >= checkpoints && m <= j->rows/j->every);
  for (long i = 0; i < m; i++) {
    double t = 0;
    bool right = true;
    CHECK_OK(ctx, tni_results_get_checkpoint(r, i, &t, state));
    CHECK(t == sample_time((i + 1)*j->every - 1));
    CHECK((i + 1)*j->every <= n); /* rows before it are there: a run goes on after them */
    for (int k = 0; k < j->nstate; k++) right = right && state[k] == value((i + 1)*j->every - 1, k);
    CHECK(right);
  }
  tni_results_close(&r);
}

static void several_ranks_write_what_one_writes(void) {
  static const struct { int size, writers, nstate; bool divided, at_once; } each[] = {
    {2, 2, NSTATE, false, false}, {2, 2, NSTATE, true, false}, {3, 3, 100, true, false}, {5, 2, NSTATE, true, false},
    {3, 1, NSTATE, true, true},   {4, 4, 20000, false, true},  {2, 7, NSTATE, true, false}};
  for (int i = 0; i < (int)(sizeof(each)/sizeof(each[0])); i++) {
    job j = {.path = sample_path("crew.h5"), .writers = each[i].writers, .nstate = each[i].nstate, .divided = each[i].divided,
             .at_once = each[i].at_once, .rows = 7, .every = 3, .finish = true};
    CHECK_OK(ctx, tni_comm_run_local(ctx, each[i].size, write_together, &j, NULL, NULL));
    check_file(&j, 7, 2);
  }
}

/* more checkpoints, and more rows, than wait to be promised */
static void long_files_come_back(void) {
  job j = {.path = sample_path("crew.h5"), .writers = 2, .nstate = NSTATE, .divided = true, .rows = 18, .every = 1, .finish = true};
  CHECK_OK(ctx, tni_comm_run_local(ctx, 2, write_together, &j, NULL, NULL));
  check_file(&j, 18, 18);
}

/* a file that goes on has the rows of another first, which the first rank copies alone */
static tn_status copy_and_go_on(tni_comm *c, void *user) {
  const job *j = user;
  tni_results_info info = describe(j->nstate);
  tni_writer *w = NULL;
  tni_crew *crew = NULL;
  tni_reader *from = NULL;
  hand h = {.j = j, .rank = c->rank, .size = c->size};
  long n = 0;
  size_t lent = 0;
  double *numbers = calloc(NALL, sizeof(double)), *s = calloc((size_t)j->nstate, sizeof(double));
  h.row = numbers;
  info.writers = j->writers;
  tn_status st = TN_OK;
  if (c->rank == 0) {
    st = tni_results_open(c->ctx, sample_path("crew.h5"), &from);
    if (st == TN_OK) st = tni_results_prepare(c->ctx, j->path, true, &info, &w);
    if (st == TN_OK) st = tni_results_copy(w, from, sample_time(4), &n);
    if (st == TN_OK && n != 5) st = TN_FAIL(c->ctx, TN_ERR_INTERNAL, "%ld rows", n);
  }
  if (st == TN_OK) st = tni_crew_create(c->ctx, c, w, &info, NULL, &crew);
  for (n = 5; n < j->rows && st == TN_OK; n++) {
    tni_crew_take_back(crew, lent);
    for (int k = 0; k < NALL; k++) numbers[k] = value(n, k);
    for (int k = 0; k < j->nstate; k++) s[k] = value(n, k);
    st = tni_crew_append(crew, sample_time(n), numbers, true, values, &h);
    lent = tni_crew_mark(crew);
    if (st == TN_OK) st = tni_crew_checkpoint(crew, sample_time(n), s);
  }
  if (st == TN_OK) st = tni_crew_settle(crew);
  if (st == TN_OK && w) st = tni_results_publish(w);
  if (st == TN_OK && w) st = tni_results_finish(w, "complete", "{}");
  tni_crew_destroy(&crew);
  tni_results_destroy(&w);
  tni_results_close(&from);
  free(numbers);
  free(s);
  return st;
}

/* that of the test before */
static void copied_files_go_on(void) {
  job j = {.path = sample_path("on.h5"), .writers = 3, .nstate = NSTATE, .rows = 12, .every = 1};
  CHECK_OK(ctx, tni_comm_run_local(ctx, 3, copy_and_go_on, &j, NULL, NULL));
  check_file(&j, 12, 12);
}

/* whenever it dies, all that was promised is there, and nothing is promised that is not */
static void killed_ranks_leave_what_they_promised(void) {
  volatile long *there = mmap(NULL, sizeof(long), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  for (int round = 0; round < 5; round++) {
    job j = {.path = sample_path("killed.h5"), .writers = 3, .nstate = NSTATE, .divided = true, .rows = 100000, .every = 2,
             .there = round % 2 ? there : NULL};
    struct stat about;
    *there = 0;
    remove(j.path);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
      tn_status st = tni_comm_run_local(ctx, 3, write_together, &j, NULL, NULL);
      _exit(st == TN_OK);
    }
    for (int k = 0; k < 2000 && (stat(j.path, &about) != 0 || about.st_size < (8 + round)*1000000); k++)
      nanosleep(&(struct timespec){0, 5000000}, NULL);
    nanosleep(&(struct timespec){0, 3000000L*round}, NULL);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    check_file(&j, *there, 0);
  }
  munmap((void *)(uintptr_t)there, sizeof(long));
}

/* a disk that is full for whoever meets it first */
static void a_full_disk_ends_all_with_the_reason(void) {
  for (int at_once = 0; at_once < 2; at_once++) {
    job j = {.path = sample_path("full.h5"), .writers = 3, .nstate = 100, .divided = true, .at_once = at_once, .rows = 100000, .every = 5};
    remove(j.path);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
      struct rlimit most = {20000000, 20000000};
      signal(SIGXFSZ, SIG_IGN);
      setrlimit(RLIMIT_FSIZE, &most);
      tn_status st = tni_comm_run_local(ctx, 3, write_together, &j, NULL, NULL);
      bool right = st == TN_ERR_IO && strstr(tn_ctx_message(ctx), "File too large");
      if (!right) printf("status %d: %s\n", st, tn_ctx_message(ctx));
      fflush(stdout);
      _exit(right ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    check_file(&j, 1, 0);
  }
}

int main(void) {
  sample_begin();
  CHECK_OK(NULL, tn_ctx_create(NULL, &ctx));
  make_mesh();
  unsigned seed = 7;
  for (int i = 0; i < NNODE; i++) owner_of_node[i] = (int)((seed = seed*1664525u + 1013904223u) >> 16) % 60;
  for (int i = 0; i < 3*NNODE; i++) x[i] = 0.01*i;
  RUN(several_ranks_write_what_one_writes);
  RUN(long_files_come_back);
  RUN(copied_files_go_on);
  RUN(killed_ranks_leave_what_they_promised);
  RUN(a_full_disk_ends_all_with_the_reason);
  tn_ctx_destroy(&ctx);
  sample_clean();
  return REPORT();
}
