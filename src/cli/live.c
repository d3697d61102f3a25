/* cli/live.c - tenon run --live: the page of a run that is going on, on this machine only; tenon view: the page of
 * results whose meshes are too large for a file, with fields that are read when the page asks for them
 *
 * A small server in a thread of its own, bound to 127.0.0.1 on a free port. Whoever does not know
 * the random token in the address gets nothing; requests made for another host name or by a page
 * from elsewhere are refused, so that no web site can reach the run through the user's browser.
 *
 * The run never waits for anybody: it copies every stored row into a ring and goes on, without a lock,
 * and drops the row when the ring is full. A thread of lower priority empties the ring into memory of
 * a fixed size, from which the server answers pages, at most ANSWER bytes at a time; these two share a
 * lock. When the memory is full every second frame is dropped, and from then on every second row is
 * taken. What that costs the run: bench/live.c.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define _DEFAULT_SOURCE /* setpriority */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli.h"

#ifdef TENON_HAVE_MICROHTTPD
#include <arpa/inet.h>
#include <dlfcn.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>

/* libmicrohttpd is loaded with the first live page: it brings libraries for encryption along, which every other command
 * would load as well */
#define FUNCTIONS(X) \
  X(add_response_header) X(create_response_from_buffer) X(destroy_response) X(get_connection_values) \
  X(get_daemon_info) X(lookup_connection_value) X(queue_response) X(start_daemon) X(stop_daemon)

#define MEMBER(f) __typeof__(MHD_##f) *f;
static struct { FUNCTIONS(MEMBER) } mhd;

