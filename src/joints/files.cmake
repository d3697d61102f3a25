set(room_files rows.c parts.c list.c fixed.c revolute.c prismatic.c cylindrical.c spherical.c steering.c
    universal.c constant_velocity.c planar.c screw.c inline.c inplane.c distance.c
    revolute_spherical.c revolute_revolute.c parallel.c perpendicular.c orientation.c gear.c
    rack_pinion.c coupler.c compound.c curve.c rolling.c rolling_sphere.c rolling_disk.c
    latch.c drive.c pin.c)
