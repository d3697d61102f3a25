// What the viewer uses of three.js and uPlot, and nothing else: the bundler drops the rest.
// `make viewer-vendor` turns this into third-party.js.
import {
  Box3, BoxGeometry, BufferAttribute, BufferGeometry, Color, ConeGeometry, Curve,
  CylinderGeometry, DirectionalLight, DoubleSide, DynamicDrawUsage, Group, HemisphereLight,
  InstancedMesh, Line, LineBasicMaterial, LineSegments, Matrix4, Mesh, MeshBasicMaterial, MeshLambertMaterial,
  MeshPhongMaterial, PCFSoftShadowMap, PerspectiveCamera, PlaneGeometry, Quaternion, Raycaster,
  Scene, ShadowMaterial, SphereGeometry, TubeGeometry, Vector2, Vector3, WebGLRenderer
} from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import { ConvexGeometry } from 'three/examples/jsm/geometries/ConvexGeometry.js';
import uPlot from 'uplot';

globalThis.THREE = {
  Box3, BoxGeometry, BufferAttribute, BufferGeometry, Color, ConeGeometry, Curve,
  CylinderGeometry, DirectionalLight, DoubleSide, DynamicDrawUsage, Group, HemisphereLight,
  InstancedMesh, Line, LineBasicMaterial, LineSegments, Matrix4, Mesh, MeshBasicMaterial, MeshLambertMaterial,
  MeshPhongMaterial, PCFSoftShadowMap, PerspectiveCamera, PlaneGeometry, Quaternion, Raycaster,
  Scene, ShadowMaterial, SphereGeometry, TubeGeometry, Vector2, Vector3, WebGLRenderer,
  OrbitControls, ConvexGeometry
};
globalThis.uPlot = uPlot;
