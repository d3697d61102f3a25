set(room_files section.c matter.c elastic.c mises.c finite.c)
