set(room_files ordering.c tree.c)
