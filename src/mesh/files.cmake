set(room_files cell.c mesh.c promote.c)
