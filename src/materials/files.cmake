set(room_files section.c)
