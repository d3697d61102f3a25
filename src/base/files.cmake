set(room_files base.c expr.c expr_parse.c table.c)
