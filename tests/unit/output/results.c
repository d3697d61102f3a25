/* the results file: what is written is read back, and what is wrong is said
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define _POSIX_C_SOURCE 200809L
#include "output/results.h"

#include <hdf5.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sample.h"

static tn_ctx *ctx;

/* a finished file with n rows and a checkpoint every 100 rows */
static void write_sample(const char *path, long n) {
  tni_writer *w;
  double values[SAMPLE_NCOLUMN], state[SAMPLE_NSTATE];
  CHECK_OK(ctx, tni_results_create(ctx, path, false, &sample_info, &w));
  for (long i = 0; i < n; i++) {
    sample_row(i, values);
    CHECK_OK(ctx, tni_results_append(w, sample_time(i), values));
    if (i % 100 != 0) continue;
    for (int k = 0; k < SAMPLE_NSTATE; k++) state[k] = sample_value(i, k)/7;
    CHECK_OK(ctx, tni_results_checkpoint(w, sample_time(i), state));
  }
  CHECK_OK(ctx, tni_results_set_verdict(w, "doubtful: a test"));
  CHECK_OK(ctx, tni_results_finish(w, "complete", "{\"steps\": 12}"));
  tni_results_destroy(&w);
  CHECK(w == NULL);
}

static void a_finished_file_is_read_bit_for_bit(void) {
  const char *path = sample_path("round.h5");
  remove(path);
  write_sample(path, 5000);
  tni_reader *r;
  CHECK_OK(ctx, tni_results_open(ctx, path, &r));
  CHECK_INT(tni_results_ntime(r), 5000);
  CHECK(sample_rows_are_right(ctx, r, 5000));
  CHECK_TEXT(tni_results_outcome(r), "complete");
  CHECK_TEXT(tni_results_verdict(r), "doubtful: a test");
  CHECK_TEXT(tni_results_summary(r), "{\"steps\": 12}");
  double values[40*3];
  int channel = tni_results_find(r, "pin/reaction");
  CHECK_INT(channel, 2);
  CHECK_OK(ctx, tni_results_read_channel(r, channel, 4321, 40, values));
  for (int i = 0; i < 40; i++)
    for (int k = 0; k < 3; k++) CHECK(values[3*i + k] == sample_value(4321 + i, 6 + k));
  tni_results_close(&r);
  CHECK(r == NULL);
}

static void the_description_is_read_back(void) {
  const char *path = sample_path("info.h5");
  write_sample(path, 1);
  tni_reader *r;
  CHECK_OK(ctx, tni_results_open(ctx, path, &r));
  const tni_results_info *info = tni_results_get_info(r);
  CHECK_TEXT(info->title, sample_info.title);
  CHECK_TEXT(info->model_text, sample_info.model_text);
  CHECK_TEXT(info->model_name, sample_info.model_name);
  CHECK_TEXT(info->settings, sample_info.settings);
  CHECK_TEXT(info->tenon_version, tn_version());
  CHECK_INT(strlen(info->created), 20);
  CHECK_INT(info->ncheckpoint, SAMPLE_NSTATE);
  CHECK_INT(info->nchannel, SAMPLE_NCHANNEL);
  for (int i = 0; i < info->nchannel; i++) {
    const tni_channel *got = &info->channel[i], *want = &sample_channel[i];
    CHECK_TEXT(got->group, want->group);
    CHECK_TEXT(got->name, want->name);
    CHECK_TEXT(got->unit, want->unit);
    CHECK_INT(got->ncomponent, want->ncomponent);
    CHECK((got->component == NULL) == (want->component == NULL));
    for (int k = 0; want->component && k < want->ncomponent; k++)
      CHECK_TEXT(got->component[k], want->component[k]);
    CHECK((got->frame == NULL) == (want->frame == NULL));
    if (want->frame) CHECK_TEXT(got->frame, want->frame);
    CHECK((got->note == NULL) == (want->note == NULL));
    if (want->note) CHECK_TEXT(got->note, want->note);
  }
  CHECK_INT(tni_results_find(r, "joints/pin/angle"), 3);
  CHECK_INT(tni_results_find(r, "pin/nothing"), -1);
  tni_results_close(&r);
}

static void empty_texts_and_no_rows_are_fine(void) {
  const char *path = sample_path("empty.h5");
  tni_results_info info = {.nchannel = 1, .channel = &sample_channel[4]};
  tni_writer *w;
  CHECK_OK(ctx, tni_results_create(ctx, path, false, &info, &w));
  CHECK_OK(ctx, tni_results_finish(w, "stopped", ""));
  tni_results_destroy(&w);
  tni_reader *r;
  CHECK_OK(ctx, tni_results_open(ctx, path, &r));
  CHECK_INT(tni_results_ntime(r), 0);
  CHECK_INT(tni_results_ncheckpoint(r), 0);
  CHECK_TEXT(tni_results_get_info(r)->title, "");
  CHECK_TEXT(tni_results_get_info(r)->model_text, "");
  CHECK_TEXT(tni_results_get_info(r)->settings, "{}");
  CHECK_TEXT(tni_results_outcome(r), "stopped");
  CHECK_TEXT(tni_results_summary(r), "");
  tni_results_close(&r);
}