/* says itself what is missing */
static bool load_server(bool tell) {
  void *library = dlopen(TENON_MICROHTTPD_FILE, RTLD_NOW | RTLD_LOCAL);
  const char *why = library ? NULL : dlerror();
#define FIND(f) \
  if (library && !why) { \
    void *found = dlsym(library, "MHD_" #f); \
    if (!found) why = "no function MHD_" #f; \
    memcpy(&mhd.f, &found, sizeof(found)); /* POSIX: pointers of both kinds are alike */ \
  }
  FUNCTIONS(FIND)
  if (why && tell)
    fprintf(stderr, "tenon: --live: the library for its page is not there (%s); on Debian: apt-get install libmicrohttpd12\n", why);
  return !why;
}

enum {
  RING = 2*1024*1024,   /* bytes of rows on their way from the run     */
  PERIOD = 2000000,     /* nanoseconds between two looks at the ring   */
  BEHIND = 10,          /* niceness of all threads but that of the run */
  STORE = 64*1024*1024, /* bytes of frames kept                        */
  ANSWER = 512*1024,    /* bytes of frames in one answer               */
  FRONT = 40,           /* bytes before the events and frames of an answer */
  EVENTS = 20000,       /* kept of a run, the first ones; a timeline has room for fewer */
  EVENT = 24,           /* bytes of one                                */
  PATIENCE = 30,        /* seconds to wait for a first page at the end */
  GRACE = 10,           /* and for a page that has stopped asking      */
  CONNECTIONS = 500,    /* more than programs that ask and stay silent are likely to hold */
  SILENCE = 10          /* seconds after which one of those is dropped */
};

static const double FAREWELL = 0.5; /* seconds for a page to get the rest of a run that was stopped */

static const double BUDGET = 0.02; /* share of the run for rows that nobody stores */

struct cli_live {
  tn_scene *stored;       /* results that are over, NULL: a run              */
  bool left;              /* a page of theirs was closed                     */
  struct MHD_Daemon *daemon;
  unsigned port;
  char token[33];
  tn_watch watch;
  /* between the run and the keeper; rows of time and values */
  double *ring, *spare;   /* [nslot][1 + nvalue]; the last row that found no place  */
  size_t nslot;
  int nvalue;
  bool has_spare;
  atomic_size_t head, tail; /* rows put in, taken out                          */
  atomic_uint generation; /* how often every second frame was dropped        */
  unsigned long nrow;     /* rows seen                                       */
  _Atomic double share;
  atomic_bool begun, ended;
  pthread_t keeper;
  bool kept;              /* the keeper runs                                 */
  pthread_mutex_t lock;
  /* what has switched: written by the run alone, and read up to the number that it has published */
  unsigned char *event;   /* [EVENTS][EVENT] time, impulse, element, kind    */
  atomic_size_t nevent;
  /* under the lock, between the keeper and the server */
  char *scene;
  size_t nscene;
  unsigned char *store;
  size_t record, room;    /* bytes of a frame, frames that fit               */
  size_t nframe;
  double t;
  unsigned state;         /* 0 running, 1 complete, 2 stopped, 3 failed, 4 complete but doubtful */
  double asked;           /* time of the last request, 0: none               */
  bool served;            /* a page has got everything after the end         */
};

static double now(void) {
  struct timespec ts;
  clock_gettime(CLOCK_MONOTONIC, &ts);
  return (double)ts.tv_sec + 1e-9*(double)ts.tv_nsec;
}

/* the run comes first; on Linux this is about the calling thread only */
static void step_back(void) {
#ifdef __linux__
  setpriority(PRIO_PROCESS, 0, BEHIND);
#endif
}

/* ---- from the run ---------------------------------------------------------------------------- */

static void on_begin(void *user, const char *scene, size_t n, int nvalue) {
  cli_live *l = user;
  size_t width = 1 + (size_t)nvalue, row = width*sizeof(double), nslot = RING/row < 64 ? 64 : RING/row;
  size_t record = 8 + 4*(size_t)nvalue, room = STORE/record < 2 ? 2 : STORE/record;
  char *copy = malloc(n);
  unsigned char *store = malloc(record*room);
  double *ring = malloc(nslot*row), *spare = malloc(row);
  unsigned char *event = malloc(EVENTS*EVENT);
  if (!copy || !store || !ring || !spare || !event) { /* the run goes on without being seen */
    free(event);
    free(copy);
    free(store);
    free(ring);
    free(spare);
    return;
  }
  memcpy(copy, scene, n);
  pthread_mutex_lock(&l->lock);
  l->scene = copy;
  l->nscene = n;
  l->store = store;
  l->record = record;
  l->room = room;
  l->ring = ring;
  l->spare = spare;
  l->event = event;
  l->nslot = nslot;
  l->nvalue = nvalue;
  pthread_mutex_unlock(&l->lock);
  atomic_store(&l->begun, true);
}

static void on_frame(void *user, double t, const double *value) {
  cli_live *l = user;
  if (!l->ring || l->nrow++ % (1ul << atomic_load_explicit(&l->generation, memory_order_relaxed)) != 0)
    return;
  size_t head = atomic_load_explicit(&l->head, memory_order_relaxed);
  size_t tail = atomic_load_explicit(&l->tail, memory_order_acquire), width = 1 + (size_t)l->nvalue;
  l->has_spare = head - tail == l->nslot;
  double *to = l->has_spare ? l->spare : l->ring + head % l->nslot*width;
  to[0] = t;
  memcpy(to + 1, value, (size_t)l->nvalue*sizeof(double));
  if (!l->has_spare) atomic_store_explicit(&l->head, head + 1, memory_order_release);
}

static void put_u32(unsigned char *to, unsigned long x) {
  for (int i = 0; i < 4; i++) to[i] = (unsigned char)(x >> 8*i & 255);
}

static void on_event(void *user, double t, int element, int kind, double impulse) {
  cli_live *l = user;
  size_t n = atomic_load_explicit(&l->nevent, memory_order_relaxed);
  if (!l->event || n == EVENTS) return;
  unsigned char *to = l->event + n*EVENT;
  memcpy(to, &t, 8);
  memcpy(to + 8, &impulse, 8);
  put_u32(to + 16, (unsigned long)element);
  put_u32(to + 20, (unsigned long)kind);
  atomic_store_explicit(&l->nevent, n + 1, memory_order_release);
}

/* ---- the keeper -------------------------------------------------------------------------------- */

/* keep frames 0, 2, 4 ... */
static void thin_out(cli_live *l) {
  size_t n = (l->nframe + 1)/2;
  for (size_t i = 1; i < n; i++)
    memcpy(l->store + i*l->record, l->store + 2*i*l->record, l->record);
  l->nframe = n;
  atomic_fetch_add(&l->generation, 1);
}

static void keep_row(cli_live *l, const double *row) {
  if (l->nframe == l->room) thin_out(l);
  unsigned char *to = l->store + l->nframe++*l->record;
  l->t = row[0];
  memcpy(to, row, 8);
  for (int i = 0; i < l->nvalue; i++) {
    float x = (float)row[1 + i];
    memcpy(to + 8 + 4*i, &x, 4);
  }
}

/* everything in the ring; the lock is given away now and then, for the server */
static void empty_ring(cli_live *l) {
  enum { BATCH = 64 };
  size_t tail = atomic_load_explicit(&l->tail, memory_order_relaxed), width = 1 + (size_t)l->nvalue;
  for (size_t head; (head = atomic_load_explicit(&l->head, memory_order_acquire)) != tail;) {
    size_t n = head - tail < BATCH ? head - tail : BATCH;
    pthread_mutex_lock(&l->lock);
    for (size_t i = 0; i < n; i++, tail++) keep_row(l, l->ring + tail % l->nslot*width);
    pthread_mutex_unlock(&l->lock);
    atomic_store_explicit(&l->tail, tail, memory_order_release);
  }
}

static void *keep_rows(void *user) {
  cli_live *l = user;
  step_back();
  while (!atomic_load(&l->ended)) {
    const struct timespec pause = {0, PERIOD};
    if (atomic_load(&l->begun)) empty_ring(l);
    nanosleep(&pause, NULL);
  }
  return NULL;
}

/* the run is over: its last rows */
static void finish_rows(cli_live *l) {
  atomic_store(&l->ended, true);
  if (l->kept) pthread_join(l->keeper, NULL);
  l->kept = false;
  if (!l->ring) return;
  empty_ring(l);
  pthread_mutex_lock(&l->lock);
  if (l->has_spare) keep_row(l, l->spare);
  l->has_spare = false;
  pthread_mutex_unlock(&l->lock);
}

/* ---- to the browser -------------------------------------------------------------------------- */

static enum MHD_Result send_answer(struct MHD_Connection *c, unsigned code, const char *type,
                                   struct MHD_Response *r) {
  static const char *const head[][2] = {
      {"Cache-Control", "no-store"},
      {"X-Content-Type-Options", "nosniff"},
      {"X-Frame-Options", "DENY"},
      {"Referrer-Policy", "no-referrer"},
      {"Cross-Origin-Resource-Policy", "same-origin"},
      {"Content-Security-Policy",
       "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: "
       "blob:; connect-src 'self'"},
  };
  if (!r) return MHD_NO;
  for (size_t i = 0; i < sizeof(head)/sizeof(head[0]); i++)
    mhd.add_response_header(r, head[i][0], head[i][1]);
  mhd.add_response_header(r, "Content-Type", type);
  enum MHD_Result ok = mhd.queue_response(c, code, r);
  mhd.destroy_response(r);
  return ok;
}

static enum MHD_Result say(struct MHD_Connection *c, unsigned code, const char *text) {
  return send_answer(c, code, "text/plain; charset=utf-8",
                     mhd.create_response_from_buffer(strlen(text), (void *)(size_t)text,
                                                     MHD_RESPMEM_PERSISTENT));
}

static bool is_here(const cli_live *l, const char *host) {
  char own[2][32];
  snprintf(own[0], sizeof(own[0]), "127.0.0.1:%u", l->port);
  snprintf(own[1], sizeof(own[1]), "localhost:%u", l->port);
  return strcmp(host, own[0]) == 0 || strcmp(host, own[1]) == 0;
}

typedef struct {
  const cli_live *live;
  int nhost, norigin, nsite;
  bool foreign;
} origin;

static enum MHD_Result look_at_header(void *user, enum MHD_ValueKind kind, const char *name,
                                      const char *value) {
  origin *o = user;
  (void)kind;
  if (!value) value = "";
  if (strcasecmp(name, "Host") == 0) {
    o->nhost++;
    o->foreign |= !is_here(o->live, value);
  } else if (strcasecmp(name, "Origin") == 0) {
    o->norigin++;
    o->foreign |= strncmp(value, "http://", 7) != 0 || !is_here(o->live, value + 7);
  } else if (strcasecmp(name, "Sec-Fetch-Site") == 0) {
    o->nsite++;
    o->foreign |= strcmp(value, "same-origin") != 0 && strcmp(value, "none") != 0;
  }
  return MHD_YES;
}

/* Asked for by our own name, once, and not by a page from elsewhere. */
static bool allowed(const cli_live *l, struct MHD_Connection *c) {
  origin o = {.live = l};
  mhd.get_connection_values(c, MHD_HEADER_KIND, look_at_header, &o);
  return !o.foreign && o.nhost == 1 && o.norigin <= 1 && o.nsite <= 1;
}

/* what follows /token/, NULL when the token is wrong; takes the same time for all wrong ones */
static const char *after_token(const cli_live *l, const char *url) {
  size_t n = strlen(l->token);
  if (url[0] != '/' || strlen(url) < n + 2 || url[n+1] != '/') return NULL;
  unsigned char different = 0;
  for (size_t i = 0; i < n; i++) different |= (unsigned char)(url[1+i] ^ l->token[i]);
  return different ? NULL : url + n + 2;
}

static bool number(struct MHD_Connection *c, const char *name, unsigned long *out) {
  const char *s = mhd.lookup_connection_value(c, MHD_GET_ARGUMENT_KIND, name);
  if (!s || !*s || strlen(s) > 9 || strspn(s, "0123456789") != strlen(s)) return false;
  *out = strtoul(s, NULL, 10);
  return true;
}

static enum MHD_Result send_frames(cli_live *l, struct MHD_Connection *c) {
  unsigned long from, generation, happened = 0;
  if (!number(c, "from", &from) || !number(c, "generation", &generation))
    return say(c, MHD_HTTP_BAD_REQUEST, "from and generation must be whole numbers\n");
  size_t nevent = atomic_load_explicit(&l->nevent, memory_order_acquire);
  if (!number(c, "events", &happened) || happened > nevent) happened = nevent; /* not asked for: none */
  pthread_mutex_lock(&l->lock);
  unsigned now_generation = atomic_load(&l->generation);
  double share = l->share;
  if (generation != now_generation || from > l->nframe) from = 0;
  size_t n = l->nframe - from, most = l->record ? ANSWER/l->record + 1 : 0;
  if (n > most) n = most;
  size_t at = FRONT + (nevent - happened)*EVENT; /* of the frames */
  unsigned char *b = malloc(at + n*l->record);
  if (b) {
    put_u32(b, (unsigned long)(from + n));
    put_u32(b + 4, (unsigned long)n);
    put_u32(b + 8, l->state);
    put_u32(b + 12, now_generation);
    memcpy(b + 16, &l->t, 8);
    memcpy(b + 24, &share, 8);
    put_u32(b + 32, (unsigned long)nevent);
    put_u32(b + 36, (unsigned long)(nevent - happened));
    if (nevent > happened) memcpy(b + FRONT, l->event + happened*EVENT, (nevent - happened)*EVENT);
    if (n) memcpy(b + at, l->store + from*l->record, n*l->record);
    if (l->state && n == 0) l->served = true; /* it has seen the frames before */
  }
  size_t bytes = at + n*l->record;
  pthread_mutex_unlock(&l->lock);
  if (!b) return MHD_NO;
  return send_answer(c, MHD_HTTP_OK, "application/octet-stream",
                     mhd.create_response_from_buffer(bytes, b, MHD_RESPMEM_MUST_FREE));
}

static enum MHD_Result send_scene(cli_live *l, struct MHD_Connection *c) {
  pthread_mutex_lock(&l->lock);
  struct MHD_Response *r =
      l->scene ? mhd.create_response_from_buffer(l->nscene, l->scene, MHD_RESPMEM_MUST_COPY) : NULL;
  pthread_mutex_unlock(&l->lock);
  return r ? send_answer(c, MHD_HTTP_OK, "application/octet-stream", r)
           : say(c, MHD_HTTP_ACCEPTED, "the run is being set up\n");
}

/* numbers of a field of stored results in a frame; the server has one thread, which alone reads them */
static enum MHD_Result send_field(cli_live *l, struct MHD_Connection *c) {
  unsigned long field, frame;
  if (!number(c, "field", &field) || !number(c, "frame", &frame))
    return say(c, MHD_HTTP_BAD_REQUEST, "field and frame must be whole numbers\n");
  size_t n = field < (unsigned long)tn_scene_get_info(l->stored)->fields ? tn_scene_field_size(l->stored, (int)field) : 0;
  if (n == 0 || frame >= (unsigned long)tn_scene_get_info(l->stored)->frames)
    return say(c, MHD_HTTP_NOT_FOUND, "no such field or frame\n");
  float *x = malloc(n*sizeof(*x));
  if (!x || tn_scene_read_field(l->stored, (int)field, (long)frame, x) != TN_OK) {
    free(x);
    return say(c, MHD_HTTP_INTERNAL_SERVER_ERROR, "the field cannot be read\n");
  }
  return send_answer(c, MHD_HTTP_OK, "application/octet-stream",
                     mhd.create_response_from_buffer(n*sizeof(*x), x, MHD_RESPMEM_MUST_FREE));
}

/* least numbers of its components and of the magnitude, then the largest */
static enum MHD_Result send_range(cli_live *l, struct MHD_Connection *c) {
  unsigned long field;
  if (!number(c, "field", &field)) return say(c, MHD_HTTP_BAD_REQUEST, "field must be a whole number\n");
  if (field >= (unsigned long)tn_scene_get_info(l->stored)->fields) return say(c, MHD_HTTP_NOT_FOUND, "no such field\n");
  size_t n = (size_t)tn_scene_field_components(l->stored, (int)field) + 1;
  double *x = malloc(2*n*sizeof(*x));
  if (!x || tn_scene_field_range(l->stored, (int)field, x, x + n) != TN_OK) {
    free(x);
    return say(c, MHD_HTTP_INTERNAL_SERVER_ERROR, "the field cannot be read\n");
  }
  return send_answer(c, MHD_HTTP_OK, "application/octet-stream",
                     mhd.create_response_from_buffer(2*n*sizeof(*x), x, MHD_RESPMEM_MUST_FREE));
}

static enum MHD_Result say_goodbye(cli_live *l, struct MHD_Connection *c) {
  pthread_mutex_lock(&l->lock);
  l->left = true;
  pthread_mutex_unlock(&l->lock);
  return say(c, MHD_HTTP_OK, "\n");
}

static enum MHD_Result handle(void *user, struct MHD_Connection *c, const char *url,
                              const char *method, const char *version, const char *upload,
                              size_t *nupload, void **state) {
  cli_live *l = user;
  (void)version, (void)upload, (void)state;
  step_back();
  if (strcmp(method, "GET") != 0) {
    if (*nupload) { /* swallowed: an answer in the middle of an upload is not read by browsers */
      *nupload = 0;
      return MHD_YES;
    }
    return say(c, MHD_HTTP_METHOD_NOT_ALLOWED, "only GET\n");
  }
  if (!allowed(l, c)) return say(c, MHD_HTTP_FORBIDDEN, "not from there\n");
  const char *what = after_token(l, url);
  if (!what) return say(c, MHD_HTTP_NOT_FOUND, "nothing here\n");
  pthread_mutex_lock(&l->lock);
  l->asked = now();
  l->left = false;
  pthread_mutex_unlock(&l->lock);
  if (l->stored && strcmp(what, "field") == 0) return send_field(l, c);
  if (l->stored && strcmp(what, "range") == 0) return send_range(l, c);
  if (l->stored && strcmp(what, "bye") == 0) return say_goodbye(l, c);
  if (strcmp(what, "scene") == 0) return send_scene(l, c);
  if (strcmp(what, "frames") == 0) return send_frames(l, c);
  if (*what) return say(c, MHD_HTTP_NOT_FOUND, "nothing here\n");
  size_t n;
  const char *page = tn_page_get(&n);
  return send_answer(c, MHD_HTTP_OK, "text/html; charset=utf-8",
                     mhd.create_response_from_buffer(n, (void *)(size_t)page, MHD_RESPMEM_PERSISTENT));
}

/* what a library says about malformed requests is of no use to the user of the run */
static void be_quiet(void *user, const char *fmt, va_list ap) { (void)user, (void)fmt, (void)ap; }

/* ---- begin and end ---------------------------------------------------------------------------- */

static bool make_token(char token[33]) {
  unsigned char b[16];
  FILE *f = fopen("/dev/urandom", "rb");
  bool ok = f && fread(b, 1, sizeof(b), f) == sizeof(b);
  if (f) fclose(f);
  for (int i = 0; ok && i < 16; i++) snprintf(token + 2*i, 3, "%02x", b[i]);
  return ok;
}

/* the server alone; NULL on failure with a line on standard error */
static cli_live *open_server(cli *c) {
  if (!load_server(true)) return NULL;
  cli_live *l = calloc(1, sizeof(*l));
  if (!l || pthread_mutex_init(&l->lock, NULL) != 0) {
    fprintf(stderr, "tenon: out of memory\n");
    free(l);
    return NULL;
  }
  struct sockaddr_in here = {.sin_family = AF_INET, .sin_port = 0};
  here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (make_token(l->token))
    l->daemon = mhd.start_daemon(MHD_USE_AUTO | MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_ERROR_LOG, 0, NULL, NULL,
                                 handle, l, MHD_OPTION_EXTERNAL_LOGGER, be_quiet, NULL,
                                 MHD_OPTION_SOCK_ADDR, (struct sockaddr *)&here,
                                 MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS,
                                 MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)SILENCE,
                                 MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)16*1024,
                                 MHD_OPTION_END);
  const union MHD_DaemonInfo *info =
      l->daemon ? mhd.get_daemon_info(l->daemon, MHD_DAEMON_INFO_BIND_PORT) : NULL;
  if (!info) {
    fprintf(stderr, "tenon: the server for the live page could not be started\n");
    cli_live_stop(c, &l, -1);
    return NULL;
  }
  l->port = info->port;
  return l;
}

