/* output/results.h - the results file: one HDF5 file per run
 *
 * Layout (docs/user/results.md): everything is created before the run starts, then the file goes
 * into single-writer-multiple-reader mode and only grows. It is therefore readable while it is
 * written, and after Ctrl-C, kill -9 or a full disk up to the last flushed block.
 *
 *   writer:  create (or prepare ... publish) -> append ... / checkpoint ... -> finish -> destroy
 *   reader:  open -> read ... (refresh -> read ...) -> close
 *
 * This room knows no mechanics: channels have names, units and components.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_RESULTS_H
#define TNI_RESULTS_H

#include "base/base.h"

/* one recorded quantity: `ncomponent` numbers per stored time */
typedef struct tni_channel {
  const char *group;            /* "bodies", "joints", "sensors", "energy", "residuals" ...        */
  const char *name;             /* path below the group: "rod/position", "pin/reaction"            */
  const char *unit;             /* "m"; "" if none                                                 */
  int ncomponent;
  const char *const *component; /* [ncomponent] "x", "y", ...; NULL: one without a name            */
  const char *frame;            /* "ground", "body", "joint"; NULL: does not apply                 */
  const char *note;             /* e.g. "not unique: redundant constraints"; NULL: none            */
} tni_channel;

/* A mesh: nodes, and cells between them. What is stored of it over time are fields. */
typedef struct tni_mesh_info {
  const char *name;
  int nnode, ncell;
  const double *x;              /* writer: [nnode][3] at the beginning                             */
  const int *cell;              /* writer: nodes of the cells one after the other                  */
  const unsigned char *type;    /* writer: [ncell] as VTK counts them: 3 line, 21 line of three,
                                   10 tetrahedron, 12 hexahedron ... (tni_cell_nnode)              */
  const char *const *body;      /* [nnode] bodies that the nodes are, "" where a node is none of its
                                   own; NULL: nodes have no names                                  */
  int nconnect;                 /* reader: numbers in `cell`                                       */
  const int64_t *gid;           /* writer: [nnode] numbers that people know; NULL: counted from 0  */
  int ngroup;                   /* named groups of nodes                                           */
  const char *const *group;     /* [ngroup] their names                                            */
  const int *group_first;       /* [ngroup+1] where their nodes begin; writer: ascending, from 0   */
  const int *group_node;        /* writer: [group_first[ngroup]] nodes                             */
} tni_mesh_info;

/* `ncomponent` numbers per node or cell of a mesh and stored time */
typedef struct tni_field {
  int mesh;
  const char *name;             /* "position"                                                      */
  bool cells;                   /* one value per cell, else per node                               */
  int ncomponent;
  const char *const *component; /* as of channels                                                  */
  const char *unit, *frame, *note;
  int column;                   /* reader: of the first number; -1: not in the rows of /data       */
  bool apart;                   /* a dataset of its own, for large meshes: written at once, no channels of single
                                   nodes; such fields come after all others                        */
  bool single;                  /* apart: single precision in the file                             */
} tni_field;

/* numbers that are known when the file is made: a dataset of its own */
typedef struct tni_table {
  const char *path;             /* "modes/frequency"; not below a group of channels or a taken name */
  const char *unit;
  int nrow, ncolumn;            /* ncolumn 0: one number per row, no second dimension              */
  const double *values;         /* [nrow][ncolumn][nlayer]                                         */
  int nlayer;                   /* 0: no third dimension                                           */
} tni_table;

/* something that happened at one time, beside the rows: which element, what kind, some numbers. The names of
 * elements and kinds are known when the file is made. */
enum { TNI_EVENT_ELEMENT, TNI_EVENT_KIND, TNI_EVENT_IMPULSE, TNI_EVENT_NORMAL, /* before and after */
       TNI_EVENT_TANGENTIAL = TNI_EVENT_NORMAL + 2, TNI_EVENT_NVALUE = TNI_EVENT_TANGENTIAL + 2 };
extern const char *const tni_event_column[TNI_EVENT_NVALUE]; /* "element", "kind", "impulse", ...    */
extern const char *const tni_event_unit[TNI_EVENT_NVALUE];

