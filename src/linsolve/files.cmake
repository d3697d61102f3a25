set(room_files kkt.c dense_lu.c fill.c reduced.c rank.c)