static void address_of(const cli_live *l, char *out, size_t n) {
  snprintf(out, n, "http://127.0.0.1:%u/%s/", l->port, l->token);
}

cli_live *cli_live_start(cli *c) {
  cli_live *l = open_server(c);
  if (!l) return NULL;
  if (pthread_create(&l->keeper, NULL, keep_rows, l) != 0) {
    fprintf(stderr, "tenon: no thread for the live page\n");
    cli_live_stop(c, &l, -1);
    return NULL;
  }
  l->kept = true;
  l->watch = (tn_watch){l, on_begin, on_frame, BUDGET, on_event};
  char address[128];
  address_of(l, address, sizeof(address));
  fprintf(stderr, "live       %s\n", address);
  cli_open_browser(address, false);
  return l;
}

typedef struct {
  char *s;
  size_t n, room;
} bytes;

static tn_status add_bytes(void *user, const char *s, size_t n) {
  bytes *b = user;
  if (b->n + n > b->room) {
    size_t room = 2*(b->n + n);
    char *larger = realloc(b->s, room);
    if (!larger) return TN_ERR_MEMORY;
    b->s = larger;
    b->room = room;
  }
  memcpy(b->s + b->n, s, n);
  b->n += n;
  return TN_OK;
}

bool cli_can_serve(void) { return load_server(false); }

