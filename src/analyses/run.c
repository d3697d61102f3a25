/* analyses/run.c - a run from settings to summary, with its results file; what it does is the part of an
 * analysis
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <tenon/compare.h>

#include "analyses/run.h"
#include "analyses/summary.h"
#include "scene/scene.h"
#include "scene/geometry.h"
#include "parallel/comm.h"
#include "system/parts.h"

/* path of the results: option, file that is continued, model file, or the name of the model with
 * .h5 */
static void results_path(const tn_model *m, const tn_run_opts *o, char *out, size_t n) {
  const tni_item *item = tni_spec_single(m->spec, "output");
  const char *name = item ? tni_item_text(item, "file", NULL) : NULL;
  if (o && o->restart) name = o->restart;
  if (o && o->results) name = o->results;
  if (name) {
    snprintf(out, n, "%s", name);
    return;
  }
  const char *file = m->spec->top.at.file && m->spec->top.at.file[0] ? m->spec->top.at.file : "model";
  const char *slash = strrchr(file, '/');
  snprintf(out, n, "%s", slash ? slash + 1 : file);
  char *dot = strrchr(out, '.');
  if (dot && dot != out) *dot = 0;
  size_t len = strlen(out);
  snprintf(out + len, n - len, ".h5");
}

static bool settings_json(const tn_sim *sim, tni_text *t) {
  const tni_run_settings *s = &sim->set;
  tni_json j;
  tni_json_begin(&j, t, false);
  tni_json_add_text(&j, "method", sim->sum.method);
  if (sim->sum.technique[0]) tni_json_add_text(&j, "technique", sim->sum.technique);
  tni_json_add_text(&j, "system", sim->sum.system);
  tni_json_add_number(&j, "tolerance", s->tolerance);
  tni_json_add_number(&j, "from", s->from);
  tni_json_add_number(&j, "until", s->until);
  tni_json_add_number(&j, "every", s->every);
  const tn_spec *spec = sim->model->spec;
  if (spec->noverride) {
    tni_json_open_array(&j, "set");
    for (int i = 0; i < spec->noverride; i++) tni_json_add_text(&j, NULL, spec->overrides[i]);
    tni_json_close(&j);
  }
  return tni_json_end(&j);
}

static const tn_watch *watch(const tni_run *r) { return r->opts ? r->opts->watch : NULL; }

/* Fields of structures that a watch gets: displacements and one stress, unless that is too much for a page. */
static tn_status choose_watched(tni_run *r, const tni_results_info *info) {
  enum { MOST = 100000 }; /* numbers of a frame */
  static const char *const NAME[] = {"displacement", "von_mises"};
  size_t at = (size_t)r->rec.ncolumn, total = 0;
  TNI_ARENA_NEW(&r->sim->arena, r->watched_field, info->nfield);
  TNI_ARENA_NEW(&r->sim->arena, r->watched_at, info->nfield);
  int mesh = -1;
  tni_surface *skin = NULL;
  for (int i = 0; i < info->nfield; at += (size_t)tni_field_size(info, &info->field[i]), i++) {
    const tni_field *f = &info->field[i];
    bool wanted = false;
    for (int k = 0; k < TNI_COUNT(NAME); k++) wanted = wanted || strcmp(f->name, NAME[k]) == 0;
    if (!wanted || f->cells || info->mesh[f->mesh].body) continue;
    if (f->mesh != mesh) {
      TNI_ARENA_NEW(&r->sim->arena, skin, 1);
      TN_TRY(tni_surface_make(&r->sim->arena, &info->mesh[mesh = f->mesh], skin));
    }
    total += (size_t)skin->nnode*(size_t)f->ncomponent;
    r->watched_at[r->nwatched] = at;
    r->watched_field[r->nwatched++] = (tni_live_field){i, skin};
  }
  if (total > MOST) r->nwatched = 0;
  return TN_OK;
}

/* rows for the watch: the channels that a reader of the file would see, then fields of structures */
static tn_status prepare_watch(tni_run *r, const tni_results_info *info) {
  tni_results_info *w = &r->watched;
  *w = *info;
  TN_TRY(tni_results_expand(&r->sim->arena, w));
  TN_TRY(choose_watched(r, info));
  w->nvalue = 0;
  for (int i = 0; i < w->nchannel; i++) w->nvalue += w->channel[i].ncomponent;
  for (int i = 0; i < r->nwatched; i++)
    w->nvalue += r->watched_field[i].skin->nnode*info->field[r->watched_field[i].field].ncomponent;
  TNI_ARENA_NEW(&r->sim->arena, r->watched_value, w->nvalue);
  return TN_OK;
}

