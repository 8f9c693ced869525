/**
 * The files that pages of the console load, the time until content is visible, and the one connection that all tabs
 * share; in Chromium.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { neededChromium, PICTURES } from '../../fixtures/console/chromium.js';
import { API, object, stageConsole, type ConsoleStage } from '../../fixtures/console/consolestage.js';
import { eventually } from '../../fixtures/wait.js';

/** The limits apply to a first visit with an empty browser cache. */
const PAGES = [
  { name: 'home', path: '/console/', ready: 'Newest', bytes: 300_000 },
  { name: 'secrets', path: '/console/secrets', ready: '2 secrets', bytes: 300_000 },
  { name: 'secret', path: '/console/secrets/default/database', ready: 'password', bytes: 300_000 },
  {
    name: 'yaml',
    path: `/console/yaml?path=${API}/namespaces/default/sharedsecrets/database`,
    ready: '',
    bytes: 900_000,
  },
] as const;

interface Figures {
  readonly firstContentfulPaintMs: number;
  readonly largestContentfulPaintMs: number;
  readonly totalBlockingMs: number;
  readonly layoutShift: number;
  readonly bytes: number;
  readonly requests: number;
}

/** Runs in the page before any other script. */
const OBSERVE = `
  globalThis.seen = { paint: 0, largest: 0, blocked: 0, shift: 0 };
  const observe = (type, take) =>
    new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({ type, buffered: true });
  observe('paint', ({ name, startTime }) => { if (name === 'first-contentful-paint') seen.paint = startTime; });
  observe('largest-contentful-paint', ({ startTime }) => { seen.largest = startTime; });
  observe('longtask', ({ duration }) => { seen.blocked += Math.max(0, duration - 50); });
  observe('layout-shift', ({ value, hadRecentInput }) => { if (!hadRecentInput) seen.shift += value; });`;

(neededChromium() ? describe : describe.skip)('what pages of the console load', () => {
  let on: ConsoleStage;
  const all: Record<string, Figures> = {};

  beforeAll(async () => {
    on = await stageConsole();
  });

  afterAll(async () => {
    mkdirSync(PICTURES, { recursive: true });
    writeFileSync(`${PICTURES}/pages.json`, `${JSON.stringify(all, null, 2)}\n`);
    process.stdout.write(`${tableOf(all)}\n`);
    await on.remove();
  });

  test.each(PAGES)('$name is small, and nothing in it jumps', async ({ name, path, ready, bytes }) => {
    const { context } = await on.logIn('ada');
    const page = await context.newPage();
    const devtools = await context.newCDPSession(page);
    await devtools.send('Network.enable');
    await devtools.send('Network.setCacheDisabled', { cacheDisabled: true });
    const sizes = new Map<string, number>();
    devtools.on('Network.requestWillBeSent', ({ requestId }) => sizes.set(requestId, 0));
    devtools.on('Network.dataReceived', ({ requestId, encodedDataLength }) =>
      sizes.set(requestId, (sizes.get(requestId) ?? 0) + encodedDataLength),
    );
    await page.addInitScript(OBSERVE);
    await page.goto(path);
    await shown(page, ready);
    await page.waitForLoadState('load');
    // The browser reports the last layout shifts and long tasks after the frame in which they occurred.
    await page.evaluate('new Promise((next) => requestAnimationFrame(() => setTimeout(next, 500)))');
    const seen = await page.evaluate<Record<'paint' | 'largest' | 'blocked' | 'shift', number>>('seen');
    const figures = {
      firstContentfulPaintMs: seen.paint,
      largestContentfulPaintMs: seen.largest,
      totalBlockingMs: seen.blocked,
      layoutShift: seen.shift,
      bytes: [...sizes.values()].reduce((sum, size) => sum + size, 0),
      requests: sizes.size,
    };
    all[name] = figures;
    expect(figures.layoutShift).toBeLessThan(0.1);
    expect(figures.bytes).toBeGreaterThan(10_000);
    expect(figures.bytes).toBeLessThan(bytes);
    expect(figures.requests).toBeLessThan(80);
    expect(figures.largestContentfulPaintMs).toBeGreaterThan(0);
    expect(figures.largestContentfulPaintMs).toBeLessThan(30_000);
    await page.close();
  });

  test('a click while the server is away waits for it, and the page that was asked for comes', async () => {
    const { context, page } = await on.logIn('ruth');
    await page.goto('/console/secrets');
    await page.getByRole('link', { name: 'database' }).first().waitFor();
    await context.setOffline(true);
    await page.getByRole('navigation').getByRole('link', { name: 'Access keys' }).click();
    await page.getByText('The server cannot be reached, and is asked again and again.').waitFor();
    expect(page.url()).toContain('/console/accesskeys');
    await context.setOffline(false);
    await page.getByRole('heading', { name: 'Access keys', exact: true }).waitFor();
    await page.getByText('The server cannot be reached').waitFor({ state: 'detached' });
    await context.close();
  });

  test('watches of several tabs share one connection, and go on after the server was started again', async () => {
    const { context, page: first, violations } = await on.logIn('ruth');
    const connections = new Set<number>();
    let watches = 0;
    const pages = [first, await context.newPage(), await context.newPage()];
    for (const page of pages) {
      const devtools = await context.newCDPSession(page);
      await devtools.send('Network.enable');
      devtools.on('Network.responseReceived', ({ response: { url, connectionId } }) => {
        if (!url.includes('watch=')) return;
        watches += 1;
        connections.add(connectionId);
      });
      await page.goto('/console/');
      await shown(page, 'Newest');
    }
    const before = watches;
    await first.goto('/console/secrets');
    // Waits until the page is loaded, as it could not load the rest without a server.
    await first.getByRole('link', { name: 'database' }).first().waitFor();
    await eventually('the page watches', () => Promise.resolve(watches > before && watches >= 5));
    expect(connections.size).toBe(1);
    await on.server.restart();
    await on.send('/namespaces/default/sharedsecrets', object('SharedSecret', { name: 'after' }, {}));
    await first.getByRole('link', { name: 'after' }).waitFor();
    expect(violations).toEqual([]);
    await context.close();
  });
});

/** Waits for a text of the page, or for the editor. */
const shown = (page: Page, text: string): Promise<void> =>
  (text === '' ? page.getByRole('textbox', { name: 'YAML' }) : page.getByText(text).first()).waitFor();

function tableOf(all: Readonly<Record<string, Figures>>): string {
  const rows = Object.entries(all).map(([name, figures]) => {
    const { firstContentfulPaintMs, largestContentfulPaintMs, totalBlockingMs, layoutShift } = figures;
    const times = [firstContentfulPaintMs, largestContentfulPaintMs, totalBlockingMs].map(Math.round);
    return [name, ...times, layoutShift.toFixed(3), Math.round(figures.bytes / 1000), figures.requests];
  });
  const heads = ['page', 'FCP ms', 'LCP ms', 'TBT ms', 'CLS', 'KB', 'requests'];
  return [heads, ...rows].map((row) => row.map((cell) => String(cell).padStart(9)).join('')).join('\n');
}
