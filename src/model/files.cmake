set(room_files spec.c check.c build.c measures.c sensors.c)