static void show_row(tni_run *r) {
  double *to = r->watched_value;
  const tni_results_info *w = &r->watched;
  for (int i = 0; i < w->nchannel; to += w->channel[i++].ncomponent)
    memcpy(to, r->rec.value + w->column[i], (size_t)w->channel[i].ncomponent*sizeof(double));
  for (int i = 0; i < r->nwatched; i++) {
    const tni_surface *skin = r->watched_field[i].skin;
    const double *from = r->rec.value + r->watched_at[i];
    size_t n = (size_t)w->field[r->watched_field[i].field].ncomponent;
    for (int k = 0; k < skin->nnode; k++, to += n) memcpy(to, from + n*(size_t)skin->node[k], n*sizeof(double));
  }
  watch(r)->frame(watch(r)->user, tni_sim_row(r->sim), r->watched_value);
}

static tn_status begin_watch(tni_run *r, const tni_results_info *info) {
  TN_TRY(prepare_watch(r, info));
  tni_text t;
  tni_text_init(&t, r->ctx);
  tn_status st = tni_scene_live(r->ctx, &r->watched, r->sim->set.from, r->sim->set.until, r->watched_field, r->nwatched, &t);
  if (st == TN_OK) watch(r)->begin(watch(r)->user, t.s, t.n, r->watched.nvalue);
  r->begun = tni_wall_time();
  tni_text_free(&t);
  return st;
}

/* names of what may switch */
static tn_status name_switches(tni_run *r, tni_results_info *info) {
  const tni_data *s = r->sim->s;
  const char **name;
  TNI_ARENA_NEW(&r->sim->arena, name, s->nwatch);
  for (int i = 0; i < s->nwatch; i++) name[i] = tni_system_watch_name(s, i);
  info->nelement = s->nwatch;
  info->element = name;
  info->nkind = TNI_NSWITCH;
  info->kind = tni_switch_word;
  return TN_OK;
}

/* A new file; one that is appended to has what the old one had up to the present time, and takes its
 * place when it is published. */
static tn_status make_file(tni_run *r, const tni_results_info *info, tni_reader *old) {
  tn_sim *sim = r->sim;
  const char *path = sim->sum.results;
  if (r->append) {
    TN_TRY(tni_results_prepare(r->ctx, path, true, info, &r->out));
    return isfinite(r->checkpoint_time)
               ? tni_results_copy(r->out, old, r->checkpoint_time, &sim->sum.stored)
               : TN_OK;
  }
  TN_TRY(tni_results_create(r->ctx, path, r->opts && r->opts->overwrite, info, &r->out));
  /* a run that continues another can be continued from its beginning too */
  return isfinite(r->checkpoint_time)
             ? tni_results_checkpoint(r->out, r->checkpoint_time, r->checkpoint)
             : TN_OK;
}

/* Rows that are written by a thread take turns in two places; without memory for another the run waits for each. What is stored by pieces takes turns in
 * the crew. */
static void make_room(tni_run *r) {
  bool lends = r->crew ? tni_crew_lends(r->crew) && !r->divides : r->out && tni_results_lends(r->out);
  if (lends) r->rec.other = tni_arena_alloc(&r->sim->arena, (size_t)r->rec.nvalue, sizeof(double));
}

/* several ranks: those that write what is large */
static int count_writers(const tni_run *r) {
  const tni_comm *comm = tni_comm_of(r->ctx);
  const tni_item *item = tni_spec_single(r->sim->model->spec, "output");
  int n = comm ? comm->size : 0, asked = item ? tni_item_integer(item, "writers", n) : n;
  return asked < n ? asked : n;
}

/* the file, by the first rank, and who writes it */
static tn_status make_results(tni_run *r, const tni_results_info *info, tni_reader *old) {
  if (!r->sim->sum.results[0]) return TN_OK;
  if (tni_comm_speaks(r->ctx)) TN_TRY(make_file(r, info, old));
  TN_TRY(tni_crew_create(r->ctx, tni_comm_of(r->ctx), r->out, info, r->rec.share, &r->crew));
  make_room(r);
  return TN_OK;
}

/* old: the file to append to, NULL if it is another */
static tn_status open_results(tni_run *r, tni_reader *old) {
  tn_sim *sim = r->sim;
  if (sim->sum.results[0] == 0 && !watch(r)) return TN_OK;
  tni_text set, scene;
  tni_text_init(&set, r->ctx);
  tni_text_init(&scene, r->ctx);
  tn_status st = tni_scene_describe(sim->model, &scene);
  if (st == TN_OK && !settings_json(sim, &set)) st = tni_out_of_memory(r->ctx);
  if (st == TN_OK) {
    tni_results_info info = {.title = sim->model->title,
                             .model_text = sim->model->spec->source,
                             .model_name = sim->model->spec->top.at.file,
                             .settings = set.s,
                             .scene = scene.s,
                             .nchannel = r->rec.nchannel,
                             .channel = r->rec.channel,
                             .nmesh = r->rec.nmesh,
                             .mesh = r->rec.mesh,
                             .nfield = r->rec.nfield,
                             .field = r->rec.field,
                             .ntable = r->ntable,
                             .table = r->table,
                             .ncheckpoint = tni_sim_ncheckpoint(sim),
                             .writers = count_writers(r)};
    st = name_switches(r, &info);
    if (!r->append) r->switched = sim->switches.count;
    if (st == TN_OK) st = make_results(r, &info, old);
    if (st == TN_OK && watch(r)) st = begin_watch(r, &info);
  }
  tni_text_free(&set);
  tni_text_free(&scene);
  if (st != TN_OK) sim->sum.results[0] = 0;
  return st;
}

