set(room_files behind.c comm.c halo.c pool.c wave.c wave_ranks.c)
