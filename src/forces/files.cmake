set(room_files along.c force.c list.c load.c spring.c torque.c)