cli_live *cli_serve_start(cli *c, tn_scene *scene, char *address, size_t n) {
  bytes b = {0};
  cli_live *l = tn_scene_write(scene, add_bytes, &b) == TN_OK ? open_server(c) : NULL;
  if (!l) {
    free(b.s);
    return NULL;
  }
  pthread_mutex_lock(&l->lock);
  l->stored = scene;
  l->scene = b.s;
  l->nscene = b.n;
  pthread_mutex_unlock(&l->lock);
  address_of(l, address, n);
  return l;
}

void cli_serve_wait(cli_live *l) {
  static const double RETURN = 3; /* seconds for a page that is loaded again */
  for (bool over = false; !over && cli_signals() == 0;) {
    struct timespec pause = {0, 100000000};
    pthread_mutex_lock(&l->lock);
    over = l->left && now() - l->asked > RETURN;
    pthread_mutex_unlock(&l->lock);
    nanosleep(&pause, NULL);
  }
}

const tn_watch *cli_live_watch(const cli_live *l) { return &l->watch; }

void cli_live_progress(cli_live *l, double share) { l->share = share; }

/* until a page has got everything, nobody asks any more, or Ctrl-C; who has stopped the run does not
 * want to wait */
static void wait_for_page(cli *c, cli_live *l) {
  bool stopped = l->state == 2; /* by one signal, which is not about the wait */
  double begin = now();
  bool told = false;
  for (;;) {
    pthread_mutex_lock(&l->lock);
    double asked = l->asked;
    bool served = l->served;
    pthread_mutex_unlock(&l->lock);
    double t = now();
    if (served || !l->scene) {
      struct timespec last = {0, 300000000}; /* the answer is on its way */
      if (served) nanosleep(&last, NULL);
      return;
    }
    if (stopped && t - begin > FAREWELL) return;
    if (asked > 0 && t - asked > GRACE && t - begin > GRACE) return;
    if (asked == 0 && t - begin > PATIENCE) return;
    if (asked == 0 && !told && !c->quiet && t - begin > 1) {
      fprintf(stderr, "the run has ended; waiting %d s for a browser at that address (Ctrl-C ends)\n",
              PATIENCE);
      told = true;
    }
    struct timespec pause = {0, 20000000};
    if (cli_signals() > stopped || nanosleep(&pause, NULL) != 0) return;
  }
}

