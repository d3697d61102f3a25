set(room_files cosines.c cosines_chain.c cosines_points.c gauss.c slab.c state_time.c state_time_cosines.c trajectory.c)
