/* Fields of large meshes, with datasets of their own: numbers that come back, files that are being written, killed
 * or cut off
 * SPDX-License-Identifier: BSD-3-Clause */
#define _XOPEN_SOURCE 700
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include <hdf5.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>

#include "sample.h"

static tn_ctx *ctx;

/* a mesh of tetrahedra whose frames need several chunks, beside one of the small ones */
enum { NNODE = 100000, NCELL = 60000, NSMALL = 12, NAPART = 3*NNODE + NCELL + 3*NNODE,
       NALL = SAMPLE_NCOLUMN + NSMALL + NAPART };
static double x[3*NNODE];
static int cell[4*NCELL];
static unsigned char type[NCELL];
static double row[NALL], got[NALL];
static tni_mesh_info mesh[2];
static const tni_field field[] = {
  {.mesh = 0, .name = "position", .ncomponent = 3, .component = sample_xyz, .unit = "m", .frame = "ground"},
  {.mesh = 1, .name = "position", .ncomponent = 3, .component = sample_xyz, .unit = "m", .apart = true, .single = true},
  {.mesh = 1, .name = "pressure", .cells = true, .ncomponent = 1, .unit = "Pa", .apart = true},
  {.mesh = 1, .name = "velocity", .ncomponent = 3, .component = sample_xyz, .unit = "m/s", .apart = true}};
enum { NFIELD = 4 };

static double value(long frame, int k) { return sin(1.3*(double)frame + 1e-3*k)*(1 + k % 7); }

static void fill(long frame) {
  for (int k = 0; k < NALL; k++) row[k] = value(frame, k);
}

static tni_results_info describe(void) {
  for (int i = 0; i < 3*NNODE; i++) x[i] = 0.01*i;
  for (int i = 0; i < 4*NCELL; i++) cell[i] = (i/4 + i % 4) % NNODE;
  memset(type, 10, sizeof(type));
  mesh[0] = sample_mesh[0];
  mesh[1] = (tni_mesh_info){.name = "block", .nnode = NNODE, .ncell = NCELL, .x = x, .cell = cell, .type = type};
  tni_results_info info = sample_info;
  info.nmesh = 2;
  info.mesh = mesh;
  info.nfield = NFIELD;
  info.field = field;
  return info;
}

/* all numbers of a row as they were appended, the field in single precision rounded */
static bool row_is_right(tni_reader *r, long frame) {
  if (tni_results_read_row(r, frame, got) != TN_OK) return false;
  fill(frame);
  int first = SAMPLE_NCOLUMN + NSMALL;
  for (int k = 0; k < NALL; k++) {
    double want = k >= first && k < first + 3*NNODE ? (double)(float)row[k] : row[k];
    if (got[k] != want) return false;
  }
  return true;
}

static void append(tni_writer *w, long frame) {
  fill(frame);
  CHECK_OK(ctx, tni_results_append(w, sample_time(frame), row));
}

/* as runs do: rows that take turns, each filled when the writer has given it back */
typedef struct {
  double *row[2];
  size_t mark[2];
} lender;

static tn_status lend(tni_writer *w, lender *l, long frame) {
  double *to = l->row[frame % 2];
  tni_results_take_back(w, l->mark[frame % 2]);
  for (int k = 0; k < NALL; k++) to[k] = value(frame, k);
  tn_status st = tni_results_lend(w, sample_time(frame), to);
  l->mark[frame % 2] = tni_results_mark(w);
  return st;
}

static lender begin_lending(void) { return (lender){.row = {malloc(sizeof(row)), malloc(sizeof(row))}}; }

static void end_lending(lender *l) {
  free(l->row[0]);
  free(l->row[1]);
}

enum way { AT_ONCE, COPIED, LENT, NWAY };

