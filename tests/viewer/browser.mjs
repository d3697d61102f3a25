// A browser to test with: Chromium without a window, driven through its debugging pipe (file
// descriptors 3 and 4), so that nothing but node and Chromium is needed.
//
// SPDX-License-Identifier: BSD-3-Clause
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export class Browser {
  static async start({width = 1280, height = 720} = {}) {
    const profile = mkdtempSync(join(tmpdir(), 'tenon-browser-'));
    const flags = ['--headless=new', '--no-sandbox', '--remote-debugging-pipe', '--disable-dev-shm-usage',
      '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--hide-scrollbars', '--mute-audio',
      '--no-first-run', '--disable-extensions', '--disable-background-networking', '--disable-sync',
      '--force-color-profile=srgb', `--user-data-dir=${profile}`, `--window-size=${width},${height}`, 'about:blank'];
    const child = spawn(process.env.TENON_BROWSER || 'chromium', flags, {stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe']});
    const browser = new Browser();
    Object.assign(browser, {child, profile, waiting: new Map(), next: 1, rest: '', pages: new Map(), width, height});
    child.stdio[4].on('data', d => browser.take(d));
    child.on('exit', () => { for (const w of browser.waiting.values()) w.reject(new Error('the browser ended')); });
    await browser.send('Target.setDiscoverTargets', {discover: false});
    return browser;
  }

  take(data) {
    this.rest += data.toString('utf8');
    for (let end; (end = this.rest.indexOf('\0')) >= 0;) {
      const message = JSON.parse(this.rest.slice(0, end));
      this.rest = this.rest.slice(end + 1);
      if (message.id) {
        const w = this.waiting.get(message.id);
        this.waiting.delete(message.id);
        if (message.error) w.reject(new Error(`${w.method}: ${message.error.message}`));
        else w.resolve(message.result);
      } else {
        this.pages.get(message.sessionId)?.event(message);
      }
    }
  }

  send(method, params = {}, sessionId) {
    const id = this.next++;
    this.child.stdio[3].write(JSON.stringify({id, method, params, sessionId}) + '\0');
    return new Promise((resolve, reject) => this.waiting.set(id, {resolve, reject, method}));
  }

  /** Processor seconds that all processes of the browser have used. */
  async cpu() {
    const {processInfo} = await this.send('SystemInfo.getProcessInfo');
    return processInfo.reduce((s, p) => s + p.cpuTime, 0);
  }

  /** options: dark, offline, width, height */
  async open(url, options = {}) {
    const {targetId} = await this.send('Target.createTarget', {url: 'about:blank'});
    const {sessionId} = await this.send('Target.attachToTarget', {targetId, flatten: true});
    const page = new Page(this, sessionId, targetId);
    this.pages.set(sessionId, page);
    await page.send('Page.enable');
    await page.send('Runtime.enable');
    await page.send('Log.enable');
    await page.send('Network.enable');
    await page.send('Emulation.setDeviceMetricsOverride', {width: options.width || this.width, height: options.height || this.height,
                                                           deviceScaleFactor: 1, mobile: false});
    if (options.dark) await page.send('Emulation.setEmulatedMedia', {features: [{name: 'prefers-color-scheme', value: 'dark'}]});
    if (options.offline) await page.send('Network.emulateNetworkConditions', {offline: true, latency: 0, downloadThroughput: 0, uploadThroughput: 0});
    await page.send('Page.navigate', {url});
    return page;
  }

  async close() {
    await this.send('Browser.close').catch(() => {});
    await new Promise(done => { this.child.exitCode === null ? this.child.on('exit', done) : done(); });
    rmSync(this.profile, {recursive: true, force: true, maxRetries: 5});
  }
}

export class Page {
  constructor(browser, session, target) {
    Object.assign(this, {browser, session, target, errors: [], requests: []});
  }

  send(method, params) {
    return this.browser.send(method, params, this.session);
  }

  event({method, params}) {
    if (method === 'Runtime.exceptionThrown') this.errors.push(params.exceptionDetails.exception?.description || params.exceptionDetails.text);
    if (method === 'Runtime.consoleAPICalled' && params.type === 'error') this.errors.push(params.args.map(a => a.value || a.description).join(' '));
    if (method === 'Log.entryAdded' && params.entry.level === 'error') this.errors.push(params.entry.text);
    if (method === 'Network.requestWillBeSent') this.requests.push(params.request.url);
  }

  /** Value of an expression in the page; promises are waited for. */
  async eval(expression) {
    const r = await this.send('Runtime.evaluate', {expression, returnByValue: true, awaitPromise: true});
    if (r.exceptionDetails) throw new Error(r.exceptionDetails.exception?.description || r.exceptionDetails.text);
    return r.result.value;
  }

  // generous: on a busy machine everything takes longer, and what fails is told by its condition
  async until(expression, seconds = 120) {
    const end = Date.now() + 1000*seconds;
    for (;;) {
      const value = await this.eval(expression).catch(() => undefined);
      if (value) return value;
      if (Date.now() > end) throw new Error(`waited ${seconds} s for ${expression}; errors: ${this.errors.join(' | ')}`);
      await new Promise(done => setTimeout(done, 30));
    }
  }

  ready() {
    return this.until(`document.documentElement.dataset.ready`);
  }

  async mouse(type, x, y, extra = {}) {
    await this.send('Input.dispatchMouseEvent', {type, x, y, button: 'left', clickCount: 1, ...extra});
  }

  async click(x, y) {
    await this.mouse('mouseMoved', x, y, {button: 'none'});
    await this.mouse('mousePressed', x, y);
    await this.mouse('mouseReleased', x, y);
  }

  async key(key, code = key) {
    const text = key.length === 1 ? key : undefined;
    await this.send('Input.dispatchKeyEvent', {type: 'keyDown', key, code, text});
    await this.send('Input.dispatchKeyEvent', {type: 'keyUp', key, code});
  }

  /** PNG as a Buffer. */
  async picture() {
    const r = await this.send('Page.captureScreenshot', {format: 'png'});
    return Buffer.from(r.data, 'base64');
  }

  async close() {
    await this.browser.send('Target.closeTarget', {targetId: this.target});
    this.browser.pages.delete(this.session);
  }
}
