set(room_files node.c value.c read.c repeat.c schema.c reference.c)