static void write_five(const char *path, enum way way) {
  tni_results_info info = describe();
  tni_writer *w;
  lender l = begin_lending();
  info.at_once = way == AT_ONCE;
  CHECK_OK(ctx, tni_results_create(ctx, path, true, &info, &w));
  CHECK(tni_results_lends(w) == (way != AT_ONCE));
  for (long i = 0; i < 5; i++) {
    if (way == LENT) CHECK_OK(ctx, lend(w, &l, i));
    else append(w, i);
    for (int k = 0; k < NALL; k++) row[k] = NAN; /* nobody reads it any more */
  }
  CHECK_OK(ctx, tni_results_finish(w, "complete", "{}"));
  tni_results_destroy(&w);
  end_lending(&l);
}

static void come_back(enum way way) {
  tni_reader *r;
  write_five(sample_path("frames.h5"), way);
  CHECK_OK(ctx, tni_results_open(ctx, sample_path("frames.h5"), &r));
  const tni_results_info *in = tni_results_get_info(r);
  CHECK_INT(in->nvalue, SAMPLE_NCOLUMN + NSMALL);
  CHECK_INT(in->nappend, NALL);
  CHECK_INT(tni_results_ntime(r), 5);
  for (long i = 0; i < 5; i++) CHECK(row_is_right(r, i));
  CHECK(in->nfield == NFIELD && in->field[1].apart && in->field[1].single && !in->field[2].single);
  CHECK(in->field[2].cells && in->field[1].column == -1 && !in->field[0].apart);
  /* single nodes of the small mesh are channels, those of the large one are not */
  CHECK(tni_results_find(r, "bodies/arm.node[2]/position") >= 0);
  CHECK_INT(in->nchannel, SAMPLE_NCHANNEL + 3);
  CHECK_OK(ctx, tni_results_read_field(r, 2, 3, 2, got)); /* two frames at once */
  CHECK(got[NCELL + 17] == value(4, SAMPLE_NCOLUMN + NSMALL + 3*NNODE + 17));
  CHECK(tni_results_read_field(r, 2, 4, 2, got) == TN_ERR_ARGUMENT);
  CHECK_INT(in->mesh[1].ncell, NCELL);
  CHECK_INT(in->mesh[1].nconnect, 4*NCELL);
  int *nodes = malloc(sizeof(cell));
  unsigned char *kinds = malloc(sizeof(type));
  CHECK_OK(ctx, tni_results_read_cells(r, 1, nodes, kinds));
  CHECK(memcmp(nodes, cell, sizeof(cell)) == 0 && memcmp(kinds, type, sizeof(type)) == 0);
  free(nodes);
  free(kinds);
  tni_results_close(&r);
}

/* written by a thread behind the caller, or at once */
static void large_fields_come_back(void) {
  for (enum way way = AT_ONCE; way < NWAY; way++) come_back(way);
}

static unsigned char *bytes_of(const char *path, size_t *n) {
  struct stat about;
  FILE *f = fopen(path, "rb");
  if (!CHECK(f && stat(path, &about) == 0)) return NULL;
  unsigned char *bytes = malloc((size_t)about.st_size);
  *n = fread(bytes, 1, (size_t)about.st_size, f);
  fclose(f);
  return bytes;
}

/* Files hold the seconds when they, and each dataset in them, were made: the clock that HDF5 and the writer look at stands still meanwhile. */
static bool still;

__attribute__((visibility("default"))) int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  struct timespec t = {.tv_sec = 1000000000};
  (void)zone;
  if (!still) clock_gettime(CLOCK_REALTIME, &t);
  *now = (struct timeval){.tv_sec = t.tv_sec, .tv_usec = t.tv_nsec/1000};
  return 0;
}

__attribute__((visibility("default"))) time_t time(time_t *out) {
  struct timeval now;
  gettimeofday(&now, NULL);
  if (out) *out = now.tv_sec;
  return now.tv_sec;
}

