set(room_files read.c matter.c loads.c nodes.c translate.c tables.c run.c)
