set(room_files ordering.c pieces.c tree.c)
