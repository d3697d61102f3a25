set(room_files pool.c wave.c)
