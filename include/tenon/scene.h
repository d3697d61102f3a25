/* tenon/scene.h - what a viewer needs of a run: shapes, frames of motion, signals
 *
 *   tn_scene_open         from a results file, thinned out to a size that can be mailed
 *   tn_scene_write        the scene format (docs/develop/scene-format.md), binary
 *   tn_scene_write_page   one self-contained HTML page that animates and plots it, offline
 *
 * The same page shows a run that is still going on: tn_run_opts.watch hands out the frames.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TN_SCENE_H
#define TN_SCENE_H

#include <tenon/context.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tn_scene tn_scene;

/* Zero in a field means "library default"; start from {0}. */
typedef struct {
  size_t max_bytes; /* of the frames, default 3 MB; many bodies may take up to eight times that */
  long max_frames;  /* default 4000                                                             */
  bool fields_apart; /* fields of meshes stay in the results file: tn_scene_read_field          */
} tn_scene_opts;

typedef struct {
  long stored;        /* times in the results file                                    */
  long frames;        /* of them in the scene                                         */
  int bodies;
  int signals;        /* columns that can be plotted                                  */
  int left_out;       /* columns of the results that were left out for their size     */
  size_t bytes;       /* of the scene in the scene format                             */
  double t_begin, t_end;
  char note[200];     /* one line when something was left out, else ""                */
  int meshes, faces;  /* meshes of structures, triangles of their skins               */
  int fields;         /* quantities of meshes                                         */
  bool statics;       /* frames are equilibria, times are loads                       */
  size_t field_bytes; /* that all fields of all frames take                           */
} tn_scene_info;

/* A status other than TN_OK from a write function ends the writing and is handed up. */
typedef tn_status (*tn_write_fn)(void *user, const char *bytes, size_t n);

/* Read a results file. opts may be NULL. TN_ERR_INPUT when it holds no body and no mesh, or no time.
 * Free with tn_scene_close. */
TN_API TN_NODISCARD tn_status tn_scene_open(tn_ctx *ctx, const char *path, const tn_scene_opts *opts,
                                            tn_scene **out);
TN_API void tn_scene_close(tn_scene **scene); /* sets *scene to NULL */
TN_API const tn_scene_info *tn_scene_get_info(const tn_scene *scene); /* valid until close */

TN_API TN_NODISCARD tn_status tn_scene_write(tn_scene *scene, tn_write_fn write, void *user);
TN_API TN_NODISCARD tn_status tn_scene_write_page(tn_scene *scene, tn_write_fn write, void *user);

/* A field of a scene with fields_apart: numbers in a frame, components of a node; the numbers of a frame [size] as
 * [node][component]; least and largest of every component over all frames, then those of the magnitude [components + 1]. */
TN_API size_t tn_scene_field_size(const tn_scene *scene, int field);
TN_API int tn_scene_field_components(const tn_scene *scene, int field);
TN_API TN_NODISCARD tn_status tn_scene_read_field(tn_scene *scene, int field, long frame, float *values);
TN_API TN_NODISCARD tn_status tn_scene_field_range(tn_scene *scene, int field, double *low, double *high);

/* The page without a scene in it: it asks the server it came from for `scene` and, while a run goes
 * on, for `frames?from=N`. The bytes live as long as the library. */
TN_API const char *tn_page_get(size_t *n);

/* ---- a run that is going on ---------------------------------------------------------------- */

/* Functions called by tn_run in its own thread; they should return at once. A live scene has one
 * 32-bit float per number of a stored row, so that a frame is the row as it comes. */
typedef struct {
  void *user; /* borrowed */
  /* once, before the first frame: the scene format without frames, nvalue numbers per frame */
  void (*begin)(void *user, const char *scene, size_t n, int nvalue);
  void (*frame)(void *user, double t, const double *value);
  /* Rows that go into a results file are made anyway. Without one, those rows are handed out that
   * take at most this share of the time of the run, always the first and the last; 0: all. */
  double budget;
  /* What switches at time t, as it is stored under /events: the number of the element and of the kind in the lists of the scene's
   * `events`, and the impulse, NAN where there is none. May be NULL. */
  void (*event)(void *user, double t, int element, int kind, double impulse);
} tn_watch;

#ifdef __cplusplus
}
#endif
#endif
