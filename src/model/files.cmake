set(room_files spec.c check.c build.c look.c triangles.c measures.c sensors.c)