tn_status tni_run_open(tni_run *r) { return r->append ? TN_OK : open_results(r, NULL); }

const tni_item *tni_run_item(const tni_run *r) { return tni_spec_single(r->sim->model->spec, "analysis"); }

void tni_run_show_progress(const tni_run *r, double t, double h, long steps) {
  if (r->opts && r->opts->progress) r->opts->progress(r->opts->user, t, r->sim->set.until, h, steps);
}

void tni_run_add_figure(tni_run *r, const char *name, const char *unit, double value) {
  tn_summary *u = &r->sim->sum;
  if (u->figures >= TN_SUMMARY_FIGURES) return;
  tn_figure *f = &u->figure[u->figures++];
  snprintf(f->name, sizeof(f->name), "%s", name);
  snprintf(f->unit, sizeof(f->unit), "%s", unit);
  f->value = value;
}

/* the writer may be reading a row still that was stored where the next one goes */
static tni_record *next_row(tni_run *r) {
  if (r->crew) tni_crew_take_back(r->crew, r->rec.lent);
  else if (r->out) tni_results_take_back(r->out, r->rec.lent);
  return &r->rec;
}

/* after a row was stored: the next one goes where the one before it was */
static void take_turns(tni_run *r) {
  tni_record *rec = &r->rec;
  double *value = rec->value;
  size_t lent = rec->other_lent;
  rec->lent = r->crew ? tni_crew_mark(r->crew) : tni_results_mark(r->out);
  if (!rec->other) return;
  rec->value = rec->other;
  rec->other = value;
  rec->other_lent = rec->lent;
  rec->lent = lent;
}

/* a row for the watch alone, as long as it can pay */
static void show(tni_run *r) {
  double budget = watch(r)->budget, begin = budget > 0 ? tni_wall_time() : 0;
  bool edge = r->sim->sum.stored == 1 || tni_sim_row(r->sim) >= r->sim->set.until;
  if (budget > 0 && !edge && r->shown > budget*(begin - r->begun)) return;
  tni_record_fill(r->sim, next_row(r));
  show_row(r);
  if (budget > 0) r->shown += tni_wall_time() - begin;
}

static tn_status compare_row(tni_run *r);

/* do the equations of structures hold where they are? */
static void look_for_doubts(tn_sim *sim) {
  const tni_parts *p = sim->s->parts;
  if (sim->with_pieces) return; /* no body carries them: they have none */
  for (int i = 0; p && i < p->n && sim->set.analysis->motion != TNI_MOTION_SMALL; i++) {
    char why[sizeof(sim->why_doubt)] = "";
    tni_part_at at = tni_parts_at(sim->s, i);
    double doubt = p->part[i].ops->doubt ? p->part[i].ops->doubt(&p->part[i], p->work[i], &at, why, sizeof(why)) : 0;
    if (doubt > sim->doubt) {
      sim->doubt = doubt;
      memcpy(sim->why_doubt, why, sizeof(why));
    }
  }
}

/* the i-th field apart: of the record, or of the pieces of this rank */
static const double *values_apart(void *user, int i) {
  tni_run *r = user;
  return r->sim->with_pieces ? tni_record_fill_piece(r->sim, &r->rec, i) : r->rec.value + r->rec.apart[i];
}

static tn_status store_together(tni_run *r) {
  bool whole = !r->sim->with_pieces;
  tni_record *rec = next_row(r);
  if (whole) tni_record_fill(r->sim, rec);
  else tni_record_fill_columns(r->sim, rec);
  if (!whole && r->shows) tni_record_fill_structures(r->sim, rec);
  if (watch(r)) show_row(r);
  tn_status st = tni_crew_append(r->crew, tni_sim_row(r->sim), rec->value, whole, values_apart, r);
  if (whole) take_turns(r); /* the crew keeps what came from pieces */
  return st;
}

