set(room_files language.c assemble.c check.c sim.c api.c)
