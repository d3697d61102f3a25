set(room_files common.c cartesian.c cartesian_tangent.c conflict.c data.c discrete.c joint.c joint_aba.c joint_crb.c joint_cut.c joint_kin.c joint_newton.c joint_tangent.c layout.c nodes.c stress.c)