tn_status tni_run_store(tni_run *r) {
  look_for_doubts(r->sim);
  if (r->past) TN_TRY(compare_row(r));
  if (tni_sim_row(r->sim) <= r->kept && (r->past || tni_sim_row(r->sim) < r->sim->set.until)) return TN_OK;
  r->sim->sum.stored++;
  if (r->ctx->looked) r->ctx->looked(r->ctx->looked_user, r->sim);
  if (r->crew) return store_together(r);
  if (!r->out) {
    if (watch(r)) show(r);
    return TN_OK;
  }
  tni_record_fill(r->sim, next_row(r));
  if (watch(r)) show_row(r);
  tn_status st = tni_results_lend(r->out, tni_sim_row(r->sim), r->rec.value);
  take_turns(r);
  return st;
}

double tni_run_output_time(const tni_run *r, long k) {
  const tni_run_settings *s = &r->sim->set;
  double t = s->from + (double)k*s->every;
  /* the last regular time must not fall just short of the end */
  return t > s->until - 1e-9*s->every ? s->until : t;
}

/* First checkpoint after t; from t alone, so that a restart has the same ones. */
static double checkpoint_after(const tni_run *r, double every, double t) {
  double from = r->sim->set.from;
  return from + every*(1 + floor((t - from)/every + 1e-9));
}

/* Taking a checkpoint is part of the run, stored or not: methods that cannot save their history
 * begin it anew there. Nothing may be asked about the last step afterwards. */
static tn_status take_checkpoint(tni_run *r) {
  tn_sim *sim = r->sim;
  if (sim->event || sim->t_hi < r->next_checkpoint) return TN_OK;
  TN_TRY(tni_sim_save(sim, r->checkpoint));
  r->checkpoint_time = sim->t_hi;
  r->next_checkpoint = checkpoint_after(r, r->past ? sim->earlier.checkpoint : sim->set.checkpoint, sim->t_hi);
  if (r->crew) return tni_crew_checkpoint(r->crew, sim->t_hi, r->checkpoint);
  return r->out ? tni_results_add_checkpoint(r->out, sim->t_hi, r->checkpoint) : TN_OK;
}

tn_status tni_run_heed_interrupt(const tni_run *r, double t) {
  return r->ctx->interrupted ? TN_FAIL(r->ctx, TN_INTERRUPTED, "stopped at t = %g s", t) : TN_OK;
}

/* everything to be stored up to t, which the last step has reached; one step may pass a million rows */
static tn_status store_until(tni_run *r, double t) {
  while (r->next_output <= t && r->next_output <= r->sim->set.until) {
    TN_TRY(tni_run_heed_interrupt(r, r->next_output));
    TN_TRY(r->divides ? tni_sim_look_pieces(r->sim, r->next_output) : tni_sim_look(r->sim, r->next_output));
    TN_TRY(tni_run_store(r));
    if (r->next_output >= r->sim->set.until) {
      r->next_output = HUGE_VAL;
    } else {
      r->next_output = tni_run_output_time(r, ++r->noutput);
    }
  }
  return TN_OK;
}

/* everything to be stored up to the end of the last step */
tn_status tni_run_store_passed(tni_run *r) {
  TN_TRY(store_until(r, r->sim->t_hi));
  return take_checkpoint(r);
}

/* what the event has switched that the last step began with */
tn_status tni_run_store_switches(tni_run *r) {
  const tni_switches *w = &r->sim->switches;
  for (int i = 0; i < w->n && (r->out || watch(r)); i++) {
    const tni_switch *x = &w->row[i];
    if (watch(r) && watch(r)->event) watch(r)->event(watch(r)->user, w->t, w->who[i], (int)x->kind, x->impulse);
    if (!r->out) continue;
    const double value[TNI_EVENT_NVALUE] = {w->who[i],     x->kind,      x->impulse,      x->normal[0],
                                            x->normal[1], x->tangential[0], x->tangential[1]};
    TN_TRY(tni_results_add_event(r->out, w->t, value));
  }
  return TN_OK;
}

tn_status tni_run_advance(tni_run *r) {
  tn_sim *sim = r->sim;
  TN_TRY(tni_run_heed_interrupt(r, sim->t_hi));
  TN_TRY(tni_sim_advance_step(sim));
  if (r->out) TN_TRY(tni_results_add_step(r->out, sim->t_hi, sim->t_hi - sim->t_lo));
  TN_TRY(tni_run_store_switches(r));
  if (r->opts && r->opts->progress) {
    tni_integrator_stats st;
    tni_work work;
    tni_auto_stats(sim, &st, &work);
    tni_run_show_progress(r, sim->t_hi, st.h_last, st.steps);
  }
  return TN_OK;
}

/* ---- restart ------------------------------------------------------------------------------- */

/* A run continues after any stored row: the last checkpoint before it is loaded (none: the run
 * begins again), and the steps from there to the row are repeated. What they pass must be what the
 * file holds, so that nobody continues something else unawares.
 *
 * By default the run goes on in the file that it continues: a new file is made beside it with all
 * rows, steps and checkpoints up to the checkpoint, the repeated steps are stored in it as they were
 * the first time, and when it holds as much as the old file did it takes its place. Killed before
 * that, the old file is there; after it, nothing is lost either. */
