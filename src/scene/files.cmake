set(room_files geometry.c scene.c surface.c)
