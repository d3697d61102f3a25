set(room_files geometry.c)
