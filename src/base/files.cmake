set(room_files base.c curve.c expr.c expr_parse.c file.c kinks.c late.c table.c)
