set(room_files read.c loads.c translate.c tables.c run.c)