typedef struct tni_results_info {
  const char *title;
  const char *model_text;       /* as read                                                         */
  const char *model_name;       /* file name as given                                              */
  const char *settings;         /* JSON object: method, tolerance, ... as used                     */
  const char *scene;            /* JSON object: geometry for pictures (scene.h); "": none          */
  int nchannel;
  const tni_channel *channel;
  int nmesh;
  const tni_mesh_info *mesh;
  int nfield;                   /* their numbers follow those of the channels in every row         */
  const tni_field *field;
  int nvalue;                   /* reader: numbers per row of /data                                */
  int nappend;                  /* reader: numbers that were appended at a time: the same and fields apart */
  const int *column;            /* reader: [nchannel] first component among those numbers          */
  int ntable;                   /* writer only                                                     */
  const tni_table *table;
  int nelement;                 /* that events may belong to; 0: the file has no events            */
  const char *const *element;   /* their names                                                     */
  int nkind;
  const char *const *kind;      /* words for kinds of events                                       */
  int ncheckpoint;              /* numbers in a checkpoint, 0: none                                */
  double flush_seconds;         /* writer: age at which a block is flushed, 0: 1 s                 */
  bool at_once;                 /* writer: no thread writes large frames behind the run            */
  int writers;                  /* writer: ranks that write fields apart and large checkpoints (crew.h); 0: it does all itself */
  const char *created;          /* reader: UTC, "2025-01-31T12:00:00Z"                             */
  const char *tenon_version;    /* reader: version that wrote the file                             */
} tni_results_info;

enum {
  TNI_SUMMARY_MAX = 64*1024,    /* bytes of a summary with its final zero                          */
  TNI_OUTCOME_MAX = 16,
  TNI_VERDICT_MAX = 1024,
  TNI_EVENTS_MAX = 100000,      /* events that are stored, of one element at most TNI_EVENTS_EACH: a
                                   contact that chatters must not fill the disk or hide the others */
  TNI_EVENTS_EACH = 10000,
  TNI_VIEWS_MAX = 10000         /* more channels than this: no /<group>/<name>, only /data         */
};

typedef struct tni_writer tni_writer;
typedef struct tni_reader tni_reader;

/* Create the file with everything but the numbers in it. Texts of info that are NULL are empty.
 * An existing file is refused unless overwrite; with overwrite the old file is replaced at the end,
 * when everything else succeeded, and a reader that has it open keeps it. What is no HDF5 file is
 * never replaced, and neither is a file that another run is writing. TN_ERR_IO with path and reason;
 * TN_ERR_ARGUMENT for a channel that cannot be stored (empty or double name, no component).
 * Everything is copied. */
TN_NODISCARD tn_status tni_results_create(tn_ctx *ctx, const char *path, bool overwrite,
                                          const tni_results_info *info, tni_writer **out);
/* The same in two steps: what is prepared can be written, but nobody sees it, and an old file stays,
 * until it is published. */
TN_NODISCARD tn_status tni_results_prepare(tn_ctx *ctx, const char *path, bool overwrite,
                                           const tni_results_info *info, tni_writer **out);
TN_NODISCARD tn_status tni_results_publish(tni_writer *w);
/* Append what another file with the same numbers per row and checkpoint has up to time t: rows,
 * steps, events, checkpoints. Sets the number of rows. */
TN_NODISCARD tn_status tni_results_copy(tni_writer *w, tni_reader *from, double t, long *nrow);
/* Append one stored time: values of all channels one after the other. Buffered; a block is flushed
 * when it is full or `flush_seconds` old. Files with large fields are written by a thread while the caller goes on: what fails there is
 * what the next call, or finish, returns. TN_ERR_IO: disk full, file removed, replaced or damaged by
 * others, and the like; what was flushed stays readable, and every later call fails the same way. No
 * allocation through the context. */
TN_NODISCARD tn_status tni_results_append(tni_writer *w, double t, const double *values);
/* The same, but large fields are not read yet when it returns, whether it fails or not: the thread takes them from `values`, which must stay as they are
 * until tni_results_take_back with the mark that tni_results_mark gave afterwards, or until finish or destroy. Two rows that take turns let the caller
 * fill one while the other is written; tni_results_lends: that is worth it. */
