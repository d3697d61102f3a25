set(room_files pool.c)
