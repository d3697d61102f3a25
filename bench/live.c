/* bench/live.c - what `tenon run --live` costs the run
 *
 * The same run without and with the server, and with a page: a thread that asks like the page of the
 * viewer, 60 ms after every answer, or, greedy, at once. Measured around tn_run: processor time of the
 * thread that runs, which is what copying rows costs, and wall clock, which also has the waiting. The
 * four take turns and each is compared with its neighbour without a server, because the speed of a
 * machine drifts by more than is to be measured; the middle one of all ratios counts. The wall clock
 * needs a quiet machine with two processors.
 *
 * Usage: bench_live build/bench/live.json [repetitions [run]]    run: vehicle, four_bars, rows, rows_only
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TENON_HAVE_MICROHTTPD
#include <stdio.h>
int main(void) { return printf("no live runs in this build: libmicrohttpd was missing\n") < 0; }
#else
#include "../src/cli/live.c"
#include "bench.h"

bool cli_open_browser(const char *address, bool wait) { (void)address, (void)wait; return false; }
int cli_signals(void) { return 0; }

typedef enum { PLAIN, SERVED, PAGE, GREEDY, NMODE } mode;
static const char *const MODE[NMODE] = {"no server", "no page", "a page", "greedy page"};

/* ---- a page ------------------------------------------------------------------------------------ */

typedef struct {
  cli_live *live;
  bool greedy;
  atomic_bool over;
  long frames;
  double bytes;
  pthread_t thread;
} page;

static bool read_all(int fd, unsigned char *to, size_t n) {
  for (size_t got = 0; got < n;) {
    ssize_t k = recv(fd, to + got, n - got, 0);
    if (k <= 0) return false;
    got += (size_t)k;
  }
  return true;
}

/* the front of an answer into front, the rest thrown away; bytes of all, 0: failed */
static size_t read_answer(int fd, unsigned char front[FRONT]) {
  char head[2048];
  unsigned char block[16384];
  size_t n = 0, length;
  while (n + 1 < sizeof(head) && (n < 4 || memcmp(head + n - 4, "\r\n\r\n", 4) != 0))
    if (recv(fd, head + n, 1, 0) != 1) return 0;
    else n++;
  head[n] = 0;
  const char *at = strstr(head, "Content-Length:");
  if (!at || sscanf(at + 15, "%zu", &length) != 1 || length < FRONT || !read_all(fd, front, FRONT)) return 0;
  for (size_t left = length - FRONT; left;) {
    size_t k = left < sizeof(block) ? left : sizeof(block);
    if (!read_all(fd, block, k)) return 0;
    left -= k;
  }
  return length;
}

static unsigned u32(const unsigned char *b) {
  return b[0] | (unsigned)b[1] << 8 | (unsigned)b[2] << 16 | (unsigned)b[3] << 24;
}

static void *ask(void *user) {
  page *p = user;
  struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((unsigned short)p->live->port)};
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  unsigned next = 0, generation = 0;
  bool ok = fd >= 0 && connect(fd, (struct sockaddr *)&at, sizeof(at)) == 0;
  while (ok && !atomic_load(&p->over)) {
    char text[256];
    unsigned char front[FRONT];
    int n = snprintf(text, sizeof(text),
                     "GET /%s/frames?from=%u&generation=%u HTTP/1.1\r\nHost: 127.0.0.1:%u\r\n\r\n",
                     p->live->token, next, generation, p->live->port);
    size_t got = send(fd, text, (size_t)n, 0) == n ? read_answer(fd, front) : 0;
    ok = got > 0;
    if (!ok) break;
    next = u32(front);
    p->frames += u32(front + 4);
    generation = u32(front + 12);
    p->bytes += (double)got;
    const struct timespec pause = {0, 60000000};
    if (!p->greedy && got < 400000) nanosleep(&pause, NULL);
  }
  if (fd >= 0) close(fd);
  return NULL;
}

/* ---- one run ----------------------------------------------------------------------------------- */

typedef struct {
  const char *key, *text, *path, *set;
  double every;
  bool stored; /* with a results file */
} work;

static const work WORK[] = {
    {"vehicle", "vehicle, 14 bodies", "vehicle/hmmwv14.yaml", NULL, 0, true},
    {"four_bars", "12 four-bars", "four-bar/n_four_bar.yaml", "N=12", 0, true},
    {"rows", "12 links, 10,000 rows", "chain/chain.yaml", "N=12", 5e-4, true},
    {"rows_only", "the same, nothing stored", "chain/chain.yaml", "N=12", 5e-4, false},
};

