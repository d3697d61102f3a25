set(room_files ordering.c)
