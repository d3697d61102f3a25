set(room_files language.c assemble.c check.c api.c)