/* steps have a clock of their own: more or fewer of them than rows, and all come back */
static void steps_are_kept_beside_the_rows(void) {
  enum { N = 3000 };
  const char *path = sample_path("steps.h5");
  tni_writer *w;
  tni_reader *r;
  double values[SAMPLE_NCOLUMN], t[N], h[N];
  CHECK_OK(ctx, tni_results_create(ctx, path, false, &sample_info, &w));
  for (long i = 0; i < N; i++) {
    CHECK_OK(ctx, tni_results_add_step(w, sample_time(i), sample_value(i, 2)));
    if (i % 100 == 0) {
      sample_row(i/100, values);
      CHECK_OK(ctx, tni_results_append(w, sample_time(i/100), values));
    }
    if (i == 1500) {
      CHECK_OK(ctx, tni_results_flush(w));
      CHECK_OK(ctx, tni_results_open(ctx, path, &r));
      CHECK_INT(tni_results_nstep(r), 1501); /* while it is being written */
      tni_results_close(&r);
    }
  }
  CHECK_OK(ctx, tni_results_finish(w, "complete", "{}"));
  tni_results_destroy(&w);
  CHECK_OK(ctx, tni_results_open(ctx, path, &r));
  CHECK_INT(tni_results_nstep(r), N);
  CHECK_OK(ctx, tni_results_read_steps(r, t, h));
  bool same = true;
  for (long i = 0; i < N; i++) same = same && t[i] == sample_time(i) && h[i] == sample_value(i, 2);
  CHECK(same);
  CHECK(sample_rows_are_right(ctx, r, 30));
  tni_results_close(&r);
}

static bool event_is_right(tni_reader *r, long i, long number) {
  double t, got[TNI_EVENT_NVALUE], want[TNI_EVENT_NVALUE];
  sample_event(number, want);
  CHECK_OK(ctx, tni_results_read_events(r, i, 1, &t, got));
  bool same = t == sample_time(number) && isnan(got[TNI_EVENT_NVALUE - 1]);
  for (int k = 0; k < TNI_EVENT_NVALUE - 1; k++) same = same && got[k] == want[k];
  return same;
}

/* events have a clock of their own, too, and names instead of columns */
static void events_are_kept_beside_the_rows(void) {
  enum { N = 2500 };
  const char *path = sample_path("events.h5"), *copy = sample_path("events-copy.h5");
  tni_writer *w;
  tni_reader *r;
  double values[SAMPLE_NCOLUMN], event[TNI_EVENT_NVALUE];
  CHECK_OK(ctx, tni_results_create(ctx, path, false, &sample_info, &w));
  for (long i = 0; i < N; i++) {
    sample_event(i, event);
    CHECK_OK(ctx, tni_results_add_event(w, sample_time(i), event));
    if (i == 10) {
      sample_row(0, values);
      CHECK_OK(ctx, tni_results_append(w, 0, values));
      CHECK_OK(ctx, tni_results_flush(w));
      CHECK_OK(ctx, tni_results_open(ctx, path, &r));
      CHECK_INT(tni_results_nevent(r), 11); /* while it is being written */
      tni_results_close(&r);
    }
  }
  CHECK_INT(tni_results_nevent_stored(w), N);
  CHECK_OK(ctx, tni_results_finish(w, "complete", "{}"));
  tni_results_destroy(&w);
  CHECK_OK(ctx, tni_results_open(ctx, path, &r));
  const tni_results_info *info = tni_results_get_info(r);
  CHECK_INT(info->nelement, 2);
  CHECK_INT(info->nkind, 3);
  for (int i = 0; i < 2; i++) CHECK_TEXT(info->element[i], sample_element[i]);
  for (int i = 0; i < 3; i++) CHECK_TEXT(info->kind[i], sample_kind[i]);
  CHECK_INT(tni_results_nevent(r), N);
  bool same = true;
  for (long i = 0; i < N; i++) same = same && event_is_right(r, i, i);
  CHECK(same);
  CHECK_INT(tni_results_read_events(r, N - 1, 2, NULL, NULL), TN_ERR_ARGUMENT);
  /* a run that continues another takes over what was up to a time, that time included */
  long nrow;
  CHECK_OK(ctx, tni_results_create(ctx, copy, false, &sample_info, &w));
  CHECK_OK(ctx, tni_results_copy(w, r, sample_time(1000), &nrow));
  CHECK_INT(tni_results_nevent_stored(w), 1001);
  CHECK_OK(ctx, tni_results_finish(w, "complete", "{}"));
  tni_results_destroy(&w);
  tni_results_close(&r);
  CHECK_OK(ctx, tni_results_open(ctx, copy, &r));
  CHECK_INT(tni_results_nevent(r), 1001);
  CHECK(event_is_right(r, 1000, 1000));
  tni_results_close(&r);
}

