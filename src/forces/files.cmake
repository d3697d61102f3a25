set(room_files along.c beam_load.c bushing.c callback.c contact.c contact_core.c contact_shape.c contact_touch.c
               control.c force.c friction.c impact.c joint_force.c law.c list.c load.c spring.c stop.c torque.c
               torsion_spring.c tyre.c)