typedef struct tni_past {
  tni_reader *in;
  long n, row;         /* stored times; the next one to compare */
  double *time, *value;
} past;

/* number of the first output time after t, at most that of the end */
static long output_after(const tni_run *r, double t) {
  long k = 0;
  while (tni_run_output_time(r, k) <= t && tni_run_output_time(r, k) < r->sim->set.until) k++;
  return k;
}

static tn_status compare_row(tni_run *r) {
  tn_sim *sim = r->sim;
  past *p = r->past;
  while (p->row < p->n && p->time[p->row] < sim->at.t) p->row++;
  if (p->row >= p->n || p->time[p->row] != sim->at.t || sim->at.t > r->resume) return TN_OK;
  int n = tni_results_get_info(p->in)->nvalue; /* fields apart come last, and may be less precise */
  TN_TRY(tni_results_read_columns(p->in, 0, n, p->row, 1, p->value));
  if (sim->with_pieces) tni_record_fill_columns(sim, next_row(r));
  else tni_record_fill(sim, next_row(r));
  if (memcmp(p->value, r->rec.value, (size_t)n*sizeof(double)) == 0) return TN_OK;
  return TN_FAIL(r->ctx, TN_ERR_INPUT,
                 "restart '%s': the repeated steps do not give the row stored at %.10g s: model or "
                 "settings differ from that run; only a checkpoint can be continued otherwise",
                 r->opts->restart, sim->at.t);
}

/* Steps from here on are those of this run, which may have another end. */
static tn_status leave_the_past(tni_run *r) {
  tn_sim *sim = r->sim;
  if (!sim->it) return TN_OK;
  if (sim->t_hi > sim->set.until)
    return TN_FAIL(r->ctx, TN_ERR_INPUT, "restart '%s' at %.10g s: the step of that run that holds this row ends at %.10g s, behind the end of this "
                   "one (%.10g s); go on from an earlier row, or end later", r->opts->restart, r->resume, sim->t_hi, sim->set.until);
  bool other = sim->instants.end != sim->set.until || sim->earlier.checkpoint != sim->set.checkpoint;
  if (!other) return TN_OK;
  tni_run_before now = {sim->it->opts.run > 0 ? sim->set.until - sim->set.from : 0, sim->set.until, sim->set.checkpoint};
  tni_sim_go_on_as(sim, &now);
  r->next_checkpoint = checkpoint_after(r, sim->set.checkpoint, sim->t_hi);
  return TN_OK;
}

/* repeat the steps from the checkpoint to the time after which the run continues */
static tn_status replay(tni_run *r, past *p) {
  tn_sim *sim = r->sim;
  r->noutput = output_after(r, sim->t_hi > sim->set.from ? sim->t_hi : -HUGE_VAL);
  r->next_output = r->append && sim->t_hi >= sim->set.until ? HUGE_VAL : tni_run_output_time(r, r->noutput);
  r->past = p;
  while (sim->t_hi < r->resume && sim->t_hi < sim->set.until) {
    TN_TRY(tni_run_store_passed(r));
    TN_TRY(tni_run_advance(r));
  }
  TN_TRY(store_until(r, r->resume));
  r->past = NULL;
  TN_TRY(leave_the_past(r));
  if (r->append) return TN_OK;
  r->noutput = output_after(r, r->resume);
  r->next_output = tni_run_output_time(r, r->noutput);
  return TN_OK;
}

static bool same_file(const char *a, const char *b) {
  struct stat sa, sb;
  return stat(a, &sa) == 0 && stat(b, &sb) == 0 && sa.st_dev == sb.st_dev && sa.st_ino == sb.st_ino;
}

/* were the settings of that run those of this one? */
static tn_status compare_settings(const tni_run *r, const past *p, bool *same) {
  tni_text now;
  tni_text_init(&now, r->ctx);
  bool ok = settings_json(r->sim, &now);
  *same = ok && strcmp(now.s, tni_results_get_info(p->in)->settings) == 0;
  tni_text_free(&now);
  return ok ? TN_OK : tni_out_of_memory(r->ctx);
}

/* The time asked for, a stored one if it is one but for rounding, and not behind the last. Else the
 * last checkpoint; in a file that is appended to the last row, unless the settings are others: then its
 * rows after the checkpoint cannot come again. */