static void all_ways_write_the_same_bytes(void) {
  size_t n[NWAY];
  unsigned char *bytes[NWAY];
  still = true;
  for (enum way way = AT_ONCE; way < NWAY; way++) {
    write_five(sample_path("way.h5"), way);
    bytes[way] = bytes_of(sample_path("way.h5"), &n[way]);
    CHECK(n[way] == n[AT_ONCE] && memcmp(bytes[way], bytes[AT_ONCE], n[way]) == 0);
  }
  for (enum way way = AT_ONCE; way < NWAY; way++) free(bytes[way]);
  still = false;
}

/* what is given back may change, although the thread goes on with what came later */
static void rows_are_free_when_they_are_given_back(void) {
  tni_results_info info = describe();
  tni_writer *w;
  tni_reader *r;
  static double one[NALL];
  CHECK_OK(ctx, tni_results_create(ctx, sample_path("back.h5"), true, &info, &w));
  for (long i = 0; i < 12; i++) {
    fill(i);
    memcpy(one, row, sizeof(one));
    CHECK_OK(ctx, tni_results_lend(w, sample_time(i), one));
    size_t mark = tni_results_mark(w);
    CHECK_OK(ctx, tni_results_add_step(w, sample_time(i), 0.1));
    tni_results_take_back(w, mark);
    for (int k = 0; k < NALL; k++) one[k] = NAN;
  }
  CHECK_OK(ctx, tni_results_finish(w, "complete", "{}"));
  tni_results_destroy(&w);
  CHECK_OK(ctx, tni_results_open(ctx, sample_path("back.h5"), &r));
  CHECK_INT(tni_results_ntime(r), 12);
  for (long i = 0; i < 12; i++) CHECK(row_is_right(r, i));
  tni_results_close(&r);
}

/* [frame][node][component] as other programs see it, four bytes a number */
static void others_see_single_precision(void) {
  hid_t file = H5Fopen(sample_path("frames.h5"), H5F_ACC_RDONLY, H5P_DEFAULT);
  hid_t set = H5Dopen2(file, "/fields/block/position", H5P_DEFAULT), space = H5Dget_space(set);
  hid_t kind = H5Dget_type(set);
  hsize_t dims[3] = {0};
  CHECK(H5Sget_simple_extent_dims(space, dims, NULL) == 3 && dims[0] == 5 && dims[1] == NNODE && dims[2] == 3);
  CHECK_INT(H5Tget_size(kind), 4);
  CHECK(H5Aexists(set, "unit") > 0 && H5Aexists(set, "on") > 0);
  CHECK(H5Dget_storage_size(set) < 5*4*3*NNODE*1.001); /* chunks are as long as frames need them */
  H5Tclose(kind);
  H5Sclose(space);
  H5Dclose(set);
  H5Fclose(file);
}

static int version_of(const char *path) {
  int version = 0;
  hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT), a = H5Aopen(file, "format_version", H5P_DEFAULT);
  CHECK(H5Aread(a, H5T_NATIVE_INT, &version) >= 0);
  H5Aclose(a);
  H5Fclose(file);
  return version;
}

/* programs that know no such fields read all other files as before */
static void only_files_with_such_fields_are_of_a_new_version(void) {
  tni_results_info info = sample_with_fields();
  tni_writer *w;
  CHECK_OK(ctx, tni_results_create(ctx, sample_path("plain.h5"), true, &info, &w));
  CHECK_OK(ctx, tni_results_finish(w, "complete", "{}"));
  tni_results_destroy(&w);
  CHECK_INT(version_of(sample_path("plain.h5")), 3);
  CHECK_INT(version_of(sample_path("frames.h5")), 4);
}

static void a_file_is_read_while_it_grows(void) {
  tni_results_info info = describe();
  tni_writer *w;
  tni_reader *r;
  const char *path = sample_path("growing.h5");
  CHECK_OK(ctx, tni_results_create(ctx, path, true, &info, &w));
  append(w, 0);
  CHECK_OK(ctx, tni_results_flush(w));
  CHECK_OK(ctx, tni_results_open(ctx, path, &r));
  CHECK(tni_results_ntime(r) == 1 && row_is_right(r, 0));
  for (long i = 1; i < 4; i++) {
    append(w, i);
    CHECK_OK(ctx, tni_results_flush(w));
    CHECK_OK(ctx, tni_results_refresh(r));
    CHECK(tni_results_ntime(r) == i + 1 && row_is_right(r, i) && row_is_right(r, 0));
  }
  tni_results_close(&r);
  tni_results_destroy(&w);
}

