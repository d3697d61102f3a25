set(room_files axis.c canvas_png.c canvas_svg.c copy.c crew.c csv.c csv_group.c fields.c frames.c h5.c json.c plot.c reader.c
  reader_mesh.c seat.c select.c sink.c vtk.c writer.c writer_contents.c)
