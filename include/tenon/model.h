/* tenon/model.h - from a model file, or from a program, to a compiled model
 *
 *   tn_spec    the editable description: what a model file contains
 *   tn_model   the compiled model, constant from then on
 *
 * A spec is read from YAML or JSON, or made in a program with the same words:
 *
 *   tn_spec_create(ctx, &spec);
 *   tn_spec_add(spec, "bodies", "rod", NULL);
 *   tn_spec_set(spec, "bodies", "rod", "mass", "0.5");
 *   tn_spec_add(spec, "joints", "pin", "revolute");
 *   tn_spec_set(spec, "joints", "pin", "bodies", "[ground, rod]");
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TN_MODEL_H
#define TN_MODEL_H

#include <tenon/context.h>
#include <tenon/force.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tn_spec tn_spec;
typedef struct tn_model tn_model;

/* Read a model file. overrides: noverride texts "name=value" that replace parameters; may be NULL.
 * Returns TN_ERR_INPUT with a message of one line: file, line, value, what is allowed, a hint. */
TN_API TN_NODISCARD tn_status tn_spec_read_file(tn_ctx *ctx, const char *path,
                                                const char *const *overrides, int noverride,
                                                tn_spec **out);
/* The same from text in memory; name stands for the file name in messages. */
TN_API TN_NODISCARD tn_status tn_spec_read_text(tn_ctx *ctx, const char *name, const char *text,
                                                const char *const *overrides, int noverride,
                                                tn_spec **out);

/* An empty spec; add an item of a section (type NULL where the section has none); set a key of an
 * item from the YAML text of its value. section "" addresses the document itself (title, gravity,
 * planar ...), name is ignored for single sections (analysis, output, ground). */
TN_API TN_NODISCARD tn_status tn_spec_create(tn_ctx *ctx, tn_spec **out);
TN_API TN_NODISCARD tn_status tn_spec_add(tn_spec *spec, const char *section, const char *name,
                                          const char *type);
TN_API TN_NODISCARD tn_status tn_spec_set(tn_spec *spec, const char *section, const char *name,
                                          const char *key, const char *yaml);
/* Destroy and set to NULL; every model compiled from it must be gone. */
TN_API void tn_spec_destroy(tn_spec **spec);

/* JSON Schema of the input language, and the input reference as Markdown. Copied into buffers that
 * the caller frees with tn_text_free. */
TN_API TN_NODISCARD tn_status tn_input_schema(tn_ctx *ctx, char **out);
TN_API TN_NODISCARD tn_status tn_input_reference(tn_ctx *ctx, char **out);

/* Compile. The spec is borrowed and must outlive the model. */
TN_API TN_NODISCARD tn_status tn_model_compile(tn_ctx *ctx, const tn_spec *spec, tn_model **out);
TN_API void tn_model_destroy(tn_model **model);

/* Attach a function to a force of type callback. user is borrowed and handed to the function. Must
 * be done before the model is checked or run. Returns TN_ERR_ARGUMENT when the model has no such
 * force or it is of another type. */
TN_API TN_NODISCARD tn_status tn_model_set_callback(tn_model *model, const char *force,
                                                    tn_force_fn fn, void *user);

/* Attach a function to a controller of type sampled, likewise. */
TN_API TN_NODISCARD tn_status tn_model_set_controller(tn_model *model, const char *force,
                                                      tn_controller_fn fn, void *user);

/* Sizes and names. Index out of range gives NULL; an unknown name gives -1. */
TN_API int tn_model_nbody(const tn_model *model);
TN_API int tn_model_njoint(const tn_model *model);
TN_API int tn_model_nforce(const tn_model *model);
TN_API const char *tn_model_title(const tn_model *model);
TN_API const char *tn_model_body_name(const tn_model *model, int body);
TN_API const char *tn_model_joint_name(const tn_model *model, int joint);
TN_API int tn_model_find_body(const tn_model *model, const char *name);
TN_API int tn_model_find_joint(const tn_model *model, const char *name);
TN_API const char *tn_model_force_name(const tn_model *model, int force);
TN_API int tn_model_find_force(const tn_model *model, const char *name);
/* sensors, those of `record:` too; size: numbers of one */
TN_API int tn_model_nsensor(const tn_model *model);
TN_API const char *tn_model_sensor_name(const tn_model *model, int sensor);
TN_API int tn_model_find_sensor(const tn_model *model, const char *name);
TN_API int tn_model_sensor_size(const tn_model *model, int sensor);
TN_API bool tn_model_is_planar(const tn_model *model);

/* For pictures. Centre of mass in the body frame; false: no such body. */
TN_API bool tn_model_body_com(const tn_model *model, int body, double com[3]);
/* The two bodies of a joint (-1: ground) and the points of the joint in their frames; false: no such
 * joint, or one without a place, like gears and prescribed motions. */
TN_API bool tn_model_joint_points(const tn_model *model, int joint, int body[2], double p[2][3]);
/* Beams, trusses and cables: the body of a node (-1: ground) and its point in the frame of the body;
 * false: no such beam or node. */
TN_API int tn_model_nbeam(const tn_model *model);
TN_API bool tn_model_beam_node(const tn_model *model, int beam, int node, int *body, double p[3]);

#ifdef __cplusplus
}
#endif
#endif