/* An element that chatters takes its share of the room and no more; all together have a bound, too. */
static void chattering_does_not_fill_the_disk(void) {
  enum { ELEMENTS = 20 };
  const char *path = sample_path("chatter.h5"), *name[ELEMENTS];
  tni_results_info info = sample_info;
  tni_writer *w;
  tni_reader *r;
  double event[TNI_EVENT_NVALUE] = {0};
  for (int i = 0; i < ELEMENTS; i++) name[i] = "x";
  info.nelement = ELEMENTS;
  info.element = name;
  CHECK_OK(ctx, tni_results_create(ctx, path, false, &info, &w));
  for (long i = 0; i < 3*TNI_EVENTS_EACH; i++) CHECK_OK(ctx, tni_results_add_event(w, (double)i, event));
  CHECK_INT(tni_results_nevent_stored(w), TNI_EVENTS_EACH);
  for (int k = 1; k < ELEMENTS; k++) {
    event[TNI_EVENT_ELEMENT] = k;
    for (long i = 0; i < TNI_EVENTS_EACH; i++) CHECK_OK(ctx, tni_results_add_event(w, (double)i, event));
  }
  CHECK_INT(tni_results_nevent_stored(w), TNI_EVENTS_MAX);
  event[TNI_EVENT_ELEMENT] = ELEMENTS;
  CHECK_INT(tni_results_add_event(w, 0, event), TN_ERR_ARGUMENT);
  CHECK_OK(ctx, tni_results_finish(w, "complete", "{}"));
  tni_results_destroy(&w);
  CHECK_OK(ctx, tni_results_open(ctx, path, &r));
  CHECK_INT(tni_results_nevent(r), TNI_EVENTS_MAX);
  tni_results_close(&r);
  struct stat about;
  CHECK(stat(path, &about) == 0 && about.st_size < 80*TNI_EVENTS_MAX);
}

static void checkpoints_are_found_by_time(void) {
  const char *path = sample_path("checkpoint.h5");
  write_sample(path, 1000);
  tni_reader *r;
  double t, state[SAMPLE_NSTATE];
  CHECK_OK(ctx, tni_results_open(ctx, path, &r));
  CHECK_INT(tni_results_ncheckpoint(r), 10);
  CHECK_OK(ctx, tni_results_read_checkpoint(r, HUGE_VAL, &t, state));
  CHECK(t == sample_time(900));
  for (int k = 0; k < SAMPLE_NSTATE; k++) CHECK(state[k] == sample_value(900, k)/7);
  CHECK_OK(ctx, tni_results_read_checkpoint(r, sample_time(300), &t, state));
  CHECK(t == sample_time(300) && state[0] == sample_value(300, 0)/7);
  CHECK_OK(ctx, tni_results_read_checkpoint(r, sample_time(299), &t, state));
  CHECK(t == sample_time(200) && state[6] == sample_value(200, 6)/7);
  CHECK(tni_results_read_checkpoint(r, -1, &t, state) == TN_ERR_ARGUMENT);
  CHECK(strstr(tn_ctx_message(ctx), "no checkpoint at or before t = -1 s") != NULL);
  tni_results_close(&r);
}

