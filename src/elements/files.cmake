set(room_files beams.c ends.c exact.c incremental.c limit.c quadratic.c truss.c turn.c)
