set(room_files base.c)