/* the names that people type in other programs, through plain HDF5 */
static void named_views_show_the_same_numbers(void) {
  const char *path = sample_path("views.h5");
  write_sample(path, 3000);
  hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  CHECK(file >= 0);
  int column = 0;
  for (int i = 0; i < SAMPLE_NCHANNEL; i++) {
    char name[64], unit[16] = "";
    snprintf(name, sizeof(name), "/%s/%s", sample_channel[i].group, sample_channel[i].name);
    hid_t set = H5Dopen2(file, name, H5P_DEFAULT), space = H5Dget_space(set);
    hsize_t dims[2];
    CHECK_INT(H5Sget_simple_extent_dims(space, dims, NULL), 2);
    CHECK_INT(dims[0], 3000);
    CHECK_INT(dims[1], sample_channel[i].ncomponent);
    double *values = malloc(dims[0]*dims[1]*sizeof(double));
    CHECK(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    bool same = true;
    for (hsize_t row = 0; row < dims[0]; row++)
      for (hsize_t k = 0; k < dims[1]; k++)
        if (values[row*dims[1] + k] != sample_value((long)row, column + (int)k)) same = false;
    CHECK(same);
    free(values);
    hid_t attribute = H5Aopen(set, "unit", H5P_DEFAULT), type = H5Aget_type(attribute);
    CHECK(H5Tis_variable_str(type) == 0 && H5Tget_size(type) < sizeof(unit));
    CHECK(H5Aread(attribute, type, unit) >= 0);
    CHECK_TEXT(unit, sample_channel[i].unit);
    H5Tclose(type);
    H5Aclose(attribute);
    H5Sclose(space);
    H5Dclose(set);
    column += sample_channel[i].ncomponent;
  }
  H5Fclose(file);
}

static void a_file_is_readable_while_it_is_written(void) {
  const char *path = sample_path("live.h5");
  tni_writer *w;
  tni_reader *r = NULL;
  double values[SAMPLE_NCOLUMN], state[SAMPLE_NSTATE] = {1, 2, 3, 4, 5, 6, 7}, t;
  CHECK_OK(ctx, tni_results_create(ctx, path, false, &sample_info, &w));
  CHECK_OK(ctx, tni_results_open(ctx, path, &r));
  CHECK_INT(tni_results_ntime(r), 0);
  CHECK_TEXT(tni_results_outcome(r), "running");
  /* odd numbers of rows, so that flushes fall inside chunks and on both sides of their ends */
  long n = 0;
  for (int round = 0; round < 12; round++) {
    for (int i = 0; i < 373; i++, n++) {
      sample_row(n, values);
      CHECK_OK(ctx, tni_results_append(w, sample_time(n), values));
    }
    CHECK_OK(ctx, tni_results_flush(w));
    CHECK_OK(ctx, tni_results_refresh(r));
    CHECK_INT(tni_results_ntime(r), n);
    CHECK(sample_rows_are_right(ctx, r, n));
    tni_reader *late;
    CHECK_OK(ctx, tni_results_open(ctx, path, &late));
    CHECK_INT(tni_results_ntime(late), n);
    CHECK(sample_rows_are_right(ctx, late, n));
    tni_results_close(&late);
  }
  CHECK_OK(ctx, tni_results_checkpoint(w, 5, state));
  CHECK_OK(ctx, tni_results_refresh(r));
  CHECK_OK(ctx, tni_results_read_checkpoint(r, HUGE_VAL, &t, state));
  CHECK(t == 5 && state[6] == 7);
  CHECK_OK(ctx, tni_results_finish(w, "complete", "{\"a\": 1}"));
  tni_results_destroy(&w);
  CHECK_OK(ctx, tni_results_refresh(r));
  CHECK_TEXT(tni_results_outcome(r), "complete");
  CHECK_TEXT(tni_results_summary(r), "{\"a\": 1}");
  tni_results_close(&r);
}

static void an_old_block_is_flushed_without_being_full(void) {
  const char *path = sample_path("age.h5");
  tni_results_info info = sample_info;
  info.flush_seconds = 1e-9;
  tni_writer *w;
  tni_reader *r;
  double values[SAMPLE_NCOLUMN];
  CHECK_OK(ctx, tni_results_create(ctx, path, false, &info, &w));
  for (long i = 0; i < 3; i++) {
    sample_row(i, values);
    CHECK_OK(ctx, tni_results_append(w, sample_time(i), values));
  }
  CHECK_OK(ctx, tni_results_open(ctx, path, &r));
  CHECK_INT(tni_results_ntime(r), 3);
  CHECK(sample_rows_are_right(ctx, r, 3));
  tni_results_close(&r);
  tni_results_destroy(&w);
}

static void destroy_without_finish_keeps_the_rows(void) {
  const char *path = sample_path("unfinished.h5");
  tni_writer *w;
  tni_reader *r;
  double values[SAMPLE_NCOLUMN];
  CHECK_OK(ctx, tni_results_create(ctx, path, false, &sample_info, &w));
  for (long i = 0; i < 17; i++) {
    sample_row(i, values);
    CHECK_OK(ctx, tni_results_append(w, sample_time(i), values));
  }
  tni_results_destroy(&w);
  CHECK_OK(ctx, tni_results_open(ctx, path, &r));
  CHECK_INT(tni_results_ntime(r), 17);
  CHECK(sample_rows_are_right(ctx, r, 17));
  CHECK_TEXT(tni_results_outcome(r), "running");
  tni_results_close(&r);
}

static void storing_allocates_nothing_through_the_context(void) {
  const char *path = sample_path("alloc.h5");
  tni_writer *w;
  double values[SAMPLE_NCOLUMN] = {0}, state[SAMPLE_NSTATE] = {0};
  CHECK_OK(ctx, tni_results_create(ctx, path, false, &sample_info, &w));
  size_t before = tn_ctx_allocations(ctx);
  for (long i = 0; i < 20000; i++) CHECK_OK(ctx, tni_results_append(w, sample_time(i), values));
  CHECK_OK(ctx, tni_results_checkpoint(w, 1, state));
  CHECK_INT(tn_ctx_allocations(ctx) - before, 0);
  tni_results_destroy(&w);
}

static void an_existing_file_is_replaced_only_on_request(void) {
  const char *path = sample_path("again.h5");
  tni_writer *w = NULL;
  tni_reader *r;
  write_sample(path, 10);
  CHECK(tni_results_create(ctx, path, false, &sample_info, &w) == TN_ERR_IO);
  CHECK(strstr(tn_ctx_message(ctx), "exists already") != NULL);
  CHECK(w == NULL);
  CHECK_OK(ctx, tni_results_open(ctx, path, &r));
  /* replaced while somebody reads the old one */
  CHECK_OK(ctx, tni_results_create(ctx, path, true, &sample_info, &w));
  CHECK(sample_rows_are_right(ctx, r, 10));
  tni_results_close(&r);
  tni_results_destroy(&w);
  CHECK_OK(ctx, tni_results_open(ctx, path, &r));
  CHECK_INT(tni_results_ntime(r), 0);
  tni_results_close(&r);
}

static void put_file(const char *path, const void *bytes, size_t n) {
  FILE *f = fopen(path, "wb");
  if (!f || fwrite(bytes, 1, n, f) != n || fclose(f) != 0) exit(1);
}

static void what_is_not_hdf5_is_never_replaced(void) {
  const char *path = sample_path("model.yaml");
  tni_writer *w;
  put_file(path, "tenon: 1\ntitle: precious\n", 25);
  CHECK(tni_results_create(ctx, path, true, &sample_info, &w) == TN_ERR_IO);
  CHECK(strstr(tn_ctx_message(ctx), "is not a results file") != NULL);
  CHECK(tni_results_create(ctx, sample_folder, true, &sample_info, &w) == TN_ERR_IO);
  CHECK(strstr(tn_ctx_message(ctx), "is not a regular file") != NULL);
  struct stat about;
  CHECK(stat(path, &about) == 0 && about.st_size == 25);
}

static void a_link_is_followed(void) {
  const char *path = sample_path("link.h5"), *target = sample_path("target.h5");
  tni_writer *w;
  write_sample(target, 10);
  CHECK(symlink("target.h5", path) == 0);
  CHECK_OK(ctx, tni_results_create(ctx, path, true, &sample_info, &w));
  tni_results_destroy(&w);
  struct stat about;
  CHECK(lstat(path, &about) == 0 && S_ISLNK(about.st_mode));
  tni_reader *r;
  CHECK_OK(ctx, tni_results_open(ctx, target, &r));
  CHECK_INT(tni_results_ntime(r), 0);
  tni_results_close(&r);
}

static void check_open_fails(const char *path, const char *want) {
  tni_reader *r;
  char message[512];
  snprintf(message, sizeof(message), "results '%s': %s", path, want);
  CHECK(tni_results_open(ctx, path, &r) == TN_ERR_IO);
  CHECK(r == NULL);
  if (!CHECK(strncmp(tn_ctx_message(ctx), message, strlen(message)) == 0))
    printf("  got: %s\n want: %s\n", tn_ctx_message(ctx), message);
  CHECK(strchr(tn_ctx_message(ctx), '\n') == NULL);
}

static void bad_files_are_refused_with_the_reason(void) {
  check_open_fails(sample_path("missing.h5"), "No such file or directory");
  check_open_fails(sample_folder, "is a folder");
  const char *path = sample_path("bad.h5");
  put_file(path, "", 0);
  check_open_fails(path, "is empty");
  put_file(path, "t [s],x\n0,1\n0.1,2\n", 18);
  check_open_fails(path, "is not a results file (no HDF5 signature)");
  put_file(path, "\x89HDF\r\n\x1a\n\x03\x08\x08\x00", 12);
  check_open_fails(path, "");
  remove(path);
  hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  H5Fclose(file);
  check_open_fails(path, "is not a results file (HDF5, but of another kind)");
}

static int complaints;

static herr_t complain(hid_t stack, void *user) {
  (void)stack;
  (void)user;
  complaints++;
  return 0;
}

/* HDF5 prints errors through a handler, which belongs to the program around us */
static void the_error_handler_of_the_program_is_neither_called_nor_lost(void) {
  H5E_auto2_t before, after;
  void *data_before, *data_after;
  H5Eget_auto2(H5E_DEFAULT, &before, &data_before);
  H5Eset_auto2(H5E_DEFAULT, complain, &complaints);
  bad_files_are_refused_with_the_reason();
  a_finished_file_is_read_bit_for_bit();
  CHECK_INT(complaints, 0);
  H5Eget_auto2(H5E_DEFAULT, &after, &data_after);
  CHECK(after == complain && data_after == &complaints);
  H5Eset_auto2(H5E_DEFAULT, before, data_before);
}

static void a_truncated_file_is_refused_or_read_but_never_crashes(void) {
  const char *path = sample_path("whole.h5"), *cut = sample_path("cut.h5");
  write_sample(path, 3000);
  FILE *f = fopen(path, "rb");
  static char bytes[1 << 20];
  size_t n = fread(bytes, 1, sizeof(bytes), f);
  fclose(f);
  CHECK(n > 100000 && n < sizeof(bytes));
  for (size_t keep = 20; keep < n; keep += n/23) {
    put_file(cut, bytes, keep);
    tni_reader *r;
    CHECK(tni_results_open(ctx, cut, &r) == TN_ERR_IO);
    CHECK(strstr(tn_ctx_message(ctx), "results '") != NULL);
  }
  put_file(cut, bytes, n - 64);
  check_open_fails(cut, "truncated file");
}

static void a_newer_format_is_refused(void) {
  const char *path = sample_path("newer.h5");
  write_sample(path, 3);
  hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
  hid_t attribute = H5Aopen(file, "format_version", H5P_DEFAULT);
  int version = 99;
  CHECK(H5Awrite(attribute, H5T_NATIVE_INT, &version) >= 0);
  H5Aclose(attribute);
  H5Fclose(file);
  check_open_fails(path, "format version 99, this library reads up to 4");
}

static void check_channel_fails(const char *group, const char *name, int ncomponent,
                                const char *want) {
  const char *path = sample_path("refused.h5");
  tni_channel pair[2] = {{"bodies", "rod/position", "m", 3, sample_xyz, NULL, NULL},
                         {group, name, "m", ncomponent, NULL, NULL, NULL}};
  tni_results_info info = {.nchannel = 2, .channel = pair};
  tni_writer *w;
  CHECK(tni_results_create(ctx, path, false, &info, &w) != TN_OK);
  if (!CHECK(strstr(tn_ctx_message(ctx), want) != NULL)) printf("  %s\n", tn_ctx_message(ctx));
  CHECK(w == NULL);
  CHECK(access(path, F_OK) != 0);
}

static void channels_that_cannot_be_stored_are_refused(void) {
  check_channel_fails("bodies", "", 1, "the name is empty");
  check_channel_fails("", "x", 1, "the name is empty");
  check_channel_fails("bodies", ".", 1, "cannot be names");
  check_channel_fails("bodies", "rod/../x", 1, "cannot be names");
  check_channel_fails("bodies", "rod//x", 1, "is empty");
  check_channel_fails("bodies", "/rod", 1, "is empty");
  check_channel_fails("time", "x", 1, "taken");
  check_channel_fails("bodies/rod", "x", 1, "contains '/'");
  check_channel_fails("bodies", "x", 0, "no component");
  check_channel_fails("bodies", "x", 2, "without names");
  check_channel_fails("bodies", "rod/position", 1, "'bodies/rod/position' is there twice");
  check_channel_fails("bodies", "rod", 1, "'bodies/rod' cannot be a channel");
  check_channel_fails("bodies", "rod/position/x", 1, "'bodies/rod/position' cannot be a channel");
  /* a name between a folder and its contents in plain alphabetical order */
  static const tni_channel three[] = {{"bodies", "rod", "", 1, NULL, NULL, NULL},
                                      {"bodies", "rod!", "", 1, NULL, NULL, NULL},
                                      {"bodies", "rod/x", "", 1, NULL, NULL, NULL}};
  tni_results_info nested = {.nchannel = 3, .channel = three}, none = {0};
  tni_writer *w;
  CHECK(tni_results_create(ctx, sample_path("x.h5"), false, &nested, &w) == TN_ERR_ARGUMENT);
  CHECK(strstr(tn_ctx_message(ctx), "because 'bodies/rod/x' is one") != NULL);
  CHECK(tni_results_create(ctx, sample_path("x.h5"), false, &none, &w) == TN_ERR_ARGUMENT);
}

static void unusual_names_survive(void) {
  static const char *const names[] = {"a b", "stange \xC3\xA9/\xE2\x82\xAC", "x,y \"q\"", "...",
                                      "a.b", "%s", "*", "deep/er/and/deeper/still", "\\"};
  enum { N = 9 };
  tni_channel channel[N];
  double row[N];
  for (int i = 0; i < N; i++) {
    channel[i] = (tni_channel){"bodies", names[i], "", 1, NULL, NULL, NULL};
    row[i] = i;
  }
  tni_results_info info = {.nchannel = N, .channel = channel};
  tni_writer *w;
  tni_reader *r;
  const char *path = sample_path("names.h5");
  CHECK_OK(ctx, tni_results_create(ctx, path, false, &info, &w));
  CHECK_OK(ctx, tni_results_append(w, 0, row));
  CHECK_OK(ctx, tni_results_finish(w, "complete", "{}"));
  tni_results_destroy(&w);
  CHECK_OK(ctx, tni_results_open(ctx, path, &r));
  for (int i = 0; i < N; i++) {
    double value = -1;
    CHECK_INT(tni_results_find(r, names[i]), i);
    CHECK_OK(ctx, tni_results_read_channel(r, i, 0, 1, &value));
    CHECK(value == i);
  }
  tni_results_close(&r);
}

static void wrong_use_is_refused(void) {
  const char *path = sample_path("use.h5");
  tni_writer *w;
  tni_reader *r;
  double values[SAMPLE_NCOLUMN] = {0};
  tni_results_info info = sample_info;
  info.ncheckpoint = 0;
  CHECK_OK(ctx, tni_results_create(ctx, path, false, &info, &w));
  CHECK(tni_results_append(w, NAN, values) == TN_ERR_ARGUMENT);
  CHECK(tni_results_checkpoint(w, 0, values) == TN_ERR_ARGUMENT);
  CHECK(tni_results_finish(w, "an outcome that is too long", "{}") == TN_ERR_ARGUMENT);
  char *big = malloc(TNI_SUMMARY_MAX + 1);
  memset(big, ' ', TNI_SUMMARY_MAX);
  big[TNI_SUMMARY_MAX] = 0;
  CHECK(tni_results_finish(w, "complete", big) == TN_ERR_ARGUMENT);
  big[TNI_SUMMARY_MAX-1] = 0; /* the longest that fits */
  CHECK_OK(ctx, tni_results_append(w, 0, values));
  CHECK_OK(ctx, tni_results_finish(w, "complete", big));
  CHECK(tni_results_append(w, 1, values) == TN_ERR_ARGUMENT);
  tni_results_destroy(&w);
  CHECK_OK(ctx, tni_results_open(ctx, path, &r));
  CHECK_TEXT(tni_results_summary(r), big);
  free(big);
  CHECK(tni_results_read_times(r, 0, 2, values) == TN_ERR_ARGUMENT);
  CHECK(tni_results_read_times(r, -1, 1, values) == TN_ERR_ARGUMENT);
  CHECK(tni_results_read_channel(r, SAMPLE_NCHANNEL, 0, 1, values) == TN_ERR_ARGUMENT);
  CHECK(tni_results_read_columns(r, 9, 3, 0, 1, values) == TN_ERR_ARGUMENT);
  tni_results_close(&r);
  CHECK(tni_results_create(ctx, sample_path("no/such/folder.h5"), false, &info, &w) == TN_ERR_IO);
  CHECK(strstr(tn_ctx_message(ctx), "No such file or directory") != NULL);
}

/* an allocator that fails at the k-th call and knows what is still held */
typedef struct {
  long left, held;
} failing;

static void *failing_alloc(void *user, size_t bytes) {
  failing *f = user;
  if (f->left-- <= 0) return NULL;
  f->held++;
  return malloc(bytes);
}

static void failing_release(void *user, void *ptr) {
  ((failing *)user)->held--;
  free(ptr);
}

static tn_status swallow(void *user, const char *text, size_t n) {
  (void)user;
  (void)text;
  (void)n;
  return TN_OK;
}

/* everything that allocates, in one go */
static tn_status use_all(tn_ctx *c, const char *path) {
  tni_writer *w = NULL;
  tni_reader *r = NULL;
  double values[SAMPLE_NCOLUMN] = {0};
  const char *name = "pin/*";
  tn_status st;
  TN_TRY_GOTO(st, tni_results_create(c, path, true, &sample_info, &w), done);
  TN_TRY_GOTO(st, tni_results_append(w, 0, values), done);
  TN_TRY_GOTO(st, tni_results_finish(w, "complete", "{}"), done);
  TN_TRY_GOTO(st, tni_results_open(c, path, &r), done);
  TN_TRY_GOTO(st, tni_results_export_csv(r, &name, 1, swallow, NULL), done);
done:
  tni_results_destroy(&w);
  tni_results_close(&r);
  return st;
}

static void running_out_of_memory_is_reported_and_loses_nothing(void) {
  const char *path = sample_path("memory.h5");
  long k = 0;
  for (tn_status st = TN_ERR_MEMORY; st != TN_OK && k < 1000; k++) {
    failing f = {.left = 1};
    tn_ctx_opts opts = {.alloc = failing_alloc, .release = failing_release, .user = &f};
    tn_ctx *c;
    if (tn_ctx_create(&opts, &c) != TN_OK) exit(1);
    f.left = k;
    st = use_all(c, path);
    CHECK(st == TN_OK || st == TN_ERR_MEMORY);
    CHECK_INT(f.held, 1);
    tn_ctx_destroy(&c);
  }
  CHECK(k > 10 && k < 1000);
}

/* more columns than one chunk has: the sample's numbers at every place of a wide row */
static void many_channels_are_stored_and_found(void) {
  enum { N = 1000, NROW = 100 };
  static tni_channel channel[N];
  static char name[N][32];
  static double row[3*N], got[NROW*3];
  for (int i = 0; i < N; i++) {
    snprintf(name[i], sizeof(name[i]), "link%d/position", i);
    channel[i] = (tni_channel){"bodies", name[i], "m", 3, sample_xyz, "ground", NULL};
  }
  tni_results_info info = {.nchannel = N, .channel = channel};
  tni_writer *w;
  tni_reader *r;
  const char *path = sample_path("wide.h5");
  CHECK_OK(ctx, tni_results_create(ctx, path, false, &info, &w));
  for (int i = 0; i < NROW; i++) {
    for (int k = 0; k < 3*N; k++) row[k] = 1e4*i + k;
    CHECK_OK(ctx, tni_results_append(w, i, row));
  }
  CHECK_OK(ctx, tni_results_finish(w, "complete", "{}"));
  tni_results_destroy(&w);
  CHECK_OK(ctx, tni_results_open(ctx, path, &r));
  CHECK_INT(tni_results_ntime(r), NROW);
  for (int c = 0; c < N; c += 37) {
    CHECK_OK(ctx, tni_results_read_channel(r, c, 0, NROW, got));
    bool same = true;
    for (int i = 0; i < NROW; i++)
      for (int k = 0; k < 3; k++)
        if (got[3*i + k] != 1e4*i + 3*c + k) same = false;
    CHECK(same);
  }
  tni_results_close(&r);
}

/* a list of names that count on is one short text, whatever the other rows of the table need; one with a gap
 * is a list as any other */
static void components_that_count_take_no_room(void) {
  enum { MANY = 5000, FEW = 20, CHANNELS = 400 };
  static char number[2][MANY][8], name[CHANNELS][16];
  static const char *counted[MANY], *gap[FEW];
  static tni_channel channel[CHANNELS];
  const char *path = sample_path("counted.h5");
  for (int k = 0; k < MANY; k++) {
    snprintf(number[0][k], sizeof(number[0][k]), "%d", 7 + k);
    counted[k] = number[0][k];
  }
  for (int k = 0; k < FEW; k++) {
    snprintf(number[1][k], sizeof(number[1][k]), "%d", k == 9 ? 90 : k);
    gap[k] = number[1][k];
  }
  for (int i = 0; i < CHANNELS; i++) {
    snprintf(name[i], sizeof(name[i]), "b%d", i);
    channel[i] = (tni_channel){"beams", name[i], "N", i == 1 ? FEW : i ? 3 : MANY,
                               i == 1 ? gap : i ? sample_xyz : counted, NULL, NULL};
  }
  tni_results_info info = {.nchannel = CHANNELS, .channel = channel};
  tni_writer *w;
  tni_reader *r;
  CHECK_OK(ctx, tni_results_create(ctx, path, false, &info, &w));
  CHECK_OK(ctx, tni_results_finish(w, "complete", ""));
  tni_results_destroy(&w);
  CHECK_OK(ctx, tni_results_open(ctx, path, &r));
  const tni_results_info *got = tni_results_get_info(r);
  for (int i = 0; i < CHANNELS; i++)
    for (int k = 0; k < channel[i].ncomponent; k++)
      CHECK_TEXT(got->channel[i].component[k], channel[i].component[k]);
  tni_results_close(&r);
  struct stat about;
  CHECK(stat(path, &about) == 0 && about.st_size < 4*1024*1024); /* the list 400 times would be 10 MB */
}

int main(void) {
  if (tn_ctx_create(NULL, &ctx) != TN_OK) return 1;
  sample_begin();
  RUN(a_finished_file_is_read_bit_for_bit);
  RUN(the_description_is_read_back);
  RUN(empty_texts_and_no_rows_are_fine);
  RUN(steps_are_kept_beside_the_rows);
  RUN(events_are_kept_beside_the_rows);
  RUN(chattering_does_not_fill_the_disk);
  RUN(checkpoints_are_found_by_time);
  RUN(named_views_show_the_same_numbers);
  RUN(a_file_is_readable_while_it_is_written);
  RUN(an_old_block_is_flushed_without_being_full);
  RUN(destroy_without_finish_keeps_the_rows);
  RUN(storing_allocates_nothing_through_the_context);
  RUN(an_existing_file_is_replaced_only_on_request);
  RUN(what_is_not_hdf5_is_never_replaced);
  RUN(a_link_is_followed);
  RUN(bad_files_are_refused_with_the_reason);
  RUN(the_error_handler_of_the_program_is_neither_called_nor_lost);
  RUN(a_truncated_file_is_refused_or_read_but_never_crashes);
  RUN(a_newer_format_is_refused);
  RUN(channels_that_cannot_be_stored_are_refused);
  RUN(unusual_names_survive);
  RUN(wrong_use_is_refused);
  RUN(running_out_of_memory_is_reported_and_loses_nothing);
  RUN(many_channels_are_stored_and_found);
  RUN(components_that_count_take_no_room);
  sample_clean();
  tn_ctx_destroy(&ctx);
  return REPORT();
}
