set(room_files beams.c ends.c exact.c truss.c turn.c)