void cli_live_stop(cli *c, cli_live **live, int state) {
  cli_live *l = *live;
  if (!l) return;
  finish_rows(l);
  if (state >= 0) {
    pthread_mutex_lock(&l->lock);
    l->state = (unsigned)state;
    if (state == 1 || state == 4) l->share = 1;
    l->served = false;
    pthread_mutex_unlock(&l->lock);
    wait_for_page(c, l);
  }
  if (l->daemon) mhd.stop_daemon(l->daemon);
  pthread_mutex_destroy(&l->lock);
  free(l->scene);
  free(l->store);
  free(l->ring);
  free(l->spare);
  free(l->event);
  free(l);
  *live = NULL;
}

#else

cli_live *cli_live_start(cli *c) {
  (void)c;
  fprintf(stderr, "tenon: --live is not in this build: libmicrohttpd was missing; on Debian: apt-get "
                  "install libmicrohttpd-dev, then build again\n");
  return NULL;
}
bool cli_can_serve(void) { return false; }
cli_live *cli_serve_start(cli *c, tn_scene *scene, char *address, size_t n) {
  (void)c, (void)scene, (void)address, (void)n;
  return NULL;
}
void cli_serve_wait(cli_live *l) { (void)l; }
const tn_watch *cli_live_watch(const cli_live *l) { (void)l; return NULL; }
void cli_live_progress(cli_live *l, double share) { (void)l, (void)share; }
void cli_live_stop(cli *c, cli_live **l, int state) { (void)c, (void)l, (void)state; }

#endif