static void a_copy_goes_on(void) {
  tni_results_info info = describe();
  tni_writer *w;
  tni_reader *r;
  long n;
  CHECK_OK(ctx, tni_results_open(ctx, sample_path("frames.h5"), &r));
  CHECK_OK(ctx, tni_results_create(ctx, sample_path("copy.h5"), true, &info, &w));
  CHECK_OK(ctx, tni_results_copy(w, r, sample_time(2), &n));
  CHECK_INT(n, 3);
  tni_results_close(&r);
  append(w, 3);
  CHECK_OK(ctx, tni_results_finish(w, "complete", "{}"));
  tni_results_destroy(&w);
  CHECK_OK(ctx, tni_results_open(ctx, sample_path("copy.h5"), &r));
  CHECK_INT(tni_results_ntime(r), 4);
  for (long i = 0; i < 4; i++) CHECK(row_is_right(r, i));
  tni_results_close(&r);
}

static volatile long *flushed; /* shared with the child */

/* flushed every third row, never finished */
static void write_and_vanish(const char *path, long n) {
  tni_results_info info = describe();
  tni_writer *w;
  lender l = begin_lending();
  tn_status st = tni_results_create(ctx, path, true, &info, &w);
  for (long i = 0; st == TN_OK && i < n; i++) {
    st = lend(w, &l, i);
    if (st == TN_OK && i % 3 == 2 && (st = tni_results_flush(w)) == TN_OK) *flushed = i + 1;
  }
  _exit(0);
}

static void a_killed_writer_leaves_whole_frames(void) {
  const char *path = sample_path("killed.h5");
  for (int round = 0; round < 5; round++) {
    *flushed = 0;
    remove(path);
    pid_t child = fork();
    if (child == 0) write_and_vanish(path, 400);
    while (*flushed == 0 && waitpid(child, NULL, WNOHANG) == 0) usleep(100);
    usleep((useconds_t)(round*7919 % 40)*1000);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    tni_reader *r;
    CHECK_OK(ctx, tni_results_open(ctx, path, &r));
    if (!r) continue;
    long n = tni_results_ntime(r);
    CHECK(n >= *flushed && *flushed > 0);
    for (long i = n > 4 ? n - 4 : 0; i < n; i++) CHECK(row_is_right(r, i));
    tni_results_close(&r);
  }
}

/* the thread that writes meets the end of the disk: the run hears of it, what was stored before is whole */
static void a_full_disk_is_reported(void) {
  enum { ROWS = 8 };
  const char *path = sample_path("full.h5");
  for (int at_once = 0; at_once < 2; at_once++) {
    remove(path);
    pid_t child = fork();
    if (child == 0) {
      tni_results_info info = describe();
      tni_writer *w;
      lender l = begin_lending();
      info.at_once = at_once;
      tn_status st = tni_results_create(ctx, path, true, &info, &w);
      struct stat about;
      if (st != TN_OK || stat(path, &about) != 0) _exit(1);
      signal(SIGXFSZ, SIG_IGN);
      rlim_t most = (rlim_t)about.st_size + 3*4500000; /* three frames and a bit */
      setrlimit(RLIMIT_FSIZE, &(struct rlimit){most, most});
      long i = 0;
      for (; st == TN_OK && i < ROWS; i++) st = lend(w, &l, i);
      if (st == TN_OK) st = tni_results_flush(w);
      bool told = st == TN_ERR_IO && strstr(tn_ctx_message(ctx), "too large");
      told = told && tni_results_append(w, sample_time(i), row) == TN_ERR_IO && tni_results_finish(w, "complete", "{}") == TN_ERR_IO;
      tni_results_destroy(&w);
      _exit(told ? 0 : 2);
    }
    int status = -1;
    waitpid(child, &status, 0);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    tni_reader *r;
    CHECK_OK(ctx, tni_results_open(ctx, path, &r));
    if (!r) continue;
    long n = tni_results_ntime(r);
    CHECK(n < ROWS);
    for (long i = 0; i < n; i++) CHECK(row_is_right(r, i));
    tni_results_close(&r);
  }
}

