/* tenon/results.h - read what a run has stored
 *
 * A results file is readable while it is written, and after a crash up to the last flushed block.
 * Channels are named group/thing/quantity, e.g. "bodies/rod/position", "joints/pin/reaction".
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TN_RESULTS_H
#define TN_RESULTS_H

#include <stdint.h>

#include <tenon/context.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tn_results tn_results;

TN_API TN_NODISCARD tn_status tn_results_open(tn_ctx *ctx, const char *path, tn_results **out);
TN_API void tn_results_close(tn_results **results);

/* Texts are valid until close. */
TN_API const char *tn_results_title(const tn_results *results);
TN_API const char *tn_results_model_text(const tn_results *results);
TN_API const char *tn_results_model_name(const tn_results *results); /* file name as it was given */
TN_API const char *tn_results_created(const tn_results *results);  /* UTC, "2025-01-31T12:00:00Z" */
TN_API const char *tn_results_version(const tn_results *results);  /* of the library that ran     */
/* JSON: method, tolerance, ... as used; "set" has the parameters that were replaced */
TN_API const char *tn_results_settings(const tn_results *results);
TN_API const char *tn_results_outcome(const tn_results *results);  /* complete, stopped, failed, running */
/* what the run says about itself: "sound" or "doubtful: ..."; "" while it is running and in old files */
TN_API const char *tn_results_verdict(const tn_results *results);
TN_API const char *tn_results_summary(const tn_results *results);  /* JSON, "" if none          */
TN_API long tn_results_ntime(const tn_results *results);
TN_API long tn_results_nstep(const tn_results *results); /* 0: none noted (kinematics, old file) */
TN_API long tn_results_ncheckpoint(const tn_results *results);

TN_API int tn_results_nchannel(const tn_results *results);
/* Name, unit, number and names of components; NULL or 0 when the index is out of range. */
TN_API const char *tn_results_channel_name(const tn_results *results, int channel);
TN_API const char *tn_results_channel_unit(const tn_results *results, int channel);
TN_API const char *tn_results_channel_note(const tn_results *results, int channel); /* "" if none */
TN_API int tn_results_channel_size(const tn_results *results, int channel);
TN_API const char *tn_results_component_name(const tn_results *results, int channel, int component);
/* Unit of one component: a channel may hold forces and moments. "" if none; copied to out [n]. */
TN_API void tn_results_component_unit(const tn_results *results, int channel, int component,
                                      char *out, size_t n);
TN_API int tn_results_find(const tn_results *results, const char *name); /* -1: none */

/* times [ntime] and values [ntime][size]; either may be NULL */
TN_API TN_NODISCARD tn_status tn_results_read(tn_results *results, int channel, double *times,
                                              double *values);

/* Fields: quantities of all nodes or cells of a mesh (beam, cable) at once, [ntime][count][size]. Single nodes of
 * beams are channels as well, "bodies/arm.node[3]/position". */
TN_API int tn_results_nfield(const tn_results *results);
TN_API const char *tn_results_field_mesh(const tn_results *results, int field);  /* NULL: out of range */
TN_API const char *tn_results_field_name(const tn_results *results, int field);  /* "position"       */
TN_API const char *tn_results_field_unit(const tn_results *results, int field);
TN_API bool tn_results_field_on_cells(const tn_results *results, int field);
TN_API int tn_results_field_count(const tn_results *results, int field);         /* nodes or cells   */
TN_API int tn_results_field_size(const tn_results *results, int field);          /* numbers of each  */
TN_API const char *tn_results_field_component(const tn_results *results, int field, int component); /* NULL: it has no name */
TN_API int tn_results_find_field(const tn_results *results, const char *mesh, const char *name); /* -1 */
/* stored times first..first+n-1: values [n][count][size] */
TN_API TN_NODISCARD tn_status tn_results_read_field(tn_results *results, int field, long first, long n,
                                                    double *values);
/* places of the nodes of the mesh of a field as the run began, [nodes][3] */
TN_API TN_NODISCARD tn_status tn_results_read_nodes(tn_results *results, int field, double *x);
/* numbers that people know these nodes by, [nodes]: those of the mesh file */
TN_API TN_NODISCARD tn_status tn_results_read_numbers(tn_results *results, int field, int64_t *number);

/* Steps of the method: where each accepted one ended and how long it was, [nstep]; either may be
 * NULL. */
TN_API TN_NODISCARD tn_status tn_results_read_steps(tn_results *results, double *t, double *h);

/* Events: what has switched, and when. element: name of the contact, stop, spring, tyre or latch; kind:
 * "touch", "release", "stick", "slip", "stop reached", "stop left", "taut", "slack", "road edge", "locked",
 * "unlocked". Numbers that mean nothing there are NAN. Of chattering elements the first 10,000 are stored, of all
 * 100,000; "switches_left_out" in the summary counts the others. */
typedef struct {
  double t;
  const char *element, *kind; /* valid until close                                             */
  double impulse;             /* of the touch that ends or the latch that locks, N s or N m s   */
  double normal[2];           /* speed of approach before and after, m/s; of angles rad/s       */
  double tangential[2];       /* speed along the surface, m/s                                   */
} tn_event;
TN_API long tn_results_nevent(const tn_results *results);
/* events first..first+n-1, out [n] */
TN_API TN_NODISCARD tn_status tn_results_read_events(tn_results *results, long first, long n,
                                                     tn_event *out);

/* Signals, one component of one channel each, that match a pattern: "rod.position.x", "pin.reaction"
 * (all components), "rod.*"; points and slashes are the same, the group may be left out. Of
 * signals that differ by their group only the first is taken. out [max]. TN_ERR_ARGUMENT, with the
 * nearest name, when nothing matches; likewise when more than max do. */
typedef struct {
  int channel, component;
} tn_signal;
TN_API TN_NODISCARD tn_status tn_results_select(tn_results *results, const char *pattern,
                                                tn_signal *out, int max, int *n);

/* CSV of chosen channels through a callback: names as "rod/position" or "rod/position.x", * and ?
 * as wildcards; none means all. A status other than TN_OK from write ends the export. */
TN_API TN_NODISCARD tn_status tn_results_export_csv(tn_results *results, const char *const *names,
                                                    int nname,
                                                    tn_status (*write)(void *user, const char *text,
                                                                       size_t n),
                                                    void *user);

/* CSV of fields at the nodes of a group of a mesh ("tip", "bracket/tip", "*": all nodes), a line per stored time and node: time,
 * mesh, number and place of the node, fields (names with wildcards; none: all). time NULL: all stored times, else the nearest. */
TN_API TN_NODISCARD tn_status tn_results_export_group(tn_results *results, const char *group, const char *const *names,
                                                      int nname, const double *time,
                                                      tn_status (*write)(void *user, const char *text, size_t n),
                                                      void *user);

/* Bodies, meshes and their fields as a VTKHDF file for ParaView, which replaces a file of that name: all stored times,
 * or where time is not NULL the one nearest to it, which also older programs read. */
TN_API TN_NODISCARD tn_status tn_results_export_vtk(tn_results *results, const char *path,
                                                    const double *time);

/* CSV of all events through a callback; what means nothing is empty. */
TN_API TN_NODISCARD tn_status tn_results_export_events(tn_results *results,
                                                       tn_status (*write)(void *user, const char *text,
                                                                          size_t n),
                                                       void *user);

#ifdef __cplusplus
}
#endif
#endif
