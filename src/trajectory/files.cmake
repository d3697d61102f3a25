set(room_files cosines.c cosines_chain.c gauss.c slab.c state_time.c trajectory.c)
