set(room_files compile.c)
