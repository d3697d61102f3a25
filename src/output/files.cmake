set(room_files axis.c canvas_png.c canvas_svg.c csv.c h5.c json.c plot.c reader.c scene.c scene_model.c
  select.c sink.c writer.c)