static tn_status find_resume(tni_run *r, const past *p) {
  const tni_run_settings *s = &r->sim->set;
  double t = r->opts->restart_time, end = p->n ? fmax(s->from, p->time[p->n - 1]) : s->from;
  if (tni_results_ncheckpoint(p->in) > 0) {
    double last;
    TN_TRY(tni_results_read_checkpoint(p->in, HUGE_VAL, &last, r->checkpoint));
    end = fmax(end, last);
    r->resume = last;
  }
  if (r->append && end > s->until)
    return TN_FAIL(r->ctx, TN_ERR_INPUT,
                   "restart '%s': reaches %.10g s already, this run ends at %.10g s; name another "
                   "results file (--output)", r->opts->restart, end, s->until);
  if (r->append && !(t > 0)) {
    bool same;
    TN_TRY(compare_settings(r, p, &same));
    if (same) r->resume = end;
  }
  if (!(t > 0)) return TN_OK;
  for (long i = 0; i < p->n; i++)
    if (fabs(p->time[i] - t) <= 1e-9*s->every) t = p->time[i];
  r->resume = t;
  if (r->append && !r->opts->results && t < end)
    return TN_FAIL(r->ctx, TN_ERR_INPUT,
                   "restart '%s' at %.10g s: the rows up to %.10g s would be replaced; name a results "
                   "file (--output), the same one to allow that", r->opts->restart, t, end);
  if (t >= s->from && t <= end) return TN_OK;
  return TN_FAIL(r->ctx, TN_ERR_INPUT,
                 "restart '%s' at %.10g s: must be from %.10g s to %.10g s, the last time stored",
                 r->opts->restart, t, s->from, end);
}

/* The run begins again, as it did in that file: with its end, and before its first checkpoint. */
static tn_status begin_again(tni_run *r, const past *p) {
  tn_sim *sim = r->sim;
  tni_integrator *it = sim->it;
  const char *until = strstr(tni_results_get_info(p->in)->settings, "\"until\": ");
  double end = until ? strtod(until + strlen("\"until\": "), NULL) : sim->set.until;
  if (!it) return TN_OK;
  sim->earlier = (tni_run_before){it->opts.run, end, sim->set.checkpoint};
  if (end == sim->set.until) return TN_OK;
  sim->earlier = (tni_run_before){it->opts.run > 0 ? end - sim->set.from : 0, end, HUGE_VAL};
  tni_sim_go_on_as(sim, &sim->earlier);
  r->next_checkpoint = HUGE_VAL;
  it->opts.hmin = sim->set.min_step;
  return it->type->start(it, sim->set.from, sim->at.q, sim->at.v, sim->at.z);
}

static tn_status load_checkpoint(tni_run *r, const past *p) {
  tn_status st = tni_results_read_checkpoint(p->in, r->resume, &r->checkpoint_time, r->checkpoint);
  if (st == TN_ERR_ARGUMENT) return begin_again(r, p); /* none as early as that */
  TN_TRY(st);
  TN_TRY(tni_sim_load(r->sim, r->checkpoint));
  r->next_checkpoint = checkpoint_after(r, r->sim->earlier.checkpoint, r->sim->t_hi);
  return TN_OK;
}

static tn_status resume(tni_run *r, past *p, bool steps) {
  tn_sim *sim = r->sim;
  r->append = same_file(r->opts->restart, sim->sum.results);
  if (r->append && !steps)
    return TN_FAIL(r->ctx, TN_ERR_INPUT,
                   "restart '%s': only a run made of steps (type: transient) can go on in its file; "
                   "name another results file (--output)", r->opts->restart);
  const tni_results_info *info = tni_results_get_info(p->in);
  int nvalue = info->nappend, nstate = tni_sim_ncheckpoint(sim);
  if (info->ncheckpoint != nstate || nvalue != r->rec.nvalue)
    return TN_FAIL(r->ctx, TN_ERR_INPUT,
                   "restart '%s': its checkpoints have %d numbers and its rows %d, this run needs %d "
                   "and %d; the model, method or representation differs",
                   r->opts->restart, info->ncheckpoint, nvalue, nstate, r->rec.nvalue);
  p->n = tni_results_ntime(p->in);
  TNI_ARENA_NEW(&sim->arena, p->time, p->n);
  TNI_ARENA_NEW(&sim->arena, p->value, nvalue);
  TN_TRY(tni_results_read_times(p->in, 0, p->n, p->time));
  TN_TRY(find_resume(r, p));
  if (!r->append) r->kept = r->resume;
  if (!steps) return TN_OK;
  TN_TRY(load_checkpoint(r, p));
  if (r->append) TN_TRY(open_results(r, p->in));
  TN_TRY(replay(r, p));
  if (r->append) TN_TRY(tni_crew_settle(r->crew));
  if (r->append && tni_comm_of(r->ctx)) TN_TRY(tni_comm_barrier(tni_comm_of(r->ctx))); /* nobody reads the old file any more */
  if (r->append && r->out) TN_TRY(tni_results_publish(r->out));
  sim->sum.t_begin = fmax(r->resume, sim->set.from);
  return TN_OK;
}

