set(room_files gauss.c slab.c state_time.c trajectory.c)
