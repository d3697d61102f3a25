set(room_files spec.c switch.c check.c build.c look.c triangles.c measures.c sensors.c)
