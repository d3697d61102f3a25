set(room_files scalar.c)
