/* model/sensors.h - what is recorded beside the state
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TNI_SENSORS_H
#define TNI_SENSORS_H

#include "model/build.h"

/* the types of the section `sensors`, one line each */
#define TNI_SENSOR_LIST(X) \
  X(position)              \
  X(velocity)              \
  X(acceleration)          \
  X(angular_velocity)      \
  X(angular_acceleration)  \
  X(coordinate)            \
  X(rate)                  \
  X(reaction)              \
  X(effort)                \
  X(force)                 \
  X(impulse)               \
  X(energy)                \
  X(element)               \
  X(strain_energy)         \
  X(expression)

#define X(name) +1
enum { TNI_SENSOR_NTYPE = TNI_SENSOR_LIST(X) };
#undef X
extern const tni_type *const tni_sensor_types[TNI_SENSOR_NTYPE];

/* Add the sensor of an item of the section `sensors`. */
tn_status tni_build_sensor(tni_builder *b, const tni_item *item);

/* Add a sensor by its short form, as in `output: {record: [...]}`:
 *   rod.position  rod.tip.velocity  rod.acceleration  rod.angular_velocity
 *   pin.angle  pin.angle.rate  pin.rate  pin.reaction  pin.effort  spring1.force  floor.impulse
 *   mast.element[2].strain  mast.element[2].resultant  mast.strain_energy
 *   energy  energy.kinetic  any expression with a parenthesis, as angle(pin)/2
 * The name of a sensor that exists already adds nothing. item is blamed in messages. */
tn_status tni_build_sensor_short(tni_builder *b, const tni_item *item, const char *text);

/* out [ncomponent]. acc [6 nbody] accelerations (v', angular in body components), wrench
 * [6 njoint] reactions on body[1] at frame 1 in ground axes, force_value [nforce], energy =
 * kinetic, potential, dissipated, input, total. What the sensor does not need may be NULL. Sensors
 * of elements and efforts are evaluated by the system, which has the forces. */
void tni_sensor_eval(const tni_sensor *s, const tni_env *env, const double *acc,
                     const double *wrench, const double *force_value, const double energy[5],
                     double *out);

#endif
