set(room_files comm.c halo.c pool.c wave.c wave_ranks.c)