/* Continue the run of a file; steps: it is one that is made of steps. */
static tn_status load_restart(tni_run *r, bool steps) {
  past p = {0};
  if (!r->opts || !r->opts->restart) return TN_OK;
  TN_TRY(tni_results_open(r->ctx, r->opts->restart, &p.in));
  tn_status st = resume(r, &p, steps);
  tni_results_close(&p.in);
  r->past = NULL;
  if (st == TN_OK) return TN_OK;
  tni_crew_destroy(&r->crew);
  tni_results_destroy(&r->out); /* what it would have replaced stays */
  r->sim->sum.results[0] = 0;
  r->sim->sum.stored = 0;
  return st;
}

tn_status tni_run_store_rest(void *run) {
  tni_run *r = run;
  TN_TRY(tni_run_heed_interrupt(r, r->sim->at.t));
  return tni_run_store(r);
}

/* what the user should know before the run, once a run */
static void warn_ahead(const tni_run *r, const tn_model *model) {
  const tn_sim *sim = r->sim;
  if (!r->opts || !r->opts->restart) tni_assembly_warn(r->ctx, model, &sim->assembly);
  if (!sim->it) return;
  if (sim->set.cut > 1.01)
    tni_log(r->ctx, TN_LOG_WARNING,
            "tolerance %g asks method '%s' for errors of a step below rounding; expect about %.1g",
            sim->set.tolerance, sim->it->type->name, sim->set.tolerance*sim->set.cut);
  for (int i = 0; i < model->nbeam && !sim->sum.fixed_step; i++) {
    const tni_beam *beam = &model->beam[i];
    if (beam->nelement == 0 || strcmp(model->force[beam->element0].type, "incremental") != 0) continue;
    tni_log(r->ctx, TN_LOG_WARNING,
            "%s:%d: beam '%s': element 'incremental' adds up strains from step to step, and method '%s' "
            "chooses its steps by an error that does not see it: results may differ by some per cent; use "
            "element: exact, or method: staggered", beam->item->at.file, beam->item->at.line, beam->name,
            sim->it->type->name);
    break;
  }
}

/* Rows of a run whose ranks have a piece of the state each are stored without bringing it together; for a page it comes together beside that. Energies
 * are then the same bits, watched or not. */
static tn_status choose_looks(tni_run *r) {
  double seen = watch(r) != NULL;
  if (!r->rec.share || r->ctx->looked) return TN_OK;
  TN_TRY(tni_comm_max(tni_comm_of(r->ctx), 1, &seen));
  r->shows = seen > 0;
  r->divides = !r->shows || r->sim->sum.results[0]; /* rows for the page alone are its rank's affair */
  return TN_OK;
}

static tn_status perform(tni_run *r, const tn_model *model) {
  const tni_analysis *analysis = tni_analysis_of(model->spec);
  bool steps = analysis->motion == TNI_MOTION_STEPS;
  TN_TRY(tni_sim_create(r->ctx, model, r->opts, steps, &r->sim));
  warn_ahead(r, model);
  r->next_output = tni_run_output_time(r, 0);
  r->next_checkpoint = checkpoint_after(r, r->sim->set.checkpoint, r->sim->set.from);
  TNI_ARENA_NEW(&r->sim->arena, r->checkpoint, tni_sim_ncheckpoint(r->sim));
  TN_TRY(tni_record_create(r->sim, &r->sim->arena, &r->rec));
  results_path(r->sim->model, r->opts, r->sim->sum.results, sizeof(r->sim->sum.results));
  TN_TRY(choose_looks(r));
  TN_TRY(load_restart(r, steps));
  return analysis->run(r);
}

/* displacements, in parts of its size, from which a structure is not in the place at rest any more */
static const double NOT_SMALL = 0.1;

static void warn_of_large(const tni_run *r) {
  const tni_parts *p = r->sim->s ? r->sim->s->parts : NULL;
  if (p) tni_parts_settle(r->sim->s);
  for (int i = 0; p && i < p->n; i++) {
    double most = 0;
    for (int k = 0; k < p->part[i].nv; k++)
      if (p->part[i].role[k] < TNI_ROLE_TURN) most = fmax(most, fabs(p->u[p->at[i] + k]));
    if (p->part[i].small && most > NOT_SMALL*p->part[i].size)
      tni_log(r->ctx, TN_LOG_WARNING, "structure '%s' has moved by %.3g m, its size is %.3g m: 'formulation: small' holds for "
              "displacements that are small beside it; 'formulation: large' for any", p->part[i].name, most, p->part[i].size);
  }
}