TN_NODISCARD tn_status tni_results_lend(tni_writer *w, double t, const double *values);
size_t tni_results_mark(const tni_writer *w);
void tni_results_take_back(tni_writer *w, size_t mark);
bool tni_results_lends(const tni_writer *w);
/* Store a state to continue from [ncheckpoint], after everything that was appended: flushed by the second; by the first it
 * may wait while the last flush is less than 50 ms ago, as rows do. */
TN_NODISCARD tn_status tni_results_add_checkpoint(tni_writer *w, double t, const double *state);
TN_NODISCARD tn_status tni_results_checkpoint(tni_writer *w, double t, const double *state);
/* Note a step of size h that ended at t. Buffered like the rows, allocates nothing. */
TN_NODISCARD tn_status tni_results_add_step(tni_writer *w, double t, double h);
/* Note an event, values [TNI_EVENT_NVALUE]. Buffered like the rows, allocates nothing; beyond the bounds above
 * nothing is stored. */
TN_NODISCARD tn_status tni_results_add_event(tni_writer *w, double t, const double *values);
long tni_results_nevent_stored(const tni_writer *w);
TN_NODISCARD tn_status tni_results_flush(tni_writer *w);
/* Write the summary (JSON), mark the run as "complete", "stopped" or "failed" and close the file.
 * A summary of TNI_SUMMARY_MAX bytes or more is refused with TN_ERR_ARGUMENT; try a shorter one. */
TN_NODISCARD tn_status tni_results_finish(tni_writer *w, const char *outcome,
                                          const char *summary_json);
/* After a failure: the file with that name is not the one of this writer any more. */
bool tni_results_lost(const tni_writer *w);
/* What the run says about itself, before finish: "sound" or "doubtful: ..."; cut if it is too long. */
TN_NODISCARD tn_status tni_results_set_verdict(tni_writer *w, const char *verdict);
/* Set *w to NULL; without finish the file is flushed and closed and its outcome stays "running". */
void tni_results_destroy(tni_writer **w);

/* Open for reading; also a file that is being written or whose writer was killed. */
TN_NODISCARD tn_status tni_results_open(tn_ctx *ctx, const char *path, tni_reader **out);
void tni_results_close(tni_reader **r); /* sets *r to NULL */
/* Look again at a file that is being written: more times, checkpoints, the outcome. */
TN_NODISCARD tn_status tni_results_refresh(tni_reader *r);
const tni_results_info *tni_results_get_info(const tni_reader *r); /* valid until close */
const char *tni_results_outcome(const tni_reader *r); /* "complete", "stopped", "failed", "running" */
const char *tni_results_verdict(const tni_reader *r); /* "" if none                            */
const char *tni_results_summary(const tni_reader *r); /* JSON, "" if none                     */
long tni_results_ntime(const tni_reader *r);
/* number of the channel called "name" or "group/name", -1: none */
int tni_results_find(const tni_reader *r, const char *name);
/* times [n]; values of a channel [n][ncomponent] for rows first..first+n-1 */
TN_NODISCARD tn_status tni_results_read_times(tni_reader *r, long first, long n, double *t);
TN_NODISCARD tn_status tni_results_read_channel(tni_reader *r, int channel, long first, long n,
                                                double *values);
/* [n][count] of the columns column..column+count-1, counted through the components of all channels
 * in their order: column 0 and the sum of ncomponent give the rows as they were appended */
TN_NODISCARD tn_status tni_results_read_columns(tni_reader *r, int column, int count, long first,
                                                long n, double *values);
/* what was appended as row number `row`, [nappend]; fields apart as precise as the file has them */
TN_NODISCARD tn_status tni_results_read_row(tni_reader *r, long row, double *values);
/* values [n][nodes or cells][ncomponent] of a field for rows first..first+n-1 */
TN_NODISCARD tn_status tni_results_read_field(tni_reader *r, int field, long first, long n,
                                              double *values);
