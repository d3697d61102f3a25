set(room_files comm.c pool.c wave.c)
