set(room_files solid.c shape.c small.c core.c brick.c plane.c truss.c batch.c face.c)
