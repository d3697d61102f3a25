set(room_files rows.c)