/* places of the nodes of a mesh at the beginning [nnode][3] */
TN_NODISCARD tn_status tni_results_read_mesh(tni_reader *r, int mesh, double *x);
/* its cells: nodes [nconnect] one cell after the other, types [ncell] */
TN_NODISCARD tn_status tni_results_read_cells(tni_reader *r, int mesh, int *cell, unsigned char *type);
/* numbers that people know its nodes by [nnode] */
TN_NODISCARD tn_status tni_results_read_numbers(tni_reader *r, int mesh, int64_t *gid);
/* nodes of a group [group_first[group+1] - group_first[group]], ascending */
TN_NODISCARD tn_status tni_results_read_group(tni_reader *r, int mesh, int group, int *node);
/* numbers of a table of one column [*n, at most max]; *n 0: there is no such table */
TN_NODISCARD tn_status tni_results_read_table(tni_reader *r, const char *path, int max, double *values, int *n);
/* nodes of a cell of this type, 0: not known */
int tni_cell_nnode(int vtk_type);
/* numbers per node or cell times their count */
int tni_field_size(const tni_results_info *info, const tni_field *f);
/* Channels as readers see them: those of info, and for meshes whose nodes are bodies the nodes and cells by
 * name: bodies/<node>/position, beams/<mesh>/axial_force. Sets nchannel, channel and column of info, in the arena. */
TN_NODISCARD tn_status tni_results_expand(tni_arena *arena, tni_results_info *info);
/* steps that were noted, 0 for files without; ends and sizes [nstep], either may be NULL */
long tni_results_nstep(const tni_reader *r);
TN_NODISCARD tn_status tni_results_read_steps(tni_reader *r, double *t, double *h);
/* events first..first+n-1: times [n], values [n][TNI_EVENT_NVALUE]; either may be NULL */
long tni_results_nevent(const tni_reader *r);
TN_NODISCARD tn_status tni_results_read_events(tni_reader *r, long first, long n, double *t,
                                               double *values);
long tni_results_ncheckpoint(const tni_reader *r);
TN_NODISCARD tn_status tni_results_get_checkpoint(tni_reader *r, long i, double *t, double *state);
/* the last checkpoint at or before t (any: pass HUGE_VAL); state [info->ncheckpoint].
 * TN_ERR_ARGUMENT when there is none. */
TN_NODISCARD tn_status tni_results_read_checkpoint(tni_reader *r, double t, double *t_found,
                                                   double *state);

/* One component of a channel. select: those that match the pattern, "rod.position.x",
 * "bodies/rod/position" (all components), "pin.*"; points and slashes are the same, the group may be
 * left out, * and ? are wildcards. Of signals that differ by their group only the first is taken.
 * out [max]. TN_ERR_ARGUMENT with the nearest name when nothing matches, or too much. */
typedef struct tni_signal {
  int channel, component;
} tni_signal;
TN_NODISCARD tn_status tni_results_select(tni_reader *r, const char *pattern, tni_signal *out,
                                          int max, int *n);
void tni_results_component_unit(const tni_channel *c, int component, char *out, size_t n);

/* CSV of chosen columns with a header line "t [s],rod/position.x [m],..." and 17 significant
 * digits, handed to write in pieces; a status other than TN_OK from write ends the export and is
 * handed up. names: NULL or nname 0: all; else "rod/position" (all components), "rod/position.x",
 * "bodies/rod/position", with * and ? as wildcards. TN_ERR_ARGUMENT for a name that matches
 * nothing. Channels of the same name in two groups get the group in their header. */
typedef tn_status (*tni_write_fn)(void *user, const char *text, size_t n);
TN_NODISCARD tn_status tni_results_export_csv(tni_reader *r, const char *const *names, int nname,
                                              tni_write_fn write, void *user);
/* The events the same way, "t [s],element,kind,impulse [N s],..."; a number that means nothing is empty. */
TN_NODISCARD tn_status tni_results_export_events(tni_reader *r, tni_write_fn write, void *user);
/* Fields at the nodes of a group, "t [s],mesh,node,x [m],y [m],z [m],displacement.x [m],...": a line per stored time (time NULL;
 * else the nearest one) and node. group: "tip", "bracket/tip", or "*": all nodes. names: of fields, with wildcards; none: all.
 * What a mesh does not have is empty. */
TN_NODISCARD tn_status tni_results_export_group(tni_reader *r, const char *group, const char *const *names, int nname,
                                                const double *time, tni_write_fn write, void *user);
/* Bodies, meshes and their fields as a VTKHDF file (vtk.c), which replaces one of that name at the end. All stored
 * times, or the one nearest to *time, in an older format that more programs read. */
TN_NODISCARD tn_status tni_results_export_vtk(tni_reader *r, const char *path, const double *time);

#endif