/* the run ended with st: finish the file, keep the first failure */
static tn_status finish(tni_run *r, tn_status st) {
  tn_summary *u = &r->sim->sum;
  if (st == TN_OK) st = tni_crew_settle(r->crew);
  u->outcome = st == TN_OK ? "complete" : st == TN_INTERRUPTED ? "stopped" : "failed";
  tni_sim_summarize(r->sim);
  if (st == TN_OK && r->sim->set.analysis->motion != TNI_MOTION_SMALL) warn_of_large(r);
  if (st == TN_OK && r->sim->doubt > 1) {
    size_t n = u->sound ? 0 : strlen(u->verdict);
    snprintf(u->verdict + n, sizeof(u->verdict) - n, "%s%s", u->sound ? "doubtful: " : "; ", r->sim->why_doubt);
    u->sound = false;
  }
  if (st != TN_OK) snprintf(u->error, sizeof(u->error), "%.500s", r->ctx->message);
  char message[TNI_MESSAGE_MAX];
  memcpy(message, r->ctx->message, sizeof(message));
  if (st != TN_OK && st != TN_INTERRUPTED) {
    u->sound = false;
    snprintf(u->verdict, sizeof(u->verdict), "doubtful: %.700s", message);
  }
  u->switches = (long)r->sim->switches.count;
  if (!r->out) return st;
  u->switches_stored = tni_results_nevent_stored(r->out);
  u->switches_left_out = (long)(r->sim->switches.count - r->switched) - u->switches_stored;
  char *json = NULL;
  tn_status end = tn_summary_json(r->ctx, u, &json);
  if (end == TN_OK) end = tni_results_set_verdict(r->out, u->verdict);
  if (end == TN_OK) end = tni_results_finish(r->out, u->outcome, json);
  tn_text_free(r->ctx, &json);
  if (st == TN_OK) return end;
  memcpy(r->ctx->message, message, sizeof(message));
  return st;
}

/* after a failure to write: the stored times are those that can be read back */
static void count_stored(tn_ctx *ctx, tn_summary *u) {
  char message[TNI_MESSAGE_MAX];
  tni_reader *in;
  memcpy(message, ctx->message, sizeof(message));
  if (tni_results_open(ctx, u->results, &in) == TN_OK) u->stored = tni_results_ntime(in);
  tni_results_close(&in);
  memcpy(ctx->message, message, sizeof(message));
}

static tn_status meet(tn_ctx *ctx, const tn_model *model, const tn_run_opts *opts,
                      tn_accuracy *out) {
  TN_TRY(tn_meet_tolerance(ctx, model, opts, out));
  TN_REQUIRE(ctx, out->met, TN_NOT_CONVERGED,
             "tolerance %g not met over the whole run: with %.1e for its steps the error is still "
             "%.1e; take another method, or ask for less", out->tolerance, out->working, out->error);
  return TN_OK;
}

static void note_accuracy(tn_summary *u, const tn_accuracy *a) {
  if (a->runs == 0) return;
  u->run_tolerance = a->tolerance;
  u->run_error = a->error;
  snprintf(u->run_reference, sizeof(u->run_reference), "%s at %.0e", a->reference.method,
           a->reference.tolerance);
}

static tn_status run_whole(tn_ctx *ctx, const tn_model *model, const tn_run_opts *opts,
                           tn_summary *summary) {
  tni_run r = {.ctx = ctx, .opts = opts, .checkpoint_time = NAN, .resume = -HUGE_VAL,
              .kept = -HUGE_VAL};
  memset(summary, 0, sizeof(*summary));
  summary->outcome = "failed";
  TN_REQUIRE(ctx, model, TN_ERR_ARGUMENT, "no model: was it compiled?");
  tn_run_opts working;
  tn_accuracy accuracy = {0};
  if (opts && opts->meet_tolerance) {
    tn_status met = meet(ctx, model, opts, &accuracy);
    if (met != TN_OK) ctx->interrupted = 0;
    TN_TRY(met);
    working = *opts;
    working.tolerance = accuracy.working;
    r.opts = &working;
  }
  tn_status st = perform(&r, model);
  if (r.sim) {
    note_accuracy(&r.sim->sum, &accuracy);
    st = finish(&r, st);
    *summary = r.sim->sum;
  }
  ctx->interrupted = 0; /* heeded, also when it came before the run */
  bool wrote = r.out != NULL, lost = wrote && tni_results_lost(r.out);
  tni_crew_destroy(&r.crew);
  tni_results_destroy(&r.out);
  tn_sim_destroy(&r.sim);
  if (st == TN_ERR_IO && lost) summary->results[0] = 0;
  else if (st == TN_ERR_IO && wrote) count_stored(ctx, summary);
  return st;
}

tn_status tn_run_sized(tn_ctx *ctx, const tn_model *model, const tn_run_opts *opts, tn_summary *summary,
                       size_t size) {
  tn_summary *whole;
  TN_TRY(tni_summary_check(ctx, summary, size));
  memset(summary, 0, size);
  whole = tni_alloc(ctx, 1, sizeof(*whole)); /* large */
  if (!whole) return tni_out_of_memory(ctx);
  tn_status st = run_whole(ctx, model, opts, whole);
  tni_summary_hand_over(whole, summary, size);
  tni_free(ctx, whole);
  return st;
}