typedef struct {
  double cpu, wall;
  long rows;
  int width;
} cost;

static double thread_time(void) {
  struct timespec ts;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
  return (double)ts.tv_sec + 1e-9*(double)ts.tv_nsec;
}

static cost run_once(const work *w, mode how, const char *results) {
  char path[512];
  tn_ctx *ctx;
  tn_spec *spec;
  tn_model *model;
  tn_summary sum;
  cli c = {.quiet = true};
  snprintf(path, sizeof(path), "%s/examples/%s", TENON_SOURCE_DIR, w->path);
  BENCH_TRY(NULL, tn_ctx_create(NULL, &ctx));
  BENCH_TRY(ctx, tn_spec_read_file(ctx, path, &w->set, w->set ? 1 : 0, &spec));
  BENCH_TRY(ctx, tn_model_compile(ctx, spec, &model));
  tn_run_opts o = {.results = w->stored ? results : "", .every = w->every, .overwrite = true};
  cli_live *live = how == PLAIN ? NULL : cli_live_start(&c);
  page p = {.live = live, .greedy = how == GREEDY};
  if (live) o.watch = cli_live_watch(live);
  if (how >= PAGE && pthread_create(&p.thread, NULL, ask, &p) != 0) exit(3);
  double cpu = thread_time(), wall = now();
  BENCH_TRY(ctx, tn_run(ctx, model, &o, &sum));
  cost k = {thread_time() - cpu, now() - wall, sum.stored, live ? live->nvalue : 0};
  atomic_store(&p.over, true);
  if (how >= PAGE) pthread_join(p.thread, NULL);
  cli_live_stop(&c, &live, -1);
  tn_model_destroy(&model);
  tn_spec_destroy(&spec);
  tn_ctx_destroy(&ctx);
  return k;
}

static int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

static double middle(double *x, int n) {
  qsort(x, (size_t)n, sizeof(*x), by_size);
  return n % 2 ? x[n/2] : 0.5*(x[n/2-1] + x[n/2]);
}

int main(int argc, char **argv) {
  enum { REPEAT_MAX = 200 };
  static const char *const name[NMODE] = {"", "served", "page", "greedy"};
  static double cpu[NMODE][REPEAT_MAX], wall[NMODE][REPEAT_MAX];
  figures f;
  char results[700], key[64];
  int repeat = argc > 2 ? atoi(argv[2]) : 21;
  if (repeat < 1 || repeat > REPEAT_MAX) repeat = 21;
  if (argc < 2 || !figures_open(&f, argv[1]) || !freopen("/dev/null", "w", stderr)) return 2;
  snprintf(results, sizeof(results), "%s.h5", argv[1]);
  setvbuf(stdout, NULL, _IOLBF, 0);
  printf("%-26s %-12s %10s %10s\n", "run", "", "CPU", "wall clock");
  for (int i = 0; i < TNI_COUNT(WORK); i++) {
    const work *w = &WORK[i];
    cost last = {0};
    if (argc > 3 && strcmp(argv[3], w->key) != 0) continue;
    for (int r = 0; r < repeat; r++)
      for (int k = 1; k < NMODE; k++) {
        /* before and after in turn */
        cost first = run_once(w, r % 2 ? (mode)k : PLAIN, results);
        cost then = run_once(w, r % 2 ? PLAIN : (mode)k, results);
        last = r % 2 ? first : then;
        cpu[k][r] = last.cpu/(r % 2 ? then : first).cpu - 1;
        wall[k][r] = last.wall/(r % 2 ? then : first).wall - 1;
      }
    printf("%-26s %ld rows of %d numbers in %.2f s\n", w->text, last.rows, last.width, last.wall);
    for (int k = 1; k < NMODE; k++) {
      double more_cpu = middle(cpu[k], repeat), more_wall = middle(wall[k], repeat);
      printf("%-26s %-12s %+9.1f%% %+9.1f%%\n", "", MODE[k], 100*more_cpu, 100*more_wall);
      snprintf(key, sizeof(key), "%s_%s_cpu", w->key, name[k]);
      figure(&f, key, more_cpu);
      snprintf(key, sizeof(key), "%s_%s_wall", w->key, name[k]);
      figure(&f, key, more_wall);
    }
  }
  remove(results);
  figures_close(&f);
  return 0;
}
#endif
