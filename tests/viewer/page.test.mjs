// The page in a real browser: does it load, are things where they should be, do the controls work.
//   node page.test.mjs path/to/tenon source-dir page|speed
//
// SPDX-License-Identifier: BSD-3-Clause
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Browser } from './browser.mjs';
import { carried, cube, intoPage, manyBodies, parts, waves } from './make_scene.mjs';

const [tenon, source, what] = process.argv.slice(2);
const scratch = mkdtempSync(join(tmpdir(), 'tenon-viewer-'));
let failures = 0, checks = 0;

function check(ok, text) {
  checks++;
  if (ok) return;
  failures++;
  console.log(`failed: ${text}`);
}
function near(got, want, tolerance, text) {
  check(Math.abs(got - want) <= tolerance, `${text} = ${got}, want ${want} within ${tolerance}`);
}
const sleep = ms => new Promise(done => setTimeout(done, ms));
const run = (...args) => execFileSync(tenon, args, {cwd: scratch, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe']});
const url = file => `file://${join(scratch, file)}`;
const small = {width: 700, height: 520}; // quicker to draw

async function noErrors(page, text) {
  check(page.errors.length === 0, `${text}: the page complains: ${page.errors.join(' | ')}`);
}

// ---- the slider-crank: closed forms for every place ---------------------------------------------

const SPEED = 12.57, CRANK = 0.08, ROD = Math.hypot(0.3, 0.08);

async function bodiesAreWhereTheyShouldBe(page) {
  for (const t of [0, 0.1, 0.37, 1.234, 2]) {
    await page.eval(`tenon.still(${t})`);
    const a = SPEED*t, x = CRANK*Math.sin(a), z = CRANK*Math.cos(a);
    const crank = await page.eval(`tenon.stage.drawn(0)`), rod = await page.eval(`tenon.stage.drawn(1)`);
    // between stored times the viewer goes straight: an arc of 0.1257 rad has a height of 2e-3 radii
    const stored = Math.abs(t/0.01 - Math.round(t/0.01)) < 1e-9, tolerance = stored ? 2e-6 : 2.1e-3*CRANK;
    near(crank.position[0], x/2, tolerance, `crank.x at ${t} s`);
    near(crank.position[2], z/2, tolerance, `crank.z at ${t} s`);
    // the rod is a bar: its middle lies between the crank pin and the piston, its x axis along it
    const s = x + Math.sqrt(ROD*ROD - z*z);
    near(rod.position[0], (x + s)/2, tolerance, `rod.x at ${t} s`);
    near(rod.position[2], z/2, tolerance, `rod.z at ${t} s`);
    near(rod.x[0], (s - x)/ROD, stored ? 1e-4 : 5e-3, `direction of the rod at ${t} s`);
    near(rod.x[2], -z/ROD, stored ? 1e-4 : 5e-3, `direction of the rod at ${t} s`);
  }
}

async function theVerdictIsShown(page) {
  const subtitle = await page.eval(`document.getElementById('subtitle').textContent`);
  check(subtitle.startsWith('sound'), `the verdict is not in '${subtitle}'`);
  const shown = verdict => page.eval(`(() => {
    tenon.scene.head.verdict = '${verdict}';
    tenon.subtitle();
    const s = document.getElementById('subtitle');
    return [s.textContent, getComputedStyle(s).color];
  })()`);
  const [doubt, red] = await shown('doubtful: open by 3 mm'), [, quiet] = await shown('sound');
  check(doubt.startsWith('doubtful: open by 3 mm'), `the doubt and its reason are not in '${doubt}'`);
  check(red !== quiet, 'a doubtful run looks like a sound one');
}

async function scrubbingMovesTime(page) {
  const r = await page.eval(`(r => [r.left, r.width, r.top + r.height/2])(document.getElementById('scrub').getBoundingClientRect())`);
  await page.click(r[0] + 0.75*r[1], r[2]);
  const t = await page.eval('tenon.player.time');
  near(t, 1.5, 0.05, 'time after a click at three quarters of the slider');
  check((await page.eval(`document.getElementById('clock').textContent`)).startsWith(t.toFixed(3)), 'the clock shows the time');
  await page.eval('document.activeElement.blur()');
  await page.key('Home');
  near(await page.eval('tenon.player.time'), 0, 0, 'time after the key home');
  await page.key('ArrowRight');
  near(await page.eval('tenon.player.time'), 0.01, 1e-9, 'time after one frame on');
  await page.key('End');
  near(await page.eval('tenon.player.time'), 2, 1e-9, 'time after the key end');
}

async function playingRunsInRealTime(page) {
  await page.eval('tenon.seek(0)');
  await page.key(' ', 'Space');
  const [t0, w0] = await page.eval('[tenon.player.time, performance.now()]');
  await sleep(500);
  await page.until(`tenon.player.time > ${t0}`);
  const [t1, w1] = await page.eval('[tenon.player.time, performance.now()]');
  await page.key(' ', 'Space');
  check(!(await page.eval('tenon.player.playing')), 'space stops');
  // a slow machine may lose time (a step is at most 0.25 s), never gain it
  check(t1 > t0 && t1 - t0 <= (w1 - w0)/1000 + 0.1, `played ${t1 - t0} s in ${(w1 - w0)/1000} s`);
  await page.key(']', 'BracketRight');
  near(await page.eval('tenon.player.speed'), 2, 0, 'speed after the key ]');
  await page.key('[', 'BracketLeft');
  await page.eval('tenon.player.seek(1.99); tenon.player.play(); tenon.player.advance(0.05); tenon.player.play(false)');
  near(await page.eval('tenon.player.time'), 0.04, 1e-6, 'time after the end in a loop');
}

async function clickingSelects(page) {
  await page.eval('tenon.still(0.1)');
  for (const [i, name] of [[1, 'rod'], [0, 'crank']]) {
    const p = await page.eval(`(() => { const r = tenon.stage.element.getBoundingClientRect(), p = tenon.stage.project(${i}); return [r.left + p.x, r.top + p.y]; })()`);
    await page.click(...p);
    check(await page.eval('tenon.selected') === i, `a click on the ${name} selects it`);
    const text = await page.eval(`document.getElementById('detail').textContent`);
    check(text.includes(name) && text.includes('position [m]') && text.includes('velocity'), `numbers of the ${name} are shown`);
  }
  await page.key('Escape');
  check(await page.eval('tenon.selected') === -1, 'escape lets go');
}

async function plotsFollow(page) {
  check(await page.eval('tenon.plots.panels.length') >= 2, 'what the model records is plotted, by unit');
  for (const t of [0.5, 1.5]) {
    await page.eval(`tenon.still(${t})`);
    const [x, width] = await page.eval(`(p => [p.line.getBoundingClientRect().left + 0.75 - p.plot.over.getBoundingClientRect().left, p.plot.over.clientWidth])(tenon.plots.panels[0])`);
    near(x, width*t/2, 1, `cursor of the plot at ${t} s`);
  }
  const r = await page.eval(`(r => [r.left, r.top, r.width, r.height])(tenon.plots.panels[1].plot.over.getBoundingClientRect())`);
  await page.click(r[0] + 0.25*r[2], r[1] + 0.5*r[3]);
  near(await page.eval('tenon.player.time'), 0.5, 0.02, 'time after a click in a plot');
  await page.eval(`tenon.plots.set(['bodies/crank/position.x'])`);
  const shown = await page.eval(`Number(tenon.plots.panels[0].values[0].textContent)`);
  near(shown, 0.04*Math.sin(SPEED*0.5), 2e-3, 'value in the legend');
  await page.eval('tenon.plots.chooseDefault()');
}

// half widths of what is drawn, all times, in units of the window
const extent = `(() => { const s = tenon.stage, p = s.camera.position.clone(); s.camera.updateMatrixWorld(); let x = 0, y = 0;
  for (let i = 0; i < s.seen.length; i += 3) { p.fromArray(s.seen, i).project(s.camera); x = Math.max(x, Math.abs(p.x)); y = Math.max(y, Math.abs(p.y)); }
  return [x, y]; })()`;

async function layersSwitch(page) {
  for (const key of ['r', 'x', 't', 'g']) await page.key(key);
  const show = await page.eval('tenon.stage.show');
  check(show.reactions && show.axes && show.trails && !show.grid, `keys switch layers: ${JSON.stringify(show)}`);
  const length = await page.eval(`(() => { tenon.still(0.1); const m = tenon.stage.arrows.all[0]; const a = m.group.mesh.instanceMatrix.array; return Math.hypot(a[16*m.index], a[16*m.index+1], a[16*m.index+2]); })()`);
  check(length > 0, 'arrows of reactions have a length');
  const drawn = await page.eval(`[...tenon.stage.trails.values()].map(l => l.visible && l.geometry.drawRange.count)`);
  check(drawn.length === 2 && drawn.every(n => n === 11), `trails go up to the time: ${drawn}`);
  for (const key of ['r', 'x', 't', 'g']) await page.key(key);
  const looks = [['1', [0, -1, 0]], ['2', [1, 0, 0]], ['3', [0, 0, 1]], ['4', [0, 1, 0]], ['5', [-1, 0, 0]], ['6', [0, 0, -1]]];
  for (const [key, want] of looks) {
    await page.key(key);
    const d = await page.eval(`tenon.stage.camera.position.clone().sub(tenon.stage.controls.target).normalize().toArray()`);
    for (let k = 0; k < 3; k++) near(d[k], want[k], 1e-3, `view ${key} looks from ${want}`);
    const [x, y] = await page.eval(extent);
    check(x <= 1 && y <= 1 && Math.max(x, y) > 0.7, `view ${key} shows everything and fills the window: ${x}, ${y}`);
  }
  await page.key('0');
  await page.eval('tenon.stage.camera.position.multiplyScalar(7); tenon.stage.controls.update()');
  await page.key('f');
  const [x, y] = await page.eval(extent);
  check(x <= 1 && y <= 1 && Math.max(x, y) > 0.7, `the key f fits everything: ${x}, ${y}`);
  await page.key('l');
  check(await page.eval(`!tenon.player.loop && document.getElementById('loop').getAttribute('aria-pressed') === 'false'`), 'the key l ends the loop');
  await page.eval('tenon.player.seek(1.99); tenon.player.play(); tenon.player.advance(0.05)');
  check(await page.eval('tenon.player.time === 2 && !tenon.player.playing'), 'without a loop it stops at the end');
  await page.key('l');
  await page.eval(`(s => { s.value = 0.5; s.dispatchEvent(new Event('change')); })(document.getElementById('speed'))`);
  near(await page.eval('tenon.player.speed'), 0.5, 0, 'speed from the list');
  await page.eval('tenon.player.setSpeed(1)');
  await page.key('?');
  check(await page.eval(`document.getElementById('help').open`), 'the key ? opens the help');
  const help = await page.eval(`document.getElementById('help').textContent`);
  for (const word of ['play', 'loop', 'faster', 'fit', 'trails', 'reactions']) check(help.includes(word), `the help says '${word}'`);
  await page.key('Escape');
}

async function picturesAreStable(page) {
  await page.mouse('mouseMoved', 5, 5, {button: 'none'});
  await page.eval(`tenon.setLayer('shadows', true)`);
  const canvas = t => page.eval(`(tenon.still(${t}), tenon.stage.renderer.domElement.toDataURL())`);
  const first = await canvas(0.2), other = await canvas(0.9), again = await canvas(0.2);
  check(first.length > 10000, `a scene of ${first.length} bytes is not empty`);
  check(first === again, 'the same time gives the same scene');
  check(first !== other, 'another time gives another scene');
  // the whole page, once it has settled: a hover or a focus ring may fade
  let picture = await page.picture(), stable = false;
  check(picture.length > 20000, `a page of ${picture.length} bytes is not empty`);
  for (let k = 0; k < 10 && !stable; k++) {
    const next = await page.picture();
    stable = next.equals(picture);
    picture = next;
  }
  check(stable, 'a page at rest stays as it is');
}

async function themesDiffer(page) {
  const dark = async () => page.eval(`[document.documentElement.dataset.theme, tenon.stage.world.background.r]`);
  const [name, red] = await dark();
  check(name === 'dark' && red < 0.1, 'a dark desktop gets a dark page');
  await page.key('d');
  const [after, light] = await dark();
  check(after === 'light' && light > 0.7, 'the key d makes it light');
}

async function resizes(page) {
  for (const [width, height] of [[1920, 1080], [700, 500]]) {
    await page.send('Emulation.setDeviceMetricsOverride', {width, height, deviceScaleFactor: 1, mobile: false});
    await page.until(`tenon.stage.renderer.domElement.clientWidth === tenon.stage.element.clientWidth && innerWidth === ${width}`);
    const [over, w] = await page.eval(`[document.documentElement.scrollWidth > innerWidth, tenon.stage.element.clientWidth]`);
    const [x, y] = await page.eval(extent);
    check(x <= 1 && y <= 1 && Math.max(x, y) > 0.7, `at ${width} x ${height} everything is shown: ${x}, ${y}`);
    check(!over && w > 300, `at ${width} x ${height} nothing sticks out and the scene is ${w} wide`);
  }
}

// ---- scenes made by hand ---------------------------------------------------------------------------

// time to draw, the best of some tries: the machine may have other things to do
async function framesPerSecond(page, frames) {
  return page.eval(`(() => {
    const gl = tenon.stage.renderer.getContext(), one = new Uint8Array(4);
    let best = Infinity;
    for (let k = 0; k < 5; k++) {
      const begin = performance.now();
      for (let f = 0; f < ${frames}; f++) {
        tenon.player.seek(tenon.scene.begin + tenon.scene.duration*(f + k/5)/${frames});
        tenon.stage.render();
        gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, one); // waits until it is drawn
      }
      best = Math.min(best, performance.now() - begin);
    }
    return 1000*${frames}/best;
  })()`);
}

async function thousandBodies(browser, template, size) {
  writeFileSync(join(scratch, 'many.html'), intoPage(template, manyBodies(1000)));
  const page = await browser.open(url('many.html#play=0'), size);
  check(await page.ready() === 'yes', 'a thousand bodies load');
  const p = await page.eval(`(tenon.still(1), tenon.stage.drawn(777).position)`);
  near(p[0], 777 % 32 + 0.2*Math.cos(1 + 777), 1e-5, 'body 777 of 1000');
  await noErrors(page, 'a thousand bodies');
  return page;
}

async function thousandBodiesMove(browser, template) {
  const page = await thousandBodies(browser, template);
  const fps = await framesPerSecond(page, 10);
  const size = await page.eval('[tenon.stage.element.clientWidth, tenon.stage.element.clientHeight].join(" x ")');
  console.log(`1000 bodies: ${fps.toFixed(0)} frames a second, scene of ${size} in a page of 1280 x 720, software renderer`);
  check(fps >= 30, `1000 bodies at ${fps.toFixed(1)} frames a second, want 30`);
  await page.eval('tenon.bare(true)');
  const full = await framesPerSecond(page, 10);
  console.log(`1000 bodies: ${full.toFixed(0)} frames a second, scene of 1280 x 720`);
  check(full >= 30, `1000 bodies at ${full.toFixed(1)} frames a second in a scene of 1280 x 720, want 30`);
}

async function largeMeshLoads(browser, template) {
  writeFileSync(join(scratch, 'mesh.html'), intoPage(template, waves(320, 313)));
  const begin = Date.now(), page = await browser.open(url('mesh.html#t=0'));
  check(await page.ready() === 'yes', 'a mesh of 100,160 elements loads');
  await page.eval('tenon.still(0)');
  const seconds = (Date.now() - begin)/1000;
  console.log(`mesh of 100,160 elements: drawn after ${seconds.toFixed(2)} s`);
  check(await page.eval('tenon.stage.forms[0].faces.length/3') === 200320, 'it has 200,320 faces');
  const fps = await framesPerSecond(page, 10);
  const cost = await page.eval(`(() => { const begin = performance.now(); for (let k = 0; k < 100; k++) tenon.player.seek(k/100); return (performance.now() - begin)/100; })()`);
  console.log(`mesh of 200,320 faces: ${fps.toFixed(0)} frames a second while it moves, ${cost.toFixed(1)} ms of script each`);
  check(fps >= 15, `200,320 faces at ${fps.toFixed(1)} frames a second, want 15`);
  // at rest all faces are drawn
  await page.until('tenon.stage.forms[0].geometry.getIndex().count === 3*200320', 10);
  check(seconds < 5, `a mesh of 100,160 elements takes ${seconds} s, want 5`);
  await noErrors(page, 'large mesh');
  await page.close();
}

async function formsChange(browser, template) {
  writeFileSync(join(scratch, 'waves.html'), intoPage(template, waves(20, 20)));
  const page = await browser.open(url('waves.html#t=0'), small);
  check(await page.ready() === 'yes', 'deformable things load');
  for (const t of [0, 0.5, 1]) {
    await page.eval(`tenon.still(${t})`);
    const [z, tip] = await page.eval(`(([u, s]) => [s.position(7*21 + 4)[2], [...u.node.slice(30)]])(tenon.stage.deformables)`);
    near(z, 0.1*Math.sin(6*7/20 + 3*t)*Math.cos(5*4/20), 1e-5, `height of a node at ${t} s`);
    near(tip[2], 0.1*t, 1e-6, `end of the tube at ${t} s`);
  }
  // the ring at a node lies around it, at the radius of the tube
  const ring = await page.eval(`(u => { const c = u.node.slice(15, 18), r = [], m = u.outline.point.length, at = 5*4*m; for (let i = 0; i < m; i++) { const p = u.position.slice(3*(at + i), 3*(at + i) + 3); r.push(Math.hypot(p[0] - c[0], p[1] - c[1], p[2] - c[2])); } return r; })(tenon.stage.deformables[0])`);
  for (const r of ring) near(r, 0.02, 1e-5, 'radius of the tube');
  check(await page.eval(`!document.getElementById('legend').hidden && document.getElementById('legend').textContent.includes('height')`), 'they have a legend');
  await noErrors(page, 'deformables');
  await page.close();
}

// place on the screen, in pixels of the page
const screenOf = node => `(f => { const s = tenon.stage, p = s.camera.position.clone().fromArray(f.node, 3*${node}); s.camera.updateMatrixWorld(); p.project(s.camera);
  const r = s.element.getBoundingClientRect(); return [r.left + (p.x + 1)/2*r.width, r.top + (1 - p.y)/2*r.height]; })(tenon.stage.forms[0])`;
// colour of what is drawn at a place of the page, 0 to 255
const pixel = ([x, y]) => `(() => { const s = tenon.stage, gl = s.renderer.getContext(), out = new Uint8Array(4), r = s.element.getBoundingClientRect(); s.dirty = true; s.render();
  const k = gl.drawingBufferWidth/r.width; gl.readPixels(Math.round((${x} - r.left)*k), Math.round((r.bottom - ${y})*k), 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, out); return [...out]; })()`;

async function meshesAreDrawn(browser, template) {
  writeFileSync(join(scratch, 'cube.html'), intoPage(template, cube()));
  const page = await browser.open(url('cube.html#t=2&theme=light'), small);
  check(await page.ready() === 'yes', 'a mesh loads');
  // 0.02 m in a cube of diagonal sqrt(3): 0.06 sqrt(3)/0.02 = 5.2, the round factor below is 5
  near(await page.eval('tenon.stage.scale'), 5, 1e-12, 'factor of displacements');
  for (const [t, scale] of [[2, 5], [1, 5], [0.5, 1], [1.5, 0], [2, 40]]) {
    await page.eval(`(tenon.setScale(${scale}), tenon.still(${t}))`);
    const x = await page.eval('[...tenon.stage.forms[0].node]');
    near(x[3*7], 1 + scale*0.01*t, 1e-6, `node 8 at ${t}, ${scale} times`);
    near(x[3*6], 0, 1e-6, 'node 7 stays');
    near(await page.eval('tenon.stage.forms[0].position(7)[0]'), 1 + 0.01*t, 1e-6, 'and where it truly is');
  }
  const text = `document.getElementById('legend').textContent`, ends = `[...document.querySelectorAll('#legend .ends span')].map(x => Number(x.textContent))`;
  check((await page.eval(text)).includes('von Mises stress [Pa]'), 'the legend says what and in which unit');
  check((await page.eval(ends)).join() === '0,2000000', `ends of the range: ${await page.eval(ends)}`);
  const labels = await page.eval(`[...document.querySelector('#legend select').options].map(o => o.value)`);
  for (const want of ['displacement', 'displacement x', 'stress xx', 'stress zx', 'von Mises stress']) check(labels.includes(want), `'${want}' can be chosen`);
  await page.eval(`tenon.colorBy('stress zz')`);
  check((await page.eval(ends)).join() === '-5,-5' || (await page.eval(ends))[0] === -5, `a constant: ${await page.eval(ends)}`);
  await page.eval(`tenon.colorBy('displacement')`);
  near((await page.eval(ends))[1], 0.02, 1e-9, 'largest displacement');
  await coloursOfMeshes(page);
  await probeOfMeshes(page);
  await cutsAndGroups(page);
  await noErrors(page, 'meshes');
  await page.close();
}

// the colour of a face is that of the value: where it is least and largest, and where the range is cut off
async function coloursOfMeshes(page) {
  await page.eval(`(tenon.colorBy('von Mises stress'), tenon.setScale(1), tenon.stage.show.edges = false, tenon.stage.show.outline = false, tenon.still(2), tenon.stage.view('front'))`);
  const inside = async (i, k) => {
    const [a, b] = [await page.eval(screenOf(i)), await page.eval(screenOf(k))];
    return [a[0] + 0.04*(b[0] - a[0]), a[1] + 0.04*(b[1] - a[1])];
  };
  const low = await page.eval(pixel(await inside(0, 5))), high = await page.eval(pixel(await inside(5, 0)));
  check(low[2] > low[1] && low[0] < 110, `the least value is dark violet: ${low}`);
  check(high[0] > 170 && high[1] > 150 && high[2] < 110, `the largest value is yellow: ${high}`);
  await page.eval(`(tenon.fixed = [null, 4e6], tenon.colorBy('von Mises stress'))`);
  const half = await page.eval(pixel(await inside(5, 0)));
  check(half[1] > half[0] + 40, `half of the range is green: ${half}`);
  await page.eval(`(tenon.fixed = [null, null], tenon.colorBy('von Mises stress'), tenon.stage.view('start'))`);
}

async function probeOfMeshes(page) {
  await page.eval('tenon.still(2)');
  const [x, y] = await page.eval(screenOf(5)), [mx, my] = await page.eval(screenOf(4));
  await page.click(x + 0.1*(mx - x), y + 0.1*(my - y) + 6);
  const said = await page.eval(`document.getElementById('detail').textContent`);
  check(said.includes('node 6 of 8'), `a click finds the node: ${said}`);
  const rows = await page.eval(`Object.fromEntries([...document.querySelectorAll('#detail tr')].map(r => [r.cells[0].textContent, r.cells[1].textContent]))`);
  check(rows['at rest [m]'].split(/ +/).map(Number).join() === '1,0,1', `its place at rest: ${rows['at rest [m]']}`);
  near(Number(rows['now [m]'].split(/ +/)[0]), 1.02, 1e-6, 'its place now');
  near(Number(rows['von Mises stress [Pa]']), 2e6, 1, 'its stress');
  near(Number(rows['displacement [m]']), 0.02, 1e-6, 'its displacement');
  check(rows.in === 'top, end', `its groups: ${rows.in}`);
  await page.eval('tenon.still(1)');
  const later = await page.eval(`[...document.querySelectorAll('#detail tr')].find(r => r.cells[0].textContent === 'stress xx [Pa]').cells[1].textContent`);
  near(Number(later), 1e6, 1, 'its stress at another time');
  await page.key('Escape');
}

async function cutsAndGroups(page) {
  // the picture is where the numbers are: 40 times 0.02 the cube ends at 1.8, 0 times at 1
  await page.eval(`(tenon.setLayer('grid', false), tenon.setScale(40), tenon.still(2), tenon.stage.remeasure(), tenon.stage.view('front'))`);
  const beyond = await page.eval(`(s => { s.camera.updateMatrixWorld(); const p = s.camera.position.clone().set(1.6, 0, 0.5).project(s.camera), r = s.element.getBoundingClientRect();
    return [r.left + (p.x + 1)/2*r.width, r.top + (1 - p.y)/2*r.height]; })(tenon.stage)`);
  const far = await page.eval(pixel(beyond));
  await page.eval('(tenon.setScale(0), tenon.still(2))');
  const gone = await page.eval(pixel(beyond));
  check(far.some((c, k) => Math.abs(c - gone[k]) > 60), `enlarged it covers a place that it does not cover at rest: ${far}, ${gone}`);
  await page.eval(`(tenon.setScale(1), tenon.still(0), tenon.stage.remeasure(), tenon.setLayer('grid', true), tenon.stage.view('front'))`);
  const [a, b] = [await page.eval(screenOf(0)), await page.eval(screenOf(5))], at = s => [a[0] + s*(b[0] - a[0]), a[1] + s*(b[1] - a[1])];
  const sky = await page.eval(pixel([a[0] - 30, a[1]]));
  const isSky = p => p.every((c, k) => Math.abs(c - sky[k]) < 40);
  await page.eval(`(tenon.setLayer('grid', false), tenon.clip('x', 0.6))`);
  check(!isSky(await page.eval(pixel(at(0.3)))), 'before the cut there is something');
  // beyond x = 0.6 the front, the top and the bottom are gone, and the end of the cube too
  check(isSky(await page.eval(pixel(at(0.85)))), 'beyond the cut there is nothing');
  check(await page.eval('tenon.stage.pick(...(([x, y]) => { const r = tenon.stage.element.getBoundingClientRect(); return [x - r.left, y - r.top]; })(' + JSON.stringify(at(0.85)) + '))') === null, 'and nothing to click');
  await page.eval(`tenon.clip('x', 0.6, -1)`);
  check(!isSky(await page.eval(pixel(at(0.85)))), 'the other side of the cut');
  await page.eval(`(tenon.clip('nothing'), tenon.showGroup('top'))`);
  check(await page.eval('tenon.stage.forms[0].shown.length') === 6, 'a group of four nodes of a face has its two triangles');
  await page.eval(`(tenon.showGroup(''), tenon.setLayer('grid', true), tenon.stage.view('start'))`);
  check(await page.eval('tenon.stage.forms[0].shown.length') === 36, 'everything is back');
}

// what a body carries moves with it at any factor; what is enlarged is seen from the body
async function carriedMeshes(browser, template) {
  writeFileSync(join(scratch, 'carried.html'), intoPage(template, carried()));
  const page = await browser.open(url('carried.html#t=1&theme=light'), small);
  check(await page.ready() === 'yes', 'a mesh on a body loads');
  near(await page.eval('tenon.stage.scale'), 1, 0, 'it is shown as it is');
  for (const scale of [1, 30, 0]) {
    await page.eval(`(tenon.setScale(${scale}), tenon.still(1))`);
    const x = await page.eval('[...tenon.stage.forms[0].node]');
    for (let i = 0; i < 8; i++) {
      near(x[3*i], 3 - (i >> 1 & 1), 1e-5, `node ${i}, x, ${scale} times`);
      near(x[3*i+1], i & 1, 1e-5, `node ${i}, y, ${scale} times`);
      near(x[3*i+2], (i >> 2 & 1) + (i === 7 ? 0.01*scale : 0), 1e-5, `node ${i}, z, ${scale} times`);
    }
  }
  await noErrors(page, 'carried');
  await page.close();
}

// fields too large for a page come from the server, as they are in the results; it ends with the page
async function largeFieldsAreServed(browser) {
  writeFileSync(join(scratch, 'slab.yaml'), `tenon: 1
meshes: {c: {box: {size: [1, 1, 0.1], cells: [60, 60, 1]}}}
materials: {steel: {type: elastic, E: 210e9, nu: 0.3, density: 7850}}
structures: {c: {mesh: c, material: steel}}
supports: [{group: x0, fix: all}]
loads: [{group: z1, pressure: 1e5}]
analysis: {until: 2e-4, method: central}
output: {every: 1e-5}
`);
  run('run', 'slab.yaml', '--output', 'slab.h5', '--quiet');
  const child = spawn(tenon, ['view', 'slab.h5'], {cwd: scratch, stdio: ['ignore', 'pipe', 'ignore']});
  let said = '', code = null;
  child.stdout.on('data', d => { said += d; });
  child.on('exit', c => { code = c; });
  process.on('exit', () => child.kill());
  for (let k = 0; k < 400 && !said.includes('\n'); k++) await sleep(50);
  const address = said.trim();
  check(/^http:\/\/127\.0\.0\.1:\d+\/[0-9a-f]{32}\/$/.test(address), `an address on this machine: '${address}'`);
  const page = await browser.open(`${address}#play=0`, small);
  check(await page.ready() === 'yes', 'the served page loads');
  check(await page.eval('tenon.scene.fields.length > 3 && tenon.scene.fields.every(f => !f.data)'), 'no field is in the scene');
  const csv = run('export', 'slab.h5', '--csv', '-', '--group', 'x1y0z0', 'displacement', 'von_mises', '--time', '1.5e-4').split('\n')[1].split(',');
  await page.eval('tenon.still(1.5e-4)');
  const got = await page.eval(`(f => { const i = f.spec.numbers.indexOf(${csv[2]}); return [...f.position(i), f.valueAt(f.scalars.find(q => q.label === 'von Mises stress'), i, tenon.stage.place)]; })(tenon.stage.forms[0])`);
  near(got[2] - Number(csv[5]), Number(csv[8]), 1e-6*Math.abs(csv[8]) + 1e-9, 'displacement of a corner');
  near(got[3], Number(csv[9]), 1e-5*Math.abs(csv[9]), 'its stress');
  run('export', 'slab.h5', '--csv', 'slab.csv', '--group', '*', 'von_mises', '--quiet');
  const largest = readFileSync(join(scratch, 'slab.csv'), 'utf8').split('\n').slice(1).reduce((m, l) => Math.max(m, Number(l.split(',')[6]) || 0), 0);
  near(await page.eval('tenon.stage.forms[0].range[1]'), largest, 1e-6*largest, 'the range is that of all stored times');
  for (const [what, status] of [['field?field=0&frame=0', 200], ['field?field=99&frame=0', 404], ['field?field=0&frame=9999', 404], ['field?field=-1&frame=0', 400], ['field', 400],
                                ['range?field=x', 400], ['range?field=50', 404], ['elsewhere', 404]])
    check(await page.eval(`fetch('${what}').then(a => a.status)`) === status, `${what} is answered ${status}`);
  await page.send('Page.navigate', {url: 'about:blank'});
  for (let k = 0; k < 300 && code === null; k++) await sleep(50);
  check(code === 0, `the command ends when the page is left: ${code}`);
  child.kill();
  await page.close();
}

async function modesAreShown(browser, template) {
  writeFileSync(join(scratch, 'modes.html'), intoPage(template, cube(true)));
  const page = await browser.open(url('modes.html#play=0'), small);
  check(await page.ready() === 'yes', 'modes load');
  const names = await page.eval(`[...document.getElementById('mode').options].map(o => o.textContent)`);
  check(names.length === 2 && names[0] === '1: rigid' && names[1].startsWith('2: 123.5') && names[1].includes('damping 2'), `frequencies: ${names}`);
  check(await page.eval(`document.getElementById('mode').value`) === '1', 'the first mode that is not rigid is chosen');
  check(await page.eval(`document.querySelector('#legend select').value`) === 'displacement', 'shapes are coloured by displacement');
  for (const phase of [0, 0.1, 0.25, 0.5, 0.9]) {
    await page.eval(`tenon.still(${1 + phase})`);
    near(await page.eval('tenon.stage.forms[0].position(7)[0]'), 1 + 0.02*Math.cos(2*Math.PI*phase), 1e-6, `a mode swings as a cosine, phase ${phase}`);
  }
  await page.key('n');
  check(await page.eval('tenon.mode') === 0 && await page.eval('tenon.player.time') === 0, 'the key n goes to the mode before');
  /* in one go: the page itself goes on playing between two calls */
  near(await page.eval('(tenon.player.play(), tenon.player.advance(1.4), tenon.player.time)'), 0.4, 1e-9, 'a mode is played over and over');
  await page.key('m');
  await page.eval('tenon.seek(0.3)');
  check(await page.eval(`tenon.mode === 0 && document.getElementById('mode').value === '0'`), 'going to another time chooses its mode');
  await noErrors(page, 'modes');
  await page.close();
}

// the matrix of an instance: its columns and its place
const matrixOf = (pieces, k) => `(p => { const m = p.local.clone(); p.group.mesh.getMatrixAt(p.index, m); const e = m.elements; return [0, 4, 8, 12].map(i => [e[i], e[i+1], e[i+2]]); })(tenon.stage.${pieces}.all[${k}])`;

async function everyPartIsDrawn(browser, template) {
  writeFileSync(join(scratch, 'parts.html'), intoPage(template, parts()));
  const page = await browser.open(url('parts.html#t=0'), small);
  check(await page.ready() === 'yes', 'one of everything loads');
  await page.eval(`for (const k of ['axes', 'forces']) tenon.setLayer(k, true)`);
  const lengths = [];
  for (const t of [0, 0.25, 1]) {
    await page.eval(`tenon.still(${t})`);
    const all = (got, want, text) => want.forEach((w, k) => near(got[k], w, 1e-5, `${text} at ${t} s, component ${k}`));
    all((await page.eval('tenon.stage.drawn(0)')).position, [t, 0, 1], 'the mesh');
    const axis = await page.eval('[...tenon.stage.axisPoints]');
    all([0, 1, 2].map(k => (axis[3 + k] + axis[k])/2), [t, 0, 1], 'the middle of the axis of the joint');
    near(Math.abs(axis[3] - axis[0])/Math.hypot(axis[3] - axis[0], axis[4] - axis[1], axis[5] - axis[2]), 1, 1e-5, 'y of the cube is -x of the ground');
    const [along, , , from] = await page.eval(matrixOf('lines', 0));
    all(from, [0, 0, 0], 'the foot of the spring');
    all(along, [t, 0, 1], 'the spring');
    all((await page.eval(matrixOf('lines', 1)))[0], [t, -1, 1], 'the damper');
    const [, , , start] = await page.eval(matrixOf('arrows', 0)), [tip, , , neck] = await page.eval(matrixOf('arrows', 1));
    all(start, [t, 0, 1], 'the foot of the arrow');
    all([tip[0] + neck[0], tip[1] + neck[1]], [t, 0], 'the tip of the arrow');
    all((await page.eval(matrixOf('arrows', 2)))[3], [0, -1, t], 'the foot of the arrow of a contact');
    lengths.push(tip[2] + neck[2] - start[2]);
  }
  near(lengths[1]/lengths[0], 1.25, 1e-5, 'an arrow is as long as its force');
  near(lengths[2]/lengths[0], 2, 1e-5, 'an arrow is as long as its force');
  await beamsHaveSections(page);
  // what is shown keeps clear of the legend
  await page.key('0');
  const [bottom, top] = await page.eval(`(() => { const s = tenon.stage, p = s.camera.position.clone(); s.camera.updateMatrixWorld(); let y = 1;
    for (let i = 0; i < s.seen.length; i += 3) y = Math.min(y, p.fromArray(s.seen, i).project(s.camera).y);
    return [s.element.getBoundingClientRect().top + (1 - y)/2*s.element.clientHeight, document.getElementById('legend').getBoundingClientRect().top]; })()`);
  check(bottom <= top + 1, `the legend at ${top} covers nothing that reaches down to ${bottom}`);
  await noErrors(page, 'parts');
  await page.close();
}

// at 1 s the section has turned by 90 degrees at the end, by 45 in the middle, not at all in the ground
async function beamsHaveSections(page) {
  await page.eval('tenon.still(1)');
  for (const [ring, angle, x] of [[0, 0, 0], [4, Math.PI/4, 1], [8, Math.PI/2, 2]]) {
    const corners = await page.eval(`(d => [0, 1, 2, 3, 4, 5, 6, 7].map(i => [...d.position.slice(3*(8*${ring} + i), 3*(8*${ring} + i) + 3)]))(tenon.stage.deformables[0])`);
    const c = Math.cos(angle), s = Math.sin(angle), want = [[1, 1], [-1, 1], [-1, -1], [1, -1]].map(([y, z]) => [0.1*y*c - 0.05*z*s, 0.1*y*s + 0.05*z*c]);
    for (const w of want)
      check(corners.filter(p => Math.hypot(p[0] - x, p[1] - 2 - w[0], p[2] - 0.5 - w[1]) < 1e-5).length === 2, `ring ${ring} has a corner at ${w}`);
  }
  const options = await page.eval(`[...document.querySelectorAll('#legend option')].map(o => o.value)`);
  check(options.join() === 'bending moment,axial force', `the legend offers what is recorded: ${options}`);
  const ends = `[...document.querySelectorAll('#legend .ends span')].map(x => Number(x.textContent))`, color = '[...tenon.stage.deformables[0].color.slice(0, 3)]';
  check(String(await page.eval(ends)) === '0,3', 'the legend has the range of all times');
  const before = await page.eval(color);
  await page.eval(`(s => { s.value = 'axial force'; s.dispatchEvent(new Event('change')); })(document.querySelector('#legend select'))`);
  check(String(await page.eval(ends)) === '-5,5' && String(await page.eval(color)) !== String(before), 'another quantity has another range and other colours');
  // the nearest node of the beam, and its numbers
  const p = await page.eval(`(() => { const r = tenon.stage.element.getBoundingClientRect(), v = tenon.stage.camera.position.clone().set(1.9, 2, 0.5).project(tenon.stage.camera); return [r.left + (v.x + 1)/2*r.width, r.top + (1 - v.y)/2*r.height]; })()`);
  await page.click(...p);
  const text = await page.eval(`document.getElementById('detail').hidden ? '' : document.getElementById('detail').textContent`);
  check(text.includes('node 3 of 3') && text.includes('axial force [N]5.0000') && text.includes('bending moment [N m]1.0000'), `a click on a beam gives its numbers: '${text}'`);
  await page.key('Escape');
  check(await page.eval(`document.getElementById('detail').hidden && !tenon.stage.marker.visible`), 'escape lets go of the beam');
}

// whatever the bytes are, a scene is decoded or refused with a sentence, at once
async function brokenScenesAreRefused() {
  const code = readFileSync(join(source, 'viewer/src/scene.js'));
  const {decodeScene} = await import(`data:text/javascript;base64,${code.toString('base64')}`);
  const good = parts(), random = generator(7);
  for (const [bytes, word] of [['nonsense nonsense nonsense', 'not a Tenon scene'], ['x', 'too short'], [good.subarray(0, 60), 'cut short']])
    try {
      decodeScene(new Uint8Array(Buffer.from(bytes)).buffer);
      check(false, `'${word}' is noticed`);
    } catch (e) {
      check(e.message.includes(word), `'${word}' is said: '${e.message}'`);
    }
  let refused = 0;
  for (let k = 0; k < 3000; k++) {
    const bad = Buffer.from(good.subarray(0, k % 5 ? good.length : Math.floor(random()*good.length)));
    for (let n = 1 + Math.floor(6*random()); n > 0 && bad.length; n--) bad[Math.floor(random()*random()*bad.length)] = Math.floor(256*random());
    try {
      decodeScene(new Uint8Array(bad).buffer);
    } catch (e) {
      refused++;
      check(/^(This|The) .*\.$|^This scene has version/.test(e.message), `a broken scene (${k}) is refused with '${e.message}'`);
    }
  }
  check(refused > 1000, `most broken scenes are refused: ${refused} of 3000`);
}

function generator(seed) {
  let x = seed;
  return () => (x = (1103515245*x + 12345) % 2147483648)/2147483648;
}

async function badScenesAreRefused(browser, template) {
  const good = manyBodies(4), cut = good.subarray(0, good.length - 100), newer = Buffer.from(good);
  newer.writeUInt32LE(99, 8);
  for (const [name, scene, word] of [['cut', cut, 'cut short'], ['newer', newer, 'newer Tenon']]) {
    writeFileSync(join(scratch, `${name}.html`), intoPage(template, scene));
    const page = await browser.open(url(`${name}.html`), small);
    check(await page.ready() === 'failed', `a ${name} scene is refused`);
    const text = await page.eval(`document.getElementById('message').textContent`);
    check(text.includes(word), `a ${name} scene is refused with words: '${text}'`);
    await page.close();
  }
}

// ---- events: the bouncing ball falls 1 m, and returns at 0.8 of its speed ------------------------------

async function eventsAreMarked(browser) {
  run('run', join(source, 'examples/contact/bouncing_ball.yaml'), '--output', 'ball.h5', '--quiet');
  run('view', 'ball.h5', '--html', 'ball.html', '--quiet');
  const page = await browser.open(url('ball.html#t=0'), small);
  check(await page.ready() === 'yes', 'the page with events loads');
  const g = 9.81, fall = Math.sqrt(2/g), second = fall + 2*0.8*fall; // and a touch of 1e-3 s
  const places = await page.eval(`[...document.querySelector('#timeline path').getAttribute('d').matchAll(/M([0-9.]+)/g)].map(m => Number(m[1]))`);
  for (const t of [fall, second]) check(places.some(x => Math.abs(5*x - t) < 3e-3), `a mark at ${t} s: ${places.slice(0, 6)}`);
  const at = (x, y) => page.mouse('mouseMoved', x, y, {button: 'none'});
  const [x, y, before] = await page.eval(`(r => [tenon.timeline.place(${fall}), r.top + r.height/2, tenon.timeline.place(${fall/2})])(document.getElementById('timeline').getBoundingClientRect())`);
  await at(x, y);
  const text = await page.until(`!document.getElementById('event-tip').hidden && document.getElementById('event-tip').textContent`);
  const said = text.match(/^(\S+) s · floor: touch\n(\S+) s · floor: release, impulse (\S+) N s/m);
  check(said, `the tip names touch and release: '${text}'`);
  near(Number(said?.[1]), fall, 1e-5, 'time of the touch');
  // 1.8 times the momentum, and the weight while it touches
  near(Number(said?.[3]), 1.8*g*fall, 0.02, 'impulse of the touch');
  await at(before, y);
  await page.until(`document.getElementById('event-tip').hidden`);
  // the middle of the knob stands on the mark
  await page.click(x, y);
  near(await page.eval('tenon.player.time'), fall, 0.5/(await page.eval(`(tenon.timeline.place(5) - tenon.timeline.place(0))/5`)), 'time after a click on a mark');
  await page.eval('document.activeElement.blur(); tenon.seek(0)');
  await page.key('.', 'Period');
  near(await page.eval('tenon.player.time'), fall, 1e-5, 'time after the key for the next event');
  near(await page.eval(`Number(document.getElementById('scrub').value)/200`), fall, 1e-3, 'the slider follows');
  await page.key('.', 'Period');
  check(await page.eval('tenon.player.time') > fall + 5e-4, 'and the next one after it');
  await page.key(',', 'Comma');
  near(await page.eval('tenon.player.time'), fall, 1e-5, 'and back');
  await noErrors(page, 'events');
  await page.close();
}

// ---- live ----------------------------------------------------------------------------------------------

function startLive(...args) {
  const child = spawn(tenon, ['run', ...args, '--live'], {cwd: scratch, stdio: ['ignore', 'pipe', 'pipe']});
  let text = '';
  child.stdout.on('data', d => { child.said = (child.said || '') + d; });
  const address = new Promise((done, fail) => {
    child.stderr.on('data', d => {
      text += d;
      const m = text.match(/http:\/\/127\.0\.0\.1:\d+\/[0-9a-f]{32}\//);
      if (m) done(m[0]);
    });
    child.on('exit', code => fail(new Error(`tenon run --live ended with ${code}: ${text}`)));
  });
  child.done = new Promise(done => child.on('exit', code => done(code)));
  return {child, address};
}

function get(address, options = {}) {
  return new Promise((done, fail) => {
    const request = http.request(address, options, answer => {
      const parts = [];
      answer.on('data', d => parts.push(d));
      answer.on('end', () => done({code: answer.statusCode, body: Buffer.concat(parts)}));
    });
    request.on('error', fail);
    request.end(options.body);
  });
}

async function strangersAreRefused(address) {
  const {port} = new URL(address), base = `http://127.0.0.1:${port}`;
  const code = async (a, o) => (await get(a, o)).code;
  check(await code(address) === 200, 'the page is served');
  check(await code(`${base}/`) === 404, 'nothing without a token');
  check(await code(address.replace(/.\/$/, 'g/')) === 404, 'nothing with a wrong token');
  check(await code(address, {headers: {Host: 'example.org'}}) === 403, 'another host name is refused');
  check(await code(`${address}frames?from=0&generation=0`, {headers: {Origin: 'http://example.org'}}) === 403, 'another origin is refused');
  check(await code(`${address}scene`, {headers: {'Sec-Fetch-Site': 'cross-site'}}) === 403, 'another site is refused');
  check(await code(address, {method: 'POST', body: 'x'.repeat(100000)}) === 405, 'POST is refused');
  for (const query of ['from=-1&generation=0', 'from=1e9&generation=0', 'from=&generation=0', 'generation=0', `from=${'9'.repeat(500)}&generation=0`, 'from=0;drop&generation=0'])
    check(await code(`${address}frames?${query}`) === 400, `frames?${query.slice(0, 40)} is refused`);
  const rubbish = ['\0\xff\xfe\r\n\r\n', 'GET\r\n\r\n', `GET /${'a'.repeat(70000)} HTTP/1.1\r\n\r\n`, 'GET / HTTP/9.9\r\nHost\r\n\r\n', 'POST / HTTP/1.1\r\nContent-Length: -5\r\n\r\n'];
  for (const text of rubbish)
    await new Promise(done => {
      const s = net.connect(port, '127.0.0.1', () => { s.write(text, 'latin1'); setTimeout(() => { s.destroy(); done(); }, 40); });
      s.on('error', () => {});
    });
  const random = generator(11), start = Buffer.from(`GET ${new URL(address).pathname}frames?from=0&generation=0 HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`);
  await Promise.all(Array.from({length: 24}, (_, k) => new Promise(done => { // requests with bytes changed, and noise
    const bytes = k % 3 ? Buffer.from(start) : Buffer.alloc(2000);
    for (let n = k % 3 ? 4 : bytes.length; n > 0; n--) bytes[Math.floor(random()*bytes.length)] = Math.floor(256*random());
    const s = net.connect(port, '127.0.0.1', () => s.write(bytes));
    s.on('data', () => s.destroy());
    s.on('error', () => {});
    s.on('close', done);
    setTimeout(() => s.destroy(), 200);
  })));
  check(await code(address) === 200, 'the page is served after rubbish');
  // other addresses of this machine do not answer
  await new Promise(done => {
    const s = net.connect({port, host: '::1'}, () => { check(false, 'answers on another address'); s.destroy(); done(); });
    s.on('error', done);
  });
}

async function liveReceivesEverything(browser) {
  const {child, address} = startLive(join(source, 'examples/beams/pendulum.yaml'), '--every', '0.001', '--output', 'live.h5');
  const where = await address;
  const slow = net.connect(new URL(where).port, '127.0.0.1'); // asks and never reads
  slow.on('error', () => {});
  slow.write(`GET ${new URL(where).pathname} HTTP/1.1\r\nHost: ${new URL(where).host}\r\n\r\n`);
  slow.pause();
  await strangersAreRefused(where);
  const page = await browser.open(where, small);
  check(await page.ready() === 'yes', 'the live page loads');
  await page.until(`tenon.live && tenon.live.state === 'complete' && tenon.scene.outcome === 'complete'`);
  const [n, t] = await page.eval('[tenon.scene.nframe, tenon.scene.times[tenon.scene.nframe-1]]');
  check(n === 501, `all 501 frames arrived, got ${n}`);
  near(t, 0.5, 1e-12, 'last time');
  check((await page.eval(`document.getElementById('progress').textContent`)).includes('complete'), 'the page says that the run is complete');
  const tip = '[...tenon.stage.deformables[0].node.slice(-3), Number(document.querySelector("#legend .ends").lastChild.textContent)]';
  await page.eval('tenon.player.play(false); tenon.still(0.365)');
  const last = await page.eval(tip);
  check(await child.done === 0, 'the run ends well, slow reader or not');
  slow.destroy();
  await noErrors(page, 'live');
  await page.close();
  run('view', 'live.h5', '--html', 'live.html', '--quiet');
  const stored = await browser.open(url('live.html#t=0.365'), small);
  await stored.ready();
  const again = await stored.eval(tip);
  for (let k = 0; k < 4; k++) near(last[k], again[k], 1e-4, 'a live beam is where the stored one is, with the same scale of colours');
  check(Math.hypot(...again.slice(0, 3)) > 0.9 && again[3] > 0, 'and that is somewhere');
  await stored.close();
}

async function liveEventsAreMarked(browser) {
  const {child, address} = startLive(join(source, 'examples/contact/bouncing_ball.yaml'), '--output', 'ball.h5');
  const page = await browser.open(await address, small);
  await page.ready();
  await page.until(`tenon.live && tenon.live.state === 'complete' && tenon.scene.outcome === 'complete'`);
  const [events, marks] = await page.eval(`[tenon.scene.events, document.querySelector('#timeline path').getAttribute('d').split('M').length - 1]`);
  check(await child.done === 0, 'the run ends well');
  await noErrors(page, 'live events');
  await page.close();
  run('export', 'ball.h5', '--csv', 'ball.csv', '--events');
  const rows = readFileSync(join(scratch, 'ball.csv'), 'utf8').trim().split('\n').slice(1).map(line => line.split(','));
  check(rows.length > 10 && events.length === rows.length, `all ${rows.length} events arrived, got ${events.length}`);
  near(events[0].t, Math.sqrt(2/9.81), 1e-6, 'the first touch');
  check(events.every((e, k) => e.element === 'floor' && Math.abs(e.t - rows[k][0]) < 1e-12), 'they are those of the results');
  check(marks > 5, `the timeline has marks, ${marks}`);
}

async function closedBrowserDoesNotStopTheRun() {
  const {child, address} = startLive(join(source, 'examples/pendulum/pendulum.yaml'), '--no-output');
  const where = await address;
  await get(`${where}scene`); // somebody looked and went away
  for (let k = 0; k < 2000 && !(child.said || '').includes('complete'); k++) await sleep(50);
  check((child.said || '').includes('complete'), 'a run whose page was closed goes on to its end');
  child.kill('SIGINT'); // instead of waiting for the page to come back
  check(await child.done === 0, 'and ends well');
}

// ---- all -----------------------------------------------------------------------------------------------

async function page(browser, part, template) {
  const day = await browser.open(url('crank.html#t=0'), {offline: true});
  check(await day.ready() === 'yes', 'the page loads without a network');
  check(await day.eval('document.title') === 'Slider-crank – Tenon', 'the page has the title of the model');
  for (const f of [bodiesAreWhereTheyShouldBe, theVerdictIsShown, scrubbingMovesTime, playingRunsInRealTime, clickingSelects, plotsFollow, layersSwitch, picturesAreStable])
    await part(f, day);
  check(day.requests.every(r => r.startsWith('file:') || r.startsWith('data:')), `it asks for nothing: ${day.requests.slice(0, 3).join(' ').slice(0, 200)}`);
  await noErrors(day, 'slider-crank');
  await day.close();
  const night = await browser.open(url('crank.html#t=0'), {dark: true});
  await night.ready();
  await part(themesDiffer, night);
  await part(resizes, night);
  await noErrors(night, 'dark');
  await night.close();
  await part(eventsAreMarked, browser);
  await part(formsChange, browser, template);
  await part(meshesAreDrawn, browser, template);
  await part(carriedMeshes, browser, template);
  await part(largeFieldsAreServed, browser);
  await part(modesAreShown, browser, template);
  await part(everyPartIsDrawn, browser, template);
  await part(brokenScenesAreRefused);
  await part(missingProgramsAreNamed);
  await part(badScenesAreRefused, browser, template);
  await part(thousandBodies, browser, template, small);
  await part(liveReceivesEverything, browser);
  await part(liveEventsAreMarked, browser);
  await part(closedBrowserDoesNotStopTheRun);
}

// without a browser or ffmpeg one line says what to install
async function missingProgramsAreNamed() {
  const attempt = (env, ...args) => spawnSync(tenon, ['view', 'crank.h5', ...args], {cwd: scratch, encoding: 'utf8', env: {...process.env, ...env}});
  for (const [env, file, word] of [[{TENON_BROWSER: 'no-such-browser'}, '--png', 'need Chromium'], [{PATH: scratch}, '--video', 'videos need ffmpeg']]) {
    const {status, stderr} = attempt(env, file, 'missing.out');
    check(status === 3 && stderr.includes(word) && stderr.trim().split('\n').length === 1, `${file}: '${stderr.trim()}', exit code ${status}`);
    check(!existsSync(join(scratch, 'missing.out')), `${file} leaves no file`);
  }
}

async function picturesAndVideos() {
  run('view', 'crank.h5', '--png', 'crank.png', '--video', 'crank.mp4', '--size', '320x180', '--speed', '4', '--quiet');
  const png = readFileSync(join(scratch, 'crank.png')), mp4 = readFileSync(join(scratch, 'crank.mp4'));
  check(png.readUInt32BE(16) === 320 && png.readUInt32BE(20) === 180 && png.length > 3000, `a picture of ${png.length} bytes in its size`);
  check(mp4.toString('latin1', 4, 8) === 'ftyp' && mp4.length > 3000, `a video of ${mp4.length} bytes`);
  const said = spawnSync('ffprobe', ['-v', 'error', '-count_frames', '-show_entries', 'stream=width,height,nb_read_frames', '-of', 'csv=p=0', 'crank.mp4'], {cwd: scratch, encoding: 'utf8'});
  check(said.stdout.trim() === '320,180,16', `2 s at four times the speed are 16 pictures: '${said.stdout.trim()}'`);
}

async function speed(browser, part, template) {
  if (spawnSync('ffmpeg', ['-version']).status === 0) await part(picturesAndVideos);
  await part(thousandBodiesMove, browser, template);
  await part(largeMeshLoads, browser, template);
}

async function main() {
  run('run', join(source, 'examples/slider-crank/slider_crank.yaml'), '--output', 'crank.h5', '--quiet');
  run('view', 'crank.h5', '--html', 'crank.html', '--quiet');
  check(statSync(join(scratch, 'crank.html')).size < 5e6, 'the page is below 5 MB');
  const template = readFileSync(join(scratch, 'crank.html'), 'utf8');
  const browser = await Browser.start();
  const part = async (f, ...args) => {
    const begin = Date.now(), used = await browser.cpu();
    try {
      await f(...args);
    } catch (e) {
      check(false, `${f.name}: ${e.message}`);
    }
    const took = (Date.now() - begin)/1000, worked = await browser.cpu() - used;
    console.log(`${f.name}: ${took.toFixed(1)} s, ${worked.toFixed(1)} s of the browser's processors`);
  };
  try {
    if (what === 'speed') await speed(browser, part, template);
    else await page(browser, part, template);
  } finally {
    await browser.close();
    rmSync(scratch, {recursive: true, force: true});
  }
  console.log(`${checks} checks, ${failures} failed`);
  process.exit(failures ? 1 : 0);
}

main().catch(e => { console.log(e.stack); process.exit(1); });
