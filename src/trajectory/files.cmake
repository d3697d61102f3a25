set(room_files cosines.c gauss.c slab.c state_time.c trajectory.c)
