set(room_files csv.c h5.c json.c reader.c sink.c writer.c)