/* fewer rows or a refusal, never wrong numbers */
static void a_cut_copy_shows_no_wrong_numbers(void) {
  const char *path = sample_path("left.h5"), *cut = sample_path("cut.h5");
  struct stat about;
  pid_t child = fork();
  if (child == 0) write_and_vanish(path, 20);
  waitpid(child, NULL, 0);
  CHECK(stat(path, &about) == 0);
  char *bytes = malloc((size_t)about.st_size);
  FILE *f = fopen(path, "rb");
  CHECK(fread(bytes, 1, (size_t)about.st_size, f) == (size_t)about.st_size);
  fclose(f);
  int opened = 0;
  for (int k = 1; k <= 13; k++) {
    size_t keep = (size_t)(about.st_size*k/13);
    f = fopen(cut, "wb");
    CHECK(fwrite(bytes, 1, keep, f) == keep);
    fclose(f);
    tni_reader *r;
    if (tni_results_open(ctx, cut, &r) != TN_OK) continue;
    opened += tni_results_ntime(r) > 0;
    long n = tni_results_ntime(r);
    for (long i = n > 2 ? n - 2 : 0; i < n; i++) CHECK(row_is_right(r, i));
    tni_results_close(&r);
  }
  CHECK(opened > 5);
  free(bytes);
}

static void what_cannot_be_stored_is_refused(void) {
  tni_results_info info = describe();
  tni_field turned[2] = {field[1], field[0]}, halved = field[0];
  unsigned char odd = 77;
  tni_mesh_info strange = {.name = "strange", .nnode = 2, .ncell = 1, .x = x, .cell = cell, .type = &odd};
  tni_writer *w;
  info.nfield = 2;
  info.field = turned;
  CHECK(tni_results_create(ctx, sample_path("wrong.h5"), true, &info, &w) == TN_ERR_ARGUMENT);
  CHECK(strstr(tn_ctx_message(ctx), "comes after") != NULL);
  halved.single = true;
  info.nfield = 1;
  info.field = &halved;
  CHECK(tni_results_create(ctx, sample_path("wrong.h5"), true, &info, &w) == TN_ERR_ARGUMENT);
  CHECK(strstr(tn_ctx_message(ctx), "single precision") != NULL);
  info.nmesh = 1;
  info.mesh = &strange;
  info.field = field;
  CHECK(tni_results_create(ctx, sample_path("wrong.h5"), true, &info, &w) == TN_ERR_ARGUMENT);
  CHECK(strstr(tn_ctx_message(ctx), "not known") != NULL);
}

int main(void) {
  CHECK(tn_ctx_create(NULL, &ctx) == TN_OK);
  flushed = mmap(NULL, sizeof(*flushed), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  sample_begin();
  RUN(large_fields_come_back);
  RUN(all_ways_write_the_same_bytes);
  RUN(rows_are_free_when_they_are_given_back);
  RUN(others_see_single_precision);
  RUN(only_files_with_such_fields_are_of_a_new_version);
  RUN(a_file_is_read_while_it_grows);
  RUN(a_copy_goes_on);
  RUN(a_killed_writer_leaves_whole_frames);
  RUN(a_full_disk_is_reported);
  RUN(a_cut_copy_shows_no_wrong_numbers);
  RUN(what_cannot_be_stored_is_refused);
  sample_clean();
  tn_ctx_destroy(&ctx);
  return REPORT();
}
