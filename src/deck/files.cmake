set(room_files read.c translate.c tables.c run.c)
